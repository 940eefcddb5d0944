"""Where a value that took a fact's place comes from: did a user or a tool say it, or nobody?"""

from __future__ import annotations

from dataclasses import dataclass

from inspector.analysis.changes import SessionChanges
from inspector.analysis.fact_asking import SessionFact
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
    return match.rivals[0].text if match.rivals else ""


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


def find_rival(found: SessionFact, changes: SessionChanges, lane: str) -> Rival | None:
    """Find the first value that stands in the place of a fact, and who said it.

    Args:
        found: The fact, followed.
        changes: The changes of its session.
        lane: Lane whose calls count.

    Returns:
        None: nothing stands in its place, in no call of the lane.
    """
    contexts = {context.call: context for context in changes.contexts}
    for trace in found.trace.calls:
        if trace.lane != lane or not trace.rivals:
            continue
        context, numbers = contexts[trace.call], changes.life.numbers[trace.call]
        number = trace.rivals[0]
        match = found.matcher.match(context.blocks[numbers.index(number)].text)
        if not match.rivals:
            continue
        text, why = match.rivals[0].text, match.rivals[0].why
        return Rival(text, why, number, trace.call, _source(found.matcher.fact, text, changes, context))
    return None


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
