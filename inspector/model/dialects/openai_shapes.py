"""Shapes that OpenAI's chat completions and the APIs made after it share: content, tool calls, reasoning."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from inspector.model.dialects.shapes import (
    json_text,
    mapping,
    media_part,
    opt_str,
    other_parts,
    text_or_json,
)
from inspector.model.request import Message, Part

_TEXT_BLOCKS: Final = frozenset({"text", "input_text", "output_text"})
_ADDRESSES: Final = frozenset({"document_url", "video_url", "audio_url"})


def tool_definition(value: Any) -> Message:
    """Decode one tool definition, nested (``function``, ``custom``) or flat."""
    tool = mapping(value)
    inner = tool.get("function") or tool.get("custom")
    name = opt_str(mapping(inner).get("name")) or opt_str(tool.get("name")) or opt_str(tool.get("type"))
    return Message(None, (Part("tool_definition", json_text(value, indent=2), name=name),))


def blocks_of(content: Any) -> Sequence[Any]:
    """Return content as a list of blocks, whether it is one or stands alone."""
    if content is None or content == "":
        return ()
    return content if isinstance(content, list | tuple) else (content,)


def content_parts(content: Any) -> Iterator[Part]:
    """Decode the content of a message: a string, a block or a list of both."""
    for block in blocks_of(content):
        yield from block_parts(block)


def block_parts(block: Any) -> Iterator[Part]:
    """Decode one block of content."""
    if isinstance(block, str):
        yield Part("text", str(block))
        return
    if not isinstance(block, Mapping):
        yield from other_parts(block)
        return
    kind = opt_str(block.get("type")) or ""
    if kind in _TEXT_BLOCKS and isinstance(block.get("text"), str):
        yield Part("text", str(block["text"]))
    elif kind == "refusal" and isinstance(block.get("refusal"), str):
        yield Part("text", str(block["refusal"]), name="refusal")
    elif kind in ("image_url", "input_image"):
        yield image_part(block)
    elif kind == "input_audio" and isinstance(block.get("input_audio"), Mapping | str):
        yield _audio(block["input_audio"])
    elif kind in ("file", "input_file"):
        file = mapping(block.get("file")) or block
        data, reference = opt_str(file.get("file_data")), opt_str(file.get("file_id")) or opt_str(file.get("file_url"))
        yield media_part("file", opt_str(file.get("filename")), url=data if data is not None else reference)
    elif kind in _ADDRESSES:
        address = block.get(kind)
        url = opt_str(address) or opt_str(mapping(address).get("url"))
        yield media_part("file", opt_str(block.get("document_name")) or kind.removesuffix("_url"), url=url)
    elif kind == "thinking":
        yield from thinking_parts(block)
    else:
        yield from other_parts(block)


def image_part(block: Mapping[str, Any]) -> Part:
    """Decode an image block; the address is a string or an object with ``url`` and ``detail``."""
    image = block.get("image_url")
    source = image if isinstance(image, Mapping) else block
    url = (
        opt_str(image)
        if isinstance(image, str)
        else opt_str(mapping(image).get("url")) or opt_str(block.get("file_id"))
    )
    return media_part("image", None, url=url, detail=opt_str(source.get("detail")))


def _audio(audio: Mapping[str, Any] | str) -> Part:
    if isinstance(audio, str):  # Mistral: base64, or an address
        return media_part("file", "audio", **{"url" if audio.startswith(("http", "data:")) else "data": str(audio)})
    form = opt_str(audio.get("format"))
    return media_part("file", "audio", mime=f"audio/{form}" if form else None, data=opt_str(audio.get("data")))


def result_parts(parts: Iterator[Part], tool: str | None, call_id: str | None) -> Iterator[Part]:
    """Make what a tool gave back into results tied to its call; a result of nothing is kept."""
    empty = True
    for part in parts:
        empty = False
        if part.media is not None:
            yield Part(part.kind, part.text, part.name or tool, call_id, part.media, part.opaque)
        else:
            yield Part("tool_result", part.text, tool, call_id, opaque=part.opaque)
    if empty:
        yield Part("tool_result", "", tool, call_id)


def reasoning_parts(message: Mapping[str, Any]) -> Iterator[Part]:
    """Yield an assistant's reasoning once, however many of the rival members repeat it."""
    text = next(
        (str(t) for k in ("reasoning_content", "reasoning") if isinstance(t := message.get(k), str) and t), None
    )
    if text is not None:
        yield Part("reasoning", text)
    blocks = [*blocks_of(message.get("thinking_blocks")), *blocks_of(message.get("reasoning_details"))]
    for part in (part for block in blocks for part in thinking_parts(block)):
        if text is None or part.opaque:
            yield part


def thinking_parts(block: Any) -> Iterator[Part]:
    """Decode one block of thinking: text, a list of texts, or data that cannot be read."""
    block = mapping(block)
    thinking = block.get("thinking")
    if isinstance(thinking, list | tuple):  # Mistral: a list of text blocks
        thinking = "\n".join(text_or_json(mapping(piece).get("text")) for piece in thinking)
    text = thinking or block.get("text") or block.get("summary")
    if text:
        yield Part("reasoning", text_or_json(text))
    elif block.get("data"):
        yield Part("reasoning", "", opaque=True)


def call_parts(message: Mapping[str, Any]) -> Iterator[Part]:
    """Decode the tool calls of an assistant message."""
    for call in blocks_of(message.get("tool_calls")):
        fields = mapping(call)
        call_id = opt_str(fields.get("id"))
        function, custom = fields.get("function"), fields.get("custom")
        if isinstance(function, Mapping):
            arguments = text_or_json(function.get("arguments"))
            yield Part("tool_call", arguments, opt_str(function.get("name")), call_id)
        elif isinstance(custom, Mapping):
            yield Part("tool_call", text_or_json(custom.get("input")), opt_str(custom.get("name")), call_id)
        else:
            yield Part("tool_call", json_text(call), None, call_id)
    legacy = message.get("function_call")
    if isinstance(legacy, Mapping):
        yield Part("tool_call", text_or_json(legacy.get("arguments")), opt_str(legacy.get("name")))


def extra_parts(message: Mapping[str, Any]) -> Iterator[Part]:
    """Decode a refusal and an audio answer that stand beside the content."""
    refusal = message.get("refusal")
    if isinstance(refusal, str) and refusal:
        yield Part("text", str(refusal), name="refusal")
    audio = mapping(message.get("audio"))
    if audio:
        yield media_part("file", "audio", data=opt_str(audio.get("data")), url=opt_str(audio.get("id")))
