"""Sessions, brought up to their records: what is computed of them is written, their finished rows replaced."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Mapping
from typing import Any

import duckdb

from inspector.index.contents import Catalog
from inspector.index.derive import SessionState
from inspector.index.rows import Outcome, SessionRows, Source
from inspector.index.schema import CALLS, COMPACTIONS, EFFECTIVE, EVENTS, PINS, PROMPTS, SESSIONS
from inspector.index.seen import see_session
from inspector.index.store import Rows, clean
from inspector.index.tables import Table
from inspector.index.units import UnitStore
from inspector.model.settings import Settings

_TAKEN = "type IN ('snapshot', 'label', 'pin', 'unpin', 'compaction', 'event')"
_ORDER = "(time, writer, section, line, place)"


def finish_sessions(
    cursor: duckdb.DuckDBPyConnection,
    states: Mapping[str, SessionState | None],
    settings: Settings,
    catalog: Catalog,
    units: UnitStore,
    *,
    sample: bool,
) -> dict[str, SessionState]:
    """Take in what is new in some sessions and write everything that follows from it.

    Args:
        cursor: Inside a transaction in which the records were written.
        states: What is known of each session; None: begin anew.
        settings: The user's settings.
        catalog: Contents of this batch.
        units: Counted contents; new ones are in the batch, which the caller writes.
        sample: The traces are the samples.

    Returns:
        The state of each session after all records; sessions without any are gone.
    """
    names = list(states)
    spans = _spans(cursor, names)
    # A record that belongs between those taken (another process's file) decides call numbers and turns: begin anew.
    grown = {
        name: state
        for name, state in states.items()
        if state is not None and name in spans and _count_before(cursor, state) == state.taken
    }
    fresh = [name for name in names if name not in grown]
    _delete(cursor, PROMPTS, fresh)
    _delete(cursor, EFFECTIVE, fresh)
    outcomes = _outcomes(cursor, names)
    after = {name: SessionState(name, settings) for name in fresh if name in spans} | grown
    prompts = Rows(PROMPTS)
    records = _new_records(cursor, [name for name in fresh if name in spans], grown)
    # What all sessions ask for one by one, in two queries for all: a query costs more than the rows of a small session.
    new = {content for name, rows in records.items() for content in after[name].new_contents(rows)}
    catalog.recall(new)
    units.prepare(new, fresh=catalog.known.keys())
    referring: dict[int, str] = dict(
        cursor.execute("SELECT content, hash FROM store.contents WHERE refers AND hole IS NULL").fetchall()
    )
    for name, rows in records.items():
        after[name].answered = _answered(outcomes.get(name, {}))
        after[name].made = _made(outcomes.get(name, {}), referring)
        after[name].take(rows, catalog, units, cursor, prompts)
    prompts.write(cursor)
    _replace_rows(cursor, names, after, outcomes, spans, sample=sample)
    # Only now all these sessions can be asked for the answers they refer to.
    changed = {
        name: state
        for name, state in after.items()
        if see_session(cursor, state, outcomes.get(name, {}), frozenset(referring), catalog, units)
    }
    if changed:
        _replace_rows(cursor, list(changed), changed, outcomes, spans, sample=sample)
    return after


def find_waiting(cursor: duckdb.DuckDBPyConnection, names: Collection[str]) -> list[str]:
    """Name the other sessions that refer to answers of these and have not found them yet."""
    rows = cursor.execute(
        "SELECT DISTINCT w.session FROM (SELECT session, unnest(waits) AS wanted FROM store.effective) w "
        "JOIN store.calls c ON c.response_id = w.wanted AND c.session IN (SELECT unnest(?)) "
        "WHERE w.session NOT IN (SELECT unnest(?))",
        [list(names), list(names)],
    ).fetchall()
    return [session for (session,) in rows]


def _made(outcomes: Mapping[str, Outcome], referring: Mapping[int, str]) -> dict[str, str]:
    """Return the snapshot whose answer was each compaction, by its content hash."""
    return {
        referring[content]: snapshot
        for snapshot, outcome in (outcomes.items() if referring else ())
        for content in outcome.contents or ()
        if content in referring
    }


def _answered(outcomes: Mapping[str, Outcome]) -> dict[str, str]:
    """Return the snapshot of each answer by the provider's id."""
    named = ((outcome.response or {}).get("response_id") for outcome in outcomes.values())
    return {name: snapshot for name, snapshot in zip(named, outcomes, strict=True) if isinstance(name, str)}


def _spans(cursor: duckdb.DuckDBPyConnection, names: list[str]) -> dict[str, tuple[str, str]]:
    rows = cursor.execute(
        "SELECT session, min(time), max(time) FROM store.records WHERE session IN (SELECT unnest(?)) GROUP BY session",
        [names],
    ).fetchall()
    return {session: (first, last) for session, first, last in rows}


def _count_before(cursor: duckdb.DuckDBPyConnection, state: SessionState) -> int:
    row = cursor.execute(
        f"SELECT count(*) FROM store.records WHERE session = ? AND {_TAKEN} AND {_ORDER} <= (?, ?, ?, ?, ?)",
        [state.session, *state.frontier],
    ).fetchone()
    return int(row[0]) if row else 0


def _new_records(
    cursor: duckdb.DuckDBPyConnection, fresh: list[str], grown: Mapping[str, SessionState]
) -> dict[str, list[tuple[Any, ...]]]:
    """Fetch the records not taken yet, in order of display: all of fresh sessions, the last of grown ones."""
    records: dict[str, list[tuple[Any, ...]]] = defaultdict(list)
    columns = "time, writer, section, line, place, type, api, record, kept, contents"
    rows = cursor.execute(
        f"SELECT session, {columns} FROM store.records WHERE session IN (SELECT unnest(?::VARCHAR[])) AND {_TAKEN} "
        "ORDER BY session, time, writer, section, line, place",
        [fresh],
    ).fetchall()
    for name, *row in rows:
        records[name].append(tuple(row))
    for name, state in grown.items():
        records[name] = cursor.execute(
            f"SELECT {columns} FROM store.records WHERE session = ? AND {_TAKEN} AND {_ORDER} > (?, ?, ?, ?, ?) "
            "ORDER BY time, writer, section, line, place",
            [name, *state.frontier],
        ).fetchall()
    return records


def _replace_rows(
    cursor: duckdb.DuckDBPyConnection,
    names: list[str],
    states: Mapping[str, SessionState],
    outcomes: Mapping[str, Mapping[str, Outcome]],
    spans: Mapping[str, tuple[str, str]],
    *,
    sample: bool,
) -> None:
    """Write the finished rows of sessions in place of their old ones."""
    sources = _sources(cursor, names)
    new = {table.name: Rows(table) for table in (CALLS, SESSIONS, COMPACTIONS, EVENTS, PINS)}
    for name, state in states.items():
        rows = SessionRows(state, outcomes.get(name, {}), sources[name], spans[name], sample)
        for row in rows.calls:
            new[CALLS.name].add_named(row)
        incident = next(filter(None, (_incident(one.header) for one in sources[name].values())), None)
        new[SESSIONS.name].add_named({**rows.session(), "incident": incident})
        for row in rows.compactions():
            new[COMPACTIONS.name].add_named(row)
        for row in rows.events():
            new[EVENTS.name].add_named(row)
        for values in state.pins.rows(name, rows.pins_gone):
            new[PINS.name].add(*values)
    for buffer in new.values():
        _delete(cursor, buffer.table, names)
        buffer.write(cursor)


def _incident(header: Mapping[str, Any]) -> str | None:
    """What the header of a sample says went wrong; what other agents keep in their ``meta`` is theirs."""
    meta = header.get("meta")
    said = meta.get("sample") if isinstance(meta, Mapping) and meta.get("origin") == "sample" else None
    return clean(said) if isinstance(said, str) else None


def _delete(cursor: duckdb.DuckDBPyConnection, table: Table, names: list[str]) -> None:
    if names:
        cursor.execute(f"DELETE FROM {table.qualified} WHERE session IN (SELECT unnest(?))", [names])


def _outcomes(cursor: duckdb.DuckDBPyConnection, names: list[str]) -> dict[str, dict[str, Outcome]]:
    """What came back, by session and snapshot: its last response, and all its attempts."""
    rows = cursor.execute(
        "SELECT session, key, type, record, contents, section, line, place FROM store.records "
        "WHERE session IN (SELECT unnest(?)) AND type IN ('response', 'attempt') "
        "ORDER BY time, writer, section, line, place",
        [names],
    ).fetchall()
    responses: dict[tuple[str, str], tuple[Any, ...]] = {}
    attempts: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for session, key, kind, record, contents, section, line, place in rows:
        if kind == "attempt":
            attempts[session, key].append(json.loads(record))
        else:
            responses[session, key] = json.loads(record), contents, f"{section}:{line}:{place}"
    outcomes: dict[str, dict[str, Outcome]] = defaultdict(dict)
    for session, key in responses.keys() | attempts.keys():
        record, contents, place = responses.get((session, key), (None, None, None))
        outcomes[session][key] = Outcome(record, contents, place, attempts.get((session, key), ()))
    return outcomes


def _sources(cursor: duckdb.DuckDBPyConnection, names: list[str]) -> dict[str, dict[int, Source]]:
    rows = cursor.execute(
        "SELECT session, s.section, path, header FROM store.sections s JOIN store.files USING (file) "
        "WHERE session IN (SELECT unnest(?)) ORDER BY s.section",
        [names],
    ).fetchall()
    sources: dict[str, dict[int, Source]] = defaultdict(dict)
    for session, section, path, header in rows:
        sources[session][section] = Source(path, json.loads(header))
    return sources
