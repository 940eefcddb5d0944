"""Facts about Gemini CLI's sessions and trajectories."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from importing import calls_of

from inspector.importers.agents.gemini_cli import GeminiCli
from inspector.importers.base import ImportedCall, ImportedCompaction, ImportedSession, Problem
from inspector.importers.reading.documents import Document
from inspector.importers.run import import_paths
from inspector.index import open_index

HEADER = {"sessionId": "g1", "projectHash": "h", "startTime": "2026-01-01T00:00:00Z"}
TOOL = {
    "id": "t1", "name": "ls", "args": {"p": "."}, "status": "success",
    "result": [{"functionResponse": {"id": "t1", "name": "ls", "response": {"output": "a.txt"}}}],
}  # fmt: skip
TOKENS = {"input": 100, "output": 5, "cached": 40, "thoughts": 3, "tool": 0, "total": 108}
SAID: list[dict[str, Any]] = [
    {"id": "1", "type": "user", "timestamp": "2026-01-01T00:00:01Z", "content": "hi"},
    {
        "id": "2", "type": "gemini", "timestamp": "2026-01-01T00:00:03Z", "content": "look", "toolCalls": [TOOL],
        "model": "gemini-x", "tokens": TOKENS, "thoughts": [{"subject": "S", "description": "D"}],
    },
    {"id": "3", "type": "info", "timestamp": "2026-01-01T00:00:04Z", "content": "update available"},
    {
        "id": "4", "type": "gemini", "timestamp": "2026-01-01T00:00:05Z", "content": "done",
        "tokens": dict.fromkeys(TOKENS, 0),
    },
]  # fmt: skip


def read(paths: Sequence[Path]) -> tuple[list[ImportedSession], list[Problem]]:
    """Read files as the format does."""
    problems: list[Problem] = []
    return list(GeminiCli().read([Document(path) for path in paths], problems.append)), problems


def contents(call: ImportedCall) -> list[dict[str, Any]]:
    """Give the contents of a request."""
    assert isinstance(call.request, dict)
    return list(call.request["contents"])


def test_session_is_rebuilt_as_contents(write_json: Callable[..., Path]) -> None:
    """Answers are calls; what a tool gave follows its call; what was only shown is not sent."""
    [session], _ = read([write_json("s.jsonl", {**HEADER, "messages": SAID})])
    first, second = calls_of(session)

    assert session.session == "g1"
    assert contents(first) == [{"role": "user", "parts": [{"text": "hi"}]}]
    assert contents(second) == [
        {"role": "user", "parts": [{"text": "hi"}]},
        {
            "role": "model",
            "parts": [{"text": "look"}, {"functionCall": {"id": "t1", "name": "ls", "args": {"p": "."}}}],
        },
        {"role": "user", "parts": TOOL["result"]},
    ]
    assert first.missing == ("system", "tools", "parameters", "session context")


def test_tokens_become_usage_metadata(write_json: Callable[..., Path]) -> None:
    """Counts keep their meaning: input includes what was cached; all zero means none were reported."""
    [session], _ = read([write_json("s.json", {**HEADER, "messages": SAID})])
    first, second = calls_of(session)

    assert first.answer is not None
    assert first.answer.body is not None
    assert first.answer.body["usageMetadata"] == {
        "promptTokenCount": 100, "candidatesTokenCount": 5, "cachedContentTokenCount": 40,
        "thoughtsTokenCount": 3, "toolUsePromptTokenCount": 0, "totalTokenCount": 108,
    }  # fmt: skip
    assert first.answer.duration_ms == 2000
    assert second.answer is not None
    assert second.answer.body is not None
    assert "usageMetadata" not in second.answer.body


def test_session_written_line_by_line(write_lines: Callable[..., Path]) -> None:
    """A message said again replaces the earlier one, patches change the header, a rewind takes messages back."""
    other = {"id": "9", "type": "user", "timestamp": "2026-01-01T00:00:09Z", "content": [{"text": "part"}]}
    path = write_lines(
        "s.jsonl", HEADER, SAID[0], {**SAID[1], "toolCalls": []}, {"$set": {"lastUpdated": "later"}}, SAID[1],
        other, {"$rewindTo": "9"}, SAID[3],
    )  # fmt: skip
    [session], problems = read([path])

    assert problems == []
    assert [len(contents(call)) for call in calls_of(session)] == [1, 3]


def test_of_two_states_the_longer_is_imported(write_json: Callable[..., Path]) -> None:
    """A session saved twice is one session."""
    short = write_json("a.json", {**HEADER, "messages": SAID[:2]})
    sessions, problems = read([short, write_json("b.json", {**HEADER, "messages": SAID})])

    assert [session.source for session in sessions] == ["b.json"]
    assert [(problem.source, problem.lost) for problem in problems] == [(str(short), False)]


def test_trajectory_is_a_list_of_contents(write_json: Callable[..., Path]) -> None:
    """Each turn of the model is a call; the canned answer to a summary is none, and the summary is a compaction."""
    items = [
        {"role": "user", "parts": [{"text": "<session_context> …"}]},
        {"role": "user", "parts": [{"text": "<state_snapshot>…</state_snapshot>"}]},
        {"role": "model", "parts": [{"text": "Got it. Thanks for the additional context!"}]},
        {"role": "user", "parts": [{"text": "go on"}]},
        {"role": "model", "parts": [{"text": "ok"}]},
    ]
    [session], _ = read([write_json("t.json", items)])
    compaction, call = session.calls()

    assert isinstance(compaction, ImportedCompaction)
    assert isinstance(call, ImportedCall)
    assert (compaction.before, compaction.after) == (None, items[:3])
    assert (contents(call), call.turn) == (items[:4], 1)


def test_checkpoint_with_history(write_json: Callable[..., Path]) -> None:
    """The older form holds its contents as ``history``."""
    items = [{"role": "user", "parts": [{"text": "a"}]}, {"role": "model", "parts": [{"text": "b"}]}]
    [session], _ = read([write_json("checkpoint.json", {"history": items})])

    assert [contents(call) for call in calls_of(session)] == [items[:1]]


@pytest.mark.parametrize(
    "sample",
    [None, [], {}, [{"role": "user", "content": "x"}], [{"role": "assistant", "parts": []}], {"sessionId": "x"}],
)
def test_other_values_are_not_recognised(sample: Any) -> None:
    """Roles and parts, or the two ids, are needed."""
    assert not GeminiCli().recognises(sample)


@pytest.mark.realdata
def test_real_sessions_are_one(realdata: Path) -> None:
    """The two saved states are one session of 15 answers, whose reported prompts grow from 12,207 to 15,146."""
    sessions, _ = read(sorted((realdata / "gemini-cli" / "sessions").glob("*.jsonl")))
    [session] = sessions
    bodies = [
        call.answer.body for call in calls_of(session) if call.answer is not None and call.answer.body is not None
    ]
    prompts = [body["usageMetadata"]["promptTokenCount"] for body in bodies if "usageMetadata" in body]

    assert (len(bodies), prompts[0], prompts[-1]) == (15, 12_207, 15_146)


@pytest.mark.realdata
def test_real_trajectory(realdata: Path) -> None:
    """105 contents after a compression: 51 calls, six turns, one masked output in all of them."""
    [session], _ = read([realdata / "gemini-cli" / "trajectory.json"])
    calls = calls_of(session)

    assert (len(calls), calls[-1].turn, len(contents(calls[-1]))) == (51, 6, 104)
    assert str(contents(calls[-1])).count("<tool_output_masked>") == 1


@pytest.mark.realdata
def test_real_trajectory_opens_whole(realdata: Path, tmp_path: Path) -> None:
    """In the index no message of any call is a hole: answers come back in later requests under another member."""
    import_paths([realdata / "gemini-cli" / "trajectory.json"], tmp_path / "out")
    index = open_index(tmp_path / "out")
    try:
        index.refresh()
        views = [index.call("trajectory", row.number) for row in index.calls("trajectory")]
    finally:
        index.close()

    assert len(views) == 51
    assert [message.hole for view in views for message in view.messages if message.hole is not None] == []


def test_trajectory_that_breaks_off_gives_the_contents_before(write_json: Callable[..., Path]) -> None:
    """Seven bytes less cost the last content, and no other."""
    contents = [{"role": role, "parts": [{"text": role}]} for role in ("user", "model", "user", "model")]
    path = write_json("t.json", contents)
    path.write_bytes(path.read_bytes()[:-7])
    [session], problems = read([path])

    assert len(calls_of(session)) == 1
    assert problems[0].reason.startswith("the array breaks off after 3 whole item(s)")
