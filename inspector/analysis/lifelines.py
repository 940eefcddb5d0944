"""The life of every message of a session: born, kept, moved, edited, summarised, evicted, returned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from inspector.analysis.alignment import AlignedBlock, Alignment, align
from inspector.analysis.alignment_by_runs import align_numbered
from inspector.analysis.numbering import NumberedContexts, Numbers, number_contexts, shared_head
from inspector.analysis.servers import reason_of
from inspector.analysis.stays import Stays
from inspector.analysis.summaries import Taken
from inspector.model.context import Block, CallContext, Identity
from inspector.model.fates import Certainty, Fate, Source
from inspector.model.layers import Layer


@dataclass(frozen=True)
class LifeEvent:
    """Something that happened to a message at a call."""

    call: int
    fate: Fate
    """Never ``kept``: what stayed the same is no event."""
    certainty: Certainty
    said_by: Source
    evidence: str
    other: int | None = None
    """Number of the summary that took it."""


@dataclass(frozen=True)
class Lifeline:
    """One message over the calls of its lane."""

    number: int
    """``m67``: its number in the session, by first appearance; kept when it is edited, moved or returns."""
    lane: str
    layer: Layer
    """Layer at its last appearance."""
    text: str
    """Text at its last appearance."""
    tokens: int | None
    runs: tuple[tuple[int, int], ...]
    """First and last call of each stretch of the lane in which it stood."""
    events: tuple[LifeEvent, ...]
    """In order of calls; the first is ``added``."""

    @property
    def gone_since(self) -> int | None:
        """The call at which it was last taken out; None: it stands in the lane's last call."""
        last = self.events[-1]
        return last.call if last.fate in (Fate.EVICTED, Fate.SUMMARISED) else None


@dataclass(frozen=True)
class SessionLife:
    """All lifelines of a session."""

    lifelines: tuple[Lifeline, ...]
    """By number."""
    numbers: dict[int, tuple[int, ...]]
    """Call number → the message number at each place of its prompt."""
    alignments: dict[int, Alignment]
    """Call number → how its context aligns with its ``previous``; absent where there is none."""
    previous: dict[int, int]
    """Call number → number of the call it continues."""
    numbered: NumberedContexts | None = field(default=None, compare=False, repr=False)
    """The contexts it was made of; None: it was put together by hand."""


@dataclass(slots=True)
class _Track:
    """A lifeline being built."""

    lane: str
    events: list[LifeEvent] = field(default_factory=list)


def trace_lifelines(contexts: Sequence[CallContext], taken: Mapping[int, Taken] | None = None) -> SessionLife:
    """Follow every message through the calls of a session.

    Args:
        contexts: The calls in display order. Each is compared with the call it continues, never
            with the one that happened to come before: a side call evicts nothing.
        taken: Call number → what a recorded compaction before it says a summary took.
    """
    recorded = taken or {}
    numbered = number_contexts(contexts)
    tracks: list[_Track] = []
    stays = Stays()
    places: dict[str, Numbers] = {}
    by_id = {context.id: at for at, context in enumerate(contexts)}
    ended: dict[str, dict[Identity, list[int]]] = {}
    alignments: dict[int, Alignment] = {}
    previous: dict[int, int] = {}
    numbers: dict[int, tuple[int, ...]] = {}
    for at, context in enumerate(contexts):
        earlier = by_id.get(context.previous or "")
        before = None if earlier is None else contexts[earlier]
        gone = ended.setdefault(context.lane, {})
        if earlier is None or before is None or before.id not in places or before.lane != context.lane:
            # A lane that forks off another one is a line of thought of its own.
            own = np.fromiter((_born(tracks, context) for _ in context.blocks), np.int32, len(context.blocks))
            numbers[context.call] = _number(own)
        else:
            previous[context.call] = before.call
            named = recorded.get(context.call)
            if named is None:
                alignment = align_numbered(numbered, earlier, at, seen=gone)
            else:
                alignment = align(before.blocks, context.blocks, seen=gone, taken=named)
            alignments[context.call] = alignment
            is_recorded = context.call in recorded and context.server is None
            own = _carry(tracks, places[before.id], before, context, alignment, gone, is_recorded)
            same = shared_head(places[before.id], own)
            numbers[context.call] = numbers[before.call][:same] + _number(own[same:])
        places[context.id] = own
        stays.note(context.lane, context.call, own, numbered.rows[at])
    lines = tuple(
        _close(number, track, numbered.blocks[last], runs)
        for number, (track, last, runs) in enumerate(zip(tracks, stays.last_blocks(), stays.runs(), strict=True), 1)
    )
    return SessionLife(lines, numbers, alignments, previous, numbered)


def _number(tracks: Numbers) -> tuple[int, ...]:
    """The numbers of tracks, which count from 1."""
    return tuple((tracks + 1).tolist())


def _born(tracks: list[_Track], context: CallContext, row: AlignedBlock | None = None) -> int:
    track = _Track(context.lane)
    evidence = row.evidence if row is not None else "first call of this line of thought"
    track.events.append(LifeEvent(context.call, Fate.ADDED, "certain", "inferred", evidence))
    tracks.append(track)
    return len(tracks) - 1


def _carry(
    tracks: list[_Track],
    old: Numbers,
    before: CallContext,
    context: CallContext,
    alignment: Alignment,
    gone: dict[Identity, list[int]],
    is_recorded: bool,
) -> Numbers:
    """Give each message of a call its track, and note what happened to those of the call before."""
    own = np.full(len(context.blocks), -1, np.int32)
    for run in alignment.runs:
        own[run.after : run.after + run.length] = old[run.before : run.before + run.length]
    for row in alignment.rows:
        if row.after is None or row.fate is Fate.SUMMARISED:
            continue
        if row.before is not None:
            track = int(old[row.before])
            if row.fate in (Fate.EDITED, Fate.TRUNCATED):
                tracks[track].events.append(_loss(context, before.blocks[row.before], row, "inferred"))
            elif row.fate is not Fate.KEPT:
                tracks[track].events.append(_event(context.call, row))
        elif row.fate is Fate.RETURNED and context.blocks[row.after].identity in gone:
            track = _take_back(gone, context.blocks[row.after].identity)
            tracks[track].events.append(_event(context.call, row))
        else:
            track = _born(tracks, context, row)
        own[row.after] = track
    said_by: Source = "recorded" if is_recorded else "inferred"
    for row in alignment.rows:
        if row.before is None or row.fate not in (Fate.EVICTED, Fate.SUMMARISED):
            continue
        track = int(old[row.before])
        gone.setdefault(before.blocks[row.before].identity, []).append(track)
        other = int(own[row.after]) + 1 if row.after is not None else None
        tracks[track].events.append(_loss(context, before.blocks[row.before], row, said_by, other))
    return own


def _loss(
    context: CallContext, block: Block, row: AlignedBlock, said_by: Source, other: int | None = None
) -> LifeEvent:
    """What took a message, or a part of it: the provider's server, where it says so."""
    found = reason_of(context, block)
    if found is not None:
        reason, certainty = found
        return LifeEvent(context.call, row.fate, certainty, "server", reason, other)
    summary = context.blocks[row.after] if row.fate is Fate.SUMMARISED and row.after is not None else None
    made = context.server is not None and summary is not None and summary.identity in context.server.made
    return _event(context.call, row, "server" if made else said_by, other)


def _event(call: int, row: AlignedBlock, said_by: Source = "inferred", other: int | None = None) -> LifeEvent:
    return LifeEvent(call, row.fate, row.certainty, said_by, row.evidence, other)


def _take_back(gone: dict[Identity, list[int]], identity: Identity) -> int:
    """Take the first of the tracks that ended with a message; one that has none left is no longer gone."""
    tracks = gone[identity]
    track = tracks.pop(0)
    if not tracks:
        del gone[identity]
    return track


def _close(number: int, track: _Track, last: Block, runs: tuple[tuple[int, int], ...]) -> Lifeline:
    return Lifeline(number, track.lane, last.layer, last.text, last.tokens, runs, tuple(track.events))
