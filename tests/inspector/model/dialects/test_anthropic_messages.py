"""Anthropic bodies decode to messages and parts, whatever shape they have."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

import pytest

from inspector.model.dialects.anthropic_messages import AnthropicMessages
from inspector.model.request import Message, Part, Usage

dialect = AnthropicMessages()


def parts(*blocks: Any) -> tuple[Part, ...]:
    """Decode the blocks of a user message."""
    return dialect.decode("messages", {"role": "user", "content": list(blocks)}).parts


def test_string_equals_one_block() -> None:
    """A string and one text block decode alike."""
    assert dialect.decode("messages", {"role": "user", "content": "hi"}).parts == parts({"type": "text", "text": "hi"})


@pytest.mark.parametrize("value", ["Be brief.", {"type": "text", "text": "Be brief.", "cache_control": {}}])
def test_system(value: Any) -> None:
    """System text is a system message, as a string and as a block."""
    assert dialect.decode("system", value) == Message("system", (Part("text", "Be brief."),))


def test_thinking() -> None:
    """Thinking is reasoning; redacted, or kept in its signature only, it is opaque."""
    assert parts(
        {"type": "thinking", "thinking": "hm", "signature": "x"},
        {"type": "thinking", "thinking": "", "signature": "x"},
        {"type": "redacted_thinking", "data": "Zm9v"},
    ) == (Part("reasoning", "hm"), Part("reasoning", "", opaque=True), Part("reasoning", "", opaque=True))


@pytest.mark.parametrize("kind", ["tool_use", "server_tool_use", "mcp_tool_use"])
def test_tool_use(kind: str) -> None:
    """Calls of own, server and MCP tools are tool calls."""
    block = {"type": kind, "id": "t1", "name": "find", "input": {"q": "茶"}}
    assert parts(block) == (Part("tool_call", '{"q": "茶"}', "find", "t1"),)


@pytest.mark.parametrize("content", ["done", [{"type": "text", "text": "done"}]])
def test_tool_result(content: Any) -> None:
    """A result is a string or a list of blocks."""
    block = {"type": "tool_result", "tool_use_id": "t1", "content": content}
    assert parts(block) == (Part("tool_result", "done", call_id="t1"),)


@pytest.mark.parametrize("content", [None, "", []])
def test_empty_tool_result_is_kept(content: Any) -> None:
    """A result of nothing keeps its id."""
    block = {"type": "tool_result", "tool_use_id": "t1", "content": content}
    assert parts(block) == (Part("tool_result", "", call_id="t1"),)


def test_image_in_a_tool_result(png: Callable[[int, int], bytes]) -> None:
    """An image a tool gave back is an image, tied to its call."""
    source = {"type": "base64", "media_type": "image/png", "data": base64.b64encode(png(30, 20)).decode()}
    block = {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "image", "source": source}]}
    (part,) = parts(block)
    assert (part.kind, part.call_id) == ("image", "t1")
    assert part.media is not None
    assert (part.media.width, part.media.height) == (30, 20)


def test_server_tool_result() -> None:
    """Results of server tools are tool results; their object is shown as JSON."""
    content = {"type": "bash_code_execution_result", "stdout": "ok"}
    block = {"type": "bash_code_execution_tool_result", "tool_use_id": "s1", "content": content}
    (part,) = parts(block)
    assert (part.kind, part.call_id) == ("tool_result", "s1")
    assert '"stdout": "ok"' in part.text


def test_documents() -> None:
    """A document of text is a file with text; of data, a file with a size; of blocks, its blocks."""
    text = {"type": "document", "title": "T", "source": {"type": "text", "media_type": "text/plain", "data": "abc"}}
    pdf = {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBERg=="}}
    blocks = {"type": "document", "source": {"type": "content", "content": [{"type": "text", "text": "x"}]}}
    url = {"type": "document", "source": {"type": "url", "url": "https://x.invalid/a.pdf"}}
    first, second, third, fourth = parts(text, pdf, blocks, url)
    assert first == Part("file", "T\nabc", name="T")
    assert (second.kind, second.media and second.media.size) == ("file", 4)
    assert third == Part("file", "x")
    assert fourth.media is not None
    assert fourth.media.url == "https://x.invalid/a.pdf"


def test_search_result_and_compaction_are_named_text() -> None:
    """Search results and compaction blocks are text that says what it is."""
    search = {"type": "search_result", "title": "T", "source": "s", "content": [{"type": "text", "text": "x"}]}
    assert parts(search, {"type": "compaction", "content": "so far"}) == (
        Part("text", "T\ns\nx", name="search_result"),
        Part("text", "so far", name="compaction"),
    )


def test_failed_compaction_is_empty() -> None:
    """A compaction block without content is empty text."""
    assert parts({"type": "compaction", "content": None}) == (Part("text", "", name="compaction"),)


def test_unknown_block_is_shown_as_json() -> None:
    """A block of tomorrow is not hidden."""
    assert parts({"type": "hologram"}) == (Part("other", '{"type": "hologram"}'),)


@pytest.mark.parametrize(
    ("definition", "name"),
    [({"name": "f", "input_schema": {}}, "f"), ({"type": "web_search_20250305", "name": "web_search"}, "web_search")],
)
def test_tool_definition_names(definition: Any, name: str) -> None:
    """Own tools and typed server tools find their name."""
    (part,) = dialect.decode("tools", definition).parts
    assert (part.kind, part.name) == ("tool_definition", name)


def test_usage_adds_the_cache() -> None:
    """Anthropic's input tokens exclude cache reads and writes: 50 fresh after 100,000 cached are 100,050."""
    usage = {
        "input_tokens": 50,
        "cache_read_input_tokens": 100_000,
        "cache_creation_input_tokens": 0,
        "output_tokens": 4,
    }
    assert dialect.usage(usage) == Usage(100_050, 100_000, 0, 4, None)


def test_usage_after_server_compaction_is_that_of_the_sent_prompt() -> None:
    """The pass that read the whole prompt counts, not the top level (figures of a real cassette)."""
    usage = {
        "input_tokens": 229,
        "output_tokens": 5,
        "iterations": [
            {"type": "compaction", "input_tokens": 100, "cache_creation_input_tokens": 55_096, "output_tokens": 131},
            {"type": "message", "input_tokens": 229, "cache_creation_input_tokens": 0, "output_tokens": 5},
        ],
    }
    assert dialect.usage(usage) == Usage(55_196, None, 55_096, 136, None)


@pytest.mark.parametrize("usage", [None, {}, {"input_tokens": None}, {"input_tokens": True}, {"iterations": 3}])
def test_unusable_usage_is_unknown(usage: Any) -> None:
    """What is not said is None, not 0."""
    assert dialect.usage(usage) == Usage(None, None, None, None, None)
