"""Blocks of content in LangChain's messages, of every provider and LangChain's own, as OpenAI's chat has them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from inspector.importers.reading.values import as_list, as_text

Block = Any
"""A block as it stays in the content: an object, or a text."""


@dataclass(frozen=True)
class CallBlock:
    """A call of a tool that stands among the blocks."""

    id: str | None
    """The id its result refers to."""
    name: str | None
    """Name of the tool."""
    arguments: Any
    """Parsed, or as the text the model wrote."""


@dataclass(frozen=True)
class OpaqueThinking:
    """Thinking that only the provider can read."""

    data: str
    """As it is passed back."""


_CALLS: Final = frozenset({"tool_use", "tool_call", "function_call", "server_tool_call"})
"""Anthropic's and Bedrock's, LangChain's own, and the items of OpenAI's Responses."""

_LEFT_OVERS: Final = frozenset({"input_json_delta", "tool_call_chunk"})
"""Pieces of a streamed call, which stands whole beside them."""

_TEXT_MEMBERS: Final = ("type", "text", "cache_control")
"""What of a block of text is sent; LangChain adds places in the stream, ids and annotations."""

_MEDIA: Final = frozenset({"image", "file", "media", "audio", "video"})


def read_block(value: Any) -> Block | CallBlock | OpaqueThinking | None:
    """Read a block of content.

    Args:
        value: Any JSON value; what is not known here is given back as it is.

    Returns:
        The block for the content, what stands elsewhere in OpenAI's messages, or None: nothing of its own.
    """
    if not isinstance(value, Mapping):
        return value
    kind = str(value.get("type"))
    if kind in _CALLS:
        arguments: Any = next((value[key] for key in ("input", "args", "arguments") if value.get(key) is not None), {})
        return CallBlock(as_text(value.get("call_id") or value.get("id")), as_text(value.get("name")), arguments)
    if kind in _LEFT_OVERS:
        return None
    if kind == "redacted_thinking":
        return OpaqueThinking(str(value.get("data") or ""))
    if kind in ("reasoning", "reasoning_content"):
        return _thinking(value)
    if kind in _MEDIA:
        return _media(value)
    if kind == "text":
        return {key: value[key] for key in _TEXT_MEMBERS if key in value}
    return value


def _thinking(value: Mapping[str, Any]) -> Block | OpaqueThinking | None:
    """Read reasoning: LangChain's block, Bedrock's, or an item of OpenAI's Responses with a summary."""
    inner = value.get("reasoning_content")
    fields = inner if isinstance(inner, Mapping) else value
    said = fields.get("reasoning") or fields.get("text")
    if not isinstance(said, str) or not said:
        pieces = [*as_list(fields.get("content")), *as_list(fields.get("summary"))]
        said = "\n".join(str(piece["text"]) for piece in pieces if isinstance(piece, Mapping) and piece.get("text"))
    if said:
        return {"type": "thinking", "thinking": said}
    hidden = fields.get("encrypted_content") or fields.get("signature")
    return OpaqueThinking(hidden) if isinstance(hidden, str) else None


def _media(value: Mapping[str, Any]) -> Block:
    """Read an image or a file, inline or by address; one without either stays as it is."""
    source = value.get("source")
    fields = source if isinstance(source, Mapping) else value
    mime = next((fields[key] for key in ("mime_type", "media_type") if isinstance(fields.get(key), str)), None)
    data = next((fields[key] for key in ("data", "base64") if isinstance(fields.get(key), str)), None)
    address = f"data:{mime or 'application/octet-stream'};base64,{data}" if data is not None else fields.get("url")
    if isinstance(fields.get("bytes"), str):  # Bedrock's, with the form instead of a type
        address = f"data:image/{value.get('format') or 'png'};base64,{fields['bytes']}"
    if not isinstance(address, str):
        return value
    if value.get("type") == "image" or (mime or "").startswith("image/"):
        return {"type": "image_url", "image_url": {"url": address}}
    name = value.get("filename") or value.get("title") or value.get("name")
    return {"type": "file", "file": {"file_data": address} | ({"filename": name} if isinstance(name, str) else {})}
