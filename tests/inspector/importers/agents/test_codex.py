"""Facts about Codex rollouts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inspector.importers.agents.codex import Codex
from inspector.importers.base import ImportedCall, ImportedCompaction, ImportedSession, Problem
from inspector.importers.reading.documents import Document

META = {"id": "c1", "base_instructions": {"text": "You are Codex."}}
Write = Callable[..., Path]


def line(kind: str, payload: dict[str, Any], second: int = 0) -> dict[str, Any]:
    """A line of a rollout."""
    return {"timestamp": f"2026-01-01T00:00:{second:02}Z", "type": kind, "payload": payload}


def item(kind: str, second: int = 0, **fields: Any) -> dict[str, Any]:
    """An item of the conversation."""
    return line("response_item", {"type": kind, **fields}, second)


def message(role: str, text: str, second: int = 0) -> dict[str, Any]:
    """A message."""
    kind = "output_text" if role == "assistant" else "input_text"
    return item("message", second, role=role, content=[{"type": kind, "text": text}])


def tool(key: str) -> list[dict[str, Any]]:
    """A call of a tool and its output."""
    call = item("function_call", name="f", arguments="{}", call_id=key)
    return [call, item("function_call_output", call_id=key, output="x")]


def tokens(last: int, total: int) -> dict[str, Any]:
    """The report of an answer's tokens."""
    counts = {"cached_input_tokens": 1, "output_tokens": 2}
    info = {
        "last_token_usage": {**counts, "input_tokens": last, "total_tokens": last + 2},
        "total_token_usage": {**counts, "input_tokens": total, "total_tokens": total + 2},
        "model_context_window": 1000,
    }
    return line("event_msg", {"type": "token_count", "info": info})


def read(path: Path) -> tuple[list[ImportedSession], list[Problem]]:
    """Read a file as the format does."""
    problems: list[Problem] = []
    return list(Codex().read([Document(path)], problems.append)), problems


def calls_of(path: Path) -> list[ImportedCall]:
    """Give the calls of the only session in a file."""
    [session], _ = read(path)
    return [record for record in session.calls() if isinstance(record, ImportedCall)]


def inputs(call: ImportedCall) -> list[dict[str, Any]]:
    """Give the items of a request."""
    assert isinstance(call.request, dict)
    return list(call.request["input"])


def usage(call: ImportedCall) -> Any:
    """Give the usage of a call's answer."""
    assert call.answer is not None
    assert call.answer.body is not None
    return call.answer.body["usage"]


def test_request_is_the_instructions_and_all_items(write_lines: Write) -> None:
    """A request carries the base instructions, the model in force and every item so far."""
    context = line("turn_context", {"model": "gpt-5", "effort": "high"})
    path = write_lines(
        "r.jsonl", line("session_meta", META), context, message("user", "hi"), message("assistant", "yo")
    )
    [call] = calls_of(path)

    assert isinstance(call.request, dict)
    assert list(call.request) == ["model", "reasoning", "instructions", "input"]
    assert call.request["instructions"] == "You are Codex."
    assert [one["role"] for one in inputs(call)] == ["user"]
    assert (call.exact, call.missing, call.api) == ("rebuilt", ("tools", "parameters"), "openai.responses")


def test_usage_is_the_last_not_the_sum(write_lines: Write) -> None:
    """The size of a context is ``last_token_usage``; the cumulative figure is never taken for one."""
    path = write_lines(
        "r.jsonl", line("session_meta", META),
        message("user", "a"), message("assistant", "b"), tokens(100, 100),
        message("user", "c"), message("assistant", "d"), tokens(150, 250),
    )  # fmt: skip

    assert [usage(call)["input_tokens"] for call in calls_of(path)] == [100, 150]


def test_tokens_said_again_count_once(write_lines: Write) -> None:
    """A report that repeats the sum, as after a resume, belongs to no answer; one without figures neither."""
    path = write_lines(
        "r.jsonl", line("session_meta", META), message("user", "a"), message("assistant", "b"), tokens(100, 100),
        message("user", "c"), tokens(100, 100), line("event_msg", {"type": "token_count", "info": None}),
        message("assistant", "d"),
    )  # fmt: skip

    assert [usage(call) and usage(call)["input_tokens"] for call in calls_of(path)] == [100, None]


def test_tools_that_run_while_an_answer_comes_do_not_split_it(write_lines: Write) -> None:
    """Where tokens are reported, an answer lasts until its report, results in between or not."""
    path = write_lines(
        "r.jsonl", line("session_meta", META), message("user", "a"),
        *tool("1"),
        *tool("2"),
        tokens(100, 100), message("assistant", "done"), tokens(140, 240),
    )  # fmt: skip

    assert [len(inputs(call)) for call in calls_of(path)] == [1, 5]


def test_without_reports_a_result_ends_an_answer(write_lines: Write) -> None:
    """Where no tokens are reported, the first output after an input begins another answer."""
    path = write_lines(
        "r.jsonl", line("session_meta", META), message("user", "a"), item("reasoning", summary=[]),
        *tool("1"),
        message("assistant", "done"),
    )  # fmt: skip

    assert [len(inputs(call)) for call in calls_of(path)] == [1, 4]


def test_compaction_replaces_the_history(write_lines: Write) -> None:
    """After a compaction the request is the replacement and what followed."""
    kept = {"type": "compaction", "encrypted_content": "…"}
    path = write_lines(
        "r.jsonl", line("session_meta", META), message("user", "a"), message("assistant", "b"), tokens(100, 100),
        line("compacted", {"message": "", "replacement_history": [kept], "window_number": 2}),
        message("user", "c"), message("assistant", "d"),
    )  # fmt: skip
    [session], _ = read(path)
    _, compaction, last = session.calls()

    assert isinstance(compaction, ImportedCompaction)
    assert isinstance(last, ImportedCall)
    assert (compaction.after, compaction.tokens_before, compaction.strategy) == ([kept], 102, "summary")
    assert compaction.before is not None
    assert len(compaction.before) == 2
    assert [one["type"] for one in inputs(last)] == ["compaction", "message"]
    assert "earlier messages" not in last.missing


def test_compaction_with_a_summary_only_lacks_what_was_kept(write_lines: Write) -> None:
    """The old form has the summary alone: it follows the user's messages, and the doubt is named."""
    path = write_lines(
        "r.jsonl", line("session_meta", META), message("user", "a"), message("assistant", "b"),
        line("compacted", {"message": "SUMMARY"}), message("user", "c"), message("assistant", "d"),
    )  # fmt: skip
    last = calls_of(path)[-1]

    assert [one["content"][0]["text"] for one in inputs(last)] == ["a", "SUMMARY", "c"]
    assert "earlier messages" in last.missing


def test_turns_count_prompts(write_lines: Write) -> None:
    """Each prompt of the user begins a turn."""
    prompt = line("event_msg", {"type": "user_message", "message": "…"})
    path = write_lines(
        "r.jsonl", line("session_meta", META), prompt, message("user", "a"), message("assistant", "b"),
        prompt, message("user", "c"), message("assistant", "d"),
    )  # fmt: skip

    assert [call.turn for call in calls_of(path)] == [1, 2]


def test_aborted_turn_is_an_answer_that_is_not_whole(write_lines: Write) -> None:
    """An interrupted answer carries the reason."""
    path = write_lines(
        "r.jsonl", line("session_meta", META), message("user", "a"), item("reasoning", summary=[]),
        line("event_msg", {"type": "turn_aborted", "reason": "interrupted"}),
    )  # fmt: skip
    [call] = calls_of(path)

    assert call.answer is not None
    assert call.answer.error == "turn aborted: interrupted"


def test_history_of_a_fork_is_no_call(write_lines: Write) -> None:
    """What a fork copied from before it began is context only."""
    meta = {**META, "forked_from_id": "c0", "timestamp": "2026-01-01T00:00:10Z"}
    path = write_lines(
        "r.jsonl", line("session_meta", meta, 10), message("user", "a", 1), message("assistant", "b", 2),
        message("user", "c", 11), message("assistant", "d", 12),
    )  # fmt: skip

    assert [len(inputs(call)) for call in calls_of(path)] == [3]


def test_rollout_without_answers_is_refused(write_lines: Write) -> None:
    """A rollout that holds no answer gives no session, and the reason is said."""
    sessions, problems = read(write_lines("r.jsonl", line("session_meta", META), message("user", "a")))

    assert sessions == []
    assert "no request can be rebuilt" in problems[0].reason


@pytest.mark.parametrize("sample", [None, [], {"type": "session_meta"}, {"type": "x", "payload": {}, "timestamp": ""}])
def test_other_values_are_not_recognised(sample: Any) -> None:
    """A line needs a known type, a payload and a time."""
    assert not Codex().recognises(sample)


@pytest.mark.realdata
def test_real_rollouts(realdata: Path) -> None:
    """The schema fixture opens with its six compactions and window; the usage-only file is refused."""
    folder = realdata / "codex"
    [small], _ = read(folder / "small.jsonl")
    records = list(small.calls())
    first = next(record for record in records if isinstance(record, ImportedCall))

    assert sum(isinstance(record, ImportedCompaction) for record in records) == 6
    assert (small.window, usage(first)["input_tokens"]) == (258_400, 16_341)
    assert [len(inputs(call)) for call in calls_of(folder / "large.jsonl")] == [1, 4, 7, 9, 11, 13, 15]
    assert read(folder / "codex_051_usage.jsonl")[0] == []
