"""Token usage as providers report it, brought to one meaning, with what is impossible in it named.

Three figures are kept apart: the size of the context (what one pass over a prompt read), what is billed (all passes
of a call), and sums over several calls (which no response of a single call should hold, and which are never taken
for a size).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from inspector.model.request import Usage

Bound = Literal["exact", "at least", "at most"]

NOTHING: Final = Usage(None, None, None, None, None)
"""Usage of a call whose provider said nothing."""

MOST: Final = 10**9
"""Tokens beyond which a figure cannot be one call's: a hundred times the largest window there is."""

_SHOWN: Final = 80


@dataclass(frozen=True)
class UsageProblem:
    """A figure that cannot be true. It is shown as it came and used nowhere."""

    field: str
    """Path in the provider's ``usage``: ``prompt_tokens_details.cached_tokens``."""
    value: str
    """The figure as it came, as JSON, cut to 80 characters."""
    reason: str
    """Why it cannot be true, in words."""


@dataclass(frozen=True)
class UsagePass:
    """One run of the model inside a call: server-side compaction and server tools make several."""

    kind: str
    """The provider's word: ``compaction``, ``message``."""
    usage: Usage


@dataclass(frozen=True)
class UsageReport:
    """What a provider's ``usage`` says."""

    context: Usage
    """The pass that read the prompt as it was sent: ``input_tokens`` is the size of the context. ``output_tokens``
    counts every pass."""
    billed: Usage
    """All passes together, or the provider's own billed units: a price, never a size."""
    passes: tuple[UsagePass, ...] = ()
    """In order; empty where the provider names none."""
    problems: tuple[UsageProblem, ...] = ()
    """Figures that cannot be true; they are None in ``context`` and ``billed``."""
    notes: tuple[str, ...] = ()
    """What a reader of the figures should know, in words."""
    input_is: Bound = "exact"
    """How ``context.input_tokens`` stands to the size of the prompt. ``at least``: it may leave out a cached part
    (Ollama). ``at most``: it may be the sum of several passes (Anthropic's server tools)."""


EMPTY: Final = UsageReport(NOTHING, NOTHING)
"""Report of a call whose provider said nothing."""


class Figures:
    """Reads figures by path and keeps what is wrong with them."""

    def __init__(self, usage: Any, prefix: str = "") -> None:
        """Take a provider's ``usage``.

        Args:
            usage: Any JSON value; None: the provider said nothing.
            prefix: Stands before the paths in problems.
        """
        self._prefix = prefix
        self.problems: list[UsageProblem] = []
        """In the order in which they were met."""
        self.values: Mapping[str, Any] = usage if isinstance(usage, Mapping) else {}
        """The object itself, empty if it is none."""
        if usage is not None and not isinstance(usage, Mapping):
            self.refuse("", usage, "is no object")

    def count(self, *paths: str) -> int | None:
        """Return the first of these figures that is a number of tokens; one that is there and is none is a problem."""
        for path in paths:
            value = self._at(path)
            if value is None:
                continue
            number, reason = _whole(value)
            if number is not None:
                return number
            self.refuse(path, value, reason)
        return None

    def refuse(self, path: str, value: Any, reason: str) -> None:
        """Note a figure that cannot be true."""
        problem = UsageProblem(f"{self._prefix}{path}" or "usage", _shown(value), reason)
        if problem not in self.problems:
            self.problems.append(problem)

    def _at(self, path: str) -> Any:
        value: Any = self.values
        for name in path.split("."):
            if not isinstance(value, Mapping):
                return None
            value = value.get(name)
        return value


def settle(figures: Figures, usage: Usage, *, cached: str, reasoning: str) -> Usage:
    """Drop figures that contradict each other, and name them.

    Args:
        figures: Where problems go.
        usage: As the provider's rule reads it: ``input_tokens`` includes the cache.
        cached: Path of the cache figure, for the problem.
        reasoning: Path of the reasoning figure, for the problem.
    """
    parts = (usage.cached_read or 0) + (usage.cached_write or 0)
    if usage.input_tokens is not None and parts > usage.input_tokens:
        reason = f"{parts:,} cached tokens are more than the {usage.input_tokens:,} of the whole prompt"
        figures.refuse(cached, parts, f"{reason}: one of the two is counted otherwise")
        usage = replace(usage, input_tokens=None, cached_read=None, cached_write=None)
    if usage.output_tokens is not None and (usage.reasoning_tokens or 0) > usage.output_tokens:
        reason = (
            f"{usage.reasoning_tokens:,} tokens of reasoning are more than the {usage.output_tokens:,} of the answer"
        )
        figures.refuse(reasoning, usage.reasoning_tokens, reason)
        usage = replace(usage, reasoning_tokens=None)
    return usage


def add_up(passes: Sequence[Usage]) -> Usage:
    """Add the usage of several passes; a figure no pass has stays unknown."""
    return Usage(
        total(*(one.input_tokens for one in passes)),
        total(*(one.cached_read for one in passes)),
        total(*(one.cached_write for one in passes)),
        total(*(one.output_tokens for one in passes)),
        total(*(one.reasoning_tokens for one in passes)),
    )


def total(*figures: int | None) -> int | None:
    """Add figures; None where none of them is known."""
    known = [figure for figure in figures if figure is not None]
    return sum(known) if known else None


def _whole(value: Any) -> tuple[int | None, str]:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None, "is no number"
    if isinstance(value, float) and not value.is_integer():
        return None, "is no whole number of tokens"
    if value < 0:
        return None, "is less than nothing"
    if value > MOST:
        return None, "is more than any call can have"
    return int(value), ""


def _shown(value: Any) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False, default=str)
    except (TypeError, ValueError, RecursionError):
        text = f"<{type(value).__name__}>"
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
