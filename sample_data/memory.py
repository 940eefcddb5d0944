"""Memory policies of the scripted agent: what of the history goes into the next prompt.

Each is as it stands in real agents, faults included. The faults are what the samples are about.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from sample_data.provider import count
from sample_data.wire import Message, Wire
from snapshot_sdk import Recorder

Summarise = Callable[[Sequence[Message]], str]
"""Asks the model for a summary of messages."""


class Memory(Protocol):
    """Decides what of the history the next prompt holds."""

    def fit(self, history: list[Message]) -> list[Message]:
        """Return the history to send, shortened if need be; a shortening is recorded."""


@dataclass
class Everything:
    """Keeps all. For sub-agents, which do not live long."""

    def fit(self, history: list[Message]) -> list[Message]:
        """Return the history as it is."""
        return history


@dataclass
class SlidingWindow:
    """Keeps the last messages. Drops from the head in one go, so that the prompt cache survives in between.

    It takes care not to part a tool call from its result. It knows nothing of pins.
    """

    recorder: Recorder
    wire: Wire
    at_most: int
    """Messages that trigger the cut when exceeded."""
    keep: int
    """Messages to keep, at most; the cut falls before a user's message."""

    def fit(self, history: list[Message]) -> list[Message]:
        """Return the last messages once there are too many."""
        if len(history) <= self.at_most:
            return history
        cut = _next_turn(self.wire, history, len(history) - self.keep)
        kept = history[cut:]
        self.recorder.compaction(
            history,
            kept,
            strategy="trim",
            policy=f"last {self.keep} of {self.at_most} messages",
            reason=f"{len(history)} messages",
            tokens_before=estimate(history),
            tokens_after=estimate(kept),
        )
        return kept


@dataclass
class RollingSummary:
    """Has everything but the last turns summarised once there are too many; the summary is summarised again."""

    recorder: Recorder
    wire: Wire
    summarise: Summarise
    at_most: int
    """Turns that trigger the summary when exceeded."""
    keep: int
    """Turns kept as they are."""

    def fit(self, history: list[Message]) -> list[Message]:
        """Return a summary and the last turns once there are too many."""
        starts = [place for place, message in enumerate(history) if self.wire.starts_turn(message)]
        if len(starts) <= self.at_most:
            return history
        cut = starts[-self.keep]
        text = self.summarise(history[:cut])
        kept = [self.wire.summary(text), *history[cut:]]
        self.recorder.compaction(
            history,
            kept,
            strategy="summary",
            policy=f"summary over {self.at_most} turns, last {self.keep} kept",
            reason=f"{len(starts)} turns",
            tokens_before=estimate(history),
            tokens_after=estimate(kept),
        )
        return kept


def estimate(history: Sequence[Message]) -> int:
    """Count the tokens of a history roughly, as agents do: the text of the messages, no overhead."""
    return sum(count(_text(message)) for message in history)


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return " ".join(_text(item) for key, item in value.items() if key not in ("role", "type", "id"))
    return " ".join(_text(item) for item in value) if isinstance(value, list) else ""


def _next_turn(wire: Wire, history: Sequence[Message], start: int) -> int:
    """Return the place of the first user's message from ``start`` on; ``start`` where there is none."""
    return next((place for place in range(start, len(history)) if wire.starts_turn(history[place])), start)
