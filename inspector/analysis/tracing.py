"""Follows a fact through a session: where it stood, what carried it, when it went and what took its place."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from inspector.analysis.answers import find_questions
from inspector.analysis.compactions import CompactionChange
from inspector.analysis.fact_losses import find_losses
from inspector.analysis.fact_trace import HELD, AnswerUse, CallTrace, Carrier, FactTrace, Loss, TraceState
from inspector.analysis.lifelines import SessionLife
from inspector.analysis.obedience import find_breach
from inspector.model.context import Block, CallContext
from inspector.model.layers import Layer
from snapshot_sdk.facts import Match, Matcher

SETTLED: Final = frozenset((Layer.SYSTEM, Layer.STATE, Layer.SUMMARY, Layer.MEMORY))
"""Layers whose word on a value counts: another value there has taken the fact's place. In a tool result another id is
just another order."""


EXCERPT: Final = 120
"""Characters kept around a sighting: one line of the widest table."""
_BEFORE: Final = 40
"""Of them, how many before it."""


def trace_fact(
    matcher: Matcher,
    contexts: Sequence[CallContext],
    life: SessionLife,
    *,
    answers: Mapping[int, str] | None = None,
    changes: Sequence[CompactionChange] = (),
    opaque: Collection[int] = (),
) -> FactTrace:
    """Follow a fact through the calls of a session.

    Args:
        matcher: The fact.
        contexts: The calls in display order, as the model saw them.
        life: Their lifelines.
        answers: Call number → text of its answer.
        changes: The session's compactions.
        opaque: Calls whose prompt has parts that cannot be read.
    """
    [trace] = trace_facts([matcher], contexts, life, answers=answers, changes=changes, opaque=opaque)
    return trace


def trace_facts(
    matchers: Sequence[Matcher],
    contexts: Sequence[CallContext],
    life: SessionLife,
    *,
    answers: Mapping[int, str] | None = None,
    changes: Sequence[CompactionChange] = (),
    opaque: Collection[int] = (),
) -> tuple[FactTrace, ...]:
    """Follow several facts through the calls of a session; the prompts are gone through once for all of them.

    Args:
        matchers: The facts.
        contexts: The calls in display order, as the model saw them.
        life: Their lifelines.
        answers: Call number → text of its answer.
        changes: The session's compactions.
        opaque: Calls whose prompt has parts that cannot be read.
    """
    contexts = _mark_summaries(contexts, life, changes)
    # Each distinct content is looked into once: prompts repeat nearly all of what they hold.
    texts = {block.content: block.text for context in contexts for block in context.blocks}
    found = [_match_contents(matcher, texts) for matcher in matchers]
    where = _find_contents(contexts, set().union(*found))
    session = _Session(contexts, life, answers or {}, changes, opaque)
    return tuple(
        _trace(matcher, matches, _hits(matches, where), session)
        for matcher, matches in zip(matchers, found, strict=True)
    )


@dataclass(frozen=True)
class _Session:
    contexts: Sequence[CallContext]
    life: SessionLife
    answers: Mapping[int, str]
    changes: Sequence[CompactionChange]
    opaque: Collection[int]


def _trace(
    matcher: Matcher, found: Mapping[str, Match], hits: Mapping[int, Sequence[int]], session: _Session
) -> FactTrace:
    contexts, numbers = session.contexts, session.life.numbers
    carriers: dict[int, _Carrier] = {}
    traces: dict[int, CallTrace] = {}
    held_in: set[str] = set()  # lanes
    for at, context in enumerate(contexts):
        places = hits.get(at, ())
        _note_carriers(carriers, context, numbers[context.call], places, found)
        trace = _judge_call(context, numbers[context.call], places, found, held_in=held_in, opaque=session.opaque)
        if trace.state in HELD:
            held_in.add(context.lane)
        traces[context.call] = _with_answer(trace, matcher, session.answers.get(context.call, ""), known=bool(held_in))
    losses = find_losses(contexts, traces, session.life, session.changes)
    lost = {lane: [loss for loss in losses if traces[loss.call].lane == lane] for lane in held_in}
    calls = tuple(_recoverable(traces[context.call], lost.get(context.lane, ())) for context in contexts)
    first = next((trace.call for trace in calls if trace.state in HELD), None)
    answered = next((trace.call for trace in calls if trace.answer == "used"), None)
    return FactTrace(
        fact=matcher.fact,
        calls=calls,
        carriers=tuple(carriers[number].close() for number in sorted(carriers)),
        losses=losses,
        first_call=first,
        brought_by=_brought_by(first, answered),
    )


def _brought_by(first: int | None, answered: int | None) -> Literal["prompt", "answer"] | None:
    if first is None:
        return None if answered is None else "answer"
    return "answer" if answered is not None and answered < first else "prompt"


def _mark_summaries(
    contexts: Sequence[CallContext], life: SessionLife, changes: Sequence[CompactionChange]
) -> Sequence[CallContext]:
    """Mark the messages that a compaction names as its summary: not every agent puts a sign into them.

    From its call on: a message that was rewritten into a summary was none before.
    """
    written: dict[int, int] = {}
    for change in changes:
        if change.summary is not None and change.call is not None:
            written[change.summary] = min(change.call, written.get(change.summary, change.call))
    return [_marked(context, life.numbers[context.call], written) for context in contexts] if written else contexts


def _marked(context: CallContext, numbers: Sequence[int], written: Mapping[int, int]) -> CallContext:
    summaries = [written.get(number, context.call + 1) <= context.call for number in numbers]
    if not any(summaries):
        return context
    blocks = zip(context.blocks, summaries, strict=True)
    marked = (replace(block, is_summary=True) if is_summary else block for block, is_summary in blocks)
    return replace(context, blocks=tuple(marked))


def _match_contents(matcher: Matcher, texts: Mapping[str, str]) -> dict[str, Match]:
    matches = ((content, matcher.match(text)) for content, text in texts.items())
    return {content: match for content, match in matches if match.state != "absent"}


def _find_contents(contexts: Sequence[CallContext], wanted: Collection[str]) -> dict[str, list[tuple[int, int]]]:
    """Where contents stand: place of the call, place in its prompt."""
    where: dict[str, list[tuple[int, int]]] = {content: [] for content in wanted}
    for at, context in enumerate(contexts):
        for place, block in enumerate(context.blocks):
            if block.content in where:
                where[block.content].append((at, place))
    return where


def _hits(found: Collection[str], where: Mapping[str, Sequence[tuple[int, int]]]) -> dict[int, list[int]]:
    """Where a fact stands: place of the call → places in its prompt, in order."""
    hits: dict[int, list[int]] = {}
    for at, place in sorted(spot for content in found for spot in where[content]):
        hits.setdefault(at, []).append(place)
    return hits


@dataclass
class _Carrier:
    number: int
    lane: str
    layer: Layer
    role: str | None
    states: dict[int, TraceState]
    excerpts: dict[int, str]

    def close(self) -> Carrier:
        return Carrier(self.number, self.lane, self.layer, self.role, self.states, self.excerpts)


def _note_carriers(
    carriers: dict[int, _Carrier],
    context: CallContext,
    numbers: Sequence[int],
    hits: Sequence[int],
    found: Mapping[str, Match],
) -> None:
    for place in hits:
        block, number = context.blocks[place], numbers[place]
        match = found[block.content]
        state = _state_of(block, match)
        if state is None:
            continue
        carrier = carriers.get(number)
        if carrier is None:
            carrier = carriers[number] = _Carrier(number, context.lane, block.layer, block.role, {}, {})
        carrier.layer, carrier.role = block.layer, block.role
        carrier.states[context.call] = state
        excerpt = _excerpt(block.text, match)
        if excerpt not in carrier.excerpts.values():
            carrier.excerpts[context.call] = excerpt


def _state_of(block: Block, match: Match) -> TraceState | None:
    """What one message says; None: something that merely looks like the fact."""
    if match.state in ("kept", "restated"):
        return "summarised" if block.is_summary else "kept" if match.state == "kept" else "restated"
    if match.state == "conflicting":
        return "conflicting"
    return "distorted" if _settles(block, match) else None


def _settles(block: Block, match: Match) -> bool:
    """Tells whether what a message says instead has taken the fact's place."""
    if block.layer in SETTLED or block.is_summary:
        return True
    return block.role == "user" and any(rival.anchored for rival in match.rivals)


def _excerpt(text: str, match: Match) -> str:
    sighting = (match.sightings or match.rivals)[0]
    begin = max(0, sighting.start - _BEFORE)
    piece = " ".join(text[begin : begin + EXCERPT].split())
    return f"{'…' if begin else ''}{piece}{'…' if begin + EXCERPT < len(text) else ''}"


def _judge_call(
    context: CallContext,
    numbers: Sequence[int],
    hits: Sequence[int],
    found: Mapping[str, Match],
    *,
    held_in: Collection[str],
    opaque: Collection[int],
) -> CallTrace:
    states = [(place, _state_of(context.blocks[place], found[context.blocks[place].content])) for place in hits]
    holding = [place for place, state in states if state in HELD]
    rivals = [place for place, state in states if state in ("distorted", "conflicting")]
    state = _call_state(context, dict(states), holding, rivals, held_in=held_in)
    if state in ("evicted", "not yet") and context.call in opaque:
        state = "opaque"
    return CallTrace(
        call=context.call,
        lane=context.lane,
        state=state,
        copies=len(holding),
        depth=_depth(context, holding[-1]) if holding else None,
        carriers=tuple(numbers[place] for place in holding),
        rivals=tuple(numbers[place] for place in rivals),
        answer=None,
    )


def _call_state(
    context: CallContext,
    states: Mapping[int, TraceState | None],
    holding: Sequence[int],
    rivals: Sequence[int],
    *,
    held_in: Collection[str],
) -> TraceState:
    if not holding:
        if not held_in or not rivals:  # what a lane never had has not gone from it
            return "evicted" if context.lane in held_in else "not yet"
        return "superseded" if _said_by_user(context, rivals) else "distorted"
    if rivals:
        later = [place for place in rivals if place > holding[-1]]
        return "superseded" if _said_by_user(context, later) else "conflicting"
    found = {states[place] for place in holding}
    return "kept" if "kept" in found else "restated" if "restated" in found else "summarised"


def _said_by_user(context: CallContext, places: Sequence[int]) -> bool:
    """A later word of the user sets a new value: that is no loss."""
    return any(context.blocks[place].role == "user" and not context.blocks[place].is_summary for place in places)


def _depth(context: CallContext, place: int) -> int | None:
    after = [block.tokens for block in context.blocks[place:]]
    return None if any(tokens is None for tokens in after) else sum(tokens or 0 for tokens in after)


def _with_answer(trace: CallTrace, matcher: Matcher, answer: str, *, known: bool) -> CallTrace:
    use, says = _use_of(matcher, answer, known=known) if answer else (None, "")
    if use is None and not says:
        return trace  # it says so already
    return replace(trace, answer=use, answer_says=says)


def _use_of(matcher: Matcher, answer: str, *, known: bool) -> tuple[AnswerUse | None, str]:
    fact = matcher.fact
    if fact.kind == "rule":
        breach = find_breach(fact.text, answer) if known else None
        return ("broken", breach) if breach else (None, "")
    match = matcher.match(answer)
    if match.sightings:
        return "used", _excerpt(answer, match)
    if match.rivals and any(rival.anchored for rival in match.rivals):
        return "altered", _excerpt(answer, match)
    if known and fact.anchors:
        asked = next((q for q in find_questions(answer) if any(a.lower() in q.lower() for a in fact.anchors)), None)
        if asked is not None:
            return "asked for", asked
    return None, ""


def _recoverable(trace: CallTrace, losses: Sequence[Loss]) -> CallTrace:
    """A call after a loss that left a pointer: the fact could be fetched again."""
    if trace.state != "evicted":
        return trace
    last = next((loss for loss in reversed(losses) if loss.call <= trace.call), None)
    if last is None or last.remains != "pointer":
        return trace
    return replace(trace, state="recoverable")
