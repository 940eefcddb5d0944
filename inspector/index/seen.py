"""What the model saw of each prompt where a server made something else of it: computed once, when records come in."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import duckdb

from inspector.index.contents import Catalog
from inspector.index.derive import Prompt, SessionState
from inspector.index.exchanges import REFERENCES, REFERRING, Loaded, load_exchanges, with_other_sessions
from inspector.index.rows import Outcome
from inspector.index.schema import EFFECTIVE
from inspector.index.seen_units import SeenUnits
from inspector.index.store import Rows, clean
from inspector.index.sums import add_costs, by_layer, total_of
from inspector.index.threads import find_change
from inspector.index.units import UnitStore
from inspector.model.effective import EffectiveContext, EffectiveElement, Stored, effective_context
from inspector.model.layers import Layer
from inspector.model.tokens import Tokenizer
from inspector.model.views import ServerEffect, ServerKind

_NAMING: Final = frozenset({*REFERENCES, "conversation", "context"})
"""Members of a body that name what a server keeps."""


@dataclass(frozen=True)
class Seen:
    """What is known of a prompt that a server changed."""

    layers: dict[str, tuple[int, str]]
    """Tokens and weakest origin by layer of what the model saw."""
    effect: ServerEffect
    pins_gone: tuple[str, ...]
    """Pins in force whose text the model did not see."""


def see_session(
    cursor: duckdb.DuckDBPyConnection,
    state: SessionState,
    outcomes: Mapping[str, Outcome],
    referring: frozenset[int],
    catalog: Catalog,
    units: UnitStore,
) -> bool:
    """Bring up to date what the model saw in the calls of a session; part of a transaction.

    Only calls whose body, answer or earlier calls are new cost anything, and of these only those a server may have
    changed.

    Args:
        cursor: Inside a transaction in which the session's rows were written.
        state: The session; ``state.seen`` is brought up to date.
        outcomes: What came back, by snapshot.
        referring: Contents that stand for what a server keeps or replaced.
        catalog: Contents of this batch.
        units: Counted contents.

    Returns:
        Whether anything changed.
    """
    fresh = _find_fresh(state, outcomes, referring)
    if not fresh:
        return False
    units.write()
    any_referring = any(prompt.api in REFERRING for prompt in fresh)
    first = 1 if any_referring else fresh[0].ordinal
    loaded = load_exchanges(cursor, state.session, first, fresh[-1].ordinal)
    if any_referring:
        loaded = with_other_sessions(cursor, state.session, loaded)
    places = {exchange.id: place for place, exchange in enumerate(loaded.exchanges)}
    seer = _Seer(cursor, state, loaded, catalog, units)
    rows = Rows(EFFECTIVE)
    before = {prompt.ordinal: state.seen.pop(prompt.ordinal, None) for prompt in fresh}
    stored = Stored()
    known = 0
    for prompt in fresh:
        place = places[clean(prompt.record["id"])]
        exchange = loaded.exchanges[place]
        for earlier in loaded.exchanges[known:place]:
            stored.add(earlier)
        known = place
        context = effective_context(exchange.request, stored, exchange.answer)
        if context.differs:
            state.seen[prompt.ordinal] = seer.see(prompt, context, rows)
    ordinals = list(before)
    cursor.execute(
        f"DELETE FROM {EFFECTIVE.qualified} WHERE session = ? AND call IN (SELECT unnest(?))", [state.session, ordinals]
    )
    rows.write(cursor)
    return any(before[ordinal] != state.seen.get(ordinal) for ordinal in ordinals)


def _find_fresh(state: SessionState, outcomes: Mapping[str, Outcome], referring: frozenset[int]) -> list[Prompt]:
    """Return the prompts a server may have changed and that were not looked at with what is known now."""
    fresh = []
    earlier = 0
    for prompt in state.prompts:
        outcome = outcomes.get(clean(prompt.record["id"]))
        came = None if outcome is None else outcome.place
        refers_back = prompt.api in REFERRING
        if prompt.refers or _names_stored(prompt) or _was_changed(outcome, referring):
            # What a call refers to depends on the answers before it; what was done to its own messages does not.
            known = hash((came, earlier, state.others)) if refers_back else hash(came)
            if state.looked.get(prompt.ordinal) != known:
                state.looked[prompt.ordinal] = known
                fresh.append(prompt)
        earlier = hash((earlier, came))
    return fresh


def _names_stored(prompt: Prompt) -> bool:
    body: Mapping[str, Any] = prompt.record["body"] or {}
    return any(name in body and body[name].get("value", True) is not None for name in _NAMING)


def _was_changed(outcome: Outcome | None, referring: frozenset[int]) -> bool:
    """Say whether an answer tells of edits, or holds a compaction."""
    if outcome is None or outcome.response is None:
        return False
    context = outcome.response.get("context")
    edits = context.get("applied_edits") if isinstance(context, dict) else None
    return bool(edits) or (bool(referring) and not referring.isdisjoint(outcome.contents or ()))


class _Seer:
    """Turns effective contexts of one session into units and figures."""

    def __init__(
        self,
        cursor: duckdb.DuckDBPyConnection,
        state: SessionState,
        loaded: Loaded,
        catalog: Catalog,
        units: UnitStore,
    ) -> None:
        self._state = state
        self._loaded = loaded
        self._store = units
        self._catalog = catalog
        self._units = SeenUnits(cursor, catalog, units)
        self._kept: dict[tuple[int, str, str | None], int | None] = {}
        self._last: list[int] = []
        self._costs: dict[tuple[str, str], int] = {}
        self._unknown: Counter[tuple[str, str]] = Counter()

    def see(self, prompt: Prompt, context: EffectiveContext, out: Rows) -> Seen:
        """Count what the model saw in a call, and write down which units it was."""
        sent = self._loaded.units[clean(prompt.record["id"])]
        tokenizer = self._state.tokenizer_of(prompt.record)
        rows = [self._unit(prompt.api, row, sent, tokenizer) for row in context.elements]
        removed: list[tuple[int, int | None, tuple[int, ...], int]] = []
        reasons: dict[tuple[str, str], int] = {}
        for gone in context.removed:
            base = sent[gone.place] if gone.place is not None else self._kept_unit(gone.element.message, tokenizer)
            if base is not None:
                why = reasons.setdefault((gone.reason, gone.certainty), len(reasons))
                removed.append((base, gone.place, gone.parts, why))
        waits = [clean(name) for row in context.elements for name in _gaps(row)]
        written = json.dumps({"why": list(reasons), "rows": removed}, separators=(",", ":"))
        out.add(self._state.session, prompt.ordinal, rows, written, waits)
        self._count(rows)
        costs, unknown = dict(self._costs), Counter(self._unknown)
        extra = self._state.opening_of(prompt, tokenizer)
        add_costs(costs, unknown, ((Layer.OVERHEAD.value, extra.origin, extra.count),), 1)
        taken = [(base, parts) for base, place, parts, _ in removed if place is not None]
        added = [unit for row, unit in zip(context.elements, rows, strict=True) if _is_added(row)]
        effect = ServerEffect(
            kinds=_kinds(context),
            removed=self._units.count_parts(taken) if taken else 0,
            removed_messages=len({place for _, place, *_ in removed if place is not None}),
            added=self._units.count_whole(added) if added else 0,
            added_messages=len(added),
            certainty=context.certainty,
            sent=total_of(prompt.layers.values()),
        )
        return Seen(by_layer(costs, unknown), effect, tuple(self._pins_gone(prompt, context.elements)))

    def _unit(self, api: str, row: EffectiveElement, sent: Sequence[int], tokenizer: Tokenizer) -> int:
        message = row.whole or row.message
        if row.place is not None and row.origin != "stored":
            base: int | None = sent[row.place]
        else:
            base = self._kept_unit(message, tokenizer)
        if base is None:
            return self._units.opaque(api, row)
        return base if row.whole is None else self._units.cut(base, row.whole, row.message)

    def _kept_unit(self, message: object, tokenizer: Tokenizer) -> int | None:
        """Return the unit of a message that came from another call; None: it is in no record."""
        key = id(message), tokenizer.key, tokenizer.model
        if key not in self._kept:
            content = self._loaded.contents.get(id(message))
            self._kept[key] = None if content is None else self._units.whole(content, tokenizer)
        return self._kept[key]

    def _count(self, rows: list[int]) -> None:
        """Bring the sums from the last call's rows to these; only what changed costs anything."""
        change = find_change(self._last, rows)
        for number in change.removed:
            add_costs(self._costs, self._unknown, self._units.unit(number).costs, -1)
        for number in change.added:
            add_costs(self._costs, self._unknown, self._units.unit(number).costs, 1)
        self._last = rows

    def _pins_gone(self, prompt: Prompt, rows: Sequence[EffectiveElement]) -> Iterable[str]:
        record = prompt.record
        pins = list(self._state.pins.in_force(prompt.ordinal, record["lane"], record.get("purpose")))
        if not pins:
            return
        contents = [None if row.whole else self._loaded.contents.get(id(row.message)) for row in rows]
        known = self._catalog.recall([content for content in contents if content is not None])
        texts = [
            (clean(row.message.text), "" if content is None else known[content].hash)
            for row, content in zip(rows, contents, strict=True)
        ]
        for pin in pins:
            test = pin.test
            if not any(test(*one) for one in texts):
                yield pin.id


def _gaps(row: EffectiveElement) -> Iterator[str]:
    """Yield the ids of answers that are not recorded, in whose place an entry stands that nobody can read."""
    if row.place is None and row.origin == "stored":
        yield from (part.text for part in row.message.parts if part.opaque and part.name in REFERENCES)


def _is_added(row: EffectiveElement) -> bool:
    return row.origin == "stored" or row.place is None


def _kinds(context: EffectiveContext) -> tuple[ServerKind, ...]:
    found: list[ServerKind] = []
    if any(row.origin == "stored" for row in context.elements):
        found.append("stored")
    summaries = [row for row in context.elements if row.origin == "compaction"]
    if summaries:
        found.append("summary")
    altered = any(row.whole is not None and row.why for row in context.elements if row.origin == "sent")
    if altered or (context.removed and not summaries):
        found.append("edit")
    return tuple(found)
