"""Bodies that only their own text keeps: shown message by message, returned as they were sent."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inspector.index import Index
from inspector.index.spread import FIRST, spread
from inspector.model.views import MessageRow
from snapshot_sdk import Recorder

MESSAGES: list[dict[str, Any]] = [
    {"role": "system", "content": "You sell bicycles. " * 20},
    {"role": "user", "content": "茶 😀 A red one?"},
    {"role": "assistant", "content": "Certainly."},
    {"role": "user", "content": "How much?"},
]
TOOLS = [{"type": "function", "function": {"name": "find", "parameters": {"type": "object", "properties": {}}}}]


def _body(count: int) -> dict[str, Any]:
    return {"model": "gpt-4.1", "temperature": 0.5, "messages": MESSAGES[:count], "tools": TOOLS}


def _shown(row: MessageRow) -> tuple[Any, ...]:
    return row.content, row.place, row.member, row.index, row.layer, row.segments, row.tokens


WAYS: dict[str, Callable[[Any], str]] = {
    "indented": lambda body: json.dumps(body, indent=2, ensure_ascii=False),
    "spaced": lambda body: json.dumps(body, separators=(" , ", " : ")),
    "with a line end": lambda body: json.dumps(body) + "\n",
}


@pytest.mark.parametrize("way", WAYS)
def test_a_pretty_prompt_reads_as_the_same_prompt_written_compactly(
    way: str, traces: Path, opened: Callable[..., Index]
) -> None:
    """Messages, layers, tokens, hashes, tools and parameters are those of the compact body."""
    sent = [WAYS[way](_body(count)).encode() for count in (2, 4)]
    with Recorder(traces, session="pretty") as recorder, Recorder(traces, session="compact") as plain:
        for count, body in zip((2, 4), sent, strict=True):
            recorder.snapshot(body, api="openai.chat")
            plain.snapshot(json.dumps(_body(count)).encode(), api="openai.chat")
    index = opened()
    for number, body in enumerate(sent, start=1):
        pretty, compact = index.call("pretty", number), index.call("compact", number)
        assert list(map(_shown, pretty.messages)) == list(map(_shown, compact.messages))
        assert pretty.parameters == compact.parameters
        assert pretty.call.composition == compact.call.composition
        assert (pretty.call.model, pretty.call.api) == ("gpt-4.1", "openai.chat")
        assert index.request_bytes("pretty", number) == body
        assert pretty.body_size == len(body)


def test_each_message_is_stored_once(traces: Path, opened: Callable[..., Index]) -> None:
    """A message that comes again in the next pretty body is the same content."""
    with Recorder(traces, session="s") as recorder:
        for count in (2, 3, 4):
            recorder.snapshot(json.dumps(_body(count), indent=1).encode(), api="openai.chat")
    index = opened()
    shown = [row.content for number in (1, 2, 3) for row in index.call("s", number).messages]
    assert len(set(shown)) == len(MESSAGES) + 1


def test_a_file_that_grows(traces: Path, opened: Callable[..., Index]) -> None:
    """What a later run of the index reads is put beside what an earlier one knew."""
    with Recorder(traces, session="s") as recorder:
        recorder.snapshot(json.dumps(_body(2), indent=1).encode())
        first = opened()
        before = [row.content for row in first.call("s", 1).messages]
        first.close()
        recorder.snapshot(json.dumps(_body(4), indent=1).encode())
        index = opened()
    rows = index.call("s", 2).messages
    assert index.call("s", 1).call.api == index.call("s", 2).call.api == "openai.chat"
    assert [row.content for row in rows][: len(before)] == before
    assert all(row.hole is None for row in rows)


@pytest.mark.parametrize(
    "text", ["[1, 2]", "no json", '{"a": 1, "a": 2}', '{"m": [{"a": 1, "a": 2}]}', '{"a": NaN }', "{ }", "[" * 5000]
)
def test_what_is_not_taken_apart(text: str, traces: Path, opened: Callable[..., Index]) -> None:
    """What is no object, or one of which nobody knows how it is read, stays one text."""
    with Recorder(traces, session="s") as recorder:
        recorder.snapshot(text.encode(), api="openai.chat")
    index = opened()
    assert len(index.call("s", 1).messages) == 1
    assert index.request_bytes("s", 1) == text.encode()
    assert spread(text, {}) is None


def test_numbers_of_elements() -> None:
    """An element has one number, however often it comes and however its text is spaced."""
    known: dict[str, int] = {}
    first = spread('{"m": [1, [2], 1]}', known)
    second = spread('{"m": [ 1,[ 2 ], 3]}', known)
    assert first is not None
    assert second is not None
    assert first.items == {"m": [FIRST, FIRST + 1, FIRST]}
    assert second.items == {"m": [FIRST, FIRST + 1, FIRST + 2]}
    assert [number for number, _, _ in second.fresh] == [FIRST + 2]
