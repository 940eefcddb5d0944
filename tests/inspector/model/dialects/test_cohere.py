"""Cohere bodies decode to messages and parts."""

from __future__ import annotations

from typing import Any

from inspector.model.dialects import read_request
from inspector.model.dialects.cohere import CohereChat
from inspector.model.request import Message, Part, Usage

dialect = CohereChat()


def decode(**message: Any) -> Message:
    """Decode one message."""
    return dialect.decode("messages", message)


def test_tool_plan_is_reasoning() -> None:
    """The plan before tool calls is reasoning."""
    call = {"id": "c1", "type": "function", "function": {"name": "find", "arguments": "{}"}}
    assert decode(role="assistant", tool_plan="I will look.", tool_calls=[call]).parts == (
        Part("reasoning", "I will look.", name="tool_plan"),
        Part("tool_call", "{}", "find", "c1"),
    )


def test_tool_results_are_documents() -> None:
    """A result is a list of documents with text or fields."""
    content = [
        {"type": "document", "document": {"data": "green", "id": "1"}},
        {"type": "document", "document": {"data": {"n": 1}}},
        {"type": "text", "text": "x"},
    ]
    parts = decode(role="tool", tool_call_id="c1", content=content).parts
    assert [(part.kind, part.text, part.call_id) for part in parts] == [
        ("tool_result", "green", "c1"),
        ("tool_result", '{"n": 1}', "c1"),
        ("tool_result", "x", "c1"),
    ]


def test_thinking_and_images() -> None:
    """Thinking is reasoning, an image its address."""
    thinking, image = decode(
        role="assistant",
        content=[
            {"type": "thinking", "thinking": "hm"},
            {"type": "image_url", "image_url": {"url": "https://x.invalid/a"}},
        ],
    ).parts
    assert (thinking, image.media and image.media.url) == (Part("reasoning", "hm"), "https://x.invalid/a")


def test_documents_are_part_of_the_prompt() -> None:
    """Documents given beside the messages are read by the model."""
    body = {
        "model": "command-a",
        "messages": [{"role": "user", "content": "q"}],
        "documents": ["green tea", {"data": {"t": "x"}}],
    }
    request = read_request(body, "cohere.chat")
    assert [(e.member, e.message.text) for e in request.elements] == [
        ("messages", "q"),
        ("documents", "green tea"),
        ("documents", '{"t": "x"}'),
    ]


def test_usage_keeps_size_and_price_apart() -> None:
    """The context is what was read, template and all; billed units are a price (figures of a real cassette)."""
    usage = {
        "billed_units": {"input_tokens": 2406, "output_tokens": 2},
        "cached_tokens": 2928,
        "tokens": {"input_tokens": 2935, "output_tokens": 4},
    }
    report = dialect.usage_report(usage)
    assert report.context == Usage(2935, 2928, None, 4, None)
    assert (report.billed.input_tokens, report.billed.output_tokens) == (2406, 2)
    assert not report.problems
