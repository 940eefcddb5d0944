"""The messages of all calls of a session at once, each distinct one loaded and decoded once: what is compared."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from itertools import compress
from operator import is_not
from typing import Any, Final

import duckdb

from inspector.index.contents import decode, keys_of, load_messages, load_sources
from inspector.index.queries import find_session, main_layer
from inspector.index.seen_units import SEEN, is_emptied, seen_hash, seen_message
from inspector.index.store import clean
from inspector.model.context import Block, CallContext, CompactedContexts, ServerChange
from inspector.model.dialects import dialect_named
from inspector.model.fates import Certainty
from inspector.model.layers import Layer
from inspector.model.views import is_estimate

_MESSAGES: Final = "messages"


def load_contexts(cursor: duckdb.DuckDBPyConnection, session: str) -> tuple[CallContext, ...]:
    """Load the context of every call of a session, as the model saw it, in order of display.

    Raises:
        SessionNotFoundError: There is no such session.
    """
    calls = cursor.execute(
        "SELECT c.call, c.id, c.previous, c.lane, c.purpose, c.missing, p.units, coalesce(e.units, p.units), e.removed "
        "FROM store.calls c JOIN store.prompts p ON p.session = c.session AND p.ordinal = c.call "
        "LEFT JOIN store.effective e ON e.session = c.session AND e.call = c.call "
        "WHERE c.session = ? ORDER BY c.call",
        [clean(session)],
    ).fetchall()
    if not calls:
        find_session(cursor, session)  # its row is wide: as a question before every other it is a tenth of the whole
    unseen = {identity: read_removed(removed) for _, identity, *_, removed in calls if removed is not None}
    units = set().union(*(units for *_, units, _ in calls), *unseen.values())
    units.update(*(sent for *_, sent, _, removed in calls if removed is not None))
    blocks, emptied, made = _load_blocks(cursor, units)
    found = []
    for call, identity, previous, lane, purpose, missing, sent, units, removed in calls:
        own = _present(blocks, emptied, units)
        server = None
        if removed is not None:
            # What the call before lacked already cannot go again: in a long session that is nearly all.
            before = unseen.get(previous or "", {})
            new = ((unit, why) for unit, why in unseen[identity].items() if unit not in before)
            taken = {blocks[unit].identity: why for unit, why in new if unit in blocks}
            server = ServerChange(
                taken,
                frozenset(blocks[unit].identity for unit in units if unit in made and unit in blocks),
                _present(blocks, emptied, sent),
            )
        found.append(CallContext(call, identity, previous, lane, own, purpose, tuple(missing), server))
    return tuple(found)


def _present(blocks: Mapping[int, Block], emptied: Collection[int], units: Sequence[int]) -> tuple[Block, ...]:
    """The messages of units, without those a server emptied."""
    if emptied:
        units = [unit for unit in units if unit not in emptied]
    return tuple(map(blocks.__getitem__, units))


def read_removed(stored: str) -> dict[int, tuple[str, Certainty]]:
    """Return the units that a model did not see, or not wholly, with why and how sure that is."""
    found = json.loads(stored)
    reasons: list[tuple[str, Certainty]] = [(why, sure) for why, sure in found["why"]]
    return {unit: reasons[at] for unit, _, _, at in found["rows"]}


def _load_blocks(
    cursor: duckdb.DuckDBPyConnection, units: set[int]
) -> tuple[dict[int, Block], frozenset[int], frozenset[int]]:
    """Return the block of each unit, the units that a server emptied, and those that are compactions."""
    rows = cursor.execute(
        "SELECT u.unit, u.content, u.segments, c.hash, c.text, c.refers, c.role, c.keys FROM store.units u "
        "JOIN store.contents c USING (content) WHERE u.unit IN (SELECT unnest(?))",
        [list(units)],
    ).fetchall()
    found = [(*row, json.loads(row[2])) for row in rows]
    messages = load_messages(cursor, (content for _, content, *_, counted in found if counted.get(SEEN) is not None))
    blocks: dict[int, Block] = {}
    for unit, content, _, digest, text, _, role, keys, counted in found:
        seen = counted.get(SEEN)
        if is_emptied(seen):
            continue
        if seen is not None:
            message = seen_message(messages[content], seen)
            digest, text = seen_hash(digest, seen), clean(message.text)
            role, keys = message.role, keys_of(message)
        sums: dict[Layer, int] = {}
        known, estimated = True, False
        for _, _, _, layer, count, origin, *_ in counted["segments"]:
            known = known and count is not None
            estimated = estimated or is_estimate(origin)
            sums[Layer(layer)] = sums.get(Layer(layer), 0) + (count or 0)
        layer = main_layer(sums)
        tokens = sum(sums.values()) if known else None
        summary = layer is Layer.SUMMARY
        blocks[unit] = Block(digest, role, layer, text, tuple(keys), tokens, summary, estimated)
    made = frozenset(unit for unit, _, _, _, _, refers, *_ in rows if refers)
    return blocks, frozenset(unit for unit, *_ in rows if unit not in blocks), made


def load_answers(cursor: duckdb.DuckDBPyConnection, session: str) -> dict[int, str]:
    """Load the text of every answer of a session by number of its call; calls without an answer are absent."""
    rows = cursor.execute(
        "SELECT a.call, string_agg(c.text, chr(10) ORDER BY a.place) FROM "
        "(SELECT call, unnest(answer) AS content, generate_subscripts(answer, 1) AS place FROM store.calls "
        "WHERE session = ?) a JOIN store.contents c USING (content) GROUP BY a.call",
        [clean(session)],
    ).fetchall()
    return dict(rows)


def load_compacted(
    cursor: duckdb.DuckDBPyConnection, session: str, contexts: Sequence[CallContext] | None = None
) -> tuple[CompactedContexts, ...]:
    """Load the contexts that the recorded compactions of a session named, in order of their first record.

    A message that also stands in a prompt is the very block of that prompt; one that stands in none is decoded by
    the dialect of the session's calls, its layer and tokens unknown to the agent's record.

    Args:
        cursor: A cursor of the index.
        session: The session.
        contexts: Its contexts, where they are at hand.
    """
    records = cursor.execute(
        "SELECT section, record FROM store.records WHERE session = ? AND type = 'compaction' "
        "ORDER BY time, section, line, place",
        [clean(session)],
    ).fetchall()
    if not records:
        find_session(cursor, session)
        return ()
    known = _last_blocks(load_contexts(cursor, session) if contexts is None else contexts)
    row = cursor.execute(
        "SELECT api FROM store.calls WHERE session = ? ORDER BY call LIMIT 1", [clean(session)]
    ).fetchone()
    api = row[0] if row else ""
    found: dict[str, CompactedContexts] = {}
    for section, text in records:
        record: dict[str, Any] = json.loads(text)
        identity = clean(record["compaction"])
        before, after = (
            None if record.get(side) is None else _named(cursor, section, record[side], api, known)
            for side in ("before", "after")
        )
        earlier = found.get(identity, CompactedContexts(identity, None, None))
        # A change of state repeats the id and says only what is new.
        found[identity] = CompactedContexts(identity, before or earlier.before, after or earlier.after)
    return tuple(found.values())


def _last_blocks(contexts: Sequence[CallContext]) -> dict[str, Block]:
    """The message of each content as it stands last; looked for from the end, where a call repeats most of the next."""
    known: dict[str, Block] = {}
    after: tuple[Block, ...] = ()
    for context in reversed(contexts):
        own = context.blocks
        new = [*compress(own, map(is_not, own, after)), *own[len(after) :]]
        for block in reversed(new):
            known.setdefault(block.content, block)
        after = own
    return known


def _named(
    cursor: duckdb.DuckDBPyConnection,
    section: int,
    runs: Sequence[Sequence[int]],
    api: str,
    known: Mapping[str, Block],
) -> tuple[Block, ...]:
    numbers = [n for first, count in runs if first >= 0 for n in range(first, first + count)]
    rows = cursor.execute(
        "SELECT n, source FROM store.blobs WHERE section = ? AND n IN (SELECT unnest(?)) AND source IS NOT NULL",
        [section, list(set(numbers))],
    ).fetchall()
    sources: dict[int, int] = dict(rows)
    decoded = _decoded(cursor, api, sources.values(), known)
    texts = load_sources(cursor, [source for source in sources.values() if source not in decoded])
    dialect = dialect_named(api)
    blocks = []
    for n in numbers:
        if n not in sources:
            continue
        if sources[n] in decoded:
            blocks.append(decoded[sources[n]])
            continue
        message, digest = decode(dialect, _MESSAGES, [texts[sources[n]]])
        unknown = Block(digest, message.role, Layer.HISTORY, clean(message.text), keys_of(message))
        blocks.append(known.get(digest, unknown))
    return tuple(blocks)


def _decoded(
    cursor: duckdb.DuckDBPyConnection, api: str, sources: Collection[int], known: Mapping[str, Block]
) -> dict[int, Block]:
    """The messages of sources that stand in a prompt of the dialect too: they need not be decoded again."""
    rows = cursor.execute(
        "SELECT sources[1], hash FROM store.contents WHERE api = ? AND member = ? AND NOT whole AND len(sources) = 1 "
        "AND sources[1] IN (SELECT unnest(?))",
        [api, _MESSAGES, list(set(sources))],
    ).fetchall()
    return {source: known[digest] for source, digest in rows if digest in known}
