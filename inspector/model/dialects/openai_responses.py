"""OpenAI's Responses API: instructions, tools, and input that is a text or a list of items."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

from inspector.model.dialects.endpoints import path_of
from inspector.model.dialects.openai_shapes import tool_definition
from inspector.model.dialects.responses_items import decode_item
from inspector.model.dialects.shapes import json_text, opt_str
from inspector.model.request import Message, Part, Usage
from inspector.model.usage import EMPTY, Figures, UsageReport, settle

_ENDPOINTS: Final = ("/responses", "/responses/compact", "/responses/input_tokens")
_OWN_MEMBERS: Final = frozenset(
    {"instructions", "previous_response_id", "max_output_tokens", "conversation", "include", "truncation", "reasoning"}
)
_FOREIGN_MEMBERS: Final = frozenset(
    {
        "messages",
        "contents",
        "previous_interaction_id",  # Google's Interactions
        "agent",
        "encoding_format",  # embeddings
        "dimensions",
        "voice",  # speech
        "response_format",
    }
)
_FOREIGN_MODELS: Final = ("embed", "moderation", "tts", "rerank")


class OpenAIResponses:
    """Reads ``POST /responses`` bodies, and those of ``/responses/compact``."""

    @property
    def name(self) -> str:
        """Name in trace files."""
        return "openai.responses"

    def recognises(self, body_members: Collection[str], sample: Mapping[str, Any], endpoint: str | None) -> bool:
        """Accept what went to a responses endpoint, or has ``input`` and is no request for embeddings or speech."""
        path = path_of(endpoint)
        if path.endswith(_ENDPOINTS):
            return True
        if _FOREIGN_MEMBERS.intersection(body_members):
            return False
        if _OWN_MEMBERS.intersection(body_members) and ("input" in body_members or "prompt" in body_members):
            return True
        if "input" not in body_members or path.endswith(("/embeddings", "/moderations", "/speech", "/interactions")):
            return False
        model, value = str(sample.get("model")).lower(), sample.get("input")
        if isinstance(value, list | tuple) and not any(isinstance(item, Mapping) for item in value):
            return False
        return not any(word in model for word in _FOREIGN_MODELS)

    def part_of_prompt(self, member: str) -> bool:
        """Instructions, tools, a stored prompt template and the input are read by the model."""
        return member in self.prompt_order()

    def prompt_order(self) -> tuple[str, ...]:
        """Return the order of chat: instructions, the tools written behind them, the template, then the input."""
        return ("instructions", "tools", "prompt", "input")

    def decode(self, member: str, value: Any) -> Message:
        """Decode one item of the input, the input as a text, the instructions, or one tool definition."""
        if member == "tools":
            return tool_definition(value)
        if member == "prompt":
            # A template on the server: the body has its id and what is filled in, not its text.
            return Message("developer", (Part("other", json_text(value), name="prompt", opaque=True),))
        if isinstance(value, str):
            return Message("system" if member == "instructions" else "user", (Part("text", str(value)),))
        return decode_item(value)

    def usage(self, usage: Mapping[str, Any] | None) -> Usage:
        """Read ``input_tokens`` (cached ones included) and ``output_tokens`` (reasoning included)."""
        return self.usage_report(usage).context

    def usage_report(self, usage: Any) -> UsageReport:
        """Read usage; compaction in the call is counted as output by OpenAI, together with the answer."""
        if usage is None:
            return EMPTY
        figures = Figures(usage)
        reported = Usage(
            figures.count("input_tokens"),
            figures.count("input_tokens_details.cached_tokens"),
            figures.count("input_tokens_details.cache_write_tokens"),
            figures.count("output_tokens"),
            figures.count("output_tokens_details.reasoning_tokens"),
        )
        settled = settle(
            figures,
            reported,
            cached="input_tokens_details.cached_tokens",
            reasoning="output_tokens_details.reasoning_tokens",
        )
        return UsageReport(settled, settled, (), tuple(figures.problems))


def reference_of(value: Any) -> str | None:
    """Return the id in a reference that is a string or an object with ``id`` (``conversation``)."""
    if isinstance(value, Mapping):
        value = value.get("id")
    return opt_str(value) or None
