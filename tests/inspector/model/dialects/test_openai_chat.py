"""OpenAI chat bodies decode to messages and parts, whatever shape they have."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

import pytest

from inspector.model.dialects.openai_chat import OpenAIChat
from inspector.model.request import Message, Part, Usage

dialect = OpenAIChat()


def decode(**message: Any) -> Message:
    """Decode one message."""
    return dialect.decode("messages", message)


def test_string_content_is_one_text() -> None:
    """A string is one text part."""
    assert decode(role="user", content="hi", name="Ann") == Message("user", (Part("text", "hi"),), "Ann")


def test_null_content_keeps_the_tool_calls() -> None:
    """``content: null`` on a message of tool calls adds no part and drops none."""
    calls = [{"id": "c1", "type": "function", "function": {"name": "find", "arguments": '{"q": 1}'}}]
    message = decode(role="assistant", content=None, tool_calls=calls)
    assert message.parts == (Part("tool_call", '{"q": 1}', "find", "c1"),)
    assert message.text == 'find({"q": 1})'


def test_null_tool_calls_are_none() -> None:
    """``tool_calls: null`` is no call."""
    assert decode(role="assistant", content="ok", tool_calls=None).parts == (Part("text", "ok"),)


def test_null_function_is_still_a_call() -> None:
    """A call whose ``function`` is null is shown as it stands."""
    (part,) = decode(role="assistant", content=None, tool_calls=[{"id": "c1", "function": None}]).parts
    assert (part.kind, part.text, part.call_id) == ("tool_call", '{"id": "c1", "function": null}', "c1")


def test_arguments_as_object() -> None:
    """Arguments that are an object are shown as JSON."""
    (part,) = decode(role="assistant", tool_calls=[{"function": {"name": "f", "arguments": {"a": "ü"}}}]).parts
    assert part.text == '{"a": "ü"}'


def test_custom_tool_call() -> None:
    """A custom tool's free-form input is its text."""
    (part,) = decode(role="assistant", tool_calls=[{"id": "c", "custom": {"name": "sql", "input": "select 1"}}]).parts
    assert part == Part("tool_call", "select 1", "sql", "c")


def test_legacy_function_call() -> None:
    """The old single ``function_call`` is a tool call without id."""
    assert decode(role="assistant", content=None, function_call={"name": "f", "arguments": "{}"}).parts == (
        Part("tool_call", "{}", "f"),
    )


@pytest.mark.parametrize("content", ["done", [{"type": "text", "text": "done"}]])
def test_tool_message(content: Any) -> None:
    """A tool message is a result tied to its call."""
    assert decode(role="tool", tool_call_id="c1", content=content).parts == (Part("tool_result", "done", call_id="c1"),)


def test_tool_message_without_content_is_kept() -> None:
    """A result of nothing keeps its id."""
    assert decode(role="tool", tool_call_id="c1", content=None).parts == (Part("tool_result", "", call_id="c1"),)


def test_legacy_function_message() -> None:
    """A function message is a result named after its function."""
    assert decode(role="function", name="f", content="42").parts == (Part("tool_result", "42", "f"),)


def test_inline_image_has_its_pixels(png_uri: Callable[[int, int], str]) -> None:
    """A ``data:`` image tells type, size and pixels, and holds no text."""
    image = {"type": "image_url", "image_url": {"url": png_uri(640, 480), "detail": "low"}}
    (part,) = decode(role="user", content=[image]).parts
    assert part.media is not None
    assert (part.kind, part.text) == ("image", "")
    assert (part.media.mime, part.media.width, part.media.height, part.media.detail, part.media.url) == (
        "image/png",
        640,
        480,
        "low",
        None,
    )


def test_image_address_is_kept() -> None:
    """The address of an image is shown and never fetched."""
    (part,) = decode(role="user", content=[{"type": "image_url", "image_url": "https://x.invalid/a.png"}]).parts
    assert part.media is not None
    assert (part.media.url, part.media.size) == ("https://x.invalid/a.png", None)


def test_audio_and_file_are_files() -> None:
    """Audio and files are media with their decoded size."""
    data = base64.b64encode(b"12345").decode()
    audio = {"type": "input_audio", "input_audio": {"data": data, "format": "wav"}}
    file = {"type": "file", "file": {"filename": "a.pdf", "file_data": f"data:application/pdf;base64,{data}"}}
    by_id = {"type": "file", "file": {"file_id": "file-1"}}
    parts = decode(role="user", content=[audio, file, by_id]).parts
    assert [(p.kind, p.name, p.media and p.media.mime, p.media and p.media.size) for p in parts] == [
        ("file", "audio", "audio/wav", 5),
        ("file", "a.pdf", "application/pdf", 5),
        ("file", None, None, None),
    ]


def test_reasoning_is_shown_once() -> None:
    """Rival members that repeat one reasoning give one part."""
    message = decode(
        role="assistant",
        content="so",
        reasoning_content="hm",
        reasoning="hm",
        reasoning_details=[{"type": "reasoning.text", "text": "hm"}],
    )
    assert message.parts == (Part("reasoning", "hm"), Part("text", "so"))


def test_encrypted_reasoning_is_opaque() -> None:
    """Reasoning that cannot be read is there and opaque."""
    message = decode(role="assistant", reasoning_details=[{"type": "reasoning.encrypted", "data": "Zm9v"}])
    assert message.parts == (Part("reasoning", "", opaque=True),)


def test_thinking_block_with_a_list() -> None:
    """Mistral's thinking holds a list of texts."""
    block = {"type": "thinking", "thinking": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}
    assert decode(role="assistant", content=[block]).parts == (Part("reasoning", "a\nb"),)


def test_refusals() -> None:
    """A refusal is text, as a block and as a member."""
    message = decode(role="assistant", content=[{"type": "refusal", "refusal": "no"}], refusal="never")
    assert [part.text for part in message.parts] == ["no", "never"]


def test_unknown_block_is_shown_as_json() -> None:
    """A block of tomorrow is not hidden."""
    (part,) = decode(role="user", content=[{"type": "hologram", "x": 1}]).parts
    assert part == Part("other", '{"type": "hologram", "x": 1}')


def test_base64_in_an_unknown_block_is_not_text() -> None:
    """Data inside what is not understood is named by its size, not shown or counted as text."""
    data = base64.b64encode(bytes(range(256)) * 40).decode()
    parts = decode(role="user", content=[{"type": "video", "data": data}]).parts
    assert parts[0].text == '{"type": "video", "data": "<data, 10240 bytes>"}'
    assert (parts[1].kind, parts[1].media and parts[1].media.size) == ("file", 10_240)


def test_base64_in_a_text_block_stays_text() -> None:
    """Base64 that was sent as text is text to the model."""
    data = base64.b64encode(bytes(3_000)).decode()
    assert decode(role="user", content=[{"type": "text", "text": data}]).parts == (Part("text", data),)


@pytest.mark.parametrize(
    ("definition", "name"),
    [
        ({"type": "function", "function": {"name": "f"}}, "f"),
        ({"type": "custom", "custom": {"name": "g"}}, "g"),
        ({"name": "h"}, "h"),
        ({"type": "web_search"}, "web_search"),
        ("odd", None),
    ],
)
def test_tool_definition_names(definition: Any, name: str | None) -> None:
    """Nested, custom, flat and typed definitions find their name."""
    (part,) = dialect.decode("tools", definition).parts
    assert (part.kind, part.name) == ("tool_definition", name)


def test_usage_includes_cached_tokens() -> None:
    """OpenAI's prompt tokens include cached ones already."""
    usage = {
        "prompt_tokens": 100,
        "completion_tokens": 20,
        "prompt_tokens_details": {"cached_tokens": 64, "cache_write_tokens": 8},
        "completion_tokens_details": {"reasoning_tokens": 5},
    }
    assert dialect.usage(usage) == Usage(100, 64, 8, 20, 5)


def test_usage_in_litellm_and_deepseek_words() -> None:
    """Cache figures under the names of litellm and DeepSeek are found."""
    litellm = {"prompt_tokens": 9, "cache_read_input_tokens": 4, "cache_creation_input_tokens": 3}
    assert dialect.usage(litellm) == Usage(9, 4, 3, None, None)
    assert dialect.usage({"prompt_tokens": 9, "prompt_cache_hit_tokens": 2}).cached_read == 2


@pytest.mark.parametrize("usage", [None, {}, {"prompt_tokens": None}, {"prompt_tokens": "12"}, {"prompt_tokens": -1}])
def test_unusable_usage_is_unknown(usage: Any) -> None:
    """What is not said is None, not 0."""
    assert dialect.usage(usage) == Usage(None, None, None, None, None)
