"""Ollama bodies decode to messages and parts, of chat and of generate."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

from inspector.model.dialects import read_request
from inspector.model.dialects.ollama import OllamaChat
from inspector.model.request import Message, Part, Usage

dialect = OllamaChat()


def decode(**message: Any) -> Message:
    """Decode one message."""
    return dialect.decode("messages", message)


def test_arguments_are_an_object() -> None:
    """Tool calls have no id and an object of arguments."""
    call = {"function": {"name": "find", "arguments": {"q": "茶"}}}
    assert decode(role="assistant", content="", tool_calls=[call]).parts == (Part("tool_call", '{"q": "茶"}', "find"),)


def test_tool_message_names_its_tool() -> None:
    """A result names its tool."""
    assert decode(role="tool", tool_name="find", content="green").parts == (Part("tool_result", "green", "find"),)


def test_thinking_is_reasoning() -> None:
    """Thinking stands before the answer."""
    assert decode(role="assistant", thinking="hm", content="so").parts == (Part("reasoning", "hm"), Part("text", "so"))


def test_images_beside_the_content(png: Callable[[int, int], bytes]) -> None:
    """Images are base64 beside the text, and no text."""
    text, image = decode(role="user", content="see", images=[base64.b64encode(png(12, 9)).decode()]).parts
    assert (text.text, image.kind, image.media and image.media.width) == ("see", "image", 12)


def test_generate_is_read_as_a_prompt() -> None:
    """System text and prompt of generate are a system and a user message; parameters stay parameters."""
    body = {"model": "llama3", "prompt": "hi", "system": "Be brief.", "options": {"num_ctx": 4096}, "context": [1, 2]}
    request = read_request(body, endpoint="http://localhost:11434/api/generate")
    assert [(e.member, e.message.role, e.message.text) for e in request.elements] == [
        ("system", "system", "Be brief."),
        ("prompt", "user", "hi"),
    ]
    assert set(request.parameters) == {"options", "context"}


def test_usage_may_leave_out_what_was_cached() -> None:
    """The prompt's count is given, and said to be possibly a part of it."""
    report = dialect.usage_report({"prompt_eval_count": 26, "eval_count": 298})
    assert report.context == Usage(26, None, None, 298, None)
    assert report.input_is == "at least"
    assert report.notes


def test_usage_that_tells_the_cache_is_whole() -> None:
    """A version that counts cached tokens counts them in."""
    report = dialect.usage_report({"prompt_eval_count": 26, "prompt_eval_cached_count": 20, "eval_count": 298})
    assert report.context == Usage(26, 20, None, 298, None)
    assert report.input_is == "exact"
