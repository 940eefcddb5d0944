"""Follows a fact through a session: where it stood, what carried it, when it went and what took its place."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, NamedTuple

import numpy as np

from inspector.analysis.compactions import CompactionChange
from inspector.analysis.fact_losses import find_losses
from inspector.analysis.fact_siblings import without_siblings
from inspector.analysis.fact_trace import HELD, AnswerUse, CallTrace, Carrier, FactTrace, Loss, TraceState
from inspector.analysis.lifelines import SessionLife
from inspector.analysis.numbering import NumberedContexts, number_contexts
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
    numbered = life.numbered
    if numbered is None or not numbered.is_of(contexts):
        numbered = number_contexts(contexts)
    session = _Session(numbered, life, answers or {}, changes, opaque, _written(changes))
    return tuple([_trace(matcher, session) for matcher in matchers])


@dataclass(frozen=True)
class _Session:
    numbered: NumberedContexts
    life: SessionLife
    answers: Mapping[int, str]
    changes: Sequence[CompactionChange]
    opaque: Collection[int]
    written: Mapping[int, int]
    """Number of a message → first call in which it is a summary because a compaction names it."""


def _trace(matcher: Matcher, session: _Session) -> FactTrace:
    contexts = session.numbered.contexts
    look = _Look(matcher)
    sights = _Sights(look, session)
    traces: dict[int, CallTrace] = {}
    held_in: set[str] = set()  # lanes
    for at, context in enumerate(contexts):
        if context.lane not in held_in:
            sights.note_older(at)
        trace = _judge_call(context, sights.at(at), session, at, held_in=held_in)
        if trace.state in HELD:
            held_in.add(context.lane)
        traces[context.call] = _with_answer(trace, look, session.answers.get(context.call, ""), known=bool(held_in))
    losses = find_losses(contexts, traces, session.life, session.changes)
    lost = {lane: [loss for loss in losses if traces[loss.call].lane == lane] for lane in held_in}
    calls = tuple([_recoverable(traces[context.call], lost.get(context.lane, ())) for context in contexts])
    first = next((trace.call for trace in calls if trace.state in HELD), None)
    answered = next((trace.call for trace in calls if trace.answer == "used"), None)
    return FactTrace(
        fact=matcher.fact,
        calls=calls,
        carriers=sights.carriers(),
        losses=losses,
        first_call=first,
        brought_by=_brought_by(first, answered),
    )


class _Look:
    """A fact looked for in each distinct text once: prompts repeat nearly all of what they hold, and the answers."""

    def __init__(self, matcher: Matcher) -> None:
        self.matcher = matcher
        self._known: dict[str, Match] = {}

    def at(self, text: str) -> Match:
        match = self._known.get(text)
        if match is None:
            match = self._known[text] = self.matcher.match(text)
        return match


def _brought_by(first: int | None, answered: int | None) -> Literal["prompt", "answer"] | None:
    if first is None:
        return None if answered is None else "answer"
    return "answer" if answered is not None and answered < first else "prompt"


def _written(changes: Sequence[CompactionChange]) -> dict[int, int]:
    """The messages that a compaction names as its summary, each with its call: not every agent puts a sign into them.

    From its call on: a message that was rewritten into a summary was none before.
    """
    written: dict[int, int] = {}
    for change in changes:
        if change.summary is not None and change.call is not None:
            written[change.summary] = min(change.call, written.get(change.summary, change.call))
    return written


class _Sight(NamedTuple):
    """A message, at some of its calls, that says a fact or something else in its place."""

    state: TraceState | None
    """None: something that merely looks like the fact."""
    block: Block
    is_summary: bool
    match: Match
    carrier: _Carrier | None


class _Sights:
    """Where a fact stands, call by call."""

    def __init__(self, look: _Look, session: _Session) -> None:
        self._session = session
        blocks = session.numbered.blocks
        self._matches = without_siblings(look.matcher.fact, blocks, [look.at(block.text) for block in blocks])
        self._found = np.fromiter((match.state != "absent" for match in self._matches), np.bool_, len(blocks))
        self._carriers: dict[int, _Carrier] = {}
        self._known: dict[tuple[int, int, bool], _Sight] = {}
        self._older: set[tuple[str, int, str]] = set()
        """Lane, number of a message, and what it said against a rule before the lane was told the rule."""
        self._is_rule = look.matcher.fact.kind == "rule"

    def note_older(self, at: int) -> None:
        """Note what a prompt says against a rule that its lane was not told before: that has not taken its place.

        Args:
            at: Place of a call, up to the first that has the rule.
        """
        context, row = self._session.numbered.contexts[at], self._session.numbered.rows[at]
        if not self._is_rule:
            return
        numbers, told = self._session.life.numbers[context.call], False
        for place in np.flatnonzero(self._found[row]).tolist():
            match = self._matches[row[place]]
            told = told or bool(match.sightings)
            if not match.sightings and not told:
                self._older.update((context.lane, numbers[place], rival.text) for rival in match.rivals)

    def at(self, at: int) -> list[tuple[int, int, _Sight]]:
        """Place, number of the message and what it says, in the order of a prompt; notes the carriers."""
        context, row = self._session.numbered.contexts[at], self._session.numbered.rows[at]
        numbers, written, known = self._session.life.numbers[context.call], self._session.written, self._known
        call = context.call
        places = np.flatnonzero(self._found[row])
        sights = []
        for place, block in zip(places.tolist(), row[places].tolist(), strict=True):
            number = numbers[place]
            if self._older and self._is_older(context.lane, number, self._matches[block]):
                continue
            key = (number, block, number in written and written[number] <= call)
            sight = known.get(key)
            if sight is None:
                sight = known[key] = self._sight(context, *key)
            if sight.carrier is not None and sight.state is not None:
                sight.carrier.note(call, sight.state, sight.block, sight.match)
            sights.append((place, number, sight))
        return sights

    def _is_older(self, lane: str, number: int, match: Match) -> bool:
        return not match.sightings and all((lane, number, rival.text) in self._older for rival in match.rivals)

    def _sight(self, context: CallContext, number: int, at: int, is_written: bool) -> _Sight:
        block, match = self._session.numbered.blocks[at], self._matches[at]
        is_summary = block.is_summary or is_written
        state = _state_of(block, match, is_summary)
        carrier = None
        if state is not None:
            carrier = self._carriers.get(number)
            if carrier is None:
                carrier = self._carriers[number] = _Carrier(number, context.lane, block)
        return _Sight(state, block, is_summary, match, carrier)

    def carriers(self) -> tuple[Carrier, ...]:
        """Return the carriers, in order of their numbers."""
        return tuple([self._carriers[number].close() for number in sorted(self._carriers)])


class _Carrier:
    """A carrier that is being followed."""

    def __init__(self, number: int, lane: str, block: Block) -> None:
        self._number, self._lane, self._block = number, lane, block
        self._said: Block | None = None
        self._states: dict[int, TraceState] = {}
        self._excerpts: dict[int, str] = {}

    def note(self, call: int, state: TraceState, block: Block, match: Match) -> None:
        self._states[call] = state
        if block is self._said:
            return
        self._said = self._block = block
        excerpt = _excerpt(block.text, match)
        if excerpt not in self._excerpts.values():
            self._excerpts[call] = excerpt

    def close(self) -> Carrier:
        last = self._block
        return Carrier(self._number, self._lane, last.layer, last.role, self._states, self._excerpts)


def _state_of(block: Block, match: Match, is_summary: bool) -> TraceState | None:
    """What one message says; None: something that merely looks like the fact."""
    if match.state in ("kept", "restated"):
        return "summarised" if is_summary else "kept" if match.state == "kept" else "restated"
    if match.state == "conflicting":
        return "conflicting"
    return "distorted" if _settles(block, match, is_summary) else None


def _settles(block: Block, match: Match, is_summary: bool) -> bool:
    """Tells whether what a message says instead has taken the fact's place."""
    if block.layer in SETTLED or is_summary:
        return True
    return _is_users_word(block) and any(rival.anchored for rival in match.rivals)


def _is_users_word(block: Block) -> bool:
    """Tells whether a message is what a user said: Anthropic and Gemini send tool results in the user's name."""
    return block.role == "user" and block.layer not in (Layer.TOOL_RESULTS, Layer.RETRIEVED)


def _excerpt(text: str, match: Match) -> str:
    sighting = (match.sightings or match.rivals)[0]
    begin = max(0, sighting.start - _BEFORE)
    piece = " ".join(text[begin : begin + EXCERPT].split())
    return f"{'…' if begin else ''}{piece}{'…' if begin + EXCERPT < len(text) else ''}"


def _judge_call(
    context: CallContext,
    sights: Sequence[tuple[int, int, _Sight]],
    session: _Session,
    at: int,
    *,
    held_in: Collection[str],
) -> CallTrace:
    holding = [one for one in sights if one[2].state in HELD]
    rivals = [one for one in sights if one[2].state in _RIVALS]
    state = _call_state(context, holding, rivals, held_in=held_in)
    if state in ("evicted", "not yet") and context.call in session.opaque:
        state = "opaque"
    return CallTrace(
        call=context.call,
        lane=context.lane,
        state=state,
        copies=len(holding),
        depth=session.numbered.sum_tokens(at, holding[-1][0]) if holding else None,
        carriers=tuple([number for _, number, _ in holding]),
        rivals=tuple([number for _, number, _ in rivals]),
        answer=None,
    )


_RIVALS: Final[frozenset[TraceState]] = frozenset(("distorted", "conflicting"))


def _call_state(
    context: CallContext,
    holding: Sequence[tuple[int, int, _Sight]],
    rivals: Sequence[tuple[int, int, _Sight]],
    *,
    held_in: Collection[str],
) -> TraceState:
    if not holding:
        if not held_in or not rivals:  # what a lane never had has not gone from it
            return "evicted" if context.lane in held_in else "not yet"
        return "superseded" if _said_by_user(rivals) else "distorted"
    if rivals:
        last = holding[-1][0]
        return "superseded" if _said_by_user([one for one in rivals if one[0] > last]) else "conflicting"
    found = {sight.state for _, _, sight in holding}
    return "kept" if "kept" in found else "restated" if "restated" in found else "summarised"


def _said_by_user(rivals: Sequence[tuple[int, int, _Sight]]) -> bool:
    """A later word of the user sets a new value: that is no loss."""
    return any(_is_users_word(sight.block) and not sight.is_summary for _, _, sight in rivals)


def _with_answer(trace: CallTrace, look: _Look, answer: str, *, known: bool) -> CallTrace:
    use, says = _use_of(look, answer, known=known) if answer else (None, "")
    if use is None and not says:
        return trace  # it says so already
    return replace(trace, answer=use, answer_says=says)


def _use_of(look: _Look, answer: str, *, known: bool) -> tuple[AnswerUse | None, str]:
    fact = look.matcher.fact
    if fact.kind == "rule":
        breach = _breach_of(fact.text, answer) if known else None
        return ("broken", breach) if breach else (None, "")
    match = look.at(answer)
    if match.sightings:
        return "used", _excerpt(answer, match)
    if known and any(rival.anchored for rival in match.rivals):
        return "altered", _excerpt(answer, match)
    if known and fact.anchors:
        asked = _question_about([anchor.lower() for anchor in fact.anchors], answer)
        if asked is not None:
            return "asked for", asked
    return None, ""


def _breach_of(rule: str, answer: str) -> str | None:
    from inspector.analysis.obedience import find_breach  # its patterns take 10 ms to compile, for rules alone

    return find_breach(rule, answer)


def _question_about(anchors: Sequence[str], answer: str) -> str | None:
    """The first sentence of an answer that asks for something and has one of the words in it."""
    lower = answer.lower()
    if not any(anchor in lower for anchor in anchors):
        return None  # nearly always, and known at once
    from inspector.analysis.answers import find_questions  # its patterns are for answers that may ask, which are few

    questions = find_questions(answer)
    return next((one for one in questions if any(anchor in one.lower() for anchor in anchors)), None)


def _recoverable(trace: CallTrace, losses: Sequence[Loss]) -> CallTrace:
    """A call after a loss that left a pointer: the fact could be fetched again."""
    if trace.state != "evicted":
        return trace
    last = next((loss for loss in reversed(losses) if loss.call <= trace.call), None)
    if last is None or last.remains != "pointer":
        return trace
    return replace(trace, state="recoverable")
