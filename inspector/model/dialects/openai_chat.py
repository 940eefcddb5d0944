"""OpenAI's chat completions, and the many servers that speak it (litellm, Mistral, Groq, DeepSeek, vLLM …)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from inspector.model.dialects.base import UNKNOWN_USAGE
from inspector.model.dialects.shapes import (
    json_text,
    mapping,
    media_part,
    opt_int,
    opt_str,
    other_parts,
    text_or_json,
)
from inspector.model.request import Message, Part, Usage

_TEXT_BLOCKS: Final = frozenset({"text", "input_text", "output_text"})
_ENDPOINTS: Final = ("/chat/completions", "/api/chat")
_FOREIGN_MEMBERS: Final = frozenset({"inferenceConfig", "contents", "input", "anthropic_version"})


class OpenAIChat:
    """Reads ``POST /chat/completions`` bodies."""

    name = "openai.chat"

    def recognises(self, body_members: Collection[str], sample: Mapping[str, Any], endpoint: str | None) -> bool:
        """Accept a body with ``messages`` that belongs to no other API, or that went to a chat endpoint."""
        if "messages" not in body_members or _FOREIGN_MEMBERS.intersection(body_members):
            return False
        if endpoint is not None and endpoint.split("?")[0].rstrip("/").endswith(_ENDPOINTS):
            return True
        return not isinstance(sample.get("messages"), str)

    def part_of_prompt(self, member: str) -> bool:
        """Messages and tool definitions are read by the model."""
        return member in self.prompt_order()

    def prompt_order(self) -> tuple[str, ...]:
        """Messages first: tools are rendered into the leading system message, so they are shown after it."""
        return ("messages", "tools", "functions")

    def decode(self, member: str, value: Any) -> Message:
        """Decode one message, or one tool definition (nested, or flat as in ``functions``)."""
        if member in ("tools", "functions"):
            return _tool_definition(value)
        if not isinstance(value, Mapping):
            return Message(None, tuple(_block(value)))
        role = opt_str(value.get("role"))
        if role in ("tool", "function"):
            call_id, tool = opt_str(value.get("tool_call_id")), opt_str(value.get("name"))
            parts = tuple(_tool_result(value.get("content"), tool, call_id))
            return Message(role, parts)
        parts = (*_reasoning(value), *_content(value.get("content")), *_calls(value))
        return Message(role, parts, opt_str(value.get("name")))

    def usage(self, usage: Mapping[str, Any] | None) -> Usage:
        """Read ``prompt_tokens`` (cached ones included) and ``completion_tokens`` (reasoning included)."""
        if not isinstance(usage, Mapping):
            return UNKNOWN_USAGE
        prompt, answer = mapping(usage.get("prompt_tokens_details")), mapping(usage.get("completion_tokens_details"))
        # litellm repeats Anthropic's own names at the top level; DeepSeek has its own name for a cache hit.
        read = _first(
            prompt.get("cached_tokens"), usage.get("cache_read_input_tokens"), usage.get("prompt_cache_hit_tokens")
        )
        written = _first(
            prompt.get("cache_write_tokens"),
            prompt.get("cache_creation_tokens"),
            usage.get("cache_creation_input_tokens"),
        )
        reasoning = opt_int(answer.get("reasoning_tokens"))
        return Usage(
            opt_int(usage.get("prompt_tokens")), read, written, opt_int(usage.get("completion_tokens")), reasoning
        )


def _first(*figures: Any) -> int | None:
    return next((known for figure in figures if (known := opt_int(figure)) is not None), None)


def _tool_definition(value: Any) -> Message:
    tool = mapping(value)
    inner = tool.get("function") or tool.get("custom")
    name = opt_str(mapping(inner).get("name")) or opt_str(tool.get("name")) or opt_str(tool.get("type"))
    return Message(None, (Part("tool_definition", json_text(value, indent=2), name=name),))


def _blocks(content: Any) -> Sequence[Any]:
    if content is None or content == "":
        return ()
    return content if isinstance(content, list | tuple) else (content,)


def _content(content: Any) -> Iterator[Part]:
    for block in _blocks(content):
        yield from _block(block)


def _block(block: Any) -> Iterator[Part]:
    if isinstance(block, str):
        yield Part("text", str(block))
        return
    if not isinstance(block, Mapping):
        yield from other_parts(block)
        return
    kind = opt_str(block.get("type"))
    if kind in _TEXT_BLOCKS and isinstance(block.get("text"), str):
        yield Part("text", str(block["text"]))
    elif kind == "refusal" and isinstance(block.get("refusal"), str):
        yield Part("text", str(block["refusal"]), name="refusal")
    elif kind in ("image_url", "input_image"):
        yield _image(block)
    elif kind == "input_audio" and isinstance(block.get("input_audio"), Mapping):
        audio = block["input_audio"]
        form = opt_str(audio.get("format"))
        yield media_part("file", "audio", mime=f"audio/{form}" if form else None, data=opt_str(audio.get("data")))
    elif kind in ("file", "input_file"):
        file = mapping(block.get("file")) or block
        data, reference = opt_str(file.get("file_data")), opt_str(file.get("file_id")) or opt_str(file.get("file_url"))
        yield media_part("file", opt_str(file.get("filename")), url=data if data is not None else reference)
    elif kind == "thinking":
        yield from _thinking_block(block)
    else:
        yield from other_parts(block)


def _image(block: Mapping[str, Any]) -> Part:
    image = block.get("image_url")
    source = image if isinstance(image, Mapping) else block
    url = (
        opt_str(image)
        if isinstance(image, str)
        else opt_str(mapping(image).get("url")) or opt_str(block.get("file_id"))
    )
    return media_part("image", None, url=url, detail=opt_str(source.get("detail")))


def _tool_result(content: Any, tool: str | None, call_id: str | None) -> Iterator[Part]:
    blocks = _blocks(content) or ("",)
    for part in (part for block in blocks for part in _block(block)):
        if part.kind == "text":
            yield Part("tool_result", part.text, tool, call_id)
        elif part.media is not None:
            yield Part(part.kind, part.text, part.name or tool, call_id, part.media, part.opaque)
        else:
            yield Part("tool_result", part.text, tool, call_id, opaque=part.opaque)


def _reasoning(message: Mapping[str, Any]) -> Iterator[Part]:
    """Yield an assistant's reasoning once, however many of the rival members repeat it."""
    text = next(
        (str(t) for k in ("reasoning_content", "reasoning") if isinstance(t := message.get(k), str) and t), None
    )
    if text is not None:
        yield Part("reasoning", text)
    blocks = [*_blocks(message.get("thinking_blocks")), *_blocks(message.get("reasoning_details"))]
    for part in (part for block in blocks for part in _thinking_block(block)):
        if text is None or part.opaque:
            yield part


def _thinking_block(block: Any) -> Iterator[Part]:
    block = mapping(block)
    thinking = block.get("thinking")
    if isinstance(thinking, list | tuple):  # Mistral: a list of text blocks
        thinking = "\n".join(text_or_json(mapping(piece).get("text")) for piece in thinking)
    text = thinking or block.get("text") or block.get("summary")
    if text:
        yield Part("reasoning", text_or_json(text))
    elif block.get("data"):
        yield Part("reasoning", "", opaque=True)


def _calls(message: Mapping[str, Any]) -> Iterator[Part]:
    for call in _blocks(message.get("tool_calls")):
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
    refusal = message.get("refusal")
    if isinstance(refusal, str) and refusal:
        yield Part("text", str(refusal), name="refusal")
    audio = mapping(message.get("audio"))
    if audio:
        yield media_part("file", "audio", data=opt_str(audio.get("data")), url=opt_str(audio.get("id")))
