"""What a request of one lane is told from those of other lanes by: how it begins and ends, and the tools it offers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from snapshot_sdk._fixture_values import HEAD_CHARACTERS

_BEFORE: Final = ("system", "instructions", "systemInstruction", "system_instruction")
"""Members with the system prompt, where it is no message."""
_MESSAGES: Final = ("messages", "input", "contents", "prompt")
_NO_WORDS: Final = frozenset(
    {"role", "type", "id", "name", "mime_type", "mimeType", "cache_control", "status", "phase"}
    | {"call_id", "tool_call_id", "tool_use_id", "toolUseId", "thoughtSignature", "signature", "encrypted_content"}
)
"""Members of a message that say nothing."""


class Signs(NamedTuple):
    """What a request is known by."""

    heads: tuple[str, ...]
    """Beginnings of its first two texts."""
    tail: str | None
    """Beginning of its last text; empty: it has none. None: unknown."""
    tools: tuple[str, ...]
    """Names of the tools it offers."""


def request_signs(body: Mapping[str, Any]) -> Signs:
    """Returns what tells a request from those of other lanes.

    Args:
        body: The request, of any dialect.
    """
    system = [body[name] for name in _BEFORE if body.get(name)]
    messages: Any = next((body[name] for name in _MESSAGES if body.get(name)), [])
    spread = messages if isinstance(messages, Sequence) and not isinstance(messages, str) else [messages]
    heads = []
    for element in (*system, *spread[:2]):
        text = next(texts_of(element), None)
        if text:
            heads.append(text[:HEAD_CHARACTERS])
    last = [text for element in spread[-1:] for text in texts_of(element) if text]
    tail = last[-1][:HEAD_CHARACTERS] if last else ""
    return Signs(tuple(heads[:2]), tail, tuple(sorted(_tool_names(body))))


def texts_of(value: Any) -> Iterator[str]:
    """Yields the texts of a message, in order.

    Args:
        value: A message, several, or a whole request.
    """
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            if name not in _NO_WORDS:
                yield from texts_of(inner)
    elif isinstance(value, Sequence):
        for inner in value:
            yield from texts_of(inner)


def _tool_names(body: Mapping[str, Any]) -> Iterator[str]:
    tools = body.get("tools") or (body.get("toolConfig") or {}).get("tools") or ()
    for tool in tools if isinstance(tools, Sequence) else ():
        if not isinstance(tool, Mapping):
            continue
        several = tool.get("functionDeclarations") or tool.get("function_declarations")
        for one in several if isinstance(several, Sequence) else (tool,):
            inner = one.get("function") or one.get("toolSpec") or one
            name = inner.get("name") if isinstance(inner, Mapping) else None
            if isinstance(name, str):
                yield name


def ids_of(value: Any) -> Iterator[str]:
    """Yields the ids of tool calls, where they are made and where they are answered.

    Args:
        value: A message, several, or a whole request.
    """
    if isinstance(value, Mapping):
        for name, inner in value.items():
            if name in ("id", "call_id", "tool_call_id", "tool_use_id", "toolUseId") and isinstance(inner, str):
                yield inner
            else:
                yield from ids_of(inner)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for inner in value:
            yield from ids_of(inner)
