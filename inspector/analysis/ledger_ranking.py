"""How much a value looks like a commitment, for the ledger of a compaction.

What :mod:`inspector.analysis.commitments` ranks keeps its score. That finder looks for what a session turns on; a
ledger also has values that it passes over (addresses, paths, names, times, what only a tool or the model said). They
are weighed here, on its scale. On top of both comes what only a compaction knows: pins, and that it was needed after.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from inspector.analysis.commitments import Commitment
from inspector.analysis.ledger_entries import EntryKind

KINDS: Final[Mapping[EntryKind, float]] = {
    "rule": 2.0,
    "text": 1.0,
    "id": 1.0,
    "email": 1.0,
    "phone": 1.0,
    "money": 0.75,
    "name": 0.75,
    "date": 0.5,
    "percent": 0.5,
    "path": 0.5,
    "time": 0.5,
    "url": 0.25,
    "duration": 0.25,
}
"""Weight of what the finder passed over, by kind; a bare number has none."""
PINNED: Final = 6.0
"""Above any rule that nobody pinned: the user has said that it matters."""
USED_AFTER: Final = 2.0
BY_USER: Final = 2.0
REPEATED: Final = 0.25
MOST_REPEATS: Final = 4
LISTED: Final = -1.0
LEAST: Final = 1.0
"""Score below which a value is counted, and in no entry."""
_COMMON: Final = frozenset(("duration", "percent"))
"""Kinds whose values are so common that a tool call has the same one by chance."""
_LISTING_FROM: Final = 12
"""Values of one kind in a message from which each is one of a listing."""


@dataclass(frozen=True)
class Circumstances:
    """What is known of a value besides its text."""

    kind: EntryKind
    commitment: Commitment | None
    """What the finder of commitments says of it; None: it passed it over."""
    by_user: bool
    said_in: str
    """What kind of message says it, in words: ``a tool result``."""
    messages: int
    """Messages taken that say it."""
    pinned: bool
    listed: int
    """Values of its kind in the message that has the fewest of them."""
    used_at: int | None
    """First call after the compaction with a new tool call that passes it."""


def weigh(one: Circumstances) -> tuple[float, tuple[str, ...]]:
    """Say how much a value looks like a commitment, and why, what weighs most first.

    Args:
        one: What is known of it.
    """
    score, reasons = _own(one) if one.commitment is None else (one.commitment.score, [one.commitment.why])
    if one.used_at is not None and one.kind not in _COMMON:
        score += USED_AFTER
        reasons.insert(0, f"a tool call passes it at call {one.used_at}")
    if one.pinned:
        score += PINNED
        reasons.insert(0, "pinned")
    return score, tuple(reasons)


def _own(one: Circumstances) -> tuple[float, list[str]]:
    score = KINDS.get(one.kind, 0.0)
    reasons = []
    if one.by_user:
        score += BY_USER
    reasons.append("said by the user" if one.by_user else f"in {one.said_in}")
    if one.messages > 1:
        score += REPEATED * min(one.messages - 1, MOST_REPEATS)
        reasons.append(f"in {one.messages:,} messages")
    if one.listed >= _LISTING_FROM:
        score += LISTED
        reasons.append(f"one of {one.listed:,} of its kind there")
    return score, reasons
