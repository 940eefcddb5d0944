"""What a session's records say beside its calls: compactions, pins, events; and lines that could not be read."""

from __future__ import annotations

import json

import duckdb

from inspector.index.store import clean
from inspector.model.views import CompactionRow, EventRow, LineErrorRow, PinRow


def list_compactions(cursor: duckdb.DuckDBPyConnection, session: str) -> tuple[CompactionRow, ...]:
    """List the recorded compactions of a session."""
    rows = cursor.execute(
        "SELECT compaction, state, strategy, policy, reason, lane, time, tokens_before, tokens_after, duration_ms, "
        "error, caller, before_messages, after_messages, call "
        "FROM store.compactions WHERE session = ? ORDER BY time, rowid",
        [clean(session)],
    ).fetchall()
    return tuple(CompactionRow(*row) for row in rows)


def list_pins(cursor: duckdb.DuckDBPyConnection, session: str) -> tuple[PinRow, ...]:
    """List the pins of a session, in order of record."""
    rows = cursor.execute(
        "SELECT pin, excerpt, reason, caller, since_call, released_call, gone, target, scope "
        "FROM store.pins WHERE session = ? ORDER BY rowid",
        [clean(session)],
    ).fetchall()
    return tuple(
        PinRow(pin, excerpt, reason, caller, since, released, tuple(gone), json.loads(target), scope)
        for pin, excerpt, reason, caller, since, released, gone, target, scope in rows
    )


def list_events(cursor: duckdb.DuckDBPyConnection, session: str) -> tuple[EventRow, ...]:
    """List the events of a session."""
    rows = cursor.execute(
        "SELECT kind, lane, time, data, caller, call FROM store.events WHERE session = ? ORDER BY event",
        [clean(session)],
    ).fetchall()
    return tuple(
        EventRow(kind, lane, time, json.loads(data), caller, call) for kind, lane, time, data, caller, call in rows
    )


def list_line_errors(cursor: duckdb.DuckDBPyConnection) -> tuple[LineErrorRow, ...]:
    """List the lines that could not be read as they stand."""
    rows = cursor.execute(
        "SELECT file, line, byte, reason, recovered FROM main.line_errors ORDER BY file, line, byte"
    ).fetchall()
    return tuple(LineErrorRow(*row) for row in rows)
