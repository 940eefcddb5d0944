"""Where a value that took a fact's place comes from: did a user or a tool say it, or nobody?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final, Literal

from inspector.analysis.changes import SessionChanges
from inspector.analysis.fact_asking import SessionFact
from inspector.analysis.fact_trace import CallTrace, TraceState
from inspector.model.context import Block, CallContext
from inspector.model.layers import Layer
from snapshot_sdk.facts import VALUE_KINDS, Fact, Match, Matcher


def words_in_place(found: SessionFact, changes: SessionChanges, call: int, number: int) -> str:
    """Return what a message says in the place of a fact; empty: nothing that can be shown.

    Args:
        found: The fact, followed.
        changes: The changes of its session.
        call: A call whose prompt has the message.
        number: Number of the message.
    """
    context = next(context for context in changes.contexts if context.call == call)
    match = found.matcher.match(context.blocks[changes.life.numbers[call].index(number)].text)
    return match.rivals[0].text.strip() if match.rivals else ""


Stands = Literal["in its place", "beside it", "before it"]
"""Where a rival stands: the fact has gone, the fact is there too, the fact was not said yet."""

_STANDS: Final[dict[TraceState, Stands]] = {
    "distorted": "in its place",
    "conflicting": "beside it",
    "superseded": "in its place",
    "not yet": "before it",
}
"""The worst first: what has taken a fact's place is told, whatever had stood there before it."""


@dataclass(frozen=True)
class Rival:
    """Something else that stands in the place of a fact."""

    text: str
    """What it is, as written."""
    why: str
    """What differs, in words; may be empty."""
    number: int
    """Number of the message that says it first."""
    call: int
    """First call that has it."""
    source: int | None
    """Number of the first message of a user or of a tool, up to that call, that says it; None: none does."""
    stands: Stands = "in its place"
    last_call: int | None = None
    """Last call of the stretch of calls in which it stands so."""
    said_since: int = 0
    """First call of the lane whose prompt has it, whether or not the fact was there."""


def find_rival(found: SessionFact, changes: SessionChanges, lane: str) -> Rival | None:
    """Find the first value that stands in the place of a fact, and who said it; else one beside it, else before it.

    Args:
        found: The fact, followed.
        changes: The changes of its session.
        lane: Lane whose calls count.

    Returns:
        None: nothing stands in its place, in no call of the lane.
    """
    calls = [trace for trace in found.trace.calls if trace.lane == lane]
    for state, stands in _STANDS.items():
        for at, trace in enumerate(calls):
            if trace.state == state and trace.rivals:
                rival = _rival(found, changes, trace, stands, _last_of(calls[at:], state))
                if rival is not None:
                    since = next(one.call for one in calls if rival.number in one.rivals)
                    return replace(rival, said_since=since)
    return None


def _last_of(calls: Iterable[CallTrace], state: TraceState) -> int:
    """The last of the calls that follow one another in a state, with something else in the fact's place."""
    last = 0
    for trace in calls:
        if trace.state != state or not trace.rivals:
            break
        last = trace.call
    return last


def _rival(
    found: SessionFact, changes: SessionChanges, trace: CallTrace, stands: Stands, last_call: int
) -> Rival | None:
    context = next(context for context in changes.contexts if context.call == trace.call)
    number = trace.rivals[0]
    match = found.matcher.match(context.blocks[changes.life.numbers[trace.call].index(number)].text)
    if not match.rivals:
        return None
    text, why = match.rivals[0].text, match.rivals[0].why
    source = _source(found.matcher.fact, text, changes, context)
    return Rival(text.strip(), why, number, trace.call, source, stands, last_call)


def _source(fact: Fact, text: str, changes: SessionChanges, until: CallContext) -> int | None:
    """The first message of a user or a tool that says a value, in a call up to the one that has it."""
    if fact.kind not in VALUE_KINDS:
        return None
    try:
        matcher = Matcher(Fact(fact.kind, text))
    except ValueError:
        return None
    known: dict[str, Match] = {}
    for context in changes.contexts:
        if context.call > until.call:
            return None
        for block, number in zip(context.blocks, changes.life.numbers[context.call], strict=True):
            if block.content in known or not _is_evidence(block):
                continue
            known[block.content] = matcher.match(block.text)
            if any(not sighting.weak for sighting in known[block.content].sightings):
                return number
    return None


def _is_evidence(block: Block) -> bool:
    """Tells whether a message is the word of a user or of a tool, and not the agent's own writing."""
    if block.is_summary or block.layer in (Layer.STATE, Layer.SUMMARY, Layer.SYSTEM, Layer.MEMORY):
        return False
    return block.role == "user" or block.layer in (Layer.TOOL_RESULTS, Layer.RETRIEVED, Layer.INPUT)
