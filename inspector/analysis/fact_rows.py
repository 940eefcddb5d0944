"""The life of a fact as a table: a row where something happens, with the text around it and how deep it lies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from inspector.analysis.changes import SessionChanges
from inspector.analysis.fact_asking import SessionFact, lane_calls
from inspector.analysis.fact_signs import (
    ANSWER_KINDS,
    ANSWER_SYMBOLS,
    ANSWER_WORDS,
    STATE_KINDS,
    STATE_SYMBOLS,
    STATE_WORDS,
)
from inspector.analysis.fact_standing import find_standing
from inspector.analysis.fact_trace import HELD, CallTrace, Carrier, Loss, TraceState
from inspector.analysis.loss_words import describe_loss
from inspector.model.context import Block, CallContext
from inspector.model.fates import Kind
from snapshot_sdk.facts import Matcher

NEW_CARRIERS: Final = 3
"""Rows for messages that come to say it in one call; the others are counted in the last of them."""
CARRIER_ROWS: Final = 40
"""Rows for messages that come to say it, in all: in a long session every second message repeats its order's id."""
ANSWER: Final = 120
"""Characters of an answer."""
_UNDER_ITS_NAME: Final = "a different one under its name"
_AT_ITS_PLACE: Final = "other words at its place"


@dataclass(frozen=True)
class Passage:
    """A piece of text with the place in it that matters."""

    before: str
    hit: str
    """The fact, or what stands in its place; empty: the piece as a whole is meant."""
    after: str


@dataclass(frozen=True)
class FactRow:
    """Something that happened to a fact."""

    call: int
    message: int | None
    """Number of the message; None: no message, or the answer."""
    where: str
    """``m5 user, place 8``, ``answer``, ``–``."""
    how: str
    symbol: str
    kind: Kind
    passage: Passage
    depth: int | None
    """Tokens from the message's beginning to the end of the prompt; None: not in the prompt, or unknown."""
    before_call: int | None = None
    """Of a loss: the call that still had it."""
    compaction: int | None = None
    """Of a loss: number of the compaction that did it."""


def fact_rows(found: SessionFact, changes: SessionChanges, lane: str) -> tuple[FactRow, ...]:
    """List what happened to a fact in the calls of a lane, in their order.

    A message has one row at a call; what stands in the fact's place has one of its own.

    Args:
        found: The fact, followed.
        changes: The changes of its session.
        lane: The lane.
    """
    contexts = {context.call: context for context in changes.contexts}
    carriers = {carrier.number: carrier for carrier in found.trace.carriers}
    losses = {loss.call: loss for loss in found.trace.losses}
    last_before = {loss.before_call for loss in losses.values()}
    calls = lane_calls(found, lane)
    said: dict[int, TraceState] = {}
    rows: list[FactRow] = []
    listed = 0
    since = 0
    before: CallTrace | None = None
    for trace in calls:
        if before is None or before.state != trace.state:
            since = trace.call
        places = _Places(found, contexts[trace.call], changes.life.numbers[trace.call], carriers, trace.state)
        known = dict.fromkeys((*trace.carriers, *trace.rivals))
        fresh = [n for n in known if said.get(n) != carriers[n].states[trace.call]]
        said |= {number: carriers[number].states[trace.call] for number in fresh}
        holding = [n for n in fresh if n in trace.carriers]
        rivals = [n for n in fresh if n not in trace.carriers]
        is_edge = trace is calls[-1] or trace.call in last_before
        shown: list[FactRow] = []
        if trace.state in HELD:
            returned = before is None or before.state not in HELD
            new = holding if listed < CARRIER_ROWS or returned else ()
            shown = _shown(places, new or (trace.carriers[-1:] if is_edge and not rivals else ()))
            listed += len(shown)
            shown += _shown(places, rivals)
        elif before is not None and (trace.state != before.state or is_edge):
            shown = _gone(places, trace, losses.get(trace.call), changes, rivals, since)
        else:
            shown = _shown(places, rivals)
        rows += sorted(shown, key=lambda row: (row.message is not None, places.place_of(row.message)))
        if trace.answer is not None and (trace.answer != "used" or before is None or before.answer != "used"):
            rows.append(_answer(found, trace))
        before = trace
    return tuple(rows)


@dataclass(frozen=True)
class _Places:
    """The messages of one call that have something to do with a fact."""

    found: SessionFact
    context: CallContext
    numbers: Sequence[int]
    carriers: Mapping[int, Carrier]
    state: TraceState
    """Of the fact in this call."""

    def place_of(self, number: int | None) -> int:
        """Place of a message in the prompt, from 0; of none the first."""
        return 0 if number is None else self.numbers.index(number)

    def row(self, number: int, more: int = 0) -> FactRow:
        carrier = self.carriers[number]
        state = carrier.states[self.context.call]
        return replace(
            self.plain_row(number, name_of(carrier), more),
            how=self._words(state),
            symbol=STATE_SYMBOLS[state],
            kind=STATE_KINDS[state],
            passage=mark(self.found.matcher, excerpt_at(carrier, self.context.call)),
        )

    def plain_row(self, number: int, name: str, more: int = 0) -> FactRow:
        """A row of a message, as yet without what it says."""
        place = self.place_of(number)
        others = f" and {more:,} more" if more else ""
        where = f"m{number} {name}, place {place + 1}{others}"
        depth = tokens_from_end(self.context, place)
        return FactRow(self.context.call, number, where, "", "", "same", Passage("", "", ""), depth)

    def _words(self, state: TraceState) -> str:
        if state == "distorted" and self.state in HELD:
            return "a different one beside it"
        if state == "distorted" and self.state == "not yet":
            return "a different one, before it was said"
        return STATE_WORDS[state]


def _shown(places: _Places, numbers: Sequence[int]) -> list[FactRow]:
    more = max(0, len(numbers) - NEW_CARRIERS)
    shown = numbers[:NEW_CARRIERS]
    return [places.row(number, more if number == shown[-1] else 0) for number in shown]


def _gone(
    places: _Places, trace: CallTrace, loss: Loss | None, changes: SessionChanges, fresh: Sequence[int], since: int
) -> list[FactRow]:
    if trace.state == "not yet":
        return _shown(places, fresh)
    row = FactRow(
        call=trace.call,
        message=None,
        where="–",
        how=STATE_WORDS[trace.state],
        symbol=STATE_SYMBOLS[trace.state],
        kind=STATE_KINDS[trace.state],
        passage=Passage(f"since call {since}" if since != trace.call else "", "", ""),
        depth=None,
    )
    if loss is not None:
        row = replace(
            row,
            passage=Passage(describe_loss(loss, changes), "", ""),
            before_call=loss.before_call,
            compaction=loss.compaction,
        )
    if trace.state in ("distorted", "superseded") and trace.rivals:
        rivals = _shown(places, fresh or trace.rivals[-1:])
        rivals[-1] = replace(rivals[-1], how=row.how, symbol=row.symbol, kind=row.kind)
        if loss is None:
            return rivals
        return [*rivals[:-1], replace(rivals[-1], before_call=row.before_call, compaction=row.compaction)]
    standing = find_standing(places.found, changes, loss) if loss is not None else None
    if standing is None:
        return [row]
    there = replace(
        places.plain_row(standing.number, name_of(standing.block)),
        how=_UNDER_ITS_NAME if standing.name else _AT_ITS_PLACE,
        symbol=STATE_SYMBOLS["distorted"],
        kind=STATE_KINDS["distorted"],
        passage=Passage(standing.before, standing.text, standing.after),
    )
    return [row, there]


def _answer(found: SessionFact, trace: CallTrace) -> FactRow:
    assert trace.answer is not None
    how = ANSWER_WORDS[trace.answer]
    if trace.answer == "broken":
        how = f"{how}: {trace.answer_says}"
        text = " ".join(found.answers.get(trace.call, "")[: ANSWER * 4].split())
        passage = Passage(text if len(text) <= ANSWER else text[: ANSWER - 1] + "…", "", "")
    elif trace.answer == "asked for":
        passage = Passage("", trace.answer_says, "")
    else:
        passage = mark(found.matcher, trace.answer_says)
    return FactRow(
        call=trace.call,
        message=None,
        where="answer",
        how=how,
        symbol=ANSWER_SYMBOLS[trace.answer],
        kind=ANSWER_KINDS[trace.answer],
        passage=passage,
        depth=None,
    )


def mark(matcher: Matcher, text: str) -> Passage:
    """Find a fact, or what stands in its place, in a piece of text.

    Args:
        matcher: The fact.
        text: The piece.
    """
    match = matcher.match(text)
    places = match.sightings or match.rivals
    if not places:
        return Passage(text, "", "")
    begin, end = places[0].start, places[0].end
    begin += len(text[begin:end]) - len(text[begin:end].lstrip())  # a sentence begins after its space
    return Passage(text[:begin], text[begin:end], text[end:])


def excerpt_at(carrier: Carrier, call: int) -> str:
    """Return what stood around a fact in a message at a call."""
    return next((text for since, text in reversed(carrier.excerpts.items()) if since <= call), "")


def name_of(carrier: Carrier | Block) -> str:
    """Name what kind of message carries a fact: ``state``, ``summary``, ``tool calls``, else its role."""
    layer = carrier.layer.value
    if layer in ("history", "input"):
        return carrier.role or layer
    return layer.replace("_", " ")


def tokens_from_end(context: CallContext, place: int) -> int | None:
    """Return the tokens from the beginning of a message to the end of the prompt; None: a count is unknown."""
    tokens = [block.tokens for block in context.blocks[place:]]
    return None if any(count is None for count in tokens) else sum(count or 0 for count in tokens)
