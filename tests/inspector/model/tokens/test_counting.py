"""Messages are counted by segment; what cannot be read is unknown, never nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from inspector.model.layering import segment_message
from inspector.model.request import Element, Media, Message, Part
from inspector.model.tokens import count_message, counting_key, tokenizer_for
from inspector.model.views import TokenCount


def gpt(text: str) -> int:
    """Count a text as GPT-4o does."""
    return tokenizer_for("gpt-4o").count(text)


def count(*parts: Part, model: str = "gpt-4o", role: str | None = "user") -> list[TokenCount]:
    """Count the segments of a message."""
    message = Message(role, parts)
    segments = segment_message(Element("messages", 0, message))
    return list(count_message("openai.chat", message, segments, tokenizer_for(model)))


def test_segments_add_up_to_the_text() -> None:
    """The shares of marked runs are the count of the whole text, encoded once."""
    text = "The user likes <memory>green tea, 绿茶</memory> and cake."
    counts = count(Part("text", text))
    assert len(counts) == 3
    assert sum(c.count or 0 for c in counts) == gpt(text)


def test_a_call_costs_name_and_arguments() -> None:
    """A tool call is its name and its arguments."""
    (calls,) = count(Part("tool_call", '{"q": 1}', "find_order"), role="assistant")
    assert calls.count == gpt("find_order") + gpt('{"q": 1}')


def test_an_image_is_no_text() -> None:
    """A four-megabyte image costs its tiles."""
    (image,) = count(Part("image", "", media=Media("image/png", 4_000_000, 1024, 1024)))
    assert image == TokenCount(765, "formula:openai_tiles")


@pytest.mark.parametrize(
    "part",
    [
        Part("reasoning", "", opaque=True),
        Part("file", "", media=Media("application/pdf", 100)),
        Part("image", "", media=Media(None, None, url="https://x.invalid")),
    ],
)
def test_what_cannot_be_read_is_unknown(part: Part) -> None:
    """Encrypted reasoning, documents and remote images are unknown, not 0."""
    assert count(part) == [TokenCount(None, "unknown")]


def test_a_document_with_text_is_counted() -> None:
    """A file whose text is in the body costs that text."""
    assert count(Part("file", "hello world"))[0].count == gpt("hello world")


def test_null_content_is_no_tokens(count_body: Callable[..., Any]) -> None:
    """A message without content costs its frame only."""
    body = {"model": "gpt-4o", "messages": [{"role": "assistant", "content": None}]}
    assert count_body(body).total == 3 + 1 + 3


def test_base64_as_text_is_text() -> None:
    """Base64 inside a text block really costs its characters."""
    (text,) = count(Part("text", "QUJD" * 1_000))
    assert (text.count or 0) > 1_000


def test_the_key_tells_models_apart_that_count_images_differently() -> None:
    """Stored counts belong to tokenizer and image rule."""
    keys = {
        model: counting_key(tokenizer_for(model)) for model in ("gpt-4o", "gpt-4o-mini", "gpt-4.1", "claude-3-opus")
    }
    assert keys["gpt-4o"] == keys["gpt-4.1"]
    assert len(set(keys.values())) == 3
