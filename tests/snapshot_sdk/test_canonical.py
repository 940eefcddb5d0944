"""The content hash: what it sees and what it leaves out."""

from __future__ import annotations

from typing import Any

import pytest

from snapshot_sdk import canonical_json, content_hash, wire_hash
from snapshot_sdk.canonical import read_object, source_of

TEXT: dict[str, Any] = {"role": "user", "content": "hi"}
CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a":1}'}}


def block(**members: Any) -> dict[str, Any]:
    """A user message of one text block with further members."""
    return {"role": "user", "content": [{"type": "text", "text": "hi", **members}]}


@pytest.mark.parametrize(
    "other",
    [
        block(),
        block(cache_control={"type": "ephemeral"}),
        {**TEXT, "id": "msg_1", "status": "completed", "index": 3},
        {"content": "hi", "role": "user", "refusal": None, "annotations": []},
        {"role": "user", "content": [{"type": "input_text", "text": "hi"}]},
        {**TEXT, "type": "message"},
        {"role": "user", "content": [{"text": "hi"}, {"cachePoint": {"type": "default"}}]},
        {"role": "user", "parts": [{"text": "hi", "thoughtSignature": "c2ln"}]},
        {"role": "user", "parts": [{"text": "hi", "thought_signature": "c2ln"}]},
    ],
)
def test_the_same_said_otherwise(other: dict[str, Any]) -> None:
    """Markers, ids, empty members, key order and the block form make no difference."""
    assert content_hash(other) == content_hash(TEXT)


@pytest.mark.parametrize(
    "other",
    [
        {**TEXT, "role": "system"},
        {**TEXT, "content": "hi "},
        {**TEXT, "name": "ann"},
        {"role": "user", "content": [{"type": "text", "text": "h"}, {"type": "text", "text": "i"}]},
        {**TEXT, "tool_calls": [CALL]},
        {**TEXT, "reasoning_content": "hm"},
        {**TEXT, "type": "reasoning"},
        {"role": "user", "content": [{"text": "hi"}, {"cachePoint": {"type": "default"}, "text": "more"}]},
        {"role": "user", "content": [{"text": "hi"}, {}]},
        {"role": "user", "parts": [{"text": "hi", "thought": True}]},
    ],
)
def test_something_else_said(other: dict[str, Any]) -> None:
    """Role, text, name, the cut into blocks, tool calls and reasoning count."""
    assert content_hash(other) != content_hash(TEXT)


def test_arguments_are_text() -> None:
    """The arguments of a tool call count, its id does not; text and object are the same call."""
    one = {"role": "assistant", "content": None, "tool_calls": [CALL]}
    two = {"role": "assistant", "content": None, "tool_calls": [{**CALL, "id": "c2"}]}
    three = {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {"a": 1}}]}
    assert content_hash(one) == content_hash(two) == content_hash(three)
    changed = {**CALL, "function": {"name": "f", "arguments": '{"a":2}'}}
    assert content_hash({**one, "tool_calls": [changed]}) != content_hash(one)


def bedrock(use: str, **arguments: Any) -> dict[str, Any]:
    """A tool call of Bedrock."""
    return {"role": "assistant", "content": [{"toolUse": {"toolUseId": use, "name": "f", "input": arguments}}]}


def gemini(call: str, signature: str, **arguments: Any) -> dict[str, Any]:
    """A tool call of Gemini."""
    part = {"functionCall": {"id": call, "name": "f", "args": arguments}, "thoughtSignature": signature}
    return {"role": "model", "parts": [part]}


def test_ids_and_signatures_of_other_dialects_do_not_count() -> None:
    """Bedrock's ``toolUseId`` and Gemini's signature tie messages together; a tool's own ``id`` is an argument."""
    assert content_hash(bedrock("t1", id=4)) == content_hash(bedrock("t2", id=4))
    assert content_hash(bedrock("t1", id=4)) != content_hash(bedrock("t1", id=5))
    assert content_hash(gemini("c1", "x", id=4)) == content_hash(gemini("c2", "y", id=4))
    assert content_hash(gemini("c1", "x", id=4)) != content_hash(gemini("c1", "x", id=5))


def test_hashes_name_their_algorithm_and_are_frozen() -> None:
    """Hashes in existing files keep their meaning."""
    assert wire_hash('{"a":1}') == "sha256:015abd7f5cc57a2dd94b7590f04ad808"
    assert content_hash(TEXT) == "sha256:2f2b37d59bbc376c1f687a3599b975da"
    assert canonical_json({"b": "é\ud800", "a": 1.0}) == '{"a":1.0,"b":"é\\ud800"}'


@pytest.mark.parametrize(
    "value", ["text", None, 5, [1], {"content": 5}, {"tool_calls": "x"}, {"content": [[1]]}, "\ud800"]
)
def test_any_value_has_a_hash(value: Any) -> None:
    """Odd shapes are hashed by their value."""
    assert len(content_hash(value)) == 39


def test_an_over_deep_message_has_a_hash() -> None:
    """Nesting beyond Python's recursion limit does not raise."""
    deep: Any = 1
    for _ in range(5000):
        deep = [deep]
    assert len(content_hash({"role": "user", "content": deep})) == 39


@pytest.mark.parametrize(
    "message",
    [
        {"role": "user", "content": [{"type": ["text"], "text": "hi"}]},
        {"role": "user", "content": [{"type": {"a": 1}, "text": "hi"}]},
        {"role": "assistant", "content": "hi", "tool_calls": 3},
    ],
    ids=["type is a list", "type is an object", "tool_calls is a number"],
)
def test_odd_shapes_have_a_hash(message: dict[str, Any]) -> None:
    """A message that no provider would take is hashed like any other."""
    assert content_hash(message).startswith("sha256:")


def test_an_object_that_names_a_member_twice_is_none() -> None:
    """Nobody knows which of two members of one name a server takes."""
    assert read_object('{"a": 1, "a": 2}') is None


@pytest.mark.parametrize("text", ["[1]", "{", "", '"a"', "[" * 100_000], ids=["array", "cut", "empty", "text", "deep"])
def test_what_is_no_object_is_none(text: str) -> None:
    """Only the text of a whole JSON object is taken apart."""
    assert read_object(text) is None


def test_an_object_is_written_back_compactly() -> None:
    """What was read is written as the trace format writes JSON."""
    assert source_of(read_object('{ "a" : [1, "订单"] }')) == '{"a":[1,"订单"]}'
