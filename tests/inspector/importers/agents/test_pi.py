"""Facts about pi's sessions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inspector.importers.agents.pi import Pi
from inspector.importers.base import ImportedCall, ImportedCompaction, ImportedSession, Problem
from inspector.importers.reading.documents import Document

HEADER = {"type": "session", "id": "p1", "timestamp": "2026-01-01T00:00:00Z", "cwd": "/x"}
Write = Callable[..., Path]


def entry(role: str, content: Any, **fields: Any) -> dict[str, Any]:
    """A message of a session."""
    message = {"role": role, "content": content}
    if role == "assistant":
        message |= {"api": "anthropic-messages", "model": "m", "stopReason": "stop"}
        message["usage"] = {"input": 50, "output": 4, "cacheRead": 100_000, "cacheWrite": 7}
    own = {key: fields.pop(key) for key in ("id", "parentId", "timestamp") if key in fields}
    return {"type": "message", "timestamp": "2026-01-01T00:00:05Z", **own, "message": {**message, **fields}}


def text(value: str) -> list[dict[str, Any]]:
    """A block of text."""
    return [{"type": "text", "text": value}]


def read(path: Path) -> tuple[ImportedSession, list[Problem]]:
    """Read a file as the format does."""
    problems: list[Problem] = []
    [session] = Pi().read([Document(path)], problems.append)
    return session, problems


def calls_of(path: Path) -> list[ImportedCall]:
    """Give the calls of a file."""
    return [record for record in read(path)[0].calls() if isinstance(record, ImportedCall)]


def messages(call: ImportedCall) -> list[dict[str, Any]]:
    """Give the messages of a request."""
    assert isinstance(call.request, dict)
    return list(call.request["messages"])


def usage(call: ImportedCall) -> dict[str, Any]:
    """Give the usage of a call's answer."""
    assert call.answer is not None
    assert call.answer.body is not None
    return dict(call.answer.body["usage"])


CALL = [{"type": "toolCall", "id": "t1", "name": "bash", "arguments": {"c": "ls"}}]
RESULT = {"toolCallId": "t1", "toolName": "bash", "isError": False}


def test_anthropic_shape(write_lines: Write) -> None:
    """Calls and results have Anthropic's shape, consecutive results are one message, ids and usage are kept."""
    two = [*CALL, {**CALL[0], "id": "t2"}]
    path = write_lines(
        "s.jsonl", HEADER, entry("user", text("hi")), entry("assistant", two, stopReason="toolUse"),
        entry("toolResult", text("a"), **RESULT), entry("toolResult", text("b"), **{**RESULT, "toolCallId": "t2"}),
        entry("assistant", text("done")),
    )  # fmt: skip
    last = calls_of(path)[-1]

    assert [message["role"] for message in messages(last)] == ["user", "assistant", "user"]
    assert messages(last)[1]["content"][0] == {"type": "tool_use", "id": "t1", "name": "bash", "input": {"c": "ls"}}
    assert [block["content"] for block in messages(last)[2]["content"]] == ["a", "b"]
    assert usage(last) == {
        "input_tokens": 50, "output_tokens": 4, "cache_read_input_tokens": 100_000, "cache_creation_input_tokens": 7,
    }  # fmt: skip
    assert (last.api, last.missing) == ("anthropic.messages", ("system", "tools", "parameters"))


def test_chat_shape(write_lines: Write) -> None:
    """With an OpenAI model the messages have its shape, and the prompt's count includes what was cached."""
    openai = {"api": "openai-completions"}
    path = write_lines(
        "s.jsonl", HEADER, entry("user", "hi"), entry("assistant", CALL, **openai),
        entry("toolResult", text("a"), **RESULT), entry("assistant", text("done"), **openai),
    )  # fmt: skip
    last = calls_of(path)[-1]

    assert messages(last)[1]["tool_calls"][0]["function"] == {"name": "bash", "arguments": '{"c":"ls"}'}
    assert messages(last)[2] == {"role": "tool", "tool_call_id": "t1", "content": "a"}
    assert (last.api, usage(last)["prompt_tokens"]) == ("openai.chat", 100_057)


def test_other_apis_say_that_the_shape_is_not_theirs(write_lines: Write) -> None:
    """What was sent in another shape is shown as chat, and the missing wire form is named."""
    path = write_lines(
        "s.jsonl", HEADER, entry("user", "hi"), entry("assistant", text("yo"), api="google-generative-ai")
    )

    assert "wire form" in calls_of(path)[0].missing


def test_compaction_keeps_from_an_index(write_lines: Write) -> None:
    """In a line, a compaction keeps the entries from an index of the file on; they follow the summary."""
    compaction = {"type": "compaction", "timestamp": "2026-01-01T00:00:06Z", "summary": "SUM", "firstKeptEntryIndex": 3}
    path = write_lines(
        "s.jsonl", HEADER, entry("user", "one"), entry("assistant", text("A")), entry("user", "two"),
        {**compaction, "tokensBefore": 900}, entry("assistant", text("B")),
    )  # fmt: skip
    records = list(read(path)[0].calls())
    found, last = records[1:]

    assert isinstance(found, ImportedCompaction)
    assert isinstance(last, ImportedCall)
    assert (found.tokens_before, len(found.before or ())) == (900, 3)
    assert [message["content"] for message in messages(last)] == [
        "The conversation history before this point was compacted into the following summary:\n\n"
        "<summary>\nSUM\n</summary>",
        "two",
    ]


def test_compaction_that_points_at_itself_keeps_nothing(write_lines: Write) -> None:
    """An index that is the compaction's own leaves the summary alone."""
    compaction = {"type": "compaction", "timestamp": "", "summary": "SUM", "firstKeptEntryIndex": 2, "tokensBefore": 9}
    path = write_lines("s.jsonl", HEADER, entry("user", "one"), compaction, entry("assistant", text("B")))

    assert len(messages(calls_of(path)[-1])) == 1


def test_result_whose_call_was_compacted_is_an_orphan(write_lines: Write) -> None:
    """A cut between a call and its result leaves the result in the request, as it was sent."""
    compaction = {"type": "compaction", "timestamp": "", "summary": "SUM", "firstKeptEntryIndex": 3, "tokensBefore": 9}
    path = write_lines(
        "s.jsonl", HEADER, entry("user", "one"), entry("assistant", CALL), entry("toolResult", text("a"), **RESULT),
        compaction, entry("assistant", text("B")),
    )  # fmt: skip
    last = messages(calls_of(path)[-1])

    assert [message["role"] for message in last] == ["user", "user"]
    assert last[1]["content"][0]["tool_use_id"] == "t1"


def test_tree_follows_parents(write_lines: Write) -> None:
    """In a tree the context is the way from the root, and a compaction keeps from an id on."""
    path = write_lines(
        "s.jsonl", {**HEADER, "version": 3},
        entry("user", "one", id="a", parentId=None), entry("assistant", text("A"), id="b", parentId="a"),
        entry("user", "two", id="c", parentId="b"), entry("assistant", text("B"), id="d", parentId="c"),
        entry("user", "three", id="e", parentId="b"), entry("assistant", text("C"), id="f", parentId="e"),
        {"type": "compaction", "id": "g", "parentId": "f", "timestamp": "", "summary": "S", "firstKeptEntryId": "e"},
        entry("assistant", text("D"), id="h", parentId="g"),
    )  # fmt: skip
    calls = calls_of(path)

    assert [[m["content"] for m in messages(call) if m["role"] == "user"][-1] for call in calls[:3]] == [
        "one", "two", "three",
    ]  # fmt: skip
    assert [len(messages(call)) for call in calls] == [1, 3, 3, 3]


def test_answers_that_failed_are_not_sent_back(write_lines: Write) -> None:
    """An aborted answer is an incomplete call, and no later request carries it."""
    path = write_lines(
        "s.jsonl", HEADER, entry("user", "one"), entry("assistant", text("half"), stopReason="aborted"),
        entry("user", "two"), entry("assistant", text("B")),
    )  # fmt: skip
    first, second = calls_of(path)

    assert first.answer is not None
    assert first.answer.error == "aborted"
    assert [message["content"] for message in messages(second)] == ["one", "two"]


def test_entries_of_the_session_branched_from_are_no_calls(write_lines: Write) -> None:
    """Entries older than the branch were copied: context only."""
    header = {**HEADER, "timestamp": "2026-01-01T00:00:08Z", "branchedFrom": "p0.jsonl"}
    later = "2026-01-01T00:00:09Z"
    path = write_lines(
        "s.jsonl", header, entry("user", "one"), entry("assistant", text("A")),
        entry("user", "two", timestamp=later), entry("assistant", text("B"), timestamp=later),
    )  # fmt: skip

    assert [len(messages(call)) for call in calls_of(path)] == [3]


def test_commands_of_the_user_are_told(write_lines: Write) -> None:
    """A command that the user ran is a message, unless it was kept out of the context."""
    ran = {"command": "ls", "output": "a", "exitCode": 2}
    path = write_lines(
        "s.jsonl", HEADER, entry("bashExecution", None, **ran),
        entry("bashExecution", None, **ran, excludeFromContext=True), entry("assistant", text("B")),
    )  # fmt: skip

    assert [message["content"] for message in messages(calls_of(path)[0])] == [
        "Ran `ls`\n```\na\n```\n\nCommand exited with code 2"
    ]


@pytest.mark.realdata
def test_real_session(realdata: Path) -> None:
    """504 calls, a glued line, and two compactions, the second of which keeps nothing."""
    path = realdata / "pi" / "compact.jsonl"
    session, problems = read(path)
    compactions = [record for record in session.calls() if isinstance(record, ImportedCompaction)]

    assert problems == []
    assert session.repairs == ("line 1013: 2 records on one line",)
    assert len(calls_of(path)) == 504
    assert [one.tokens_before for one in compactions] == [184_525, 131_140]
    assert [len(one.after or ()) for one in compactions] == [97, 1]


def test_session_without_its_beginning(write_lines: Write) -> None:
    """A file whose header is cut is known by its messages, and lacks what stood before them."""
    path = write_lines("p.jsonl", '"id":"p1"}', entry("user", "hi"), entry("assistant", text("a")))
    document = Document(path)
    session, problems = read(path)
    [call] = [record for record in session.calls() if isinstance(record, ImportedCall)]

    assert any(map(Pi().recognises, document.samples()))
    assert "earlier messages" in call.missing
    assert [problem.line for problem in problems] == [1]
