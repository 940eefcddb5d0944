"""The ledger of a compaction on the Compare page: a line a value, with whose word it was and where it stands now."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from inspector.analysis.ledger_entries import COLUMNS, Column, Ledger, LedgerEntry, Passage
from inspector.analysis.ledger_signs import (
    COLUMN_SYMBOLS,
    COLUMN_TITLES,
    ENTRY_SYMBOLS,
    left_out,
    noun,
    opaque_line,
    why_listed,
)
from inspector.index.watchlist import Watchlist
from inspector.ui.compare_cards import TurnOf, name_row, where_now, who_said
from inspector.ui.compare_model import Comparison
from inspector.ui.compare_sides import Side, SideRow
from inspector.ui.format import one_line
from inspector.ui.trace_page import change_watch

QUOTE: Final = 120
"""Characters of a value in a line."""
WATCHED: Final = 2_000
"""Characters of a text that can be watched or traced from a line."""

PlaceOf = Callable[[int], int | None]
"""Place in a context → row of its side; None: the side has no such message."""


def ledger_of_comparison(comparison: Comparison, turn_of: TurnOf) -> dict[str, Any] | None:
    """Return the ledger of a comparison as plain values, the lost first; None: it has none.

    Args:
        comparison: The two sides.
        turn_of: Turn of a call, in words.
    """
    ledger, before, after = comparison.ledger, comparison.before, comparison.after
    if ledger is None:
        return None
    numbers = comparison.ledger_numbers
    places: tuple[PlaceOf, PlaceOf] = (lambda place: place), (lambda place: place)
    if numbers is not None:
        places = rows_by_number(numbers[0], before.rows), rows_by_number(numbers[1], after.rows)
    counts = ledger.counts()
    return {
        "columns": [[name, sign, counts[name], COLUMN_TITLES[name]] for name, sign in COLUMN_SYMBOLS.items()],
        "lines": [
            _line(entry, ledger, before, after, places, turn_of)
            for column in COLUMN_SYMBOLS
            for entry in ledger.under(column)
        ],
        "opaque": opaque_line(ledger),
        "left": left_out(ledger),
    }


_BECAME: Final[Mapping[Column, str]] = {"lost": "lost", "altered": "altered", "kept": "here", "invented": "condensed"}
"""Meaning of a head: decides the colour."""


def _line(
    entry: LedgerEntry, ledger: Ledger, before: Side, after: Side, places: tuple[PlaceOf, PlaceOf], turn_of: TurnOf
) -> dict[str, Any]:
    made = entry.state == "invented"
    row_before, row_after = places
    source = row_after(entry.source.place) if made else row_before(entry.source.place)
    stands = [row for place in entry.stands if (row := row_after(place)) is not None]
    instead = row_after(entry.instead.place) if entry.instead is not None else None
    summary = row_after(ledger.summary) if ledger.summary is not None else None
    quoted = (after if made else before).rows[source] if source is not None else None
    target = instead if instead is not None else stands[0] if stands else None
    return {
        "column": entry.column,
        "became": "same" if entry.state == "opaque" else _BECAME[COLUMNS[entry.state]],
        "sign": ENTRY_SYMBOLS[entry.state],
        "text": one_line(entry.text, QUOTE),
        "kind": noun(entry.kind),
        "who": "" if quoted is None else name_row(quoted) if made else who_said(quoted, turn_of),
        "where": _where(entry, instead, stands, summary, after),
        "why": why_listed(entry),
        "i": None if made else source,
        "j": source if made else target,
        "find": entry.text[:WATCHED],
        "as": "text" if entry.kind == "name" else entry.kind,
        "watch": not made and len(entry.text) <= WATCHED,
    }


def _where(entry: LedgerEntry, instead: int | None, stands: Sequence[int], summary: int | None, after: Side) -> str:
    if entry.state == "invented":
        return "no message has it"
    if entry.state == "opaque":
        return "cannot be known: what took it cannot be read"
    if entry.instead is not None:
        named = "the summary" if instead is None or instead == summary else name_row(after.rows[instead])
        also = "also " if entry.state == "conflicting" else ""
        return f"{also}in {named}, {entry.why}: “{_instead(entry.instead)}”"
    where = where_now(stands, summary, after).removeprefix("verbatim ")
    return f"in other words, {where}" if entry.state == "restated" else where


def _instead(passage: Passage) -> str:
    return one_line(passage.text, QUOTE)


def rows_by_number(numbers: Sequence[int], rows: Sequence[SideRow]) -> PlaceOf:
    """Find rows of a side by the numbers of their messages.

    Args:
        numbers: Number of the message at each place of a context.
        rows: Of the side.
    """
    at = {row.number: place for place, row in enumerate(rows)}
    return lambda place: at.get(numbers[place]) if place < len(numbers) else None


def watch_line(watchlist: Watchlist, session: str, lane: str | None, want: Mapping[str, Any]) -> dict[str, Any]:
    """Watch the text of a line.

    Args:
        watchlist: Of the directory.
        session: The session.
        lane: Its lane, where it is not the main one.
        want: ``text``, or ``remove`` (an id).
    """
    text = want.get("text")
    target = {"text": str(text)} if text else None
    return change_watch(watchlist, session, target, {**want, "watch": True, "lane": lane})
