"""What the model saw of one call, row by row, and what it did not see of what was sent."""

from __future__ import annotations

from dataclasses import dataclass, replace

from inspector.model.effective_values import Origin
from inspector.model.fates import Certainty
from inspector.model.views import CallView, MessageRow


@dataclass(frozen=True)
class SeenRow:
    """One message as the model saw it."""

    row: MessageRow
    """With its place in what the model saw, and only the parts it saw."""
    origin: Origin
    sent: int | None
    """Its place in the body, from 1; None: it is not in the body."""
    source: str | None
    """Snapshot id of the earlier call it comes from; None: this call."""
    source_call: int | None
    """Number of that call; None: this call, or a call of another session."""
    certainty: Certainty
    why: str
    """Where it comes from, or why it cannot be read, in words; empty for what was sent and seen as it is."""


@dataclass(frozen=True)
class UnseenRow:
    """A message that the model did not see, or not wholly."""

    row: MessageRow
    """As it was; its place in the body, 0 where it was in the stored conversation."""
    parts: tuple[int, ...]
    """Which of its parts were not seen."""
    whole: bool
    """Nothing of it was seen."""
    reason: str
    certainty: Certainty
    after: int
    """Place, from 0, of the message that the model saw before it; -1: it stood before all."""


@dataclass(frozen=True)
class SeenContext:
    """What the model saw of one call."""

    rows: tuple[SeenRow, ...]
    removed: tuple[UnseenRow, ...]
    """In the order in which it stood."""
    notes: tuple[str, ...]
    """What happened and what cannot be known, in sentences."""
    certainty: Certainty


def as_seen(view: CallView) -> CallView:
    """Return a call with the messages that the model saw; the same call where those are the ones that were sent."""
    if view.seen is None:
        return view
    return replace(view, messages=tuple(seen.row for seen in view.seen.rows))
