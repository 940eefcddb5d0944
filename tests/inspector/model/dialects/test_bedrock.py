"""Bedrock Converse bodies decode to messages and parts."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

import pytest

from inspector.model.dialects import read_request
from inspector.model.dialects.bedrock import BedrockConverse
from inspector.model.request import Message, Part, Usage

dialect = BedrockConverse()


def parts(*blocks: Any) -> tuple[Part, ...]:
    """Decode the blocks of a user message."""
    return dialect.decode("messages", {"role": "user", "content": list(blocks)}).parts


def test_system_block() -> None:
    """A system block is a system message; a cache point is shown and says nothing."""
    assert dialect.decode("system", {"text": "Be brief."}) == Message("system", (Part("text", "Be brief."),))
    assert dialect.decode("system", {"cachePoint": {"type": "default"}}).parts == (
        Part("other", "", name="cachePoint"),
    )


def test_tool_use_and_result() -> None:
    """A result holds JSON, texts and media, tied to its call."""
    result = {"toolUseId": "t1", "content": [{"json": {"n": 1}}, {"text": "ok"}], "status": "success"}
    assert parts({"toolUse": {"toolUseId": "t1", "name": "find", "input": {"q": "茶"}}}, {"toolResult": result}) == (
        Part("tool_call", '{"q": "茶"}', "find", "t1"),
        Part("tool_result", '{"n": 1}', call_id="t1"),
        Part("tool_result", "ok", call_id="t1"),
    )


def test_empty_tool_result_is_kept() -> None:
    """A result of nothing keeps its id."""
    assert parts({"toolResult": {"toolUseId": "t1", "content": []}}) == (Part("tool_result", "", call_id="t1"),)


def test_reasoning() -> None:
    """Reasoning is text; kept in its signature only, or redacted, it is opaque."""
    assert parts(
        {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "x"}}},
        {"reasoningContent": {"reasoningText": {"text": "", "signature": "x"}}},
        {"reasoningContent": {"redactedContent": "Zm9v"}},
    ) == (Part("reasoning", "hm"), Part("reasoning", "", opaque=True), Part("reasoning", "", opaque=True))


def test_media(png: Callable[[int, int], bytes]) -> None:
    """Images have pixels, documents their text or size; an address is kept."""
    image = {"image": {"format": "png", "source": {"bytes": base64.b64encode(png(30, 20)).decode()}}}
    text = {"document": {"format": "txt", "name": "a", "source": {"text": "abc"}}}
    away = {"document": {"format": "pdf", "name": "b", "source": {"s3Location": {"uri": "s3://b/b.pdf"}}}}
    first, second, third = parts(image, text, away)
    assert (first.kind, first.media and (first.media.mime, first.media.width)) == ("image", ("image/png", 30))
    assert second == Part("file", "abc", name="a")
    assert (third.name, third.media and third.media.url) == ("b", "s3://b/b.pdf")


def test_guarded_and_cited_text_is_text() -> None:
    """Text to be guarded and text with citations is read by the model."""
    guarded = {"guardContent": {"text": {"text": "g", "qualifiers": ["query"]}}}
    cited = {"citationsContent": {"content": [{"text": "c"}], "citations": []}}
    assert [part.text for part in parts(guarded, cited)] == ["g", "c"]


def test_unknown_block_is_shown_as_json() -> None:
    """A block of tomorrow is not hidden."""
    assert parts({"hologram": 1}) == (Part("other", '{"hologram": 1}'),)


def test_tool_config() -> None:
    """Each tool is a definition; cache points and the choice of tool are none."""
    tool = {"toolSpec": {"name": "f", "inputSchema": {"json": {}}}}
    tools = [tool, {"cachePoint": {"type": "default"}}, {"systemTool": {"name": "g"}}]
    config = {"tools": tools, "toolChoice": {"auto": {}}}
    assert [part.name for part in dialect.decode("toolConfig", config).parts] == ["f", "systemTool"]


def test_usage_adds_the_cache() -> None:
    """Input tokens exclude what the cache read and wrote (figures of a real cassette)."""
    usage = {
        "inputTokens": 10,
        "cacheReadInputTokens": 0,
        "cacheWriteInputTokens": 1298,
        "outputTokens": 2,
        "totalTokens": 1310,
    }
    assert dialect.usage(usage) == Usage(1308, 0, 1298, 2, None)


def test_usage_of_a_model_that_includes_the_cache() -> None:
    """Where the total shows that the input includes the cache, it is not added twice."""
    usage = {"inputTokens": 1308, "cacheReadInputTokens": 1000, "outputTokens": 2, "totalTokens": 1310}
    assert dialect.usage(usage).input_tokens == 1308


@pytest.mark.realdata
def test_real_body_with_documents(exchanges: list[Any]) -> None:
    """The documents of a real conversation are files with their size, and the model is in the address."""
    (one,) = [e for e in exchanges if e.cassette == "test_bedrock_multiple_documents_in_history"]
    request = read_request(one.body, endpoint=one.endpoint)
    files = [part for element in request.elements for part in element.message.parts if part.kind == "file"]
    assert request.model == "us.anthropic.claude-3-7-sonnet-20250219-v1:0"
    assert [(part.name, part.media and part.media.size) for part in files] == [
        ("Document 1", 13264),
        ("Document 2", 13264),
    ]
