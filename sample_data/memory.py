"""Memory policies of the scripted agent: what of the history goes into the next prompt.

Each is as it stands in real agents, faults included. The faults are what the samples are about.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from sample_data.provider import count
from sample_data.wire import Message, Wire
from snapshot_sdk import Recorder

_OBJECTS: Final = frozenset({"input", "args", "response"})
"""Members that hold JSON of a tool; it is read as text."""

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


@dataclass
class TokenWindow:
    """Keeps the newest messages that fit into so many tokens; looked at before every call, also inside a turn.

    It never parts a tool call from its result. It does not ask whose message falls out: that of the running turn is
    as old as the next one.
    """

    recorder: Recorder
    wire: Wire
    at_most: int
    """Tokens of the history."""
    note: str
    """What stands in place of what is gone where a provider wants the dialogue to begin with the user."""

    def fit(self, history: list[Message]) -> list[Message]:
        """Return the newest messages that fit, at least the last call with its result."""
        tokens = estimate(history)
        if tokens <= self.at_most:
            return history
        starts = [place for place, message in enumerate(history) if place and not self.wire.holds_results(message)]
        cut = next((place for place in starts if estimate(history[place:]) <= self.at_most), starts[-1])
        kept = history[cut:]
        if not self.wire.starts_turn(kept[0]):
            kept = [self.wire.user(self.note), *kept]
        self.recorder.compaction(
            history,
            kept,
            strategy="trim",
            policy=f"newest messages within {self.at_most:,} tokens",
            reason=f"{tokens:,} tokens",
            tokens_before=tokens,
            tokens_after=estimate(kept),
        )
        return kept


@dataclass
class ShrinkingSummary:
    """Has everything but the last turns summarised once there are too many, each time into less space.

    Each summary is made of the one before it and the turns since. The space shrinks so that the prompt stays short
    however long the conversation grows; nothing says which sentences may not be reworded.
    """

    recorder: Recorder
    wire: Wire
    summarise: Callable[[Sequence[Message], int], str]
    """Asks the summariser, which has a conversation of its own, for at most so many characters."""
    characters: Sequence[int]
    """Space of the first summary, the second …; the last one holds for all that follow."""
    at_most: int
    """Turns that trigger the summary when exceeded."""
    keep: int
    """Turns kept as they are."""
    made: int = 0
    """Summaries made so far."""

    def fit(self, history: list[Message]) -> list[Message]:
        """Return a summary and the last turns once there are too many."""
        starts = [place for place, message in enumerate(history) if self.wire.starts_turn(message)]
        if len(starts) <= self.at_most:
            return history
        cut = starts[-self.keep]
        space = self.characters[min(self.made, len(self.characters) - 1)]
        self.made += 1
        text = self.summarise(history[:cut], space)
        kept = [self.wire.summary(text), *history[cut:]]
        self.recorder.compaction(
            history,
            kept,
            strategy="summary",
            policy=f"summary {self.made} within {space:,} characters, last {self.keep} turns kept",
            reason=f"{len(starts)} turns",
            tokens_before=estimate(history),
            tokens_after=estimate(kept),
        )
        return kept


def estimate(history: Sequence[Message]) -> int:
    """Count the tokens of a history roughly, as agents do: the text of the messages, no overhead."""
    return sum(count(_text(message)) for message in history)


def _text(value: Any, key: str = "") -> str:
    if key in _OBJECTS and not isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return " ".join(_text(item, name) for name, item in value.items() if name not in ("role", "type", "id"))
    return " ".join(_text(item) for item in value) if isinstance(value, list) else ""


def _next_turn(wire: Wire, history: Sequence[Message], start: int) -> int:
    """Return the place of the first user's message from ``start`` on; ``start`` where there is none."""
    return next((place for place in range(start, len(history)) if wire.starts_turn(history[place])), start)
