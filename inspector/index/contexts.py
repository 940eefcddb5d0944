"""The messages of all calls of a session at once, each distinct one loaded and decoded once: what is compared."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import duckdb

from inspector.index.contents import decode, keys_of, load_messages, load_sources
from inspector.index.queries import find_session, main_layer
from inspector.index.seen_parts import SEEN, is_emptied, seen_hash, seen_message
from inspector.index.store import clean
from inspector.model.context import Block, CallContext, CompactedContexts, ServerChange, changed_places
from inspector.model.dialects import dialect_named
from inspector.model.fates import Certainty
from inspector.model.layers import Layer
from inspector.model.views import is_estimate

if TYPE_CHECKING:
    # Loaded where contexts are asked for: a tenth of a second that other questions need not wait.
    from numpy.typing import NDArray

_MESSAGES: Final = "messages"
_CALLS: Final = (
    "FROM store.calls c JOIN store.prompts p ON p.session = c.session AND p.ordinal = c.call "
    "LEFT JOIN store.effective e ON e.session = c.session AND e.call = c.call WHERE c.session = ? ORDER BY c.call"
)
"""The calls of a session, their prompts as sent and as the model saw them."""


def load_contexts(cursor: duckdb.DuckDBPyConnection, session: str) -> tuple[CallContext, ...]:
    """Load the context of every call of a session, as the model saw it, in order of display.

    Raises:
        SessionNotFoundError: There is no such session.
    """
    calls = cursor.execute(
        f"SELECT c.call, c.id, c.previous, c.lane, c.purpose, c.missing, e.removed {_CALLS}", [clean(session)]
    ).fetchall()
    if not calls:
        find_session(cursor, session)  # its row is wide: as a question before every other it is a tenth of the whole
    # As machine integers: a Python one for each message of each call takes longer than all the rest.
    prompts = cursor.execute(
        f"SELECT coalesce(e.units, p.units) AS seen, if(e.removed IS NULL, [], p.units) AS sent {_CALLS}",
        [clean(session)],
    ).fetchnumpy()
    unseen = {identity: read_removed(removed) for _, identity, *_, removed in calls if removed is not None}
    blocks, made = _load_blocks(cursor, _distinct([*prompts["seen"], *prompts["sent"], *map(list, unseen.values())]))
    found = []
    for (call, identity, previous, lane, purpose, missing, removed), seen, sent in zip(
        calls, prompts["seen"], prompts["sent"], strict=True
    ):
        server = None
        if removed is not None:
            # What the call before lacked already cannot go again: in a long session that is nearly all.
            before = unseen.get(previous or "", {})
            new = ((unit, why) for unit, why in unseen[identity].items() if unit not in before)
            taken = {block.identity: why for unit, why in new for block in _take(blocks, [unit])}
            put_in = _take(blocks, [unit for unit in seen.tolist() if unit in made])
            server = ServerChange(taken, frozenset(block.identity for block in put_in), _take(blocks, sent))
        own = _take(blocks, seen)
        found.append(CallContext(call, identity, previous, lane, own, purpose, tuple(missing), server))
    return tuple(found)


def _distinct(contexts: Sequence[Sequence[int] | NDArray[Any]]) -> list[int]:
    """Return each unit of contexts once."""
    import numpy as np

    units = np.concatenate([np.asarray(one, np.int32) for one in ((), *contexts)])
    found: list[int] = np.flatnonzero(np.bincount(units)).tolist()
    return found


def _take(blocks: NDArray[Any], units: Sequence[int] | NDArray[Any]) -> tuple[Block, ...]:
    """Return the messages of units, without those a server emptied."""
    return tuple(filter(None, blocks[units].tolist()))


def read_removed(stored: str) -> dict[int, tuple[str, Certainty]]:
    """Return the units that a model did not see, or not wholly, with why and how sure that is."""
    found = json.loads(stored)
    reasons: list[tuple[str, Certainty]] = [(why, sure) for why, sure in found["why"]]
    return {unit: reasons[at] for unit, _, _, at in found["rows"]}


def _load_blocks(cursor: duckdb.DuckDBPyConnection, units: Sequence[int]) -> tuple[NDArray[Any], frozenset[int]]:
    """Return the blocks by number of their unit, None where a server emptied it, and the units that are compactions."""
    import numpy as np

    rows = cursor.execute(
        "SELECT u.unit, u.content, u.segments, c.hash, c.text, c.refers, c.role, c.keys FROM store.units u "
        "JOIN store.contents c USING (content) WHERE u.unit IN (SELECT unnest(?))",
        [units],
    ).fetchall()
    counted = {unit: _read_counts(segments) for unit, _, segments, *_ in rows}
    cut = [content for unit, content, *_ in rows if counted[unit].seen is not None]
    messages = load_messages(cursor, cut) if cut else {}
    blocks = np.full(max(units, default=-1) + 1, None, np.object_)
    for unit, content, _, digest, text, _, role, keys in rows:
        layer, tokens, estimated, seen = counted[unit]
        if is_emptied(seen):
            continue
        if seen is not None:
            message = seen_message(messages[content], seen)
            digest, text = seen_hash(digest, seen), clean(message.text)
            role, keys = message.role, keys_of(message)
        blocks[unit] = Block(digest, role, layer, text, tuple(keys), tokens, layer is Layer.SUMMARY, estimated)
    return blocks, frozenset(unit for unit, _, _, _, _, refers, *_ in rows if refers)


class _Counts(NamedTuple):
    """What a stored unit says of its message."""

    layer: Layer
    """The one with the most tokens."""
    tokens: int | None
    """None: nobody counted some of them."""
    estimated: bool
    seen: Sequence[Any] | None
    """The parts that the model saw; None: all of them."""


def _read_counts(segments: str) -> _Counts:
    stored = json.loads(segments)
    sums: dict[Layer, int] = {}
    known, estimated = True, False
    for _, _, _, name, count, origin, *_ in stored["segments"]:
        known = known and count is not None
        estimated = estimated or is_estimate(origin)
        layer = Layer(name)
        sums[layer] = sums.get(layer, 0) + (count or 0)
    return _Counts(main_layer(sums), sum(sums.values()) if known else None, estimated, stored.get(SEEN))


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
    named = [_find_named(cursor, section, json.loads(text)) for section, text in records]
    wanted = {source for one in named for side in (one.before, one.after) for source in side or ()}
    known = _last_blocks(load_contexts(cursor, session) if contexts is None else contexts)
    blocks = _decode_sources(cursor, session, wanted, known)

    def messages(sources: Sequence[int] | None) -> tuple[Block, ...] | None:
        return None if sources is None else tuple(map(blocks.__getitem__, sources))

    found: dict[str, CompactedContexts] = {}
    for one in named:
        earlier = found.get(one.id, CompactedContexts(one.id, None, None))
        # A change of state repeats the id and says only what is new.
        before, after = messages(one.before) or earlier.before, messages(one.after) or earlier.after
        found[one.id] = CompactedContexts(one.id, before, after)
    return tuple(found.values())


class _Named(NamedTuple):
    """What a record of a compaction names, by the numbers of the source texts."""

    id: str
    before: list[int] | None
    after: list[int] | None


def _find_named(cursor: duckdb.DuckDBPyConnection, section: int, record: Mapping[str, Any]) -> _Named:
    before, after = (
        None
        if record.get(side) is None
        else [n for first, count in record[side] if first >= 0 for n in range(first, first + count)]
        for side in ("before", "after")
    )
    rows = cursor.execute(
        "SELECT n, source FROM store.blobs WHERE section = ? AND n IN (SELECT unnest(?)) AND source IS NOT NULL",
        [section, list({*(before or ()), *(after or ())})],
    ).fetchall()
    sources: dict[int, int] = dict(rows)
    before, after = (None if side is None else [sources[n] for n in side if n in sources] for side in (before, after))
    return _Named(clean(record["compaction"]), before, after)


def _last_blocks(contexts: Sequence[CallContext]) -> dict[str, Block]:
    """The message of each content as it stands last; looked for from the end, where a call repeats most of the next."""
    known: dict[str, Block] = {}
    after: tuple[Block, ...] = ()
    for context in reversed(contexts):
        own = context.blocks
        for place in reversed(changed_places(after, own)):
            known.setdefault(own[place].content, own[place])
        after = own
    return known


def _decode_sources(
    cursor: duckdb.DuckDBPyConnection, session: str, sources: Collection[int], known: Mapping[str, Block]
) -> dict[int, Block]:
    """Return the message of each source: that of a prompt with the same content where there is one."""
    row = cursor.execute(
        "SELECT api FROM store.calls WHERE session = ? ORDER BY call LIMIT 1", [clean(session)]
    ).fetchone()
    api = row[0] if row else ""
    rows = cursor.execute(
        "SELECT sources[1], hash FROM store.contents WHERE api = ? AND member = ? AND NOT whole AND len(sources) = 1 "
        "AND sources[1] IN (SELECT unnest(?))",
        [api, _MESSAGES, list(sources)],
    ).fetchall()
    blocks = {source: known[digest] for source, digest in rows if digest in known}
    # What stands in a prompt of the dialect is decoded already.
    dialect = dialect_named(api)
    for source, text in load_sources(cursor, [source for source in sources if source not in blocks]).items():
        message, digest = decode(dialect, _MESSAGES, [text])
        unknown = Block(digest, message.role, Layer.HISTORY, clean(message.text), keys_of(message))
        blocks[source] = known.get(digest, unknown)
    return blocks
