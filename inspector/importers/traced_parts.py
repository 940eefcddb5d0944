"""Messages made of typed parts: OpenTelemetry's, OpenInference's and those of Vercel's AI SDK."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from inspector.importers.langchain_blocks import CallBlock, OpaqueThinking, read_block
from inspector.importers.traced_values import compact

_OWN: Final = frozenset({"tool-call", "tool-result", "tool_call_response", "uri", "blob", "thinking_content"})
"""Types of parts that OpenAI's chat API does not have."""


@dataclass
class _Sorted:
    """The parts of a message by what becomes of them."""

    content: list[Any] = field(default_factory=list)
    calls: list[dict[str, Any]] = field(default_factory=list)
    results: list[dict[str, Any]] = field(default_factory=list)
    opaque: list[dict[str, Any]] = field(default_factory=list)


def has_parts(message: Mapping[str, Any]) -> bool:
    """Say whether a message with a role is made of parts that OpenAI's chat API does not have."""
    if isinstance(message.get("parts"), list) or isinstance(message.get("contents"), list):
        return True
    content = message.get("content")
    blocks = content if isinstance(content, list) else []
    return any(isinstance(block, dict) and str(block.get("type")) in _OWN for block in blocks)


def messages_of_parts(message: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Give a message made of parts as messages of OpenAI's chat API: itself, then the results it holds."""
    sorted_parts = _Sorted()
    for part in next(message[key] for key in ("parts", "contents", "content") if isinstance(message.get(key), list)):
        _sort(part, sorted_parts)
    calls = [*sorted_parts.calls, *_calls(message.get("tool_calls"))]
    content = _content(sorted_parts.content)
    if content is not None or calls or sorted_parts.opaque or not sorted_parts.results:
        told = {key: message[key] for key in ("name", "tool_call_id") if message.get(key) is not None}
        extra = {"tool_calls": calls} if calls else {}
        hidden = {"thinking_blocks": sorted_parts.opaque} if sorted_parts.opaque else {}
        yield {"role": message["role"], "content": content, **told, **extra, **hidden}
    yield from sorted_parts.results


def _sort(part: Any, into: _Sorted) -> None:
    if isinstance(part, dict) and isinstance(part.get("message_content"), dict):  # OpenInference
        part = part["message_content"]
    if not isinstance(part, dict):
        into.content.append(part)
        return
    kind = part.get("type")
    if kind in ("tool-call", "tool_call"):
        name = part.get("toolName") or part.get("name")
        arguments = next((part[key] for key in ("arguments", "args", "input") if part.get(key) is not None), "")
        into.calls.append(_call(part.get("toolCallId") or part.get("id"), name, arguments))
    elif kind in ("tool-result", "tool_call_response"):
        into.results.append(_result(part))
    elif kind == "text":
        text = part.get("content", part.get("text"))
        into.content.append({"type": "text", "text": text if isinstance(text, str) else _text(text)})
    elif kind in ("reasoning", "thinking"):
        said = part.get("content") or part.get("text") or part.get("thinking")
        if isinstance(said, str) and said:
            into.content.append({"type": "thinking", "thinking": said})
        elif said is None:
            into.opaque.append({"type": "redacted_thinking", "data": _text(part.get("signature") or part)})
    else:
        _sort_other(part, into)


def _sort_other(part: Mapping[str, Any], into: _Sorted) -> None:
    kind, mime = part.get("type"), part.get("mime_type") or part.get("mimeType") or part.get("mediaType")
    source = next((part[key] for key in ("uri", "content", "data", "image") if isinstance(part.get(key), str)), None)
    if kind in ("uri", "blob", "image", "file") and source is not None:
        inline = not source.startswith(("data:", "http:", "https:", "gs:", "s3:")) and kind != "uri"
        address = f"data:{mime or 'application/octet-stream'};base64,{source}" if inline else source
        image = kind == "image" or part.get("modality") == "image" or str(mime).startswith("image/")
        shown = {"type": "image_url", "image_url": {"url": address}}
        into.content.append(shown if image else {"type": "file", "file": {"file_data": address}})
        return
    if isinstance(part.get("image"), dict):  # OpenInference: image.image.url
        inner = part["image"].get("image", part["image"])
        if isinstance(inner, dict) and isinstance(inner.get("url"), str):
            into.content.append({"type": "image_url", "image_url": {"url": inner["url"]}})
            return
    read = read_block(part)
    if isinstance(read, CallBlock):
        into.calls.append(_call(read.id, read.name, read.arguments))
    elif isinstance(read, OpaqueThinking):
        into.opaque.append({"type": "redacted_thinking", "data": read.data})
    elif read is not None:
        into.content.append(read)


def _result(part: Mapping[str, Any]) -> dict[str, Any]:
    """Read what a tool gave back; Vercel's newer results say of what type they are."""
    given = next((part[key] for key in ("response", "result", "output", "content") if key in part), None)
    if isinstance(given, dict) and given.keys() == {"type", "value"}:
        given = given["value"]
    message: dict[str, Any] = {"role": "tool", "content": given if isinstance(given, str) else _text(given)}
    call_id, name = part.get("toolCallId") or part.get("id"), part.get("toolName") or part.get("name")
    told = {"tool_call_id": call_id, "name": name}
    return message | {key: value for key, value in told.items() if isinstance(value, str)}


def _calls(values: Any) -> Iterator[dict[str, Any]]:
    """Give the calls that stand beside the parts (OpenInference)."""
    for value in values if isinstance(values, list) else ():
        call = value.get("tool_call", value) if isinstance(value, dict) else None
        if isinstance(call, dict):
            function = call.get("function")
            fields = function if isinstance(function, dict) else call
            yield _call(call.get("id"), fields.get("name"), fields.get("arguments", ""))


def _call(call_id: Any, name: Any, arguments: Any) -> dict[str, Any]:
    text = arguments if isinstance(arguments, str) else compact(arguments)
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": text}}


def _content(blocks: list[Any]) -> Any:
    """Give the content: a single text as itself."""
    if len(blocks) == 1 and isinstance(blocks[0], dict) and blocks[0].get("type") == "text":
        return blocks[0]["text"]
    return blocks or None


def _text(value: Any) -> str:
    return "" if value is None else compact(value)
