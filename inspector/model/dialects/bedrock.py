"""Amazon Bedrock's Converse."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from inspector.model.dialects.endpoints import path_of
from inspector.model.dialects.openai_shapes import blocks_of, result_parts
from inspector.model.dialects.shapes import (
    json_text,
    mapping,
    media_part,
    opt_str,
    other_parts,
    text_or_json,
)
from inspector.model.request import Message, Part, PartKind, Usage
from inspector.model.usage import EMPTY, Figures, UsageReport, total

_ENDPOINTS: Final = ("/converse", "/converse-stream")
_OWN_MEMBERS: Final = frozenset({"inferenceConfig", "toolConfig", "additionalModelRequestFields", "guardrailConfig"})
_OWN_BLOCKS: Final = frozenset({"toolUse", "toolResult", "reasoningContent", "cachePoint", "guardContent"})
_MEDIA: Final[Mapping[str, PartKind]] = {"image": "image", "document": "file", "video": "file", "audio": "file"}
_TYPES: Final = {"image": "image", "video": "video", "audio": "audio"}
_SAMPLED: Final = 64


class BedrockConverse:
    """Reads ``model/…/converse`` bodies; the model is in the address, unless boto3's arguments were recorded."""

    @property
    def name(self) -> str:
        """Name in trace files."""
        return "bedrock.converse"

    def recognises(self, body_members: Collection[str], sample: Mapping[str, Any], endpoint: str | None) -> bool:
        """Accept a body with ``messages`` that went to Converse, or shows a mark of it."""
        if "messages" not in body_members:
            return False
        if endpoint is not None and path_of(endpoint).endswith(_ENDPOINTS):
            return True
        if _OWN_MEMBERS.intersection(body_members):
            return True
        contents = (mapping(message).get("content") for message in blocks_of(sample.get("messages"))[:_SAMPLED])
        blocks = (mapping(block) for content in contents for block in blocks_of(content)[:_SAMPLED])
        return any("type" not in block and _OWN_BLOCKS.intersection(block) for block in blocks)

    def part_of_prompt(self, member: str) -> bool:
        """Tools, system blocks and messages are read by the model."""
        return member in self.prompt_order()

    def prompt_order(self) -> tuple[str, ...]:
        """Return the order of the cached prefix: tools, system, messages."""
        return ("toolConfig", "system", "messages")

    def decode(self, member: str, value: Any) -> Message:
        """Decode one message, one system block, or all tools."""
        if member == "toolConfig":
            return Message(None, tuple(_tools(value)))
        if member == "system":
            return Message("system", tuple(_content(value)))
        if not isinstance(value, Mapping):
            return Message(None, tuple(_content(value)))
        return Message(opt_str(value.get("role")), tuple(_content(value.get("content"))))

    def usage(self, usage: Mapping[str, Any] | None) -> Usage:
        """Add cache reads and writes to ``inputTokens``, which excludes them."""
        return self.usage_report(usage).context

    def usage_report(self, usage: Any) -> UsageReport:
        """Read usage; ``totalTokens`` tells whether the input includes the cache, should a model count it so."""
        if usage is None:
            return EMPTY
        figures = Figures(usage)
        fresh, output = figures.count("inputTokens"), figures.count("outputTokens")
        read = figures.count("cacheReadInputTokens", "cacheReadInputTokenCount")
        written = figures.count("cacheWriteInputTokens", "cacheWriteInputTokenCount")
        whole = figures.count("totalTokens")
        cached = (read or 0) + (written or 0)
        included = bool(cached) and whole is not None and whole == total(fresh, output) and cached <= (fresh or 0)
        size = fresh if included or fresh is None else fresh + cached
        settled = Usage(size, read, written, output, None)
        return UsageReport(settled, settled, (), tuple(figures.problems))


def _content(content: Any) -> Iterator[Part]:
    for block in blocks_of(content):
        yield from _block(block)


def _block(block: Any) -> Iterator[Part]:
    if isinstance(block, str):
        yield Part("text", str(block))
        return
    if not isinstance(block, Mapping):
        yield from other_parts(block)
        return
    kind, value = next(((key, value) for key, value in block.items() if key in _BLOCKS), ("", None))
    if kind == "text" and isinstance(value, str):
        yield Part("text", str(value))
    elif kind == "cachePoint":
        yield Part("other", "", name="cachePoint")  # a mark for the cache: nothing the model reads
    elif not isinstance(value, Mapping):
        yield from other_parts(block)
    elif kind == "toolUse":
        arguments = json_text(value["input"]) if value.get("input") is not None else ""
        yield Part("tool_call", arguments, opt_str(value.get("name")), opt_str(value.get("toolUseId")))
    elif kind == "toolResult":
        parts = (part for piece in blocks_of(value.get("content")) for part in _result(piece))
        yield from result_parts(parts, None, opt_str(value.get("toolUseId")))
    elif kind == "reasoningContent":
        yield from _reasoning(value)
    elif kind in _MEDIA:
        yield from _media(kind, value)
    elif kind == "guardContent" and isinstance(mapping(value.get("text")).get("text"), str):
        yield Part("text", str(value["text"]["text"]), name="guardContent")
    elif kind == "guardContent" and isinstance(value.get("image"), Mapping):
        yield from _media("image", value["image"])
    elif kind == "citationsContent":
        yield from _content(value.get("content"))
    elif kind == "searchResult":
        texts = [text_or_json(mapping(piece).get("text", piece)) for piece in blocks_of(value.get("content"))]
        heads = (opt_str(value.get("title")), opt_str(value.get("source")))
        yield Part("text", "\n".join(filter(None, (*heads, *texts))), name="search_result")
    else:
        yield from other_parts(block)


_BLOCKS: Final = frozenset(
    {*_MEDIA, "text", "cachePoint", "toolUse", "toolResult", "reasoningContent", "guardContent", "citationsContent"}
    | {"searchResult"}
)


def _result(piece: Any) -> Iterator[Part]:
    if isinstance(piece, Mapping) and "json" in piece:
        yield Part("text", json_text(piece["json"]))
    else:
        yield from _block(piece)


def _reasoning(value: Mapping[str, Any]) -> Iterator[Part]:
    text = mapping(value.get("reasoningText"))
    if isinstance(text.get("text"), str):
        yield Part("reasoning", str(text["text"]), opaque=not text["text"] and bool(text.get("signature")))
    elif "redactedContent" in value:
        yield Part("reasoning", "", opaque=True)
    else:
        yield from other_parts({"reasoningContent": value})


def _media(kind: str, value: Mapping[str, Any]) -> Iterator[Part]:
    source, form, name = mapping(value.get("source")), opt_str(value.get("format")), opt_str(value.get("name"))
    context = opt_str(value.get("context"))
    if context:
        yield Part("file", context, name=name)
    if isinstance(source.get("text"), str):
        yield Part("file", str(source["text"]), name=name)
    elif isinstance(source.get("content"), list | tuple):
        for part in _content(source["content"]):
            yield Part("file" if part.kind == "text" else part.kind, part.text, name, media=part.media)
    else:
        mime = f"{_TYPES.get(kind, 'application')}/{form}" if form else None
        address = opt_str(mapping(source.get("s3Location")).get("uri"))
        yield media_part(_MEDIA[kind], name, mime=mime, data=opt_str(source.get("bytes")), url=address)


def _tools(value: Any) -> Iterator[Part]:
    tools = mapping(value).get("tools") if isinstance(value, Mapping) else value
    for tool in blocks_of(tools):
        spec = mapping(tool).get("toolSpec")
        if isinstance(spec, Mapping):
            yield Part("tool_definition", json_text(spec, indent=2), name=opt_str(spec.get("name")))
        elif isinstance(tool, Mapping) and set(tool) == {"cachePoint"}:
            continue
        else:
            name = next(iter(tool), None) if isinstance(tool, Mapping) else None
            yield Part("tool_definition", json_text(tool, indent=2), name=name if isinstance(name, str) else None)
