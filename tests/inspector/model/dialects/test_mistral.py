"""Mistral bodies decode to messages and parts; the template's frame gives the API's own figures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from inspector.model.dialects.mistral import MistralChat
from inspector.model.request import Part

dialect = MistralChat()


def test_thinking_chunks() -> None:
    """Thinking is a list of texts among the content."""
    content = [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"type": "text", "text": "so"}]
    assert dialect.decode("messages", {"role": "assistant", "content": content, "prefix": False}).parts == (
        Part("reasoning", "hm"),
        Part("text", "so"),
    )


def test_documents_and_audio_are_files() -> None:
    """A document's address and base64 audio are files."""
    content = [
        {"type": "document_url", "document_url": "https://x.invalid/a.pdf", "document_name": "a.pdf"},
        {"type": "input_audio", "input_audio": "UklGRg=="},
        {"type": "image_url", "image_url": "https://x.invalid/a.png"},
    ]
    document, audio, image = dialect.decode("messages", {"role": "user", "content": content}).parts
    assert (document.kind, document.name, document.media and document.media.url) == (
        "file",
        "a.pdf",
        "https://x.invalid/a.pdf",
    )
    assert (audio.kind, audio.media and audio.media.size) == ("file", 4)
    assert (image.kind, image.media and image.media.url) == ("image", "https://x.invalid/a.png")


def test_tool_result_of_chunks() -> None:
    """A tool's content may be a list."""
    message = {"role": "tool", "name": "find", "tool_call_id": "c1", "content": [{"type": "text", "text": "ok"}]}
    assert dialect.decode("messages", message).parts == (Part("tool_result", "ok", "find", "c1"),)


@pytest.mark.realdata
def test_real_prompts_are_counted_to_the_token(exchanges: list[Any], count_body: Callable[..., Any]) -> None:
    """Two real prompts of English text count as the API says."""
    figures = {}
    for one in exchanges:
        if one.cassette == "test_mistral_history_uses_prompt_cache":
            figures[one.answer["usage"]["prompt_tokens"]] = count_body(one.body, api="mistral.chat").total
    assert figures == {253: 253, 268: 268}
