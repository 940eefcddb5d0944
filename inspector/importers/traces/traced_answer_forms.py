"""Answers noted as chat messages, in the form of the API that was asked."""

from __future__ import annotations

import json
from typing import Any

from inspector.importers.reading.values import objects
from inspector.importers.traces.traced_messages import ANTHROPIC, GEMINI, RESPONSES

Message = dict[str, Any]


def write_answer(messages: list[Message], reason: str | None, api: str | None) -> dict[str, Any]:
    """Write chat messages as an answer in the words of a provider.

    Args:
        messages: Of the assistant.
        reason: Why they ended, if known.
        api: Dialect of the request; None, and any not known here: OpenAI's chat.
    """
    if api == ANTHROPIC:
        blocks = [block for message in messages for block in _blocks(message)]
        return {"type": "message", "role": "assistant", "content": blocks, "stop_reason": reason}
    if api == RESPONSES:
        return {"object": "response", "output": [item for message in messages for item in _items(message)]}
    if api == GEMINI:
        contents = [{"role": "model", "parts": _gemini_parts(message)} for message in messages]
        return {"candidates": [{"content": content, "finishReason": reason} for content in contents]}
    return {"choices": [{"index": i, "message": one, "finish_reason": reason} for i, one in enumerate(messages)]}


def _blocks(message: Message) -> list[Any]:
    content = message.get("content")
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) and content else []
    blocks += content if isinstance(content, list) else []
    for call in _calls(message):
        blocks.append({"type": "tool_use", "id": call[0], "name": call[1], "input": _parsed(call[2])})
    return blocks


def _items(message: Message) -> list[Any]:
    content = message.get("content")
    items: list[Any] = []
    if content:
        text = [{"type": "output_text", "text": content}] if isinstance(content, str) else content
        items.append({"type": "message", "role": "assistant", "content": text})
    for call_id, name, arguments in _calls(message):
        items.append({"type": "function_call", "call_id": call_id, "name": name, "arguments": arguments})
    return items


def _gemini_parts(message: Message) -> list[Any]:
    content = message.get("content")
    parts: list[Any] = [{"text": content}] if isinstance(content, str) and content else []
    parts += ({"text": block["text"]} for block in objects(content) if isinstance(block.get("text"), str))
    for _, name, arguments in _calls(message):
        parts.append({"functionCall": {"name": name, "args": _parsed(arguments)}})
    return parts


def _calls(message: Message) -> list[tuple[Any, Any, Any]]:
    calls = [(call.get("id"), call["function"]) for call in objects(message.get("tool_calls")) if "function" in call]
    return [(call_id, function.get("name"), function.get("arguments")) for call_id, function in calls]


def _parsed(arguments: Any) -> Any:
    try:
        return json.loads(arguments) if isinstance(arguments, str) and arguments else {}
    except (ValueError, RecursionError):
        return arguments
