"""Facts about OpenHands completion logs."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from inspector.importers.agents.openhands import OpenHands
from inspector.importers.base import ImportedCall, ImportedSession, Problem
from inspector.importers.reading.documents import Document

SYSTEM = {"role": "system", "content": "You are an agent."}
TASK = {"role": "user", "content": "Write hello.py"}
TURN = [{"role": "assistant", "content": "ok"}, {"role": "user", "content": "EXECUTION RESULT"}]


def log(messages: Sequence[dict[str, Any]], at: float, **more: Any) -> dict[str, Any]:
    """A log of one call, answered at ``at`` seconds after two seconds."""
    choice = {"finish_reason": "stop", "message": {"role": "assistant", "content": "ok"}}
    response = {"id": f"r{at}", "model": "gpt-4o", "choices": [choice], "usage": {"prompt_tokens": 7}}
    return {
        "messages": list(messages), "response": response, "kwargs": {"temperature": 0.0}, "context_window": 128_000,
        "timestamp": at, "latency_sec": 2.0, **more,
    }  # fmt: skip


def read(paths: Sequence[Path]) -> tuple[list[ImportedSession], list[Problem]]:
    """Read files as the format does."""
    problems: list[Problem] = []
    return list(OpenHands().read([Document(path) for path in paths], problems.append)), problems


def call_of(path: Path) -> ImportedCall:
    """Give the only call of a file."""
    [session], _ = read([path])
    [call] = session.calls()
    return call


def lengths(session: ImportedSession) -> list[int]:
    """How many messages each call sends."""
    return [len(call.request["messages"]) for call in session.calls() if isinstance(call.request, dict)]


def test_body_is_messages_and_arguments(write_json: Callable[..., Path]) -> None:
    """The body is the model, what was sent, and the arguments; ``extra_body`` is merged as the client does."""
    kwargs = {"tools": [{"type": "function"}], "top_p": 1.0, "extra_body": {"metadata": {"a": 1}}}
    call = call_of(write_json("acme__gpt-4o-17.5.json", log([SYSTEM, TASK], 1.0, kwargs=kwargs)))

    assert call.request == {
        "model": "acme/gpt-4o",
        "messages": [SYSTEM, TASK],
        "metadata": {"a": 1},
        "tools": [{"type": "function"}],
        "top_p": 1.0,
    }
    assert (call.exact, call.missing) == ("imported", ())


def test_secrets_of_the_client_are_left_out(write_json: Callable[..., Path]) -> None:
    """What steers the client never stood in a body, and an API key is never stored."""
    kwargs = {"api_key": "sk-secret", "base_url": "https://x", "timeout": 3, "stop": ["</function"]}
    call = call_of(write_json("m-1.json", log([TASK], 1.0, kwargs=kwargs)))

    assert call.request == {"model": "m", "messages": [TASK], "stop": ["</function"]}


def test_what_was_sent_is_messages_not_raw_messages(write_json: Callable[..., Path]) -> None:
    """Where tools are written into the system text, that text was sent."""
    raw = [{"role": "system", "content": "short"}, TASK]
    call = call_of(write_json("m-1.json", log([SYSTEM, TASK], 1.0, raw_messages=raw)))

    assert isinstance(call.request, dict)
    assert call.request["messages"][0] == SYSTEM


def test_raw_answer_is_preferred_and_keeps_the_usage(write_json: Callable[..., Path]) -> None:
    """The provider's own answer is shown, with the usage that stands beside the converted one."""
    raw = {"id": "r", "choices": [{"message": {"role": "assistant", "content": "<function=ls>"}}]}
    answer = call_of(write_json("m-1.json", log([TASK], 1.0, raw_response=raw))).answer

    assert answer is not None
    assert answer.body is not None
    assert answer.body["choices"] == raw["choices"]
    assert answer.body["usage"] == {"prompt_tokens": 7}


def test_raw_answer_whose_tool_calls_were_lost_is_passed_over(write_json: Callable[..., Path]) -> None:
    """``tool_calls: [{}]`` tells less than the converted answer."""
    raw = {"id": "r", "choices": [{"message": {"role": "assistant", "content": "x", "tool_calls": [{}]}}]}
    answer = call_of(write_json("m-1.json", log([TASK], 1.0, raw_response=raw))).answer

    assert answer is not None
    assert answer.body is not None
    assert answer.body["choices"][0]["message"]["content"] == "ok"


def test_log_is_stamped_when_the_answer_is_there(write_json: Callable[..., Path]) -> None:
    """The call went out a latency before the log's time."""
    call = call_of(write_json("m-1.json", log([TASK], 100.5)))

    assert call.time == datetime(1970, 1, 1, 0, 1, 38, 500_000, tzinfo=UTC)
    assert call.answer is not None
    assert call.answer.time == datetime(1970, 1, 1, 0, 1, 40, 500_000, tzinfo=UTC)
    assert call.answer.duration_ms == 2000.0


def test_model_nobody_names_is_missing(write_json: Callable[..., Path]) -> None:
    """Without a name in the file's name or the answer, the model is missing."""
    call = call_of(write_json("one.json", log([TASK], 1.0, response={"choices": []})))

    assert call.missing == ("model",)
    assert isinstance(call.request, dict)
    assert "model" not in call.request


def test_folder_is_ordered_by_time_not_by_name(write_json: Callable[..., Path]) -> None:
    """The logs of a conversation are ordered by their own time."""
    late = write_json("run/a.json", log([SYSTEM, TASK, *TURN], 20.0))
    early = write_json("run/b.json", log([SYSTEM, TASK], 10.0))
    [session], _ = read([late, early])

    assert session.session == "run"
    assert session.window == 128_000
    assert lengths(session) == [2, 4]


def test_condensed_conversation_stays_one(write_json: Callable[..., Path]) -> None:
    """A context that got shorter, with its opening kept, is the same conversation."""
    paths = [
        write_json("run/1.json", log([SYSTEM, TASK], 1.0)),
        write_json("run/2.json", log([SYSTEM, TASK, *TURN, *TURN], 2.0)),
        write_json("run/3.json", log([SYSTEM, TASK, {"role": "assistant", "content": "so far"}], 3.0)),
    ]
    [session], _ = read(paths)

    assert lengths(session) == [2, 6, 3]


def test_two_conversations_in_a_folder_are_two_sessions(write_json: Callable[..., Path]) -> None:
    """Another opening, or the same opening begun anew, is another session."""
    other = {"role": "user", "content": "Something else"}
    paths = [
        write_json("run/1.json", log([SYSTEM, TASK], 1.0)),
        write_json("run/2.json", log([SYSTEM, TASK, *TURN], 2.0)),
        write_json("run/3.json", log([SYSTEM, other], 3.0)),
        write_json("run/4.json", log([SYSTEM, TASK], 4.0)),
        write_json("run/5.json", log([SYSTEM, TASK, *TURN], 5.0)),
    ]
    sessions, _ = read(paths)

    assert [(session.session, lengths(session)) for session in sessions] == [
        ("run-1", [2, 4]),
        ("run-2", [2]),
        ("run-3", [2, 4]),
    ]


def test_repeated_first_call_is_no_new_conversation(write_json: Callable[..., Path]) -> None:
    """A first call that was tried twice is one conversation."""
    paths = [write_json(f"run/{n}.json", log([SYSTEM, TASK], float(n))) for n in (1, 2)]
    sessions, _ = read(paths)

    assert [lengths(session) for session in sessions] == [[2, 2]]


def test_damaged_log_costs_itself(write_json: Callable[..., Path], tmp_path: Path) -> None:
    """A log that is no JSON is reported, and the others are read."""
    good = write_json("run/1.json", log([TASK], 1.0))
    bad = good.with_name("2.json")
    bad.write_text('{"messages": [')
    sessions, problems = read([good, bad])

    assert len(sessions) == 1
    assert [problem.source for problem in problems] == [str(bad)]


def test_mended_log_is_read_and_said(write_json: Callable[..., Path]) -> None:
    """A stray backslash in a log is mended, and the session says so."""
    path = write_json("run/m-1.json", log([{"role": "user", "content": "X"}], 1.0))
    path.write_text(path.read_text().replace('"X"', r'"a\dev"'))
    [session], problems = read([path])

    [call] = session.calls()
    assert isinstance(call.request, dict)
    assert call.request["messages"][0]["content"] == r"a\dev"
    assert not problems
    assert session.repairs[0].startswith("m-1.json: 1 stray backslash(es)")


@pytest.mark.parametrize(
    "sample", [None, [], {"messages": []}, {"messages": [], "response": {}}, {"response": {}, "kwargs": {}}]
)
def test_other_files_are_not_recognised(sample: Any) -> None:
    """A body, or a body beside an answer, is no completion log."""
    assert not OpenHands().recognises(sample)


@pytest.mark.realdata
def test_real_logs(realdata: Path) -> None:
    """Six nested requests of 2 to 12 messages with tools; the provider counted 4,812 to 6,729 tokens."""
    paths = sorted((realdata / "openhands" / "llm-logs").glob("*.json"))
    [session], problems = read(paths)
    calls = list(session.calls())
    usages = [call.answer.body["usage"]["prompt_tokens"] for call in calls if call.answer and call.answer.body]

    assert not problems
    assert lengths(session) == [2, 4, 6, 8, 10, 12]
    assert usages == [4812, 5002, 6123, 6277, 6485, 6729]
    for call, path in zip(calls, paths, strict=True):
        logged = json.loads(path.read_text())
        assert isinstance(call.request, dict)
        assert call.request["messages"] == logged["messages"]
        assert call.request["tools"] == logged["tools"]
        assert call.request["model"] == "litellm_proxy/anthropic/claude-sonnet-4-20250514"


@pytest.mark.realdata
def test_real_logs_with_tools_in_the_text(realdata: Path) -> None:
    """What was sent has the tools in its system text: 18,691 characters (18,675 since scrubbed), not the raw 10,133."""
    paths = sorted((realdata / "openhands" / "nonfncall-llm-logs").glob("*.json"))
    [session], problems = read(paths)
    calls = list(session.calls())

    assert not problems
    assert len(session.repairs) == 4
    assert lengths(session) == [2, 4, 6, 8]
    systems = {call.request["messages"][0]["content"] for call in calls if isinstance(call.request, dict)}
    assert [len(system) for system in systems] == [18_675]
    assert "<function=" in systems.pop()
    assert r"\dev@example.com" in json.dumps(calls[0].request).replace("\\\\", "\\")
