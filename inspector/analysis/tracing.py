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
    found = _match_contents(matcher, contexts)
    replies = answers or {}
    carriers: dict[int, _Carrier] = {}
    traces: dict[int, CallTrace] = {}
    held_in: set[str] = set()  # lanes
    for context in contexts:
        hits = [place for place, block in enumerate(context.blocks) if block.content in found]
        _note_carriers(carriers, context, life.numbers[context.call], hits, found)
        trace = _judge_call(context, life.numbers[context.call], hits, found, seen=bool(held_in), opaque=opaque)
        if trace.state in HELD:
            held_in.add(context.lane)
        traces[context.call] = _with_answer(trace, matcher, replies.get(context.call, ""), known=bool(held_in))
    losses = find_losses(contexts, traces, life, changes)
    calls = tuple(_recoverable(traces[context.call], losses) for context in contexts)
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


def _match_contents(matcher: Matcher, contexts: Sequence[CallContext]) -> dict[str, Match]:
    """Looks into each distinct content once: prompts repeat nearly all of what they hold."""
    texts = {block.content: block.text for context in contexts for block in context.blocks}
    matches = ((content, matcher.match(text)) for content, text in texts.items())
    return {content: match for content, match in matches if match.state != "absent"}


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
    seen: bool,
    opaque: Collection[int],
) -> CallTrace:
    states = [(place, _state_of(context.blocks[place], found[context.blocks[place].content])) for place in hits]
    holding = [place for place, state in states if state in HELD]
    rivals = [place for place, state in states if state in ("distorted", "conflicting")]
    state = _call_state(context, dict(states), holding, rivals, seen=seen)
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
    seen: bool,
) -> TraceState:
    if not holding:
        if not seen:
            return "not yet"
        if not rivals:
            return "evicted"
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
