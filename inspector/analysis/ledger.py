"""The ledger of a compaction: what the messages it took said, and whether the call after can still know it.

Judged by the whole call after, as the model saw it: state, memory, later messages and the summary together. A value
that the state still holds is not lost because the summary leaves it out. What the compaction wrote and no message has
is ``invented``: that may be a sum or a date that follows from others, so it is a question, no accusation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from inspector.analysis.changes import SessionChanges
from inspector.analysis.commitments import Commitment, find_commitments
from inspector.analysis.compactions import CompactionChange
from inspector.analysis.ledger_entries import EntryKind, Ledger, LedgerEntry, Passage
from inspector.analysis.ledger_inventions import Sources, find_inventions
from inspector.analysis.ledger_judging import Judgement, Standing
from inspector.analysis.ledger_ranking import LEAST, Circumstances, weigh
from inspector.analysis.ledger_reading import (
    READ_OF_ONE,
    Reader,
    Saying,
    is_said_by_user,
    is_slight,
    read_sayings,
    said_in,
)
from inspector.model.context import Block, CallContext, CompactedContexts, changed_places
from inspector.model.layers import Layer
from snapshot_sdk.facts import Fact, find_facts

MOST_JUDGED: Final = 300
"""Entries that are judged, those first that look most like a commitment: nobody reads more."""


@dataclass(frozen=True)
class Compacted:
    """A compaction as the ledger looks at it."""

    before: tuple[Block, ...]
    """The context before."""
    after: tuple[Block, ...]
    """The whole context after."""
    taken: tuple[int, ...]
    """Places in ``before`` of the messages it took or shortened."""
    summary: int | None = None
    """Place in ``after`` of what stands for them."""
    pinned: tuple[str, ...] = ()
    """Texts that are pinned or watched."""
    earlier: tuple[Block, ...] = ()
    """Messages of earlier calls that the context before has no more: they may be the source of a value."""
    answers: tuple[str, ...] = ()
    """What the model answered up to then."""
    later: tuple[tuple[int, Block], ...] = ()
    """Tool calls made after it, each with the call that made it."""
    complete: bool = True
    """All messages that it may have read are here; else nothing is called invented."""
    missing: tuple[str, ...] = ()
    """Parts of the prompts that the record lacks."""


@dataclass
class _Claim:
    """Something said by messages that were taken, and where."""

    saying: Saying
    at: int
    """Place in the context before of the message it is quoted from."""
    by_user: bool
    places: set[int] = field(default_factory=set)
    listed: int = 0
    commitment: Commitment | None = None
    score: float = 0.0
    reasons: tuple[str, ...] = ()


def ledger_of(
    changes: SessionChanges,
    change: CompactionChange,
    answers: Mapping[int, str] | None = None,
    unseen: Sequence[Block] | None = None,
    reader: Reader | None = None,
) -> Ledger | None:
    """Say what became of all that a compaction took.

    Args:
        changes: Of its session.
        change: The compaction.
        answers: Call number → text of its answer: a value that the model brought is not invented by the summary.
        unseen: Of a compaction by a server: what the call after sent and its model did not see. None: unknown.
        reader: Keeps what it has read, for the next compaction of the session.

    Returns:
        None: the call before or the call after is not known.
    """
    if change.call is None or change.before_call is None:
        return None
    contexts = {context.call: context for context in changes.contexts}
    before, after = contexts[change.before_call], contexts[change.call]
    taken, numbers = set(change.taken), changes.life.numbers
    places = tuple(place for place, number in enumerate(numbers[before.call]) if number in taken)
    summary = next((at for at, number in enumerate(numbers[after.call]) if number == change.summary), None)
    complete = after.server is None or unseen is not None
    compacted = Compacted(before.blocks, after.blocks, places, summary, earlier=tuple(unseen or ()), complete=complete)
    return make_ledger(_around(compacted, changes, change, answers or {}), reader)


def ledger_of_record(
    changes: SessionChanges,
    change: CompactionChange,
    named: CompactedContexts,
    answers: Mapping[int, str] | None = None,
    reader: Reader | None = None,
) -> Ledger:
    """Say what became of all that a recorded compaction took, by the two contexts that its record names.

    Args:
        changes: Of its session.
        change: The compaction.
        named: The contexts.
        answers: Call number → text of its answer.
        reader: Keeps what it has read.
    """
    before, after = named.before or (), named.after or ()
    left = Counter(block.content for block in after)
    taken = []
    for place, block in enumerate(before):
        if left[block.content] > 0:
            left[block.content] -= 1
        else:
            taken.append(place)
    old = {block.content for block in before}
    new = [place for place, block in enumerate(after) if block.content not in old]
    summary = next((at for at in new if after[at].is_summary), new[0] if new and change.strategy == "summary" else None)
    compacted = Compacted(before, after, tuple(taken), summary)
    return make_ledger(_around(compacted, changes, change, answers or {}), reader)


def _around(
    compacted: Compacted, changes: SessionChanges, change: CompactionChange, answers: Mapping[int, str]
) -> Compacted:
    """Add what the session says around a compaction: pins, earlier messages, answers, later tool calls.

    Args:
        compacted: The two contexts.
        changes: Of the session.
        change: The compaction.
        answers: Call number → text of its answer.
    """
    summaries = _summaries(changes)
    compacted = replace(
        compacted, before=_marked(compacted.before, summaries), after=_marked(compacted.after, summaries)
    )
    end = change.call or change.before_call or len(changes.contexts)
    here = {block.content for block in (*compacted.before, *compacted.after)}
    earlier = {b.content: b for c in changes.contexts if c.call < end for b in c.blocks if b.content not in here}
    return replace(
        compacted,
        pinned=tuple(pin.text for pin in changes.pins if pin.text),
        missing=_missing(changes.contexts, end, change.lane),
        earlier=(*compacted.earlier, *_marked(earlier.values(), summaries)),
        answers=tuple(text for call, text in answers.items() if call < end),
        later=tuple(_later_calls(changes.contexts, end, change.lane)),
    )


def _summaries(changes: SessionChanges) -> frozenset[str]:
    """Contents of the messages that a compaction made: a record may name one that nothing else marks."""
    by_call = {context.call: context for context in changes.contexts}
    found = set()
    for change in changes.compactions:
        if change.call is not None and change.summary is not None:
            numbers = changes.life.numbers[change.call]
            found |= {
                block.content
                for number, block in zip(numbers, by_call[change.call].blocks, strict=True)
                if number == change.summary
            }
    return frozenset(found)


def _missing(contexts: Iterable[CallContext], end: int, lane: str) -> tuple[str, ...]:
    parts = (part for context in contexts if context.call <= end and context.lane == lane for part in context.missing)
    return tuple(dict.fromkeys(part for part in parts if part != "parameters"))


def _marked(blocks: Iterable[Block], summaries: Collection[str]) -> tuple[Block, ...]:
    return tuple(
        replace(block, is_summary=True, layer=Layer.SUMMARY) if block.content in summaries else block
        for block in blocks
    )


def _later_calls(contexts: Iterable[CallContext], end: int, lane: str) -> Iterable[tuple[int, Block]]:
    """Tool calls that the model made from a call on: they stand in the prompts after it."""
    known: set[str] = set()
    before: tuple[Block, ...] = ()
    for context in contexts:
        if context.lane != lane:
            continue
        for place in changed_places(before, context.blocks):
            block = context.blocks[place]
            if block.layer is Layer.TOOL_CALLS and block.content not in known:
                known.add(block.content)
                if context.call > end:
                    yield context.call - 1, block
        before = context.blocks


def make_ledger(compacted: Compacted, reader: Reader | None = None) -> Ledger:
    """Judge all that the messages taken said by the whole context after.

    Args:
        compacted: The compaction.
        reader: Keeps what it has read.
    """
    reader = reader or Reader()
    reader.begin()
    if compacted.summary is not None:
        made = compacted.after[compacted.summary].content
        compacted = replace(compacted, after=_marked(compacted.after, {made}))
    standing = Standing(compacted.after, reader)
    claims, slight = _claims(compacted, reader)
    claims.sort(key=lambda claim: (-claim.score, claim.at, claim.saying.start))
    asked, rest = claims[:MOST_JUDGED], claims[MOST_JUDGED:]
    sources = Sources(compacted.before, compacted.earlier, compacted.after, compacted.answers, reader)
    rules = [claim for claim in asked if claim.saying.kind == "rule"]
    judged = dict(zip(map(id, rules), standing.judge_rules([claim.saying for claim in rules]), strict=True))
    opaque = compacted.summary is not None and _is_opaque(compacted.after[compacted.summary])
    entries = []
    for claim in asked:
        judgement = judged.get(id(claim)) or standing.judge(
            claim.saying, sources.is_grounded, may_differ=_is_original(compacted.before[claim.at])
        )
        entries.append(_entry(claim, judgement, compacted, opaque=opaque))
    told = {(e.instead.place, e.instead.start) for e in entries if e.instead is not None}
    if compacted.complete and not compacted.missing:
        inventions = find_inventions(compacted.before, compacted.after, compacted.summary, sources, reader)
        entries += [one for one in inventions if (one.source.place, one.source.start) not in told]
    return Ledger(
        tuple(entries),
        slight=slight,
        unlisted=len(rest),
        unread=sum(block.content in reader.unread for block in (*compacted.before, *compacted.after)),
        summary=compacted.summary,
        opaque=opaque,
        missing=compacted.missing,
    )


def _is_opaque(block: Block) -> bool:
    return not block.text.strip()


def _claims(compacted: Compacted, reader: Reader) -> tuple[list[_Claim], int]:
    """Collect what the messages taken said, equal values once, and how many were too slight."""
    found: dict[tuple[EntryKind, str], _Claim] = {}
    # The user's words first: where there is too much to read, they are what must have been read.
    for place in sorted(compacted.taken, key=lambda at: (not is_said_by_user(compacted.before[at]), at)):
        block = compacted.before[place]
        sayings = list(read_sayings(reader, block))
        kinds = [saying.kind for saying in sayings]
        for saying in sayings:
            listed = kinds.count(saying.kind)
            claim = found.setdefault(
                (saying.kind, saying.key), _Claim(saying, place, is_said_by_user(block), listed=listed)
            )
            claim.places.add(place)
            claim.listed = min(claim.listed, listed)
    _add_commitments(found, compacted, reader)
    _add_pins(found, compacted)
    used = _used_after(compacted, reader)
    pinned = {(value.kind, value.key) for text in compacted.pinned for value in find_facts(text)}
    kept = []
    for (kind, key), claim in found.items():
        claim.score, claim.reasons = weigh(
            Circumstances(
                kind,
                claim.commitment,
                claim.by_user,
                said_in(compacted.before[claim.at]),
                len(claim.places),
                (kind, key) in pinned or (kind in ("rule", "text") and _is_pinned(claim.saying.text, compacted.pinned)),
                claim.listed,
                used.get((kind, key)),
            )
        )
        if claim.score >= LEAST and not is_slight(claim.saying, by_user=claim.by_user):
            kept.append(claim)
    return kept, len(found) - len(kept)


def _add_commitments(found: dict[tuple[EntryKind, str], _Claim], compacted: Compacted, reader: Reader) -> None:
    """Tell claims what the finder of commitments says of them, and add the rules."""
    turns_on = {place for claim in found.values() if claim.by_user for place in claim.places}
    blocks: dict[str, Block] = {}
    places: dict[str, list[int]] = {}
    for place in compacted.taken:
        block = compacted.before[place]
        # A long result that shares nothing with what the user said holds no commitment, and takes long to read.
        if block.layer is not Layer.TOOL_RESULTS or place in turns_on:
            blocks.setdefault(block.content, replace(block, text=block.text[:READ_OF_ONE]))
            places.setdefault(block.content, []).append(place)
    for one in find_commitments([CallContext(0, "", None, "", tuple(blocks.values()))], reader.facts):
        at = places[one.content][0]
        if one.kind == "rule":
            key = "".join(one.text.split()).casefold()
            saying = Saying("rule", key, one.text, one.start, one.end, one.fact)
            claim = found.setdefault(("rule", key), _Claim(saying, at, is_said_by_user(compacted.before[at])))
            claim.places.update(places[one.content])
            claim.commitment = one
        elif one.kind != "goal":  # a goal is told in other words each time: that is no loss
            value = next(iter(reader.facts(one.fact.text, (one.fact.kind,))), None)
            known = found.get((one.fact.kind, value.key)) if value is not None else None
            if known is not None:
                known.commitment = one
                known.saying = replace(known.saying, fact=one.fact)  # with what other messages call it


def _add_pins(found: dict[tuple[EntryKind, str], _Claim], compacted: Compacted) -> None:
    """Add the pinned texts of the messages taken that are in no claim yet."""
    for text in compacted.pinned:
        value = next(iter(find_facts(text)), None)
        if value is not None and (value.start, value.end) == (0, len(text)):
            continue  # it is a value, and among them
        rules = [one for (kind, _), one in found.items() if kind == "rule" and _is_pinned(one.saying.text, (text,))]
        for claim in rules:
            if text in claim.saying.text:  # these words must hold, whatever is said around them
                claim.saying = replace(claim.saying, fact=Fact("rule", text))
        if rules:
            continue
        for place in compacted.taken:
            block = compacted.before[place]
            start = block.text.find(text)
            if start < 0:
                continue
            saying = Saying("text", text, text, start, start + len(text), Fact("text", text))
            found.setdefault(("text", text), _Claim(saying, place, is_said_by_user(block))).places.add(place)


def _is_pinned(text: str, pinned: Collection[str]) -> bool:
    """Tell whether a text is one of the pinned ones, or says one of them and little else."""
    own = "".join(text.split())
    return any((short := "".join(pin.split())) and (short in own or own in short) for pin in pinned)


def _used_after(compacted: Compacted, reader: Reader) -> dict[tuple[str, str], int]:
    """The first call after it whose model passed each value to a tool."""
    used: dict[tuple[str, str], int] = {}
    for call, block in compacted.later:
        for found in reader.values(block):
            used.setdefault((found.kind, found.key), call)
    return used


def _is_original(block: Block) -> bool:
    """Tell whether a message is not the model's: what that says is often corrected later, and no distortion then."""
    return block.role not in ("assistant", "model")


def _entry(claim: _Claim, judgement: Judgement, compacted: Compacted, *, opaque: bool) -> LedgerEntry:
    saying = claim.saying
    state = "opaque" if opaque and judgement.state == "dropped" else judgement.state
    return LedgerEntry(
        state,
        saying.kind,
        saying.text,
        Passage(claim.at, saying.start, saying.end, saying.text),
        len(claim.places),
        compacted.before[claim.at].role,
        claim.score,
        claim.reasons,
        judgement.stands,
        compacted.summary in judgement.stands,
        judgement.instead,
        judgement.why,
    )
