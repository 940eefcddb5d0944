"""Blocks of a message's content, of whatever API: what each one says, and which tool call it belongs to.

The texts are those that ``inspector.model.dialects`` finds, so that a pin holds here where it holds there; a test
compares the two. Nothing here raises on any JSON value.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

PieceKind = Literal["text", "reasoning", "tool_call", "tool_result", "media", "tool_definition", "other"]


@dataclass(frozen=True)
class Piece:
    """One piece of a message."""

    kind: PieceKind
    text: str
    """What is searched and counted; of a tool call its arguments, of media nothing."""
    name: str | None = None
    """Name of the tool, or of the kind of block."""
    id: str | None = None
    """Id that ties a tool call to its result."""
    opaque: bool = False
    """Nobody but the provider can read it."""
    served: bool = False
    """A tool that the provider's server ran: the agent owes no result."""


_TEXT_TYPES: Final = ("text", "input_text", "output_text")
_MEDIA_TYPES: Final = (
    "image", "image_url", "input_image", "input_audio", "audio", "file", "input_file", "container_upload",
    "document_url", "video_url", "audio_url", "computer_screenshot",
)  # fmt: skip
_SIGNED: Final = frozenset({"thoughtSignature", "thought_signature", "thought", "videoMetadata", "mediaResolution"})
"""Gemini: members that stand beside the one that says what a part is."""
_BEDROCK_MEDIA: Final = ("image", "document", "video", "audio")


def text_or_json(value: Any, indent: int | None = None) -> str:
    """Gives a string as it is, nothing for None, and any other value as JSON.

    Args:
        value: Any value.
        indent: Spaces a level.
    """
    if value is None:
        return ""
    return value if isinstance(value, str) else json_text(value, indent)


def json_text(value: Any, indent: int | None = None) -> str:
    """Writes any value as JSON text; what JSON cannot carry as its ``str``.

    Args:
        value: Any value.
        indent: Spaces a level.
    """
    try:
        return json.dumps(value, ensure_ascii=False, indent=indent, default=str)
    except (TypeError, ValueError, RecursionError):
        return f"<{type(value).__name__} that cannot be shown>"


def mapping(value: Any) -> Mapping[str, Any]:
    """Gives the value if it is an object, else an empty one.

    Args:
        value: Any value.
    """
    return value if isinstance(value, Mapping) else {}


def listed(value: Any) -> Sequence[Any]:
    """Gives content as a list of blocks, whether it is one or stands alone.

    Args:
        value: Any value.
    """
    if value is None or value == "":
        return ()
    return value if isinstance(value, list | tuple) else (value,)


def word(value: Any) -> str | None:
    """Gives the value if it is a string, else None.

    Args:
        value: Any value.
    """
    return value if isinstance(value, str) else None


def either(value: Mapping[str, Any], camel: str) -> Any:
    """Gives a member in either spelling: Gemini takes ``functionCall`` and ``function_call``.

    Args:
        value: An object.
        camel: The name in camel case.
    """
    if camel in value:
        return value[camel]
    return value.get("".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in camel))


def read_blocks(content: Any) -> Iterator[Piece]:
    """Reads a content: a string, a block or a list of both.

    Args:
        content: Any value.
    """
    for block in listed(content):
        yield from read_block(block)


def read_block(block: Any) -> Iterator[Piece]:
    """Reads one block.

    Args:
        block: Any value.
    """
    if isinstance(block, str):
        yield Piece("text", block)
    elif not isinstance(block, Mapping):
        yield Piece("other", json_text(block))
    elif isinstance(block.get("type"), str):
        yield from _typed(block["type"], block)
    else:
        yield from _untyped(block)


def as_results(pieces: Iterator[Piece], name: str | None, call_id: str | None) -> Iterator[Piece]:
    """Makes what a tool gave back into results tied to its call; a result of nothing is kept.

    Args:
        pieces: What it gave back.
        name: The tool.
        call_id: Id of the call.
    """
    empty = True
    for piece in pieces:
        empty = False
        kind: PieceKind = "media" if piece.kind == "media" else "tool_result"
        yield replace(piece, kind=kind, name=piece.name or name if kind == "media" else name, id=call_id)
    if empty:
        yield Piece("tool_result", "", name, call_id)


def _typed(kind: str, block: Mapping[str, Any]) -> Iterator[Piece]:
    """Blocks that name their type: those of OpenAI, Anthropic, Cohere and Mistral."""
    if kind in _TEXT_TYPES and isinstance(block.get("text"), str):
        yield Piece("text", block["text"])
    elif kind == "refusal" and isinstance(block.get("refusal"), str):
        yield Piece("text", block["refusal"], name=kind)
    elif kind in ("thinking", "redacted_thinking"):
        yield read_thinking(block)
    elif kind.endswith("tool_use"):
        served = kind != "tool_use"
        arguments = json_text(block["input"]) if block.get("input") is not None else ""
        yield Piece("tool_call", arguments, word(block.get("name")), word(block.get("id")), served=served)
    elif kind.endswith("tool_result"):
        content = block.get("content")
        call_id, served = word(block.get("tool_use_id")), kind != "tool_result"
        if isinstance(content, Mapping):
            yield Piece("tool_result", json_text(content), id=call_id, served=served)
            return
        for piece in as_results(read_blocks(content), None, call_id):
            yield replace(piece, served=served)
    elif kind == "document":
        yield from _document(block)
    elif kind == "search_result":
        yield Piece("text", _search_result(block), name=kind)
    elif kind == "compaction":
        opaque = bool(block.get("encrypted_content"))
        yield Piece("text", text_or_json(block.get("content")), name=kind, opaque=opaque)
    elif kind in _MEDIA_TYPES:
        yield Piece("media", "", name=kind)
    else:
        yield Piece("other", json_text(block))


def read_thinking(block: Any) -> Piece:
    """Reads a block of thinking: text, a list of texts, or data that nobody else can read.

    Args:
        block: Any value.
    """
    fields = mapping(block)
    thinking = fields.get("thinking")
    if isinstance(thinking, list | tuple):  # Mistral: a list of text blocks
        thinking = "\n".join(text_or_json(mapping(piece).get("text")) for piece in thinking)
    text = text_or_json(thinking or fields.get("text") or fields.get("summary"))
    return Piece("reasoning", text, opaque=not text)


def _document(block: Mapping[str, Any]) -> Iterator[Piece]:
    if "document" in block:  # Cohere
        document = mapping(block["document"])
        yield Piece("text", text_or_json(document.get("data", block["document"])), name="search_result")
        return
    source = mapping(block.get("source"))
    head = "\n".join(text for name in ("title", "context") if (text := word(block.get(name))))
    if source.get("type") == "text":
        yield Piece("text", "\n".join(filter(None, (head, text_or_json(source.get("data"))))), name="document")
    elif source.get("type") == "content":
        if head:
            yield Piece("text", head, name="document")
        yield from read_blocks(source.get("content"))
    else:
        yield Piece("media", head, name="document")


def _search_result(block: Mapping[str, Any]) -> str:
    texts = [text_or_json(mapping(piece).get("text", piece)) for piece in listed(block.get("content"))]
    return "\n".join(filter(None, (word(block.get("title")), word(block.get("source")), *texts)))


def _untyped(block: Mapping[str, Any]) -> Iterator[Piece]:
    """Blocks told by their only member: those of Gemini and Bedrock."""
    call, response = either(block, "functionCall"), either(block, "functionResponse")
    code, outcome = either(block, "executableCode"), either(block, "codeExecutionResult")
    if isinstance(block.get("text"), str):
        yield Piece("reasoning" if block.get("thought") is True else "text", block["text"])
    elif isinstance(call, Mapping):
        arguments = json_text(call["args"]) if call.get("args") is not None else ""
        yield Piece("tool_call", arguments, word(call.get("name")), word(call.get("id")))
    elif isinstance(response, Mapping):
        said = response.get("response")
        pieces = [Piece("text", "" if said is None else json_text(said)), *read_blocks(response.get("parts"))]
        yield from as_results(iter(pieces), word(response.get("name")), word(response.get("id")))
    elif isinstance(code, Mapping):
        yield Piece("tool_call", text_or_json(code.get("code")), "code_execution", word(code.get("id")), served=True)
    elif isinstance(outcome, Mapping):
        result = text_or_json(outcome.get("output", outcome.get("outcome")))
        yield Piece("tool_result", result, "code_execution", word(outcome.get("id")), served=True)
    elif any(isinstance(either(block, name), Mapping) for name in ("inlineData", "fileData")):
        yield Piece("media", "")
    elif block and set(block) <= _SIGNED:
        yield Piece("reasoning", "", opaque=True)  # a signature alone: thoughts only the model can read
    else:
        yield from _bedrock(block)


def _bedrock(block: Mapping[str, Any]) -> Iterator[Piece]:
    use, result, thinking = (mapping(block.get(name)) for name in ("toolUse", "toolResult", "reasoningContent"))
    guard, search = mapping(block.get("guardContent")), mapping(block.get("searchResult"))
    if use:
        arguments = json_text(use["input"]) if use.get("input") is not None else ""
        yield Piece("tool_call", arguments, word(use.get("name")), word(use.get("toolUseId")))
    elif result:
        pieces = (piece for part in listed(result.get("content")) for piece in _bedrock_result(part))
        yield from as_results(pieces, None, word(result.get("toolUseId")))
    elif thinking:
        text = word(mapping(thinking.get("reasoningText")).get("text"))
        yield Piece("reasoning", text or "", opaque=not text)
    elif "cachePoint" in block:
        yield Piece("other", "", name="cachePoint")
    elif isinstance(mapping(guard.get("text")).get("text"), str):
        yield Piece("text", guard["text"]["text"], name="guardContent")
    elif search:
        yield Piece("text", _search_result(search), name="search_result")
    elif isinstance(block.get("citationsContent"), Mapping):
        yield from read_blocks(block["citationsContent"].get("content"))
    elif media := next((block[name] for name in _BEDROCK_MEDIA if isinstance(block.get(name), Mapping)), None):
        yield from _bedrock_media(media)
    else:
        yield Piece("other", json_text(block))


def _bedrock_media(media: Mapping[str, Any]) -> Iterator[Piece]:
    source = mapping(media.get("source"))
    if context := word(media.get("context")):
        yield Piece("text", context, name="document")
    if isinstance(source.get("text"), str):
        yield Piece("text", source["text"], name="document")
    elif isinstance(source.get("content"), list | tuple):
        yield from read_blocks(source["content"])
    else:
        yield Piece("media", "")


def _bedrock_result(part: Any) -> Iterator[Piece]:
    if isinstance(part, Mapping) and "json" in part:
        yield Piece("text", json_text(part["json"]))
    else:
        yield from read_block(part)
