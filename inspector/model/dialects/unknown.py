"""Any body of another API: shown as its top-level members, never refused."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

from inspector.model.dialects.base import UNKNOWN_USAGE
from inspector.model.dialects.shapes import json_text, mapping, opt_str, other_parts
from inspector.model.request import Message, Part, Usage
from inspector.model.usage import EMPTY, UsageReport

PROMPT_MEMBERS: Final = (
    "tools",
    "system",
    "systemInstruction",
    "system_instruction",
    "instructions",
    "messages",
    "contents",
    "input",
    "prompt",
)
"""Members that carry a prompt in the APIs of OpenAI (responses, completions), Google, Amazon, Cohere and Ollama."""

_ROLES: Final = frozenset({"system", "developer", "user", "assistant", "model", "tool", "function"})


class Unknown:
    """Reads no shape in particular: strings as text, the rest as its JSON."""

    name = "unknown"

    def recognises(self, body_members: Collection[str], sample: Mapping[str, Any], endpoint: str | None) -> bool:
        """Accept every body."""
        return True

    def part_of_prompt(self, member: str) -> bool:
        """Take the members that carry a prompt in known APIs."""
        return member in PROMPT_MEMBERS

    def prompt_order(self) -> tuple[str, ...]:
        """Leave the order as the body has it."""
        return ()

    def decode(self, member: str, value: Any) -> Message:
        """Show a string as text, anything else as JSON; keep a plain ``role`` and a plain ``content``."""
        if isinstance(value, str):
            return Message(None, (Part("text", str(value)),))
        if member == "tools":
            tool = mapping(value)
            name = opt_str(tool.get("name")) or opt_str(mapping(tool.get("function")).get("name"))
            return Message(None, (Part("tool_definition", json_text(value, indent=2), name=name),))
        role = opt_str(mapping(value).get("role"))
        role = role if role in _ROLES else None
        if role is not None and set(value) <= {"role", "content"} and isinstance(value.get("content"), str):
            return Message(role, (Part("text", str(value["content"])),))
        return Message(role, tuple(other_parts(value)))

    def usage(self, usage: Mapping[str, Any] | None) -> Usage:
        """Say nothing: another provider's figures may mean anything."""
        return UNKNOWN_USAGE

    def usage_report(self, usage: Any) -> UsageReport:
        """Say nothing, as :meth:`usage` does."""
        return EMPTY
