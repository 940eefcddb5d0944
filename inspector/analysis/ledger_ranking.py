"""How much something looks like a commitment: what it is, who said it, how often, and whether it was used since."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from inspector.analysis.ledger_entries import EntryKind

KINDS: Final[Mapping[EntryKind, int]] = {
    "rule": 60,
    "id": 40,
    "money": 35,
    "email": 35,
    "phone": 35,
    "date": 28,
    "text": 28,
    "name": 24,
    "path": 22,
    "url": 20,
    "percent": 18,
    "time": 18,
    "duration": 14,
    "number": 8,
}
"""Weight of a kind: rules first, then what identifies a thing, what was agreed about it, where it lies.
The order is that of issue and concept; the steps are chosen so that no other reason but a pin lifts a bare number
above a rule."""
PINNED: Final = 60
USED_AFTER: Final = 25
BY_USER: Final = 20
ANCHORED: Final = 5
OFTEN: Final = 6
SEVERAL: Final = 3
LISTED: Final = -25
TOOL_ONLY: Final = -8

LEAST: Final = 18
"""Score below which something is no commitment: in no entry, only counted."""
_OFTEN_FROM: Final = 4
_SEVERAL_FROM: Final = 2
_LISTING_FROM: Final = 12
"""Values of one kind in a message from which each is one of a listing."""


@dataclass(frozen=True)
class Circumstances:
    """What is known of a value besides its text."""

    kind: EntryKind
    by_user: bool
    role: str | None
    messages: int
    """Messages taken that say it."""
    pinned: bool
    anchors: tuple[str, ...]
    listed: int
    """Values of its kind in the message with the fewest of those that say it."""
    used_at: int | None
    """First call after the compaction with a new tool call that uses it."""
    tool_only: bool
    """Only tool traffic says it."""


def weigh(one: Circumstances) -> tuple[int, tuple[str, ...]]:
    """Say how much something looks like a commitment, and why, the weightiest reason first.

    Args:
        one: What is known of it.
    """
    reasons: list[tuple[int, str]] = []
    if one.pinned:
        reasons.append((PINNED, "pinned"))
    if one.used_at is not None:
        reasons.append((USED_AFTER, f"a tool call uses it at call {one.used_at}"))
    if one.by_user:
        reasons.append((BY_USER, "said by the user"))
    if one.messages >= _SEVERAL_FROM:
        weight = OFTEN if one.messages >= _OFTEN_FROM else SEVERAL
        reasons.append((weight, f"in {one.messages:,} messages"))
    if one.anchors and one.kind not in ("rule", "name", "text"):
        reasons.append((ANCHORED, f"named “{one.anchors[-1]}”"))
    if one.listed >= _LISTING_FROM:
        reasons.append((LISTED, f"one of {one.listed:,} in a listing"))
    elif one.tool_only:
        reasons.append((TOOL_ONLY, "only a tool said it"))
    score = KINDS.get(one.kind, 0) + sum(weight for weight, _ in reasons)
    reasons.sort(key=lambda reason: -reason[0])
    return score, tuple(text for _, text in reasons)
