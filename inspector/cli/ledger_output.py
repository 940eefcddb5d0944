"""The ledger of a compaction as the command line writes it: all of it as JSON, the five that matter most as lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

from inspector.analysis.changes import SessionChanges
from inspector.analysis.compactions import CompactionChange
from inspector.analysis.ledger import ledger_of
from inspector.analysis.ledger_entries import Ledger, LedgerEntry
from inspector.analysis.ledger_inventions import unseen_of
from inspector.analysis.ledger_reading import Reader
from inspector.analysis.ledger_signs import COLUMN_SYMBOLS, ENTRY_SYMBOLS, left_out, noun, opaque_line, why_listed
from inspector.cli.terminal import one_line
from inspector.index import Index

LISTED: Final = 5
"""Entries of a compaction that are written as lines."""
QUOTED: Final = 80
"""Characters of a value in a line."""


def read_ledgers(traces: Index, session: str, changes: SessionChanges) -> dict[int, Ledger]:
    """Judge what each compaction of a session took, by number of the compaction; absent where a context is unknown.

    Args:
        traces: The index.
        session: The session.
        changes: Its changes.
    """
    if not changes.compactions:
        return {}
    answers = traces.answers(session)
    reader = Reader()
    found = {}
    for change in changes.compactions:
        unseen = unseen_of(traces.call(session, change.call)) if change.call and change.said_by == "server" else ()
        ledger = ledger_of(changes, change, answers, unseen, reader)
        if ledger is not None:
            found[change.number] = ledger
    return found


def ledger_json(ledger: Ledger, change: CompactionChange, changes: SessionChanges) -> dict[str, Any]:
    """Return a ledger as plain values.

    Args:
        ledger: Of the compaction.
        change: The compaction.
        changes: Of its session: they number the messages.
    """
    names = _names(change, changes)
    return {
        "counts": ledger.counts(),
        "slight": ledger.slight,
        "unlisted": ledger.unlisted,
        "unread": ledger.unread,
        "opaque": ledger.opaque,
        "missing": list(ledger.missing),
        "entries": [_entry_json(entry, names) for entry in _worst_first(ledger)],
    }


def _names(change: CompactionChange, changes: SessionChanges) -> tuple[Sequence[str], Sequence[str]]:
    numbers: Mapping[int, Sequence[int]] = changes.life.numbers
    before, after = (
        tuple(f"m{number}" for number in numbers.get(call or 0, ())) for call in (change.before_call, change.call)
    )
    return before, after


def _worst_first(ledger: Ledger) -> Iterator[LedgerEntry]:
    for column in COLUMN_SYMBOLS:
        yield from ledger.under(column)


def _entry_json(entry: LedgerEntry, names: tuple[Sequence[str], Sequence[str]]) -> dict[str, Any]:
    before, after = names
    return {
        "state": entry.state,
        "column": entry.column,
        "kind": entry.kind,
        "text": entry.text,
        "message": (after if entry.state == "invented" else before)[entry.source.place],
        "role": entry.role,
        "messages": entry.messages,
        "reasons": list(entry.reasons),
        "stands": [after[place] for place in entry.stands],
        "in_summary": entry.in_summary,
        "instead": None
        if entry.instead is None
        else {"text": entry.instead.text, "message": after[entry.instead.place], "why": entry.why},
    }


def ledger_lines(ledger: Ledger, change: CompactionChange, changes: SessionChanges) -> Iterator[str]:
    """Give the short form: the counts, and the few entries that matter most.

    Args:
        ledger: Of the compaction.
        change: The compaction.
        changes: Of its session.
    """
    if not ledger.entries:
        return
    counts = ledger.counts()
    figures = [f"{counts[column]:,} {column}" for column in COLUMN_SYMBOLS]
    yield f"compaction {change.number}: {', '.join(figures)}"
    if (line := opaque_line(ledger)) is not None:
        yield f"  {line}"
    before, after = _names(change, changes)
    worst = [entry for entry in _worst_first(ledger) if entry.column != "kept"]
    for entry in islice(worst, LISTED):
        said = after[entry.source.place] if entry.state == "invented" else before[entry.source.place]
        instead = ""
        if entry.instead is not None:
            other = one_line(entry.instead.text, QUOTED)
            instead = f"; {after[entry.instead.place]} says “{other}”: {entry.why}"
        text = one_line(entry.text, QUOTED)
        yield f"  {ENTRY_SYMBOLS[entry.state]} {noun(entry.kind)} “{text}” ({said}; {why_listed(entry)}){instead}"
    if len(worst) > LISTED:
        yield f"  and {len(worst) - LISTED:,} more: --json has them all"
    if ledger.unlisted or ledger.unread or ledger.missing:
        yield f"  {', '.join(left_out(ledger))}"
