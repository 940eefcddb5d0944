"""Takes an answer apart: messages, usage, stop reason and id of what a provider returned."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from snapshot_sdk._json import load
from snapshot_sdk._values import write_value


class Answer(NamedTuple):
    """What a response record needs of a body."""

    messages: list[Any]
    """In the dialect's message shape."""
    usage: dict[str, Any] | None
    stop_reason: str | None
    response_id: str | None


def read_answer(body: Any) -> Answer:
    """Reads an OpenAI chat completion or an Anthropic message; of other shapes what has the usual names.

    Args:
        body: Mapping, or the client's object.
    """
    written = write_value(body)
    data = load(written.source) if written.strict else None
    if not isinstance(data, dict):
        return Answer([] if data is None else [data], None, None, None)
    messages: list[Any] = []
    stop: Any = data.get("stop_reason")
    choices = data.get("choices")
    if isinstance(choices, list):
        for choice in choices:
            if isinstance(choice, dict) and isinstance(choice.get("message"), dict):
                messages.append(choice["message"])
                stop = stop or choice.get("finish_reason")
    elif "content" in data:
        messages.append({"role": data.get("role", "assistant"), "content": data["content"]})
    elif isinstance(data.get("output"), list):
        messages += data["output"]
        stop = stop or data.get("status")
    usage = data.get("usage")
    identity = data.get("id")
    return Answer(
        messages,
        usage if isinstance(usage, dict) else None,
        stop if isinstance(stop, str) else None,
        identity if isinstance(identity, str) else None,
    )


def message_text(message: Any) -> str:
    """Returns the text of a message, for display.

    Args:
        message: A message of OpenAI or Anthropic shape.
    """
    content = message.get("content") if isinstance(message, Mapping) else message
    if isinstance(content, str):
        return content
    texts = []
    for block in content if isinstance(content, list | tuple) else ():
        text = block if isinstance(block, str) else block.get("text") if isinstance(block, Mapping) else None
        if isinstance(text, str):
            texts.append(text)
    return "\n".join(texts)
