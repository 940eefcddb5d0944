"""Facts about OpenCode's event streams."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inspector.importers.agents.opencode import OpenCode
from inspector.importers.base import ImportedCall, ImportedCompaction, ImportedSession, Problem
from inspector.importers.reading.documents import Document

Write = Callable[..., Path]
MODEL = {"id": "m", "limit": {"context": 1000}, "api": {"id": "m", "npm": "@ai-sdk/anthropic"}}
SCHEMA = {"type": "object", "properties": {"p": {"type": "string"}}}


def event(kind: str, **properties: Any) -> list[Any]:
    """An event."""
    return ["event", {"event": {"type": kind, "properties": properties}}]


def session(key: str = "s1", parent: str | None = None) -> list[Any]:
    """A session begins."""
    return event("session.created", info={"id": key, **({"parentID": parent} if parent else {})})


def message(key: str, role: str, of: str = "s1", **info: Any) -> list[Any]:
    """A message changes."""
    return event("message.updated", info={"id": key, "role": role, "sessionID": of, **info})


def part(key: str, message_id: str, kind: str, of: str = "s1", **fields: Any) -> list[Any]:
    """A part of a message changes."""
    return event(
        "message.part.updated", part={"id": key, "messageID": message_id, "sessionID": of, "type": kind, **fields}
    )


def prompt(of: str = "s1", **model: Any) -> list[Any]:
    """The system prompt of the next request."""
    return [
        "experimental.chat.system.transform",
        {"sessionID": of, "model": {**MODEL, **model}},
        {"system": ["Be brief."]},
    ]


def tool(name: str = "ls", schema: Any = SCHEMA) -> list[Any]:
    """The definition of a tool."""
    return ["tool.definition", {"toolID": name}, {"description": f"{name} it", "parameters": schema}]


def said(key: str, text: str, **fields: Any) -> list[list[Any]]:
    """A message of the user."""
    return [message(key, "user", **fields), part(f"{key}-p", key, "text", text=text, **fields)]


def answered(key: str, *parts: list[Any], **info: Any) -> list[list[Any]]:
    """An answer in one step."""
    tokens = {"input": 50, "output": 4, "reasoning": 0, "cache": {"read": 900, "write": 3}}
    return [
        message(key, "assistant", **info), prompt(), part(f"{key}-s", key, "step-start"), *parts,
        part(f"{key}-f", key, "step-finish", reason="stop", tokens=tokens),
        message(key, "assistant", finish="stop", **info),
    ]  # fmt: skip


def text(key: str, value: str) -> list[Any]:
    """A text of an answer."""
    return part(f"{key}-t", key, "text", text=value)


def ran(key: str, state: dict[str, Any]) -> list[Any]:
    """A tool of an answer, in some state."""
    return part(f"{key}-c", key, "tool", tool="ls", callID=f"c-{key}", state={"input": {"p": "."}, **state})


def read(path: Path) -> tuple[ImportedSession, list[Problem]]:
    """Read a file as the format does."""
    problems: list[Problem] = []
    [found] = OpenCode().read([Document(path)], problems.append)
    return found, problems


def calls_of(path: Path) -> list[ImportedCall]:
    """Give the calls of a file."""
    return [record for record in read(path)[0].calls() if isinstance(record, ImportedCall)]


def request(call: ImportedCall) -> dict[str, Any]:
    """Give the body of a call."""
    assert isinstance(call.request, dict)
    return dict(call.request)


def test_request_has_system_tools_and_messages(write_lines: Write) -> None:
    """A request carries the system prompt and the tools of the hooks, and the messages so far."""
    path = write_lines(
        "s.jsonl", session(), *said("u1", "hi"), tool("invalid"), tool(), *answered("a1", text("a1", "yo"))
    )
    [call] = calls_of(path)

    assert request(call) == {
        "model": "m",
        "tools": [{"name": "ls", "description": "ls it", "input_schema": SCHEMA}],
        "system": [{"type": "text", "text": "Be brief."}],
        "messages": [{"role": "user", "content": [{"type": "text", "text": "hi"}]}],
    }
    assert (call.exact, call.missing, call.api) == ("rebuilt", ("parameters",), "anthropic.messages")
    assert read(path)[0].window == 1000


def test_usage_is_that_of_the_step(write_lines: Write) -> None:
    """A step reports its tokens; what was cached stands beside the input."""
    [call] = calls_of(write_lines("s.jsonl", session(), *said("u1", "hi"), *answered("a1", text("a1", "yo"))))

    assert call.answer is not None
    assert call.answer.body is not None
    assert call.answer.body["usage"] == {
        "input_tokens": 50, "output_tokens": 4, "cache_read_input_tokens": 900, "cache_creation_input_tokens": 3,
    }  # fmt: skip
    assert call.answer.body["content"] == [{"type": "text", "text": "yo"}]


@pytest.mark.parametrize(
    ("state", "content"),
    [
        ({"status": "completed", "output": "a.txt"}, "a.txt"),
        ({"status": "completed", "output": "a.txt", "time": {"compacted": 5}}, "[Old tool result content cleared]"),
        ({"status": "error", "error": "no such folder"}, "no such folder"),
        ({"status": "running"}, "[Tool execution was interrupted]"),
    ],
)
def test_results_are_sent_as_opencode_does(write_lines: Write, state: dict[str, Any], content: str) -> None:
    """A result is its output, its error, or what OpenCode says of one it pruned or never got."""
    path = write_lines("s.jsonl", session(), *said("u1", "hi"), *answered("a1", ran("a1", state)), *answered("a2"))
    last = request(calls_of(path)[-1])["messages"]

    assert last[1]["content"] == [{"type": "tool_use", "id": "c-a1", "name": "ls", "input": {"p": "."}}]
    assert last[2]["content"][0]["content"] == content


def test_chat_shape(write_lines: Write) -> None:
    """With another provider the request is a chat's, its system prompt the first message."""
    other = {"api": {"npm": "@ai-sdk/openai-compatible"}}
    lines = [one if one[0] != prompt()[0] else prompt(**other) for one in answered("a1", text("a1", "yo"))]
    [call] = calls_of(write_lines("s.jsonl", session(), *said("u1", "hi"), tool(), *lines))

    assert [message["role"] for message in request(call)["messages"]] == ["system", "user"]
    assert request(call)["tools"][0]["function"]["parameters"] == SCHEMA
    assert call.answer is not None
    assert call.answer.body is not None
    assert call.answer.body["usage"]["prompt_tokens"] == 953


def test_prompt_of_a_side_call_is_not_taken(write_lines: Write) -> None:
    """The title is written by another model, while the answer is awaited: its prompt is not the conversation's."""
    lines = answered("a1", text("a1", "yo"), modelID="m")
    path = write_lines("s.jsonl", session(), *said("u1", "hi"), lines[0], prompt(id="small"), *lines[1:])

    assert request(calls_of(path)[0])["model"] == "m"


def test_compaction_leaves_the_summary_and_its_tail(write_lines: Write) -> None:
    """After a compaction a request begins with the question and its summary, then what it keeps and what follows."""
    asked = [message("u3", "user"), part("u3-p", "u3", "compaction", auto=True, tail_start_id="u2")]
    path = write_lines(
        "s.jsonl", session(), *said("u1", "one"), *answered("a1", text("a1", "A")), *said("u2", "two"),
        *answered("a2", text("a2", "B")), *asked, *answered("a3", text("a3", "SUM"), summary=True, parentID="u3"),
        *said("u4", "three"), *answered("a4", text("a4", "C")),
    )  # fmt: skip
    records = list(read(path)[0].calls())
    [compaction] = [record for record in records if isinstance(record, ImportedCompaction)]
    summary, last = [record for record in records if isinstance(record, ImportedCall)][2:]

    assert (compaction.strategy, compaction.reason, len(compaction.before or ())) == ("summary", "auto", 4)
    assert summary.purpose == "summary"
    texts = [block["text"] for one in request(last)["messages"] for block in one["content"]]
    assert texts == ["What did we do so far?", "SUM", "two", "B", "three"]


def test_sub_agent_is_a_lane(write_lines: Write) -> None:
    """A session that has a parent is a lane of the parent's session."""
    sub = {"of": "sub-session"}
    path = write_lines(
        "s.jsonl", session(), *said("u1", "hi"), session("sub-session", "s1"),
        message("x1", "user", **sub), part("x1-p", "x1", "text", text="look", **sub), message("x2", "assistant", **sub),
        prompt("sub-session"), part("x2-s", "x2", "step-start", **sub), part("x2-f", "x2", "step-finish", **sub),
        *answered("a1", text("a1", "yo")),
    )  # fmt: skip
    found, _ = read(path)

    assert found.session == "s1"
    assert [call.lane for call in calls_of(path)] == ["agent--session", None]


def test_step_that_never_ends_is_said(write_lines: Write) -> None:
    """A stream that stops in an answer gives the call, cut off."""
    path = write_lines("s.jsonl", session(), *said("u1", "hi"), *answered("a1", text("a1", "y"))[:-2])
    [call] = calls_of(path)

    assert call.answer is not None
    assert call.answer.error == "broken off"


@pytest.mark.parametrize("sample", [None, {}, ["event"], ["event", {"x": 1}], ["client.beta.create", {}], [1, 2]])
def test_other_values_are_not_recognised(sample: Any) -> None:
    """A line is an array of a name and what came in."""
    assert not OpenCode().recognises(sample)


@pytest.mark.realdata
def test_real_stream(realdata: Path) -> None:
    """Four requests with the system prompt and 13 tools, of 12,609 to 13,684 tokens by the provider's count."""
    path = realdata / "opencode" / "ses_basic.jsonl"
    found, problems = read(path)
    calls = calls_of(path)
    usages = [call.answer.body["usage"] for call in calls if call.answer and call.answer.body]

    assert (found.session, found.window, problems) == ("ses_2489703bfffe4fyidcD0PGhHvD", 200_000, [])
    assert [len(request(call)["messages"]) for call in calls] == [1, 3, 5, 7]
    assert {len(request(call)["tools"]) for call in calls} == {13}
    assert {len(request(call)["system"][0]["text"]) for call in calls} == {12_844}
    assert [one["input_tokens"] + one["cache_read_input_tokens"] for one in usages] == [12_609, 13_007, 13_436, 13_684]
