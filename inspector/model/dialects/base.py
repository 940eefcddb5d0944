"""What a dialect is: the knowledge of one provider API's request and response shapes."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Protocol

from inspector.model.request import Message, Usage
from inspector.model.usage import NOTHING, UsageReport

UNKNOWN_USAGE = NOTHING
"""Usage of a call whose provider said nothing."""


class Dialect(Protocol):
    """One API's way to write a request. Stateless; every method is pure and none raises on any JSON value."""

    @property
    def name(self) -> str:
        """Name in trace files: ``openai.chat``, ``anthropic.messages``, ``unknown``."""

    def recognises(self, body_members: Collection[str], sample: Mapping[str, Any], endpoint: str | None) -> bool:
        """Say whether a body looks like this dialect.

        Args:
            body_members: Names of the top-level members.
            sample: Values of some members (whatever is at hand: inline members, first array elements as lists).
            endpoint: URL or path the body went to, if known.
        """

    def part_of_prompt(self, member: str) -> bool:
        """Say whether the model reads this top-level member; else it is a parameter."""

    def prompt_order(self) -> tuple[str, ...]:
        """Members of the prompt in the order in which they are rendered; others follow in body order."""

    def decode(self, member: str, value: Any) -> Message:
        """Decode one element of an array member, or a whole member that is no array.

        Args:
            member: Top-level member the value stands in.
            value: The element, any JSON value (or what stands for one).

        Returns:
            The message; shapes that are not understood become parts of kind ``other`` with their JSON text.
        """

    def usage(self, usage: Mapping[str, Any] | None) -> Usage:
        """Normalise a response's ``usage``: ``input_tokens`` includes what came from or went to the cache."""

    def usage_report(self, usage: Any) -> UsageReport:
        """Read a response's ``usage`` whole: the size of the context, what is billed, passes, and what is wrong."""
