"""Cohere's chat, version 2."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from inspector.model.dialects.endpoints import path_of
from inspector.model.dialects.openai_shapes import (
    block_parts,
    blocks_of,
    call_parts,
    result_parts,
    tool_definition,
)
from inspector.model.dialects.shapes import mapping, opt_str, text_or_json
from inspector.model.request import Message, Part, Usage
from inspector.model.usage import EMPTY, Figures, UsageReport, settle

_ENDPOINT: Final = "/v2/chat"
_OWN_MEMBERS: Final = frozenset({"citation_options", "safety_mode", "strict_tools"})
_SAMPLED: Final = 64


class CohereChat:
    """Reads ``POST /v2/chat`` bodies."""

    @property
    def name(self) -> str:
        """Name in trace files."""
        return "cohere.chat"

    def recognises(self, body_members: Collection[str], sample: Mapping[str, Any], endpoint: str | None) -> bool:
        """Accept what went to the endpoint, or has ``messages`` with a mark of this API."""
        if "messages" not in body_members:
            return False
        if endpoint is not None:
            return path_of(endpoint).endswith(_ENDPOINT)
        if _OWN_MEMBERS.intersection(body_members):
            return True
        return any("tool_plan" in mapping(message) for message in blocks_of(sample.get("messages"))[:_SAMPLED])

    def part_of_prompt(self, member: str) -> bool:
        """Messages, tools and documents are read by the model."""
        return member in self.prompt_order()

    def prompt_order(self) -> tuple[str, ...]:
        """Return messages and tools as OpenAI orders them, then documents, which are rendered before the answer."""
        return ("messages", "tools", "documents")

    def decode(self, member: str, value: Any) -> Message:
        """Decode one message, one tool definition, or one document."""
        if member == "tools":
            return tool_definition(value)
        if member == "documents":
            return Message(None, (_document(value),))
        if not isinstance(value, Mapping):
            return Message(None, tuple(block_parts(value)))
        role = opt_str(value.get("role"))
        content = _content(value.get("content"))
        if role == "tool":
            return Message(role, tuple(result_parts(content, None, opt_str(value.get("tool_call_id")))))
        plan = opt_str(value.get("tool_plan"))
        reasoning = (Part("reasoning", plan, name="tool_plan"),) if plan else ()
        return Message(role, (*reasoning, *content, *call_parts(value)))

    def usage(self, usage: Mapping[str, Any] | None) -> Usage:
        """Read ``tokens``, which count the whole prompt; ``billed_units`` leave out Cohere's own template."""
        return self.usage_report(usage).context

    def usage_report(self, usage: Any) -> UsageReport:
        """Read ``tokens`` as the size of the context and ``billed_units`` as the price."""
        if usage is None:
            return EMPTY
        figures = Figures(usage)
        reported = Usage(
            figures.count("tokens.input_tokens"),
            figures.count("cached_tokens"),
            None,
            figures.count("tokens.output_tokens"),
            None,
        )
        context = settle(figures, reported, cached="cached_tokens", reasoning="")
        billed = Usage(
            figures.count("billed_units.input_tokens"),
            context.cached_read,
            None,
            figures.count("billed_units.output_tokens"),
            None,
        )
        return UsageReport(context, billed, (), tuple(figures.problems))


def _content(content: Any) -> Iterator[Part]:
    for block in blocks_of(content):
        if isinstance(block, Mapping) and block.get("type") == "document":
            yield _document(block.get("document"))
        else:
            yield from block_parts(block)


def _document(value: Any) -> Part:
    """Decode a document: a text, or an object whose ``data`` is a text or fields."""
    document = mapping(value)
    text = text_or_json(document["data"]) if "data" in document else text_or_json(value)
    return Part("text", text, name="search_result")
