"""Anthropic's Messages API."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from inspector.model.dialects.endpoints import path_of
from inspector.model.dialects.shapes import (
    json_text,
    mapping,
    media_part,
    opt_str,
    other_parts,
    text_or_json,
)
from inspector.model.request import Message, Part, Usage
from inspector.model.usage import EMPTY, Figures, UsagePass, UsageReport, add_up, settle, total

_ENDPOINTS: Final = ("/messages", "/messages/count_tokens")
_OWN_MEMBERS: Final = frozenset({"anthropic_version", "system", "stop_sequences", "mcp_servers", "thinking"})
_FOREIGN_MEMBERS: Final = frozenset(
    {"inferenceConfig", "contents", "input", "functions", "n", "stop", "stream_options"}
)
_FOREIGN_ROLES: Final = frozenset({"system", "developer", "tool", "function"})
_OWN_BLOCKS: Final = frozenset({"tool_use", "tool_result", "image", "document", "redacted_thinking", "server_tool_use"})
_SUMMED: Final = (
    "server tools ran in this call: where they made the model read its prompt several times, "
    "the provider's figure is the sum of all passes"
)
_SAMPLED: Final = 64
"""Messages looked at to recognise a body: enough to see one turn of tools."""


class AnthropicMessages:
    """Reads ``POST /v1/messages`` bodies (also through Vertex and Bedrock ``invoke``)."""

    @property
    def name(self) -> str:
        """Name in trace files."""
        return "anthropic.messages"

    def recognises(self, body_members: Collection[str], sample: Mapping[str, Any], endpoint: str | None) -> bool:
        """Accept a body with ``messages`` that went to a messages endpoint, or shows a mark of this API."""
        if "messages" not in body_members:
            return False
        if endpoint is not None:
            path = path_of(endpoint)
            if path.endswith(_ENDPOINTS):
                return True
            if path.endswith(("/completions", "/chat", "/converse", "/converse-stream")):
                return False
        if _FOREIGN_MEMBERS.intersection(body_members):
            return False
        if _OWN_MEMBERS.intersection(body_members):
            return True
        if any("input_schema" in mapping(tool) for tool in _array(sample.get("tools"))[:_SAMPLED]):
            return True
        messages = [mapping(message) for message in _array(sample.get("messages"))[:_SAMPLED]]
        if any(opt_str(m.get("role")) in _FOREIGN_ROLES or m.get("tool_calls") for m in messages):
            return False
        blocks = (mapping(block) for m in messages for block in _array(m.get("content"))[:_SAMPLED])
        if any(opt_str(block.get("type")) in _OWN_BLOCKS for block in blocks):
            return True
        return str(sample.get("model")).startswith("claude") and "max_tokens" in body_members

    def part_of_prompt(self, member: str) -> bool:
        """Tool definitions, system text and messages are read by the model."""
        return member in self.prompt_order()

    def prompt_order(self) -> tuple[str, ...]:
        """Return the documented order of rendering (it is also the order of cache prefixes)."""
        return ("tools", "system", "messages")

    def decode(self, member: str, value: Any) -> Message:
        """Decode one message, one tool definition, or the system text (a string, or one of its blocks)."""
        if member == "tools":
            tool = mapping(value)
            name = opt_str(tool.get("name")) or opt_str(tool.get("type"))
            return Message(None, (Part("tool_definition", json_text(value, indent=2), name=name),))
        if member == "system":
            return Message("system", tuple(_content(value)))
        if not isinstance(value, Mapping):
            return Message(None, tuple(_content(value)))
        return Message(opt_str(value.get("role")), tuple(_content(value.get("content"))))

    def usage(self, usage: Mapping[str, Any] | None) -> Usage:
        """Add cache reads and writes to ``input_tokens``, which excludes them; see :meth:`usage_report`."""
        return self.usage_report(usage).context

    def usage_report(self, usage: Any) -> UsageReport:
        """Read the top level and ``iterations``, which has one entry per pass of the model.

        With server-side compaction the top level speaks of the last pass only, with server tools of all of them:
        the largest pass is the one that read the prompt as it was sent, and the sum of all is what is billed.
        """
        if usage is None:
            return EMPTY
        figures = Figures(usage)
        thinking = figures.count("output_tokens_details.thinking_tokens")
        entries = [
            Figures(entry, f"iterations[{n}].") for n, entry in enumerate(_array(figures.values.get("iterations")))
        ]
        passes = tuple(UsagePass(opt_str(entry.values.get("type")) or "pass", _read(entry)) for entry in entries)
        whole = replace(_read(figures), reasoning_tokens=thinking)
        if not entries:
            whole = settle(figures, whole, cached="", reasoning="output_tokens_details.thinking_tokens")
        problems = (*figures.problems, *(problem for entry in entries for problem in entry.problems))
        if all(one.usage.input_tokens is None for one in passes):
            if isinstance(figures.values.get("server_tool_use"), Mapping):
                return UsageReport(whole, whole, (), problems, (_SUMMED,), "at most")
            return UsageReport(whole, whole, (), problems)
        billed = replace(add_up([one.usage for one in passes]), reasoning_tokens=thinking)
        largest = max(passes, key=lambda one: one.usage.input_tokens or 0).usage
        context = replace(largest, output_tokens=billed.output_tokens, reasoning_tokens=thinking)
        return UsageReport(context, billed, passes, problems, _notes(passes))


def _read(figures: Figures) -> Usage:
    fresh, read = figures.count("input_tokens"), figures.count("cache_read_input_tokens")
    written = figures.count("cache_creation_input_tokens")
    if written is None:
        written = total(
            figures.count("cache_creation.ephemeral_5m_input_tokens"),
            figures.count("cache_creation.ephemeral_1h_input_tokens"),
        )
    size = None if fresh is None else total(fresh, read, written)
    return Usage(size, read, written, figures.count("output_tokens"), None)


def _notes(passes: Sequence[UsagePass]) -> tuple[str, ...]:
    compacting = [one.usage.input_tokens for one in passes if one.kind == "compaction"]
    if not compacting:
        return ()
    answering = next((one.usage.input_tokens for one in reversed(passes) if one.kind != "compaction"), None)
    read = ", ".join("an unknown number of" if size is None else f"{size:,}" for size in compacting)
    after = "" if answering is None else f"; the answer was then written from {answering:,}"
    return (f"the server compacted the conversation in this call, reading {read} tokens{after}",)


def _array(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else ()


def _content(content: Any) -> Iterator[Part]:
    if content is None:
        return
    for block in content if isinstance(content, list | tuple) else (content,):
        yield from _block(block)


def _block(block: Any) -> Iterator[Part]:
    if isinstance(block, str):
        yield Part("text", str(block))
        return
    if not isinstance(block, Mapping):
        yield from other_parts(block)
        return
    kind = opt_str(block.get("type")) or ""
    if kind == "text" and isinstance(block.get("text"), str):
        yield Part("text", str(block["text"]))
    elif kind == "thinking" and isinstance(block.get("thinking"), str):
        # Models that keep their thinking to themselves send it empty, with a signature that holds it.
        yield Part("reasoning", str(block["thinking"]), opaque=not block["thinking"] and bool(block.get("signature")))
    elif kind == "redacted_thinking":
        yield Part("reasoning", "", opaque=True)
    elif kind.endswith("tool_use"):  # tool_use, server_tool_use, mcp_tool_use
        arguments = json_text(block["input"]) if block.get("input") is not None else ""
        yield Part("tool_call", arguments, opt_str(block.get("name")), opt_str(block.get("id")))
    elif kind.endswith("tool_result"):  # tool_result, web_search_tool_result, mcp_tool_result …
        yield from _tool_result(block)
    elif kind == "image":
        yield _media("image", block)
    elif kind == "document":
        yield from _document(block)
    elif kind == "search_result":
        yield Part("text", _search_result(block), name=kind)
    elif kind == "compaction":
        # Its content is null where the server could not summarise, or keeps the summary encrypted.
        yield Part("text", text_or_json(block.get("content")), name=kind, opaque=bool(block.get("encrypted_content")))
    elif kind == "container_upload":
        yield media_part("file", None, url=opt_str(block.get("file_id")))
    else:
        yield from other_parts(block)


def _tool_result(block: Mapping[str, Any]) -> Iterator[Part]:
    call_id, content = opt_str(block.get("tool_use_id")), block.get("content")
    if content is None or isinstance(content, str):
        yield Part("tool_result", text_or_json(content), call_id=call_id)
        return
    if not isinstance(content, list | tuple):
        yield Part("tool_result", json_text(content), call_id=call_id)
        return
    if not content:
        yield Part("tool_result", "", call_id=call_id)
    for part in _content(content):
        if part.media is not None:
            yield Part(part.kind, part.text, part.name, call_id, part.media, part.opaque)
        else:
            yield Part("tool_result", part.text, call_id=call_id, opaque=part.opaque)


def _media(kind: Any, block: Mapping[str, Any]) -> Part:
    source = mapping(block.get("source"))
    mime, name = opt_str(source.get("media_type")), opt_str(block.get("title"))
    if source.get("type") == "base64":
        return media_part(kind, name, mime=mime, data=opt_str(source.get("data")) or "")
    return media_part(kind, name, mime=mime, url=opt_str(source.get("url")) or opt_str(source.get("file_id")))


def _document(block: Mapping[str, Any]) -> Iterator[Part]:
    source, title = mapping(block.get("source")), opt_str(block.get("title"))
    context = opt_str(block.get("context"))
    head = "\n".join(text for text in (title, context) if text)
    if source.get("type") == "text":
        yield Part("file", "\n".join(filter(None, (head, text_or_json(source.get("data"))))), name=title)
    elif source.get("type") == "content":
        if head:
            yield Part("file", head, name=title)
        for part in _content(source.get("content")):
            yield Part("file" if part.kind == "text" else part.kind, part.text, title, media=part.media)
    else:
        media = _media("file", block)
        yield Part("file", head, media.name, media=media.media)


def _search_result(block: Mapping[str, Any]) -> str:
    texts = [text_or_json(mapping(piece).get("text", piece)) for piece in _array(block.get("content"))]
    return "\n".join(filter(None, (opt_str(block.get("title")), opt_str(block.get("source")), *texts)))
