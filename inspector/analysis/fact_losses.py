"""Where a fact went: the call, the message that carried it, the compaction, and what remains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from inspector.analysis.compactions import CompactionChange
from inspector.analysis.fact_trace import HELD, CallTrace, Loss, Remains
from inspector.analysis.lifelines import LifeEvent, SessionLife
from inspector.model.context import CallContext
from inspector.model.fates import Fate
from snapshot_sdk.facts import FactKind, find_facts


def find_losses(
    contexts: Sequence[CallContext],
    traces: Mapping[int, CallTrace],
    life: SessionLife,
    changes: Sequence[CompactionChange],
) -> tuple[Loss, ...]:
    """Find the calls at which a fact went, and by what.

    Args:
        contexts: The calls in display order.
        traces: Call number → the fact there.
        life: The lifelines of the session.
        changes: Its compactions.
    """
    losses = []
    by_call = {context.call: context for context in contexts}
    for context in contexts:
        before = life.previous.get(context.call)
        if before is None or traces[before].state not in HELD or traces[context.call].state in HELD:
            continue
        if traces[context.call].state in ("superseded", "opaque"):
            continue
        carried = traces[before].carriers
        event, message = _cause(context.call, carried, life)
        pointer = _pointer(by_call[before], context, life, carried)
        rivals = traces[context.call].rivals
        remains: Remains = "another value" if rivals else "pointer" if pointer is not None else "nothing"
        losses.append(
            Loss(
                call=context.call,
                before_call=before,
                carriers=carried,
                event=event,
                message=message,
                compaction=_compaction(context.call, message, changes),
                remains=remains,
                remains_in=rivals[-1] if rivals else pointer,
                returned_call=_returned(context, contexts, traces),
            )
        )
    return tuple(losses)


def _cause(call: int, carried: Sequence[int], life: SessionLife) -> tuple[LifeEvent | None, int | None]:
    for number in reversed(carried):
        for event in life.lifelines[number - 1].events:
            if event.call == call and event.fate not in (Fate.MOVED, Fate.ADDED, Fate.RETURNED):
                return event, number
    return None, carried[-1] if carried else None


def _compaction(call: int, message: int | None, changes: Sequence[CompactionChange]) -> int | None:
    here = [change for change in changes if change.call == call]
    exact = next((change.number for change in here if message in change.taken), None)
    return exact if exact is not None else here[0].number if len(here) == 1 else None


def _returned(context: CallContext, contexts: Sequence[CallContext], traces: Mapping[int, CallTrace]) -> int | None:
    return next(
        (
            other.call
            for other in contexts
            if other.lane == context.lane and other.call > context.call and traces[other.call].state in HELD
        ),
        None,
    )


POINTERS: Final[tuple[FactKind, ...]] = ("path", "url")
"""Kinds of values that lead back to what was taken out."""


def _pointer(before: CallContext, context: CallContext, life: SessionLife, carried: Sequence[int]) -> int | None:
    """The message that carried the fact and now holds a path or address instead of it."""
    old = dict(zip(life.numbers[before.call], before.blocks, strict=True))
    for number, block in zip(life.numbers[context.call], context.blocks, strict=True):
        if number not in carried or block.content == old[number].content:
            continue
        had = {value.key for value in find_facts(old[number].text, POINTERS)}
        if any(value.key not in had for value in find_facts(block.text, POINTERS)):
            return number
    return None
