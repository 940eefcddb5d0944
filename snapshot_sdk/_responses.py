"""Takes an answer apart: messages, usage, stop reason and id of what a provider returned."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from snapshot_sdk._json import load
from snapshot_sdk._values import is_plain, write_value


class Answer(NamedTuple):
    """What a response record needs of a body."""

    messages: list[Any]
    """In the dialect's message shape."""
    usage: dict[str, Any] | None
    stop_reason: str | None
    response_id: str | None
    context: dict[str, Any] | None = None
    """What the provider says it did to the prompt: ``context_management`` of Anthropic."""
    is_read: bool = False
    """Its values were just read from JSON: they are plain, and nobody else's."""


def read_answer(body: Any, *, is_read: bool = False) -> Answer:
    """Reads the answers of OpenAI, Anthropic, Gemini, Bedrock, Cohere and Ollama; of others what has the usual names.

    Args:
        body: Mapping, or the client's object.
        is_read: It was just read from JSON that is not too deep.
    """
    data = body
    if not is_read and (type(body) is not dict or not is_plain(body)):
        written = write_value(body)
        data = load(written.source) if written.strict else None
    if not isinstance(data, dict):
        return Answer([] if data is None else [data], None, None, None)
    messages, stop = _messages(data)
    named = (data.get("stop_reason"), data.get("stopReason"), data.get("done_reason"), data.get("finish_reason"), stop)
    usage = data.get("usage") or data.get("usageMetadata")
    if usage is None and isinstance(data.get("done"), bool):
        usage = {name: value for name, value in data.items() if name.endswith(("_count", "_duration"))} or None
    identity = data.get("id") or data.get("responseId")
    if identity is None and str(data.get("name")).startswith("cachedContents/"):
        identity = data["name"]  # later requests name Gemini's cache by it
    context = data.get("context_management")
    reason: str | None = None
    for one in named:
        if isinstance(one, str) and one:
            reason = one
            break
    return Answer(
        messages,
        usage if isinstance(usage, dict) else None,
        reason,
        identity if isinstance(identity, str) else None,
        context if isinstance(context, dict) else None,
        is_read,
    )


def _messages(data: dict[str, Any]) -> tuple[list[Any], Any]:
    """The messages, and why they ended where that stands beside them."""
    output = data.get("output")
    if isinstance(data.get("choices"), list):
        messages, texts, stop = [], [], None
        for choice in data["choices"]:
            if isinstance(choice, dict):
                if isinstance(choice.get("message"), dict):
                    messages.append(choice["message"])
                if isinstance(choice.get("text"), str):
                    texts.append(_text(choice["text"]))
                stop = stop or choice.get("finish_reason")
        return messages + texts, stop
    if isinstance(data.get("candidates"), list):
        candidates = [candidate for candidate in data["candidates"] if isinstance(candidate, dict)]
        messages = [candidate["content"] for candidate in candidates if isinstance(candidate.get("content"), dict)]
        feedback = data.get("promptFeedback")
        blocked = feedback.get("blockReason") if isinstance(feedback, dict) else None
        return messages, _first(candidates, "finishReason") or blocked
    if "content" in data:
        return [{"role": data.get("role", "assistant"), "content": data["content"]}], None
    if isinstance(output, list):
        details = data.get("incomplete_details")
        return output, (details.get("reason") if isinstance(details, dict) else None) or data.get("status")
    if isinstance(output, dict) and isinstance(output.get("message"), dict):
        return [output["message"]], None
    if isinstance(data.get("message"), dict):
        return [data["message"]], None
    for name in ("response", "completion"):
        if isinstance(data.get(name), str):
            return [_text(data[name])], None
    return [], None


def _text(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def _first(items: list[dict[str, Any]], name: str) -> Any:
    return next((item[name] for item in items if item.get(name)), None)


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
