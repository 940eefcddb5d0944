"""Messages in every convention's words."""

from __future__ import annotations

from typing import Any

import pytest

from snapshot_sdk.adapters._span_messages import chat_messages, openinference_messages

CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"城":1}'}}


@pytest.mark.parametrize(
    "parts",
    [
        [{"type": "text", "content": "hi"}],  # semantic conventions
        [{"type": "text", "text": "hi"}],  # OpenAI, Anthropic
        [{"text": "hi"}],  # Bedrock, Gemini
        ["hi"],
        "hi",
        '[{"type": "text", "text": "hi"}]',  # OpenLLMetry
    ],
)
def test_text(parts: Any) -> None:
    """One text is the content, whatever it was wrapped in."""
    assert chat_messages({"role": "user", "content": parts}) == [{"role": "user", "content": "hi"}]


@pytest.mark.parametrize("said", ['[{"city": "Rome"}]', '{"a": 1}', "[{not json"])
def test_text_that_looks_like_blocks(said: str) -> None:
    """Data that a user wrote stays what they wrote."""
    assert chat_messages({"role": "user", "content": said})[0]["content"] == said


@pytest.mark.parametrize(
    "message",
    [
        {"parts": [{"type": "tool_call", "id": "c1", "name": "f", "arguments": {"城": 1}}]},
        {"content": None, "tool_calls": [CALL]},
        {"content": [{"type": "tool_use", "id": "c1", "name": "f", "input": {"城": 1}}]},
        {"content": [{"toolUse": {"toolUseId": "c1", "name": "f", "input": {"城": 1}}}]},
        {"content": [{"type": "tool-call", "toolCallId": "c1", "toolName": "f", "args": {"城": 1}}]},
        {"contents": [], "tool_calls": [{"tool_call": CALL}]},
        {"tool_calls.0.id": "c1", "tool_calls.0.name": "f", "tool_calls.0.arguments": '{"城":1}'},
    ],
)
def test_tool_calls(message: dict[str, Any]) -> None:
    """A call has its id, its name and its arguments as text; without text the content is null."""
    assert chat_messages({"role": "assistant", **message}) == [
        {"role": "assistant", "content": None, "tool_calls": [CALL]}
    ]


@pytest.mark.parametrize(
    "message",
    [
        {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": "25"}]},
        {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "result": "25"}]},
        {
            "role": "tool",
            "content": [{"type": "tool-result", "toolCallId": "c1", "output": {"type": "text", "value": "25"}}],
        },
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "25"}]},
        {"role": "user", "content": [{"toolResult": {"toolUseId": "c1", "content": [{"text": "25"}]}}]},
        {"role": "tool", "tool_call_id": "c1", "content": "25"},
        {"role": "tool", "id": "c1", "content": "25"},
    ],
)
def test_tool_results(message: dict[str, Any]) -> None:
    """A result is a message of the tool, tied to its call."""
    assert chat_messages(message) == [{"role": "tool", "tool_call_id": "c1", "content": "25"}]


def test_a_result_beside_text() -> None:
    """A message of text and result becomes two, the result first: it must follow the call."""
    blocks = [{"type": "text", "text": "and?"}, {"type": "tool_result", "tool_use_id": "c1", "content": "25"}]

    assert [one["role"] for one in chat_messages({"role": "user", "content": blocks})] == ["tool", "user"]


def test_a_result_beside_its_call() -> None:
    """Where the message itself makes the call, its result follows."""
    parts = [{"type": "tool_call", "id": "c1", "name": "f"}, {"type": "tool_call_response", "id": "c1", "result": "25"}]

    assert [one["role"] for one in chat_messages({"role": "assistant", "parts": parts})] == ["assistant", "tool"]


def test_a_result_that_is_no_text() -> None:
    """An object is kept as its JSON, in its own characters."""
    [message] = chat_messages({"role": "tool", "parts": [{"type": "tool_call_response", "response": {"城": 1}}]})

    assert message["content"] == '{"城":1}'


def test_koog() -> None:
    """Koog files the calls of tools under the role of their results, as JSON text."""
    [message] = chat_messages({"role": "tool", "content": '[{"function":{"name":"f"},"id":"c1","type":"function"}]'})

    assert (message["role"], message["tool_calls"][0]["function"]["name"]) == ("assistant", "f")


def test_reasoning() -> None:
    """Thinking is kept apart from what was said."""
    parts = [{"type": "reasoning", "content": "hm"}, {"type": "text", "content": "yes"}]

    assert chat_messages({"role": "assistant", "parts": parts}) == [
        {"role": "assistant", "content": "yes", "reasoning_content": "hm"}
    ]


@pytest.mark.parametrize(
    "part", [{"type": "redacted_thinking", "data": "xx"}, {"type": "reasoning", "content": None, "signature": "xx"}]
)
def test_hidden_thinking(part: dict[str, Any]) -> None:
    """Thinking that only the provider can read is kept for it."""
    assert chat_messages({"role": "assistant", "parts": [part]}) == [
        {"role": "assistant", "content": None, "thinking_blocks": [{"type": "redacted_thinking", "data": "xx"}]}
    ]


@pytest.mark.parametrize(
    ("part", "block"),
    [
        (
            {"type": "blob", "modality": "image", "mime_type": "image/png", "content": "AA"},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}},
        ),
        (
            {"type": "uri", "modality": "image", "uri": "https://x"},
            {"type": "image_url", "image_url": {"url": "https://x"}},
        ),
        (
            {"type": "image", "image": "https://x", "mediaType": "image/png"},
            {"type": "image_url", "image_url": {"url": "https://x"}},
        ),
        (
            {"message_content": {"type": "image", "image": {"image": {"url": "https://x"}}}},
            {"type": "image_url", "image_url": {"url": "https://x"}},
        ),
        (
            {"type": "file", "data": "AA", "mediaType": "application/pdf"},
            {"type": "file", "file": {"file_data": "data:application/pdf;base64,AA"}},
        ),
        ({"type": "file", "modality": "document", "file_id": "f1"}, {"type": "file", "file": {"file_id": "f1"}}),
        (
            {"type": "blob", "mime_type": "application/pdf", "content": "AA"},
            {"type": "file", "file": {"file_data": "data:application/pdf;base64,AA"}},
        ),
    ],
)
def test_media(part: dict[str, Any], block: dict[str, Any]) -> None:
    """Images and files are blocks that are counted as such, and no base64 text."""
    assert chat_messages({"role": "user", "parts": [part]})[0]["content"] == [block]


def test_unknown_part() -> None:
    """A part of a kind not known here is kept as it is."""
    part = {"type": "server_tool_call", "name": "search"}

    assert chat_messages({"role": "assistant", "parts": [part]})[0]["content"] == [part]


def test_odd_values() -> None:
    """What is no message is none; null content with calls of null drops nothing and adds nothing."""
    assert chat_messages(None) == []
    assert chat_messages({"role": "assistant", "content": None, "tool_calls": None}) == [
        {"role": "assistant", "content": None}
    ]


def test_openinference() -> None:
    """OpenInference's names stand for the same: contents, images, calls, results, old function calls."""
    told = [
        (0, {"message.role": "system", "message.content": "只用中文"}),
        (
            1,
            {
                "message.role": "user",
                "message.contents.0.message_content.type": "text",
                "message.contents.0.message_content.text": "看",
                "message.contents.1.message_content.type": "image",
                "message.contents.1.message_content.image.image.url": "https://x",
            },
        ),
        (
            2,
            {
                "message.role": "assistant",
                "message.tool_calls.0.tool_call.id": "c1",
                "message.tool_calls.0.tool_call.function.name": "f",
                "message.tool_calls.0.tool_call.function.arguments": '{"城":1}',
            },
        ),
        (3, {"message.role": "tool", "message.tool_call_id": "c1", "message.content": "25"}),
        (4, {"message": {"role": "assistant", "function_call_name": "g", "function_call_arguments_json": "{}"}}),
    ]

    assert openinference_messages(told) == [
        {"role": "system", "content": "只用中文"},
        {
            "role": "user",
            "content": [{"type": "text", "text": "看"}, {"type": "image_url", "image_url": {"url": "https://x"}}],
        },
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "c1", "content": "25"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"type": "function", "function": {"name": "g", "arguments": "{}"}}],
        },
    ]
