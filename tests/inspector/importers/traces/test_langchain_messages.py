"""LangChain's messages become OpenAI's, whichever way they are stored."""

from __future__ import annotations

import json
from typing import Any

import pytest

from inspector.importers.traces.langchain_messages import to_openai_message, to_openai_messages
from inspector.model.dialects import dialect_named


def constructor(cls: str, /, **kwargs: Any) -> dict[str, Any]:
    """A message as LangChain's own serialiser writes it."""
    return {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", cls], "kwargs": kwargs}


def parts(message: Any) -> list[tuple[str, str]]:
    """Kinds and texts as the inspector reads the message."""
    return [(part.kind, part.text) for part in dialect_named("openai.chat").decode("messages", message).parts]


@pytest.mark.parametrize(
    "value",
    [
        constructor("HumanMessage", content="Hi"),
        constructor("HumanMessageChunk", content="Hi"),
        constructor("MyOwnMessage", content="Hi", type="human"),
        {"type": "human", "data": {"content": "Hi", "additional_kwargs": {}, "type": "human"}},
        {"type": "human", "content": "Hi", "id": "m1", "additional_kwargs": {}, "response_metadata": {}},
        ["human", "Hi"],
        {"role": "user", "content": "Hi"},
        constructor("ChatMessage", content="Hi", role="user"),
    ],
)
def test_every_form(value: Any) -> None:
    """A message is the same in each form it is stored in."""
    assert to_openai_message(value) == {"role": "user", "content": "Hi"}


@pytest.mark.parametrize(
    "value",
    [
        None,
        "Hi",
        7,
        {},
        {"type": "text", "text": "Hi"},
        {"type": "human"},
        {"type": "remove", "id": "m1", "content": ""},
        constructor("ChatPromptTemplate", messages=[]),
        {"lc": 1, "type": "not_implemented", "id": ["x", "Y"], "repr": "Y()"},
        ["a", "b", "c"],
    ],
)
def test_other_values(value: Any) -> None:
    """What is no message is None, and never an error."""
    assert to_openai_message(value) is None


def test_list_with_other_values() -> None:
    """A list is one of messages only if all of it are."""
    assert to_openai_messages([["human", "Hi"], {"lc": 1}]) is None


def test_developer() -> None:
    """A system message that is sent as OpenAI's developer has that role."""
    value = constructor("SystemMessage", content="Be brief", additional_kwargs={"__openai_role__": "developer"})
    assert to_openai_message(value) == {"role": "developer", "content": "Be brief"}


def test_tool_calls_as_sent() -> None:
    """Arguments are written as LangChain sends them, which leaves Chinese as it is."""
    value = constructor("AIMessage", content="", tool_calls=[{"name": "find", "args": {"q": "猫"}, "id": "c1"}])
    message = to_openai_message(value)
    assert message is not None
    assert message["tool_calls"] == [
        {"id": "c1", "type": "function", "function": {"name": "find", "arguments": '{"q": "猫"}'}}
    ]


def test_calls_that_could_not_be_parsed() -> None:
    """A call whose arguments are no JSON is kept with its text."""
    value = constructor(
        "AIMessage", content="", tool_calls=[], invalid_tool_calls=[{"name": "find", "args": "{", "id": "c"}]
    )
    assert parts(to_openai_message(value)) == [("tool_call", "{")]


def test_raw_calls() -> None:
    """The provider's own calls count where LangChain kept none."""
    raw = {"id": "c1", "type": "function", "function": {"name": "find", "arguments": '{"q":1}'}}
    value = constructor("AIMessage", content="", additional_kwargs={"tool_calls": [raw]})
    assert parts(to_openai_message(value)) == [("tool_call", '{"q":1}')]


def test_raw_calls_beside_parsed_ones() -> None:
    """A call that stands twice in a message is one call."""
    raw = {"id": "c1", "type": "function", "function": {"name": "find", "arguments": '{"q":1}'}}
    parsed = {"name": "find", "args": {"q": 1}, "id": "c1", "type": "tool_call"}
    value = constructor("AIMessage", content="", additional_kwargs={"tool_calls": [raw]}, tool_calls=[parsed])
    assert parts(to_openai_message(value)) == [("tool_call", '{"q": 1}')]


def test_calls_among_blocks() -> None:
    """Anthropic's block of a call is the call, once, beside LangChain's own."""
    blocks = [
        {"type": "thinking", "thinking": "Look it up", "signature": "sig"},
        {"type": "text", "text": "One moment", "index": 1},
        {"type": "tool_use", "id": "t1", "name": "find", "input": {}, "partial_json": '{"q":1}'},
        {"type": "input_json_delta", "partial_json": "", "index": 2},
    ]
    value = constructor("AIMessage", content=blocks, tool_calls=[{"name": "find", "args": {"q": 1}, "id": "t1"}])
    assert parts(to_openai_message(value)) == [
        ("reasoning", "Look it up"),
        ("text", "One moment"),
        ("tool_call", '{"q": 1}'),
    ]


def test_calls_only_among_blocks() -> None:
    """A call that stands nowhere but in the content is not lost."""
    value = {"type": "ai", "content": [{"type": "tool_use", "id": "t1", "name": "find", "input": {"q": 1}}]}
    assert parts(to_openai_message(value)) == [("tool_call", '{"q": 1}')]


def test_hidden_thinking() -> None:
    """Thinking that only the provider can read is there, and opaque."""
    value = {"type": "ai", "content": [{"type": "redacted_thinking", "data": "xxx"}, {"type": "text", "text": "Hi"}]}
    message = dialect_named("openai.chat").decode("messages", to_openai_message(value))
    assert [(part.kind, part.opaque) for part in message.parts] == [("reasoning", True), ("text", False)]


@pytest.mark.parametrize(
    "extra",
    [
        {"additional_kwargs": {"reasoning_content": "Think"}},
        {"additional_kwargs": {"reasoning": {"id": "rs_1", "summary": [{"type": "summary_text", "text": "Think"}]}}},
        {"content": [{"type": "reasoning", "reasoning": "Think"}, {"type": "text", "text": "Hi"}]},
        {"content": [{"type": "reasoning", "summary": [{"text": "Think"}]}, {"type": "text", "text": "Hi"}]},
        {
            "content": [
                {"type": "reasoning_content", "reasoning_content": {"text": "Think"}},
                {"type": "text", "text": "Hi"},
            ]
        },
    ],
)
def test_reasoning(extra: dict[str, Any]) -> None:
    """Reasoning is found wherever an integration of LangChain puts it."""
    value = {"type": "ai", "content": "Hi", **extra}
    assert parts(to_openai_message(value)) == [("reasoning", "Think"), ("text", "Hi")]


@pytest.mark.parametrize(
    "block",
    [
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}},
        {"type": "image", "source_type": "base64", "mime_type": "image/png", "data": "AAAA"},
        {"type": "image", "base64": "AAAA", "mime_type": "image/png"},
        {"type": "media", "mime_type": "image/png", "data": "AAAA"},
        {"type": "image", "source": {"bytes": "AAAA"}, "format": "png"},
    ],
)
def test_images(block: dict[str, Any]) -> None:
    """An image is one in the shape of every provider."""
    message = to_openai_message({"type": "human", "content": [block]})
    assert message == {
        "role": "user",
        "content": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}],
    }


def test_cache_markers() -> None:
    """A cache marker stays on its block: where the cached prefix ends is a question of the debugger."""
    block = {"type": "text", "text": "Rules", "cache_control": {"type": "ephemeral"}}
    message = to_openai_message({"type": "system", "content": [block]})
    assert message == {"role": "system", "content": [block]}


def test_unknown_blocks() -> None:
    """A block of a kind not known stays as it is."""
    block = {"type": "hologram", "rays": 3}
    assert to_openai_message({"type": "human", "content": [block]}) == {"role": "user", "content": [block]}


def test_result_of_a_tool() -> None:
    """A result keeps the call it answers, and its content, but not what the model never saw."""
    value = constructor(
        "ToolMessage", content="42", tool_call_id="c1", name="find", artifact={"rows": 9}, status="success"
    )
    assert to_openai_message(value) == {"role": "tool", "content": "42", "name": "find", "tool_call_id": "c1"}


def test_a_message_is_not_changed() -> None:
    """Reading a message leaves the value it was read from alone."""
    value = constructor("AIMessage", content=[{"type": "text", "text": "Hi", "index": 0}], tool_calls=[])
    before = json.dumps(value)
    to_openai_message(value)
    assert json.dumps(value) == before
