"""OpenAI's chat completions, and the many servers that speak it (litellm, Groq, DeepSeek, OpenRouter, vLLM …)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any, Final

from inspector.model.dialects.endpoints import path_of
from inspector.model.dialects.openai_shapes import (
    block_parts,
    call_parts,
    content_parts,
    extra_parts,
    reasoning_parts,
    result_parts,
    tool_definition,
)
from inspector.model.dialects.shapes import opt_str
from inspector.model.request import Message, Usage
from inspector.model.usage import EMPTY, Figures, UsageReport, settle

_ENDPOINTS: Final = "/chat/completions"
_FOREIGN_MEMBERS: Final = frozenset({"inferenceConfig", "contents", "input", "anthropic_version"})


class OpenAIChat:
    """Reads ``POST /chat/completions`` bodies."""

    @property
    def name(self) -> str:
        """Name in trace files."""
        return "openai.chat"

    def recognises(self, body_members: Collection[str], sample: Mapping[str, Any], endpoint: str | None) -> bool:
        """Accept a body with ``messages`` that belongs to no other API, or that went to a chat endpoint."""
        if "messages" not in body_members or _FOREIGN_MEMBERS.intersection(body_members):
            return False
        return path_of(endpoint).endswith(_ENDPOINTS) or not isinstance(sample.get("messages"), str)

    def part_of_prompt(self, member: str) -> bool:
        """Messages and tool definitions are read by the model."""
        return member in self.prompt_order()

    def prompt_order(self) -> tuple[str, ...]:
        """Messages first: tools are rendered into the leading system message, so they are shown after it."""
        return ("messages", "tools", "functions")

    def decode(self, member: str, value: Any) -> Message:
        """Decode one message, or one tool definition (nested, or flat as in ``functions``)."""
        if member in ("tools", "functions"):
            return tool_definition(value)
        if not isinstance(value, Mapping):
            return Message(None, tuple(block_parts(value)))
        role = opt_str(value.get("role"))
        if role in ("tool", "function"):
            call_id, tool = opt_str(value.get("tool_call_id")), opt_str(value.get("name"))
            return Message(role, tuple(result_parts(content_parts(value.get("content")), tool, call_id)))
        parts = (
            *reasoning_parts(value),
            *content_parts(value.get("content")),
            *call_parts(value),
            *extra_parts(value),
        )
        return Message(role, parts, opt_str(value.get("name")))

    def usage(self, usage: Mapping[str, Any] | None) -> Usage:
        """Read ``prompt_tokens`` (cached ones included) and ``completion_tokens`` (reasoning included)."""
        return self.usage_report(usage).context

    def usage_report(self, usage: Any) -> UsageReport:
        """Read usage in the words of OpenAI, litellm, DeepSeek, Groq, OpenRouter, Mistral and xAI."""
        if usage is None:
            return EMPTY
        figures = Figures(usage)
        # litellm repeats Anthropic's own names at the top level; DeepSeek has its own name for a cache hit.
        read = figures.count(
            "prompt_tokens_details.cached_tokens",
            "cache_read_input_tokens",
            "prompt_cache_hit_tokens",
            "num_cached_tokens",
        )
        written = figures.count(
            "prompt_tokens_details.cache_write_tokens",
            "prompt_tokens_details.cache_creation_tokens",
            "cache_creation_input_tokens",
        )
        reported = Usage(
            figures.count("prompt_tokens"),
            read,
            written,
            figures.count("completion_tokens"),
            figures.count("completion_tokens_details.reasoning_tokens"),
        )
        reported, notes = _with_reasoning(reported, figures.count("total_tokens"))
        settled = settle(
            figures,
            reported,
            cached="prompt_tokens_details.cached_tokens",
            reasoning="completion_tokens_details.reasoning_tokens",
        )
        return UsageReport(settled, settled, (), tuple(figures.problems), notes)


def _with_reasoning(usage: Usage, total_tokens: int | None) -> tuple[Usage, tuple[str, ...]]:
    """Add reasoning to an answer that leaves it out, which xAI's total gives away."""
    prompt, answer, reasoning = usage.input_tokens, usage.output_tokens, usage.reasoning_tokens
    if not reasoning or prompt is None or answer is None or total_tokens != prompt + answer + reasoning:
        return usage, ()
    note = "this provider counts reasoning beside the answer; it is added to the answer here"
    return replace(usage, output_tokens=answer + reasoning), (note,)
