"""What changed in a session: the life of every message, its compactions, its pins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from inspector.analysis.compactions import CompactionChange, find_compactions, read_taken
from inspector.analysis.lifelines import SessionLife, trace_lifelines
from inspector.analysis.pins import PinLife, follow_pins
from inspector.analysis.servers import read_taken_by_servers
from inspector.model.context import CallContext, CompactedContexts
from inspector.model.seen import SeenContext
from inspector.model.views import CallView, CompactionRow, MessageRow, PinRow
from inspector.model.watches import Watch


@dataclass(frozen=True)
class SessionChanges:
    """All that analysis says about the changes of one session."""

    contexts: tuple[CallContext, ...]
    """The calls it was made of, in display order."""
    life: SessionLife
    compactions: tuple[CompactionChange, ...]
    """Recorded and inferred, numbered from 1 in the order of the calls after them."""
    pins: tuple[PinLife, ...]
    """Pins in the order of record, then watches."""


def trace_session(
    contexts: Sequence[CallContext],
    compacted: Sequence[CompactedContexts] = (),
    compaction_rows: Sequence[CompactionRow] = (),
    pin_rows: Sequence[PinRow] = (),
    watches: Sequence[Watch] = (),
) -> SessionChanges:
    """Say what changed from call to call.

    Args:
        contexts: The calls in display order.
        compacted: The contexts that recorded compactions named.
        compaction_rows: The recorded compactions.
        pin_rows: What the agent pinned.
        watches: What the reader pinned afterwards.
    """
    taken = read_taken_by_servers(contexts) | read_taken(contexts, compaction_rows, compacted)
    life = trace_lifelines(contexts, taken)
    compactions = find_compactions(contexts, life, compaction_rows, compacted)
    return SessionChanges(
        tuple(contexts), life, compactions, follow_pins(contexts, life, compactions, pin_rows, watches)
    )


def number_rows(view: CallView, changes: SessionChanges) -> CallView:
    """Give the messages of a call their numbers in the session, and the call each came in.

    Args:
        view: The call, its rows unnumbered.
        changes: The changes of its session, of the same state of the index.
    """
    numbers = changes.life.numbers.get(view.call.number)
    if view.seen is not None:
        return _number_seen(view, view.seen, numbers or (), changes)
    if numbers is None or len(numbers) != len(view.messages):
        return view
    rows = zip(view.messages, numbers, strict=True)
    return replace(view, messages=tuple(_numbered(row, number, changes) for row, number in rows))


def _numbered(row: MessageRow, number: int, changes: SessionChanges) -> MessageRow:
    born = changes.life.lifelines[number - 1].events[0].call if number else None
    return replace(row, number=number, born_call=born)


def _number_seen(view: CallView, seen: SeenContext, numbers: Sequence[int], changes: SessionChanges) -> CallView:
    """Number what the model saw, and by it what was sent; what it never saw has no number."""
    if len(numbers) != len(seen.rows):
        return view
    rows = [
        replace(row, row=_numbered(row.row, number, changes)) for row, number in zip(seen.rows, numbers, strict=True)
    ]
    by_place = {row.sent: row.row.number for row in reversed(rows) if row.sent is not None}
    earlier = _earlier_numbers(view.call.number, changes)
    removed = [
        replace(one, row=_numbered(one.row, by_place.get(one.row.place, earlier.get(one.row.content, 0)), changes))
        for one in seen.removed
    ]
    by_place |= {one.row.place: one.row.number for one in removed if one.row.place not in by_place}
    messages = tuple(_numbered(row, by_place.get(row.place, 0), changes) for row in view.messages)
    return replace(view, messages=messages, seen=replace(seen, rows=tuple(rows), removed=tuple(removed)))


def _earlier_numbers(call: int, changes: SessionChanges) -> dict[str, int]:
    """Return the number that each content had in the calls that led to a call."""
    chain: list[int] = []
    at = changes.life.previous.get(call)
    while at is not None:
        chain.append(at)
        at = changes.life.previous.get(at)
    blocks = {context.call: context.blocks for context in changes.contexts}
    return {
        block.content: number
        for at in reversed(chain)
        for block, number in zip(blocks[at], changes.life.numbers[at], strict=True)
    }
