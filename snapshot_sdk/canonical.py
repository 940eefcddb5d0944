"""Canonical JSON and the two hashes of an element: of its bytes, and of what it says.

The wire hash is for storage. The content hash is for labels, pins and alignment: it stays the same when
a cache marker moves, when a provider adds an id, and when a string becomes a single text block.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Final

from snapshot_sdk._json import dumps, escape_surrogates
from snapshot_sdk._json import parse_int as parse_int

HASH_PREFIX: Final = "sha256:"
"""Every hash names its algorithm."""

HASH_DIGITS: Final = 32
"""128 bits: no collision by accident in any trace, and half the length on disk."""

_IGNORED: Final = frozenset(
    {
        "cache_control",
        "id",
        "status",
        "index",
        "tool_call_id",
        "tool_use_id",
        "call_id",
        "prompt_cache_breakpoint",
        "toolUseId",  # Bedrock
        "thoughtSignature",  # Gemini, both spellings
        "thought_signature",
    }
)
"""Members that say nothing to the model, or only tie messages together."""

_MARKS: Final = frozenset({"cachePoint"})
"""Bedrock's cache markers are blocks of their own: a block that is only such a one is left out."""

_VERBATIM: Final = frozenset(
    {"input", "arguments", "parameters", "input_schema", "schema", "properties", "args", "response", "json"}
)
"""Members whose keys are the user's own: an ``id`` in there is an argument, not an envelope's id."""

_TEXT_TYPES: Final = ("text", "input_text", "output_text")  # no set: what stands there may be unhashable

_encode: Final = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, sort_keys=True).encode


def canonical_json(value: Any) -> str:
    """Writes a JSON value with sorted keys, without spaces, as UTF-8 text; lone surrogates escaped.

    Args:
        value: A JSON value.
    """
    return escape_surrogates(_encode(value))


def text_hash(text: str) -> str:
    """Hashes a text: ``sha256:`` and the first 32 hex digits of the digest of its UTF-8 bytes.

    Args:
        text: Any text; lone surrogates are hashed as Python encodes them with ``surrogatepass``.
    """
    return HASH_PREFIX + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:HASH_DIGITS]


wire_hash: Final = text_hash
"""Hashes the source text of an element, exactly as it stands in the body."""


def content_hash(message: Any) -> str:
    """Hashes what a message says: role and parts.

    Left out are cache markers, ids, signatures, status and index, empty members, and ``type`` where it
    only says that this is a message; a string content equals one text block; the arguments of a tool
    call count as text, whether the dialect sends text or an object.

    Args:
        message: A message, whatever the dialect; other JSON values are hashed by their value.
    """
    try:
        return text_hash(canonical_json(_form(message)))
    except RecursionError:  # over-deep: its source text still identifies it
        from snapshot_sdk._values import write_value

        return text_hash(write_value(message).source)


def _form(message: Any) -> Any:
    if not isinstance(message, Mapping):
        return [None, _parts(message), {}]
    parts = _parts(message.get("content")) + _parts(message.get("parts"))
    calls = message.get("tool_calls")
    parts += [_tool_call(call) for call in calls] if isinstance(calls, list | tuple) else []
    rest = {
        key: value if key in _VERBATIM else _strip(value)
        for key, value in message.items()
        if key not in _IGNORED
        and key not in {"role", "content", "parts", "tool_calls"}
        and not _empty(value)
        and (key, value) != ("type", "message")  # OpenAI's Responses: an item without it is a message too
    }
    return [message.get("role"), parts, rest]


def _parts(content: Any) -> list[Any]:
    if content is None:
        return []
    if isinstance(content, str):
        return [["text", content]]
    if isinstance(content, list | tuple):
        return [_part(block) for block in content if not _is_mark(block)]
    return [_strip(content)]


def _is_mark(block: Any) -> bool:
    return isinstance(block, Mapping) and bool(block) and _MARKS.issuperset(block)


def _part(block: Any) -> Any:
    if isinstance(block, str):
        return ["text", block]
    if not isinstance(block, Mapping):
        return _strip(block)
    kind = block.get("type")
    # Gemini's thoughts are text parts with a mark.
    if isinstance(block.get("text"), str) and (kind is None or kind in _TEXT_TYPES) and not block.get("thought"):
        return ["text", block["text"]]
    if kind == "tool_use":
        return ["tool_call", block.get("name"), _arguments(block.get("input"))]
    if kind == "tool_result":
        return ["tool_result", _parts(block.get("content")), bool(block.get("is_error"))]
    return _strip(block)


def _tool_call(call: Any) -> Any:
    function = call.get("function") if isinstance(call, Mapping) else None
    if not isinstance(function, Mapping):
        return _strip(call)
    return ["tool_call", function.get("name"), _arguments(function.get("arguments"))]


def _arguments(arguments: Any) -> str:
    if isinstance(arguments, str):
        return arguments
    return json.dumps(arguments, separators=(",", ":"), ensure_ascii=False)


def _strip(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: item if key in _VERBATIM else _strip(item) for key, item in value.items() if key not in _IGNORED}
    if isinstance(value, list | tuple):
        return [_strip(item) for item in value]
    return value


def _empty(value: Any) -> bool:
    return value is None or (isinstance(value, str | list | tuple | dict) and not value)


def source_of(value: Any) -> str:
    """Writes a value as the trace format writes JSON: compact, every letter as it is.

    Args:
        value: JSON.

    Raises:
        ValueError: It holds NaN, or an integer of more digits than Python writes.
        RecursionError: It is too deep.
    """
    return dumps(value)


def read_object(text: str) -> dict[str, Any] | None:
    """Reads the text of a JSON object whose members are all named once.

    Args:
        text: JSON.

    Returns:
        None: it is no such object. Of two members of one name nobody knows which a server takes.
    """
    try:
        value = _UNIQUE.decode(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("a member is named twice")
    return members


_UNIQUE: Final = json.JSONDecoder(object_pairs_hook=_members, parse_int=parse_int)
