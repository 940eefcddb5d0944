"""The questions pages ask, one function each; rows in, values out."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from hashlib import sha256
from typing import Any, Final

import duckdb

from inspector.errors import CallNotFoundError, SessionNotFoundError
from inspector.index.contents import TOOL_MEMBERS, load_messages
from inspector.index.pins import Pin
from inspector.index.schema import CALLS, SESSIONS
from inspector.index.store import clean
from inspector.index.sums import total_of, weakest
from inspector.index.tables import Table
from inspector.model.layers import Layer
from inspector.model.request import Usage
from inspector.model.views import (
    AnswerView,
    CallRow,
    CallView,
    MessageRow,
    SegmentRow,
    ServerEffect,
    SessionRow,
    TokenCount,
)
from snapshot_sdk.errors import HoleError
from snapshot_sdk.reading import LOST, StoredRequest, TraceFile

SUGGESTIONS: Final = 3
"""Close names offered for a session that is not there."""


def _columns(table: Table) -> str:
    return ", ".join(f't."{column.name}"' for column in table.columns)


def _dicts(
    cursor: duckdb.DuckDBPyConnection, table: Table, tail: str, values: Sequence[Any] = ()
) -> list[dict[str, Any]]:
    rows = cursor.execute(f"SELECT {_columns(table)} FROM {table.qualified} t {tail}", list(values)).fetchall()
    names = [column.name for column in table.columns]
    return [dict(zip(names, row, strict=True)) for row in rows]


def list_sessions(cursor: duckdb.DuckDBPyConnection) -> tuple[SessionRow, ...]:
    """List all sessions, the newest first."""
    return tuple(map(_session_row, _dicts(cursor, SESSIONS, "ORDER BY ended DESC, session")))


def find_session(cursor: duckdb.DuckDBPyConnection, session: str) -> SessionRow:
    """Return one session.

    Raises:
        SessionNotFoundError: There is none of this id.
    """
    found = _dicts(cursor, SESSIONS, "WHERE session = ?", [clean(session)])
    if found:
        return _session_row(found[0])
    names = [str(row[0]) for row in cursor.execute("SELECT session FROM store.sessions ORDER BY ended DESC").fetchall()]
    close = get_close_matches(session, names, SUGGESTIONS, 0.5)
    close += [name for name in names if name.startswith(session) and name not in close]
    raise SessionNotFoundError(session, tuple(close[:SUGGESTIONS]))


def _session_row(row: dict[str, Any]) -> SessionRow:
    return SessionRow(
        session=row["session"],
        agent=row["agent"],
        models=tuple(row["models"]),
        calls=row["calls"],
        turns=row["turns"],
        started=row["started"],
        ended=row["ended"],
        peak=TokenCount(row["peak"], row["peak_origin"]),
        window=row["window_size"],
        budget=row["budget"],
        threshold=row["threshold"],
        compactions=row["compactions"],
        pins=row["pins"],
        pins_gone=row["pins_gone"],
        failed_calls=row["failed_calls"],
        fill=tuple(row["fill"]),
        lanes=tuple(zip(row["lanes"], row["lane_calls"], strict=True)),
        origin=row["origin"],
        exact=tuple(row["exact"]),
        incident=row["incident"],
        server_calls=row["server_calls"],
        server_removed=row["server_removed"],
    )


def list_calls(cursor: duckdb.DuckDBPyConnection, session: str) -> tuple[CallRow, ...]:
    """List the calls of a session in order."""
    return tuple(map(_call_row, _dicts(cursor, CALLS, "WHERE session = ? ORDER BY call", [clean(session)])))


def find_call(cursor: duckdb.DuckDBPyConnection, session: str, number: int) -> dict[str, Any]:
    """Return the columns of one call.

    Raises:
        SessionNotFoundError: There is no such session.
        CallNotFoundError: It has no such call.
    """
    found = _dicts(cursor, CALLS, "WHERE session = ? AND call = ?", [clean(session), number])
    if not found:
        raise CallNotFoundError(session, number, find_session(cursor, session).calls)
    return found[0]


def _call_row(row: dict[str, Any]) -> CallRow:
    layers = [Layer(layer) for layer in row["layers"]]
    return CallRow(
        id=row["id"],
        number=row["call"],
        turn=None if row["turn"] is None else json.loads(row["turn"]),
        turn_label=row["turn_label"],
        turn_inferred=row["turn_inferred"],
        lane=row["lane"],
        lane_origin=row["lane_origin"],
        purpose=row["purpose"],
        previous=row["previous"],
        api=row["api"],
        model=row["model"],
        time=row["time"],
        duration_ms=row["duration_ms"],
        status=row["status"],
        http_status=row["http_status"],
        error=row["error"],
        attempts=row["attempts"],
        stop_reason=row["stop_reason"],
        usage=_usage(row),
        usage_raw=_usage_raw(row),
        composition=dict(zip(layers, row["layer_tokens"], strict=True)),
        origins=dict(zip(layers, row["layer_origins"], strict=True)),
        counted=TokenCount(row["counted"], row["counted_origin"]),
        provider=TokenCount(row["provider"], "unknown" if row["provider"] is None else "provider"),
        calibrated=TokenCount(row["calibrated"], row["calibrated_origin"]),
        unattributed=row["unattributed"],
        tokens=TokenCount(row["tokens"], row["tokens_origin"]),
        window=row["window_size"],
        budget=row["budget"],
        threshold=row["threshold"],
        messages=row["messages"],
        exact=row["exact"],
        missing=tuple(row["missing"]),
        caller=row["caller"],
        file=row["file"],
        line=row["line"],
        pins_gone=tuple(row["pins_gone"]),
        usage_problems=tuple(row["usage_problems"]),
        usage_notes=tuple(row["usage_notes"]),
        server=_server_effect(row),
    )


def _server_effect(row: dict[str, Any]) -> ServerEffect | None:
    if not row["server"]:
        return None
    return ServerEffect(
        tuple(row["server"]),
        row["server_removed"],
        row["server_removed_messages"],
        row["server_added"],
        row["server_added_messages"],
        row["server_certainty"],
        TokenCount(row["sent"], row["sent_origin"]),
    )


def _usage_raw(row: dict[str, Any]) -> dict[str, Any] | None:
    raw = None if row["usage"] is None else json.loads(row["usage"])
    return raw if isinstance(raw, dict) else None


def _usage(row: dict[str, Any]) -> Usage:
    return Usage(
        row["input_tokens"], row["cached_read"], row["cached_write"], row["output_tokens"], row["reasoning_tokens"]
    )


def show_call(cursor: duckdb.DuckDBPyConnection, session: str, number: int) -> CallView:
    """Return the whole of one call.

    Raises:
        SessionNotFoundError: There is no such session.
        CallNotFoundError: It has no such call.
    """
    row = find_call(cursor, session, number)
    record, trace = _stored(cursor, row)
    try:
        body = _sent(record, trace).body_bytes()
    except HoleError:
        body = None
    answer = _answer(cursor, row)
    return CallView(
        call=_call_row(row),
        messages=_messages(cursor, row, record),
        parameters=parameters_of(trace.request(record), _prompt_members(cursor, row)),
        answer=answer,
        replaced=tuple((str(path), str(kind)) for path, kind in record.get("replaced") or ()),
        sha256="" if body is None else sha256(body).hexdigest(),
        body_size=0 if body is None else len(body),
        endpoint=record.get("endpoint"),
    )


def parameters_of(request: StoredRequest, shown: Collection[str] = ()) -> dict[str, Any]:
    """Return the members of a body that are no rows of the prompt, in order."""
    parameters: dict[str, Any] = {}
    for element in request.elements:
        if element.member in shown or request.whole:
            continue
        if element.index is None:
            parameters[element.member] = element.value
        else:
            parameters.setdefault(element.member, []).append(element.value)
    return parameters


def _prompt_members(cursor: duckdb.DuckDBPyConnection, row: dict[str, Any]) -> set[str]:
    found = cursor.execute(
        "SELECT DISTINCT c.member FROM "
        "(SELECT unnest(units) AS unit FROM store.prompts WHERE session = ? AND ordinal = ?) "
        "JOIN store.units u USING (unit) JOIN store.contents c USING (content)",
        [row["session"], row["call"]],
    ).fetchall()
    return {member for (member,) in found}


def request_bytes(cursor: duckdb.DuckDBPyConnection, session: str, number: int) -> bytes:
    """Return the body of a call, byte for byte.

    Raises:
        SessionNotFoundError: There is no such session.
        CallNotFoundError: It has no such call.
        HoleError: A part of it is lost.
    """
    return _sent(*_stored(cursor, find_call(cursor, session, number))).body_bytes()


def _sent(record: dict[str, Any], trace: TraceFile) -> StoredRequest:
    """The request as it went out: of a body that is stored as one text, that text and not what was cut from it."""
    return trace.request({**record, "body": None} if "whole" in record else record)


def _stored(cursor: duckdb.DuckDBPyConnection, row: dict[str, Any]) -> tuple[dict[str, Any], TraceFile]:
    """Return the record of a call, and what resolves it."""
    found = cursor.execute(
        "SELECT record FROM store.records WHERE section = ? AND line = ? AND place = ?",
        [row["section"], row["line"], row["place"]],
    ).fetchone()
    record: dict[str, Any] = json.loads(found[0]) if found else {"seq": -1, "body": None}
    members = [] if record["body"] is None else list(record["body"].values())
    numbers = {member["blob"] for member in members if "blob" in member} | {record.get("whole", LOST)}
    for member in members:
        for run in member.get("items", ()):
            if run[0] >= 0:
                numbers.update(range(run[0], run[0] + run[1]))
    sources = cursor.execute(
        "SELECT n, text FROM store.blobs JOIN store.sources USING (source) "
        "WHERE section = ? AND n IN (SELECT unnest(?))",
        [row["section"], list(numbers)],
    ).fetchall()
    texts = {n: text.decode("utf-8", "surrogatepass") for n, text in sources}
    return record, TraceFile(texts.get)


def _messages(cursor: duckdb.DuckDBPyConnection, row: dict[str, Any], record: dict[str, Any]) -> tuple[MessageRow, ...]:
    session, call = row["session"], row["call"]
    rows = cursor.execute(
        "SELECT u.content, c.member, c.hash, c.hole, u.segments "
        "FROM (SELECT unnest(units) AS unit, generate_subscripts(units, 1) AS place FROM store.prompts "
        "WHERE session = ? AND ordinal = ?) p JOIN store.units u USING (unit) JOIN store.contents c USING (content) "
        "ORDER BY place",
        [session, call],
    ).fetchall()
    messages = load_messages(cursor, (content for content, *_ in rows))
    pins = pins_of(cursor, session, call)
    answer = []
    for place, ((content, member, digest, hole, stored), index) in enumerate(
        zip(rows, indexes_of(record, [member for _, member, *_ in rows]), strict=True), start=1
    ):
        segments = segments_of(json.loads(stored)["segments"])
        message = messages[content]
        answer.append(
            MessageRow(
                place=place,
                number=0,
                member=member,
                index=index,
                message=message,
                layer=main_layer(sum_layers(segments)),
                segments=segments,
                tokens=sum_segments(segments),
                content=digest,
                pinned=tuple(pin for pin, holds in pins if holds(clean(message.text), digest)),
                born_call=None,
                hole=hole,
            )
        )
    return tuple(answer)


def indexes_of(record: Mapping[str, Any], members: Iterable[str]) -> Iterator[int | None]:
    """Say where each row stands in its member's array; None for a whole member.

    Args:
        record: The snapshot.
        members: Member of each row, in order.
    """
    arrays = {name for name, member in (record["body"] or {}).items() if "items" in member} - TOOL_MEMBERS
    counts: Counter[str] = Counter()
    for member in members:
        yield counts[member] if member in arrays else None
        counts[member] += 1


def segments_of(stored: Sequence[Sequence[Any]]) -> tuple[SegmentRow, ...]:
    """Read the segments of a stored unit."""
    return tuple(
        SegmentRow(part, start, end, Layer(layer), TokenCount(count, origin), source, why)
        for part, start, end, layer, count, origin, source, why in stored
    )


def main_layer(sums: Mapping[Layer, int]) -> Layer:
    """Return the layer with the most tokens, the first of equals."""
    return max(sums, key=lambda layer: sums[layer], default=Layer.HISTORY)


def sum_layers(segments: Sequence[SegmentRow]) -> dict[Layer, int]:
    """Add up the tokens of segments by layer."""
    sums: dict[Layer, int] = {}
    for segment in segments:
        sums[segment.layer] = sums.get(segment.layer, 0) + (segment.tokens.count or 0)
    return sums


def sum_segments(segments: Sequence[SegmentRow]) -> TokenCount:
    """Add up the tokens of segments."""
    counts = [segment.tokens for segment in segments]
    if not counts:
        return TokenCount(0, "formula:empty")
    if all(count.count is None for count in counts):
        return TokenCount(None, "unknown")
    origin = weakest(count.origin for count in counts)
    return total_of([(sum(count.count or 0 for count in counts), origin)])


def pins_of(cursor: duckdb.DuckDBPyConnection, session: str, call: int) -> list[tuple[str, Any]]:
    """Return the pins in force at a call, each with the test of a message: its text and its content hash."""
    rows = cursor.execute(
        "SELECT pin, target FROM store.pins WHERE session = ? AND since_call <= ? AND coalesce(released_call, ?) > ?",
        [session, call, call + 1, call],
    ).fetchall()
    return [(pin, Pin(pin, json.loads(target), "", None, None, None).test) for pin, target in rows]


def _answer(cursor: duckdb.DuckDBPyConnection, row: dict[str, Any]) -> AnswerView | None:
    if row["answer_key"] is None:
        return None
    contents = row["answer"] or []
    messages = load_messages(cursor, contents)
    return AnswerView(
        messages=tuple(messages[content] for content in contents),
        usage=_usage(row),
        usage_raw=_usage_raw(row),
        stop_reason=row["stop_reason"],
        response_id=row["response_id"],
        status=row["status"],
        http_status=row["http_status"],
        duration_ms=row["duration_ms"],
        error=row["error"],
        context=_answer_context(cursor, row["answer_key"]),
    )


def _answer_context(cursor: duckdb.DuckDBPyConnection, key: str) -> dict[str, Any] | None:
    section, line, place = map(int, key.split(":"))
    found = cursor.execute(
        "SELECT record FROM store.records WHERE section = ? AND line = ? AND place = ?", [section, line, place]
    ).fetchone()
    return context_of(json.loads(found[0])) if found else None


def context_of(response: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return what a response record says of what the provider did to the prompt."""
    context = response.get("context")
    return context if isinstance(context, dict) else None
