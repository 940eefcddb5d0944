"""What shortened the context: recorded compactions, checked against the snapshots, and inferred ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from inspector.analysis.alignment import AlignedBlock
from inspector.analysis.contradictions import contradict
from inspector.analysis.inferring import GONE, Guess, infer_compaction
from inspector.analysis.lifelines import SessionLife
from inspector.analysis.servers import Unseen, find_server_compaction, find_unseen
from inspector.analysis.summaries import Taken, TakenBy
from inspector.model.context import Block, CallContext, CompactedContexts, Identity
from inspector.model.fates import Certainty, Fate, Source
from inspector.model.layers import Layer
from inspector.model.views import CompactionRow, TokenCount


@dataclass(frozen=True)
class CompactionChange:
    """A compaction: what it took, what it left, and who says so."""

    number: int
    """From 1, in the order of the calls after it."""
    id: str | None
    """Id of the record; None: nobody recorded it."""
    call: int | None
    """First call after it; None: none came."""
    before_call: int | None
    """The call that one continues; None: unknown, or what was taken stood in no call before (see ``unseen``)."""
    said_by: Source
    """``server``: the provider's server did it, as its answer tells."""
    certainty: Certainty
    """How sure it is that this was a compaction; a recorded one is certain."""
    evidence: str
    """Why it is taken for one, in words."""
    lane: str
    state: str
    """``pending``, ``running``, ``done`` or ``failed``; an inferred one is done."""
    strategy: str | None
    """``summary``, ``edit`` or ``trim``; None: the agent did not say."""
    policy: str | None
    reason: str | None
    caller: str | None
    duration_ms: float | None
    error: str | None
    tokens_before: TokenCount
    """Of the whole prompt of ``before_call``; where a server took what no call had seen, of the prompt as sent."""
    tokens_after: TokenCount
    """Of the whole prompt of ``call``."""
    layers_before: dict[Layer, int]
    """Those tokens by layer, each message under its main layer."""
    layers_after: dict[Layer, int]
    """Tokens of ``call`` by layer, each message under its main layer."""
    fates: dict[Fate, int]
    """Messages by fate from ``before_call`` to ``call``."""
    summary: int | None
    """Number of the message that is the summary."""
    taken: tuple[int, ...]
    """Numbers of the messages that it took out or, as an edit, shortened."""
    tokens_taken: int | None
    """Tokens of the messages of ``taken`` and of those of ``unseen``, as they were; None: unknown."""
    tokens_left: int | None
    """Tokens of the summary, or of what an edit left; None: nothing was left, or unknown."""
    recorded_before: int | None = None
    """Tokens before, as the agent recorded them."""
    recorded_after: int | None = None
    """Tokens after, as the agent recorded them."""
    contradictions: tuple[str, ...] = ()
    """Where the record and the snapshots disagree, a sentence each."""
    unseen: int = 0
    """Messages sent in ``call`` that a server took before its model read them; they stand in no context."""
    estimated: bool = False
    """Its tokens are estimates."""

    @property
    def messages_taken(self) -> int:
        """Messages it took out or shortened, those included that no call ever saw."""
        return len(self.taken) + self.unseen


def read_taken(
    contexts: Sequence[CallContext], rows: Sequence[CompactionRow], compacted: Sequence[CompactedContexts]
) -> dict[int, Taken]:
    """Say which messages each recorded compaction took, by the call after it.

    A compaction whose contexts are unknown, or name no message of the call before, says nothing: what
    happened is then inferred.
    """
    by_call = {context.call: context for context in contexts}
    by_id = {context.id: context for context in contexts}
    lists = {item.id: item for item in compacted}
    recorded: dict[int, Taken] = {}
    for row, later in _with_later(rows):
        context = by_call.get(row.call or 0)
        named = lists.get(row.id)
        if context is None or row.state != "done" or named is None or named.before is None or named.after is None:
            continue
        previous = by_id.get(context.previous or "")
        if previous is None or previous.lane != context.lane:
            continue
        # A summary that was summarised again before the next call: what it took, the later one took.
        made = _made_by((row, *later), lists)
        taken = _taken_by(row, _contents(named.before) - _contents(named.after), made, previous, context)
        if taken is not None:
            recorded[context.call] = taken | recorded.get(context.call, {})
    return recorded


def _with_later(rows: Sequence[CompactionRow]) -> Iterator[tuple[CompactionRow, list[CompactionRow]]]:
    """Each record, with those after it before the same call."""
    for place, row in enumerate(rows):
        yield row, [other for other in rows[place + 1 :] if other.call == row.call and other.state == "done"]


def _made_by(rows: Iterable[CompactionRow], lists: Mapping[str, CompactedContexts]) -> frozenset[str]:
    """Contents that some compactions put into the context."""
    made: set[str] = set()
    for row in rows:
        named = lists.get(row.id)
        if named is not None and named.before is not None and named.after is not None:
            made |= (_contents(named.after) - _contents(named.before)).keys()
    return frozenset(made)


def _taken_by(
    row: CompactionRow,
    removed: Counter[str],
    made: frozenset[str],
    previous: CallContext,
    context: CallContext,
) -> Taken | None:
    places = _places_of(previous.blocks, removed)
    if not places:
        return None
    if row.strategy in ("trim", "edit"):
        return {}
    new = [place for place, block in enumerate(context.blocks) if block.content in made]
    summary = next((place for place in new if context.blocks[place].is_summary), new[0] if new else None)
    if summary is None:
        return None if row.strategy == "summary" else {}
    evidence = f"the compaction recorded before call {context.call} names it among what it took"
    return {place: TakenBy(summary, "certain", evidence, None) for place in places}


def _contents(blocks: Iterable[Block]) -> Counter[str]:
    return Counter(block.content for block in blocks)


def _places_of(blocks: Sequence[Block], contents: Mapping[str, int]) -> list[int]:
    left = dict(contents)
    places = []
    for place, block in enumerate(blocks):
        if left.get(block.content, 0) > 0:
            left[block.content] -= 1
            places.append(place)
    return places


def find_compactions(
    contexts: Sequence[CallContext],
    life: SessionLife,
    rows: Sequence[CompactionRow],
    compacted: Sequence[CompactedContexts],
) -> tuple[CompactionChange, ...]:
    """Find every compaction of a session: recorded, told by a provider's answer, and inferred.

    Args:
        contexts: The calls in display order.
        life: Their lifelines.
        rows: The recorded compactions. They are believed; where the snapshots say otherwise, it is noted.
        compacted: The contexts that these named.
    """
    by_call = {context.call: context for context in contexts}
    lists = {item.id: item for item in compacted}
    explained = {row.call for row in rows if row.state == "done"}
    found = []
    for row, later in _with_later(rows):
        replaced: set[str] = set()
        for other in later:
            named = lists.get(other.id)
            replaced |= {block.content for block in named.before or ()} if named is not None else set()
        found.append(_of_record(row, lists.get(row.id), by_call, life, replaced))
    told: set[Identity] = set()
    for context in contexts:
        call = context.call
        previous = by_call[life.previous[call]] if call in life.alignments else None
        by_server = _find_by_server(previous, context, life, told)
        if context.server is not None:
            told |= context.server.removed.keys() | context.server.made
        if by_server is not None:
            found.append(by_server)
        if call in explained or previous is None or (by_server is not None and by_server.taken):
            continue
        before = previous
        guess = infer_compaction(before, context, life.alignments[call])
        if guess is not None:
            found.append(_of_guess(guess, before, context, life))
    end = len(contexts) + 1
    found.sort(key=lambda change: end if change.call is None else change.call)
    return tuple(replace(change, number=number) for number, change in enumerate(found, 1))


def _find_by_server(
    before: CallContext | None, context: CallContext, life: SessionLife, told: Collection[Identity]
) -> CompactionChange | None:
    """Say what a server took at a call: of the messages of the call before, and of those that were new in this one.

    Args:
        before: The call that this one continues; None: it is the first of its lane.
        context: The call.
        life: The lifelines of the session.
        told: What servers took and made at earlier calls.
    """
    between = None if before is None else find_server_compaction(before, context, life.alignments[context.call])
    new = find_unseen(before, context, told)
    if between is not None:
        change = replace(_of_guess(between, before, context, life), said_by="server")
        return change if new is None else _with_unseen(change, new)
    return None if new is None else _of_unseen(new, context, life)


def _with_unseen(change: CompactionChange, new: Unseen) -> CompactionChange:
    """Add what was new in the call to what a server took of the call before."""
    more = _sum(new.blocks)
    tokens = None if change.tokens_taken is None or more is None else change.tokens_taken + more
    return replace(change, tokens_taken=tokens, unseen=len(new.blocks))


def _of_unseen(new: Unseen, context: CallContext, life: SessionLife) -> CompactionChange:
    """Describe what a server took within one call: the context before it is the prompt as it was sent."""
    strategy = "edit" if new.summary is None else "summary"
    change = _of_guess(Guess(strategy, new.certainty, new.evidence, (), new.summary), None, context, life)
    sent = context.server.sent if context.server is not None else ()
    return replace(
        change,
        said_by="server",
        tokens_before=_count(sent),
        layers_before=_by_layer(sent),
        tokens_taken=_sum(new.blocks),
        tokens_left=_sum(new.left) if new.left else None,
        unseen=len(new.blocks),
        estimated=any(block.estimated for block in sent),
    )


def _of_record(
    row: CompactionRow,
    named: CompactedContexts | None,
    by_call: Mapping[int, CallContext],
    life: SessionLife,
    replaced: Collection[str],
) -> CompactionChange:
    context = by_call.get(row.call or 0)
    previous = by_call.get(life.previous.get(row.call or 0, 0))
    guess = _read_effect(row, named, previous, context, life)
    contradictions = contradict(row, named, previous, context, life, replaced)
    change = _of_guess(guess, previous, context, life)
    return replace(
        change,
        id=row.id,
        said_by="recorded",
        lane=row.lane,
        state=row.state,
        strategy=row.strategy,
        policy=row.policy,
        reason=row.reason,
        caller=row.caller,
        duration_ms=row.duration_ms,
        error=row.error,
        recorded_before=row.tokens_before,
        recorded_after=row.tokens_after,
        contradictions=contradictions,
    )


def _read_effect(
    row: CompactionRow,
    named: CompactedContexts | None,
    previous: CallContext | None,
    context: CallContext | None,
    life: SessionLife,
) -> Guess:
    """What a recorded compaction did: by its own lists where they are known, else by the fates."""
    evidence = "recorded by the agent"
    nothing = Guess(row.strategy or "", "certain", evidence, (), None)
    if previous is None or context is None or row.state != "done":
        return nothing
    alignment = life.alignments[context.call]
    fates = alignment.of_before()
    places: Iterable[int] = range(len(previous.blocks))
    if named is not None and named.before is not None and named.after is not None:
        removed = _places_of(previous.blocks, _contents(named.before) - _contents(named.after))
        places = removed or places
    shortened = frozenset({*GONE, Fate.EDITED, Fate.TRUNCATED}) if row.strategy == "edit" else GONE
    taken = tuple(place for place in places if fates[place].fate in shortened)
    summaries = [r.after for place in taken if (r := fates[place]).fate is Fate.SUMMARISED]
    return nothing._replace(taken=taken, summary=summaries[0] if summaries else None)


def _of_guess(
    guess: Guess, before: CallContext | None, context: CallContext | None, life: SessionLife
) -> CompactionChange:
    blocks, later = before.blocks if before else (), context.blocks if context else ()
    numbers = life.numbers[before.call] if before else ()
    alignment = life.alignments.get(context.call) if context else None
    # What stands for a message that was taken has a row of its own: in a run, all are kept.
    left = _left(guess, {row.before: row for row in alignment.rows} if alignment else {}, later)
    return CompactionChange(
        number=0,
        id=None,
        call=context.call if context else None,
        before_call=before.call if before else None,
        said_by="inferred",
        certainty=guess.certainty,
        evidence=guess.evidence,
        lane=context.lane if context else "",
        state="done",
        strategy=guess.strategy or None,
        policy=None,
        reason=None,
        caller=None,
        duration_ms=None,
        error=None,
        tokens_before=_count(blocks),
        tokens_after=_count(later),
        layers_before=_by_layer(blocks),
        layers_after=_by_layer(later),
        fates=dict(alignment.counts) if alignment else {},
        summary=life.numbers[context.call][guess.summary] if context and guess.summary is not None else None,
        taken=tuple(numbers[place] for place in guess.taken),
        tokens_taken=_sum(blocks[place] for place in guess.taken) if guess.taken else None,
        tokens_left=_sum(left) if left else None,
        estimated=any(block.estimated for block in (*(blocks[place] for place in guess.taken), *left)),
    )


def _left(guess: Guess, fates: Mapping[int | None, AlignedBlock], later: Sequence[Block]) -> list[Block]:
    """What stands for the messages taken: the summary, or the messages that an edit shortened."""
    places = {fates[place].after for place in guess.taken if place in fates}
    if guess.summary is not None:
        places.add(guess.summary)
    return [later[place] for place in sorted(place for place in places if place is not None)]


def _count(blocks: Sequence[Block]) -> TokenCount:
    total = _sum(blocks) if blocks else None
    return TokenCount(total, "unknown" if total is None else "counted")


def _sum(blocks: Iterable[Block]) -> int | None:
    tokens = [block.tokens for block in blocks]
    return None if None in tokens else sum(count or 0 for count in tokens)


def _by_layer(blocks: Iterable[Block]) -> dict[Layer, int]:
    layers: Counter[Layer] = Counter()
    for block in blocks:
        layers[block.layer] += block.tokens or 0
    return {layer: layers[layer] for layer in Layer if layer in layers}
