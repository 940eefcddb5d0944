"""Prices of models, as the user states them: none is known out of the box, as they change and differ by contract."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

PER: Final = 1_000_000
"""Tokens that a price is for."""


@dataclass(frozen=True)
class Price:
    """Of one model, for a million tokens."""

    input: float
    output: float
    cached: float | None = None
    """Of prompt tokens read from the cache; None: not said, so they are reckoned as others."""

    def cost(self, input_tokens: int, output_tokens: int, cached_tokens: int = 0) -> float:
        """Return what some tokens cost.

        Args:
            input_tokens: Of the prompt, cached ones included.
            output_tokens: Of the answer.
            cached_tokens: Of the prompt, those read from the cache.
        """
        cached = self.input if self.cached is None else self.cached
        fresh = max(0, input_tokens - cached_tokens)
        return (fresh * self.input + min(cached_tokens, input_tokens) * cached + output_tokens * self.output) / PER


@dataclass(frozen=True)
class Prices:
    """The user's price list."""

    models: Mapping[str, Price] = field(default_factory=dict)
    """Model pattern → price, in the order of the file; the first that fits counts."""
    currency: str = "$"
    """Written before an amount."""

    def amount(self, value: float | None) -> str:
        """Write an amount for people: ``$0.031``; an unknown one is ``–``, never 0.

        Args:
            value: The amount.
        """
        if value is None:
            return "–"
        return f"{self.currency}{value:,.2f}" if value >= 1 else f"{self.currency}{value:.3g}"
