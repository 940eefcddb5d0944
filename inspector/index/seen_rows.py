"""The rows of what a model saw in one call, put together from its effective context and the units stored of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import duckdb

from inspector.index.exchanges import load_effective
from inspector.index.queries import main_layer, pins_of, segments_of, sum_layers, sum_segments
from inspector.index.seen_parts import SEEN, is_emptied, seen_hash
from inspector.index.store import clean
from inspector.model.effective import EffectiveContext, RemovedElement
from inspector.model.request import Element
from inspector.model.seen import SeenContext, SeenRow, UnseenRow
from inspector.model.views import MessageRow


class _Units:
    """What is stored of some units, and the pins in force."""

    def __init__(self, cursor: duckdb.DuckDBPyConnection, session: str, call: int, units: Sequence[int]) -> None:
        rows = cursor.execute(
            "SELECT u.unit, u.segments, c.hash, c.hole FROM store.units u JOIN store.contents c USING (content) "
            "WHERE u.unit IN (SELECT unnest(?))",
            [list(set(units))],
        ).fetchall()
        self._rows = {unit: (json.loads(stored), digest, hole) for unit, stored, digest, hole in rows}
        self._pins = pins_of(cursor, session, call)

    def is_emptied(self, unit: int) -> bool:
        """Say whether nothing of a message is left but what the server put in its place."""
        return is_emptied(self._rows[unit][0].get(SEEN))

    def row(self, unit: int, element: Element, place: int) -> MessageRow:
        """Make the row of a message."""
        stored, digest, _ = self._rows[unit]
        seen = stored.get(SEEN)
        segments = segments_of(stored["segments"])
        content = digest if seen is None else seen_hash(digest, seen)
        text = clean(element.message.text)
        return MessageRow(
            place=place,
            number=0,
            member=element.member,
            index=element.index,
            message=element.message,
            layer=main_layer(sum_layers(segments)),
            segments=segments,
            tokens=sum_segments(segments),
            content=content,
            pinned=tuple(pin for pin, holds in self._pins if holds(text, digest if seen is None else "")),
            born_call=None,
        )


def load_seen(cursor: duckdb.DuckDBPyConnection, session: str, number: int) -> SeenContext | None:
    """Return what the model saw in a call; None where a server changed nothing that is known.

    Raises:
        SessionNotFoundError: There is no such session.
        CallNotFoundError: It has no call of this number.
    """
    found = cursor.execute(
        "SELECT units, removed FROM store.effective WHERE session = ? AND call = ?", [clean(session), number]
    ).fetchall()
    context = load_effective(cursor, session, number)
    if not found:
        return None
    ((units, removed),) = found
    gone: list[list[Any]] = json.loads(removed)["rows"]
    stored = _Units(cursor, clean(session), number, [*units, *(unit for unit, *_ in gone)])
    rows = _rows(context, units, stored, _call_numbers(cursor, session, context))
    return SeenContext(rows, _removed(context, gone, stored, rows), context.notes, context.certainty)


def _call_numbers(cursor: duckdb.DuckDBPyConnection, session: str, context: EffectiveContext) -> dict[str, int]:
    sources = list({row.source for row in context.elements if row.source is not None})
    rows = cursor.execute(
        "SELECT id, call FROM store.calls WHERE session = ? AND id IN (SELECT unnest(?::VARCHAR[]))",
        [clean(session), sources],
    ).fetchall()
    return dict(rows)


def _rows(
    context: EffectiveContext, units: Sequence[int], stored: _Units, calls: dict[str, int]
) -> tuple[SeenRow, ...]:
    rows: list[SeenRow] = []
    for seen, unit in zip(context.elements, units, strict=True):
        if stored.is_emptied(unit):
            continue
        rows.append(
            SeenRow(
                stored.row(unit, seen.element, len(rows) + 1),
                seen.origin,
                None if seen.place is None else seen.place + 1,
                seen.source,
                None if seen.source is None else calls.get(seen.source),
                seen.certainty,
                seen.why,
            )
        )
    return tuple(rows)


def _removed(
    context: EffectiveContext, gone: Sequence[Sequence[Any]], stored: _Units, rows: Sequence[SeenRow]
) -> tuple[UnseenRow, ...]:
    first = next((n for n, row in enumerate(rows) if row.origin != "sent" or row.row.message.role == "user"), len(rows))
    units = iter(gone)
    removed = []
    for one in context.removed:
        unit = _unit_of(one, units)
        if unit is None:
            continue
        before = [
            n
            for n, row in enumerate(rows)
            if row.sent is not None and one.place is not None and row.sent <= one.place + 1
        ]
        row = stored.row(unit, one.element, 0 if one.place is None else one.place + 1)
        after = before[-1] if before else first - 1
        removed.append(UnseenRow(row, one.parts, one.whole, one.reason, one.certainty, after))
    return tuple(removed)


def _unit_of(one: RemovedElement, units: Any) -> int | None:
    """Return the unit stored of a message; what came from calls that are no more has none."""
    found = next(units, None)
    if found is None or found[1] != one.place:
        return None
    return int(found[0])
