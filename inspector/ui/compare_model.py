"""A comparison: two sides, how they align, and what a recorded or inferred compaction says about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from inspector.analysis.alignment import Alignment, align
from inspector.analysis.changes import SessionChanges
from inspector.analysis.compactions import CompactionChange
from inspector.analysis.ledger_entries import Ledger
from inspector.model.context import CompactedContexts
from inspector.model.views import CallRow, CallView, PinRow
from inspector.model.watches import Watch
from inspector.ui.compare_cards import surviving
from inspector.ui.compare_layout import Group, Item, lay_out
from inspector.ui.compare_passages import Passage
from inspector.ui.compare_sides import Side, SideRow, blocks_of, side_of_blocks, side_of_call

Form = Literal["sent", "recorded"]
"""``sent``: the two calls around a compaction; ``recorded``: the contexts that its record names."""


@dataclass(frozen=True)
class CompareAddress:
    """What the address of the page asks for."""

    session: str | None
    """Session of the second side, and of the first unless ``a_session`` says otherwise."""
    a: int | None
    b: int | None
    a_session: str | None = None
    compaction: int | None = None
    """Number of a compaction of the session: its two contexts are compared."""
    form: Form = "sent"


def read_address(params: Mapping[str, str]) -> CompareAddress:
    """Read the parameters of the address; what is no number counts as absent."""
    session = params.get("session") or None
    a_session = params.get("a_session") or None
    return CompareAddress(
        session=session,
        a=_number(params.get("a")),
        b=_number(params.get("b") or params.get("call")),
        a_session=None if a_session == session else a_session,
        compaction=_number(params.get("compaction")),
        form="recorded" if params.get("as") == "recorded" else "sent",
    )


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) < 10 else None


def call_before(calls: Sequence[CallRow], number: int) -> int | None:
    """Return the call that a call continues, else the one before it in its lane; None: it is the first."""
    row = calls[number - 1]
    by_id = {call.id: call.number for call in calls}
    if row.previous in by_id:
        return by_id[row.previous]
    return max((call.number for call in calls if call.lane == row.lane and call.number < number), default=None)


@dataclass(frozen=True)
class Comparison:
    """Everything the page shows of two contexts."""

    before: Side
    after: Side
    alignment: Alignment
    pins: tuple[PinRow | Watch, ...] = ()
    """Of the session of the first side."""
    compactions: tuple[CompactionChange, ...] = ()
    """All of the session."""
    compaction: CompactionChange | None = None
    """The one that is looked at."""
    form: Form = "sent"
    has_record: bool = False
    """Whether the compaction can be seen both as recorded and as sent."""
    ledger: Ledger | None = None
    """What became of all that the compaction took; None: no compaction is looked at."""
    ledger_numbers: tuple[tuple[int, ...], tuple[int, ...]] | None = None
    """Numbers of the messages at the places that the ledger names; None: its places are those of the sides."""

    @cached_property
    def items(self) -> tuple[Item, ...]:
        """The rows in reading order."""
        return lay_out(self.alignment)

    @cached_property
    def survivors(self) -> tuple[Passage, ...]:
        """Passages of the messages taken out that stand in the second context."""
        return surviving([item for item in self.items if isinstance(item, Group)], self.before, self.after)

    @property
    def is_one_session(self) -> bool:
        """Whether both sides are of one session."""
        return self.before.session == self.after.session


def compare_calls(
    before: tuple[str, CallView],
    after: tuple[str, CallView],
    changes: SessionChanges | None = None,
    *,
    pins: Sequence[PinRow | Watch] = (),
    compaction: CompactionChange | None = None,
    has_record: bool = False,
) -> Comparison:
    """Compare two calls.

    Args:
        before: Session and call of the first side.
        after: Session and call of the second side.
        changes: Of the session, where both are of one: a call and the one it continues are aligned there already,
            recorded compactions included.
        pins: Of the first side's session.
        compaction: The compaction between them, if that is what is looked at.
        has_record: Whether its record names both contexts.
    """
    sides = side_of_call(*before), side_of_call(*after)
    a, b = before[1].call.number, after[1].call.number
    known = changes.life.alignments.get(b) if changes is not None and changes.life.previous.get(b) == a else None
    if known is None or (known.before, known.after) != (len(sides[0].rows), len(sides[1].rows)):
        blocks = blocks_of(before[1]), blocks_of(after[1])
        one = before[0] == after[0]
        rows = zip(sides[1].rows, blocks[1], strict=True)
        seen = {block.identity for row, block in rows if one and row.born is not None and row.born < a}
        known = align(*blocks, seen=seen)
    return Comparison(
        *sides,
        known,
        tuple(pins),
        changes.compactions if changes is not None else (),
        compaction,
        "sent",
        has_record,
    )


def compare_recorded(
    session: str,
    named: CompactedContexts,
    around: Sequence[CallView],
    changes: SessionChanges,
    compaction: CompactionChange,
    pins: Sequence[PinRow | Watch] = (),
) -> Comparison:
    """Compare the two contexts that a compaction's record names.

    Args:
        session: The session.
        named: The contexts; both are known.
        around: The calls before and after it, whose messages have numbers and pins.
        changes: Of the session.
        compaction: The compaction.
        pins: Of the session.
    """
    known: dict[str, SideRow] = {}
    for view in around:
        for row in side_of_call(session, view).rows:
            known.setdefault(row.content, row)
    before, after = named.before or (), named.after or ()
    return Comparison(
        side_of_blocks(session, before, "before", known.get),
        side_of_blocks(session, after, "after", known.get),
        align(before, after),
        tuple(pins),
        changes.compactions,
        compaction,
        "recorded",
        compaction.call is not None and compaction.before_call is not None,
    )
