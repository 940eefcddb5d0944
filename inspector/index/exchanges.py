"""Every call of a session with its answer, each content decoded once: what effective contexts are made of."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import duckdb

from inspector.index.contents import load_messages, load_sources
from inspector.index.queries import context_of, find_call, find_session, indexes_of, parameters_of
from inspector.index.store import clean
from inspector.model.effective import Answer, EffectiveContext, Exchange, effective_context
from inspector.model.request import Element, Message, Request
from snapshot_sdk.reading import TraceFile

Address = tuple[int, int, int]
"""Section, line and place of a record."""

_ANSWERED: Final = ("answered", "incomplete")
REFERRING: Final = frozenset({"openai.responses", "gemini.generate_content"})
"""Dialects whose requests may refer to earlier calls."""
REFERENCES: Final = ("previous_response_id", "cachedContent", "cached_content")
"""Parameters that name an answer of an earlier call."""


@dataclass(frozen=True)
class Loaded:
    """Recorded calls, and what of the index they are made of."""

    exchanges: list[Exchange] = field(default_factory=list)
    """In order of display."""
    contents: dict[int, int] = field(default_factory=dict)
    """Identity of each message object (``id``) → its content: every content is decoded into one object."""
    units: dict[str, Sequence[int]] = field(default_factory=dict)
    """Snapshot id → the units of its elements."""
    messages: list[Message] = field(default_factory=list)
    """Keeps the objects alive whose identities are used."""


def load_exchanges(cursor: duckdb.DuckDBPyConnection, session: str, first: int = 1, last: int | None = None) -> Loaded:
    """Load the calls of a session as recorded, in order of display.

    Equal to :func:`inspector.model.effective.exchange_of` of each call's view; all of them cost about what two do.

    Args:
        cursor: A cursor of the index.
        session: Id of the session.
        first: Number of the first call wanted.
        last: Number of the last call wanted; None: of the session.

    Raises:
        SessionNotFoundError: There is no such session.
    """
    find_session(cursor, session)
    calls = cursor.execute(
        "SELECT c.id, c.api, c.model, c.status, c.response_id, c.answer, c.answer_key, c.usage, "
        "c.section, c.line, c.place, p.units FROM store.calls c "
        "JOIN store.prompts p ON p.session = c.session AND p.ordinal = c.call "
        "WHERE c.session = ? AND c.call >= ? AND c.call <= coalesce(?, c.call) ORDER BY c.call",
        [clean(session), first, last],
    ).fetchall()
    keys = [key for _, _, _, status, _, _, key, *_ in calls if key is not None and status in _ANSWERED]
    answered: set[Address] = {_address(key) for key in keys}
    sent: set[Address] = {(section, line, place) for *_, section, line, place, _ in calls}
    records = _load_records(cursor, session, answered | sent)
    contents, members = _load_units(cursor, {unit for *_, units in calls for unit in units})
    messages = load_messages(cursor, {*contents.values(), *(c for call in calls for c in call[5] or ())})
    shown = [{members[unit] for unit in units} for *_, units in calls]
    bodies = [
        _only_parameters(records[section, line, place], members)
        for (*_, section, line, place, _), members in zip(calls, shown, strict=True)
    ]
    texts = _load_texts(cursor, zip((call[8] for call in calls), bodies, strict=True))
    found = Loaded(messages=list(messages.values()))
    found.contents.update((id(message), content) for content, message in messages.items())
    made: dict[tuple[int, int | None], Element] = {}
    for call, body in zip(calls, bodies, strict=True):
        identity, api, model, status, response_id, answer, key, usage, section, line, place, units = call
        record = records[section, line, place]
        rows = zip(units, indexes_of(record, [members[unit] for unit in units]), strict=True)
        elements = []
        for row in rows:
            element = made.get(row)
            if element is None:
                unit, index = row
                element = made[row] = Element(members[unit], index, messages[contents[unit]])
            elements.append(element)
        parameters = parameters_of(TraceFile(texts[section].get).request(body)) if body["body"] else {}
        came: Answer | None = None
        if key is not None and status in _ANSWERED:
            raw = None if usage is None else json.loads(usage)
            said = tuple(messages[content] for content in answer or ())
            context = context_of(records[_address(key)])
            came = Answer(said, response_id, raw if isinstance(raw, dict) else None, context)
        found.units[identity] = units
        request = Request(api, model, tuple(elements), parameters)
        found.exchanges.append(Exchange(identity, request, came, record.get("endpoint")))
    return found


def load_effective(cursor: duckdb.DuckDBPyConnection, session: str, number: int) -> EffectiveContext:
    """Say what the model saw in a call.

    Args:
        cursor: A cursor of the index.
        session: Id of the session.
        number: Number of the call.

    Raises:
        SessionNotFoundError: There is no such session.
        CallNotFoundError: It has no call of this number.
    """
    referring = find_call(cursor, session, number)["api"] in REFERRING
    loaded = load_exchanges(cursor, session, 1 if referring else number, number)
    if referring:
        loaded = with_other_sessions(cursor, session, loaded)
    *earlier, call = loaded.exchanges
    return effective_context(call.request, earlier, call.answer)


def with_other_sessions(cursor: duckdb.DuckDBPyConnection, session: str, loaded: Loaded) -> Loaded:
    """Put before some calls those of other sessions that answered what they refer to: ids are the provider's."""
    names = [clean(session)]
    while True:
        wanted = find_missing(loaded.exchanges)
        rows = cursor.execute(
            "SELECT session FROM store.calls WHERE response_id IN (SELECT unnest(?::VARCHAR[])) "
            "AND session NOT IN (SELECT unnest(?)) GROUP BY session ORDER BY min(time)",
            [[clean(name) for name in wanted], names],
        ).fetchall()
        if not rows:
            return loaded
        for (other,) in reversed(rows):
            more = load_exchanges(cursor, other)
            loaded = Loaded(
                more.exchanges + loaded.exchanges,
                more.contents | loaded.contents,
                more.units | loaded.units,
                more.messages + loaded.messages,
            )
        names += [other for (other,) in rows]


def find_missing(exchanges: Sequence[Exchange]) -> set[str]:
    """Return the ids of answers that some calls refer to and none of them got."""
    known = {exchange.answer.response_id for exchange in exchanges if exchange.answer is not None}
    return {name for exchange in exchanges for name in _references(exchange)} - known


def _references(exchange: Exchange) -> Iterator[str]:
    for name in REFERENCES:
        value = exchange.request.parameters.get(name)
        if isinstance(value, str):
            yield value


def _address(key: str) -> Address:
    section, line, place = map(int, key.split(":"))
    return section, line, place


def _load_records(
    cursor: duckdb.DuckDBPyConnection, session: str, wanted: set[Address]
) -> dict[Address, dict[str, Any]]:
    rows = cursor.execute(
        "SELECT section, line, place, record FROM store.records WHERE session = ? AND type IN ('snapshot', 'response')",
        [clean(session)],
    ).fetchall()
    return {
        (section, line, place): json.loads(record)
        for section, line, place, record in rows
        if (section, line, place) in wanted
    }


def _load_units(cursor: duckdb.DuckDBPyConnection, units: set[int]) -> tuple[dict[int, int], dict[int, str]]:
    """Return the content and the member of each unit."""
    rows = cursor.execute(
        "SELECT u.unit, u.content, c.member FROM store.units u JOIN store.contents c USING (content) "
        "WHERE u.unit IN (SELECT unnest(?))",
        [list(units)],
    ).fetchall()
    return {unit: content for unit, content, _ in rows}, {unit: member for unit, _, member in rows}


def _only_parameters(record: Mapping[str, Any], shown: set[str]) -> dict[str, Any]:
    """Return a snapshot record without the members that the prompt shows."""
    body = record["body"] or {}
    return {**record, "body": {name: member for name, member in body.items() if name not in shown}}


def _load_texts(
    cursor: duckdb.DuckDBPyConnection, bodies: Iterable[tuple[int, Mapping[str, Any]]]
) -> dict[int, dict[int, str]]:
    """Fetch the texts of the blobs that some bodies refer to, by section and blob number."""
    wanted: dict[int, set[int]] = defaultdict(set)
    for section, record in bodies:
        wanted[section].update(_blobs(record["body"].values()))
    texts: dict[int, dict[int, str]] = defaultdict(dict)
    for section, numbers in wanted.items():
        if not numbers:
            continue
        rows: Sequence[tuple[int, int]] = cursor.execute(
            "SELECT n, source FROM store.blobs WHERE section = ? AND n IN (SELECT unnest(?)) AND source IS NOT NULL",
            [section, list(numbers)],
        ).fetchall()
        sources = load_sources(cursor, (source for _, source in rows))
        texts[section] = {n: sources[source] for n, source in rows}
    return texts


def _blobs(members: Iterable[Mapping[str, Any]]) -> Iterator[int]:
    for member in members:
        if "blob" in member:
            yield member["blob"]
        for first, count, *_ in member.get("items") or ():
            if first >= 0:
                yield from range(first, first + count)
