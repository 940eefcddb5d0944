"""What changed in a session: the life of every message, its compactions, its pins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from inspector.analysis.compactions import CompactionChange, find_compactions, read_taken
from inspector.analysis.lifelines import SessionLife, trace_lifelines
from inspector.analysis.pins import PinLife, follow_pins
from inspector.model.context import CallContext, CompactedContexts
from inspector.model.views import CallView, CompactionRow, PinRow
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
    life = trace_lifelines(contexts, read_taken(contexts, compaction_rows, compacted))
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
    if numbers is None or len(numbers) != len(view.messages):
        return view
    rows = tuple(
        replace(row, number=number, born_call=changes.life.lifelines[number - 1].events[0].call)
        for row, number in zip(view.messages, numbers, strict=True)
    )
    return replace(view, messages=rows)
