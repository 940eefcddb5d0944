"""Messages as plain JSON values: what context builders return is often objects of some library."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, is_dataclass
from typing import Any, Final

_LANGCHAIN_ROLES: Final[Mapping[str, str]] = {
    "human": "user", "ai": "assistant", "system": "system", "tool": "tool", "function": "tool",
    "AIMessageChunk": "assistant",
}  # fmt: skip
"""What LangChain's messages call their types."""


def plain_value(value: Any) -> Any:
    """Makes a plain value of what a builder returned: an object of pydantic, a dataclass, a generator, a deque.

    Args:
        value: What it returned.
    """
    if value is None or isinstance(value, str | bytes | Mapping | list | tuple):
        return value
    dumped = _dumped(value)
    if dumped is not value:
        return dumped
    return list(value) if isinstance(value, Iterable) else value


def plain_message(value: Any, place: int) -> Any:
    """Makes a plain value of one message.

    Args:
        value: A dict, a text (in Gemini's ``contents`` and Responses' ``input``), or an object of a library.
        place: Its place, from 0, for the message of an error.

    Raises:
        TypeError: It is no message.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return _deep(value)
    if (role := _LANGCHAIN_ROLES.get(str(getattr(value, "type", None)))) is not None and hasattr(value, "content"):
        return _of_langchain(value, role)
    dumped = _dumped(value)
    if not isinstance(dumped, Mapping):
        kind = "None" if value is None else f"a {type(value).__name__}"
        raise TypeError(f"message {place + 1} is {kind}, no message: a dict with a role and a content")
    return _deep(dumped)


def _deep(value: Any) -> Any:
    """Plain values all the way down: dicts often hold the tool calls of a client's answer as its objects."""
    if isinstance(value, Mapping):
        return {key: _deep(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_deep(item) for item in value]
    dumped = _dumped(value)
    return value if dumped is value else _deep(dumped)


def _dumped(value: Any) -> Any:
    """What an object of a library says of itself; the value itself where it says nothing."""
    if value is None or isinstance(value, str | bytes | int | float | type):
        return value
    if is_dataclass(value) and not isinstance(value, type):
        return {key: item for key, item in asdict(value).items() if item is not None}
    dump = getattr(value, "model_dump", None)  # pydantic, and so the clients of OpenAI, Anthropic, Google, Mistral
    return dump(mode="json", by_alias=True, exclude_none=True) if callable(dump) else value


def _of_langchain(message: Any, role: str) -> dict[str, Any]:
    plain: dict[str, Any] = {"role": role, "content": _deep(message.content)}
    calls = getattr(message, "tool_calls", None)
    if calls:
        plain["tool_calls"] = [
            {
                "id": call.get("id"),
                "type": "function",
                # As LangChain writes them for the APIs.
                "function": {"name": call.get("name"), "arguments": json.dumps(call.get("args"), ensure_ascii=False)},
            }
            for call in calls
        ]
    if role == "tool":
        plain["tool_call_id"] = getattr(message, "tool_call_id", None)
    return plain
