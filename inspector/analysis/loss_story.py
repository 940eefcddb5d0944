"""How a fact went, in sentences: what took it, what stands there now, and whether it came back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from inspector.analysis.changes import SessionChanges
from inspector.analysis.compactions import CompactionChange
from inspector.analysis.fact_asking import SessionFact
from inspector.analysis.fact_rows import name_of
from inspector.analysis.fact_signs import WORDED
from inspector.analysis.fact_sources import words_in_place
from inspector.analysis.fact_standing import Standing
from inspector.analysis.fact_trace import HELD, CallTrace, Loss
from inspector.analysis.loss_words import went_alike
from inspector.model.fates import Fate

TOLD_LOSSES: Final = 2
"""Losses that are told; the others are counted."""
QUOTED: Final = 60
"""Characters of a text in a sentence."""


def tell_losses(
    found: SessionFact,
    changes: SessionChanges,
    calls: Sequence[CallTrace],
    losses: Sequence[tuple[Loss, Standing | None]],
) -> list[str]:
    """Say how a fact went: a sentence or three a loss, the later losses as a number.

    Args:
        found: The fact, followed.
        changes: The changes of its session.
        calls: The fact in the calls of the lane that is told.
        losses: Its losses there, each with what stands where it stood.
    """
    told = []
    for loss, standing in losses[:TOLD_LOSSES]:
        parts = [*_went(found, changes, loss, standing), _returned(found, calls, loss)]
        told.append(" ".join(part for part in parts if part))
    if len(losses) > TOLD_LOSSES:
        more = len(losses) - TOLD_LOSSES
        times = "once more" if more == 1 else f"{more:,} more times, last"
        told.append(f"It went {times} at call {losses[-1][0].call}.")
    return told


def _went(found: SessionFact, changes: SessionChanges, loss: Loss, standing: Standing | None) -> list[str]:
    """What took it, and what stands there now: one sentence where a message was rewritten and says another thing."""
    place = loss.message if loss.event is not None and loss.event.fate is Fate.EDITED else None
    if loss.remains == "another value" and loss.remains_in is not None:
        words = words_in_place(found, changes, loss.call, loss.remains_in)
        says = f"“{quote(words)}”" if words else "something else"
        if place == loss.remains_in:
            return [f"At call {loss.call} m{place} was rewritten{_by_server(loss)} and says {says} in its place."]
        if loss.event is not None and loss.event.other == loss.remains_in:
            return [_cause(loss, changes, f"says {says} in its place")]
        return [_cause(loss, changes), f"m{loss.remains_in} says {says} in its place."]
    if loss.remains == "pointer":
        return [_cause(loss, changes), f"m{loss.remains_in} points back to it."]
    if standing is not None and standing.name:
        said = f"“{quote(standing.name)}: {quote(standing.text)}”"
        says = f"still says {said}" if standing.is_older else f"says {said} in its place"
        return [_cause(loss, changes), f"m{standing.number} ({name_of(standing.block)}) {says}."]
    if standing is not None:
        rewritten = f"At call {loss.call} m{standing.number} was rewritten{_by_server(loss)}"
        return [f"{rewritten} and says “{quote(standing.text)}” there."]
    # Of a value that no words go with, nobody can say what would have taken its place.
    is_known = found.trace.fact.kind in WORDED or bool(found.trace.fact.anchors)
    return [_cause(loss, changes), "Nothing replaced it." if is_known else ""]


def _cause(loss: Loss, changes: SessionChanges, summary_says: str = "does not say it") -> str:
    at = f"call {loss.call}"
    if loss.event is None:
        # What carried it still stands, or its end is not known: the fact went with other words.
        return f"At {at} it is gone."
    what = _what(loss, changes)
    taker = next((one for one in changes.compactions if one.number == loss.compaction), None)
    where = f" ({taker.caller})" if taker is not None and taker.caller else ""
    is_server = loss.event.said_by == "server"
    match loss.event.fate:
        case Fate.SUMMARISED if loss.event.other is not None:
            summary = f"The {'server’s ' if is_server else ''}summary m{loss.event.other}"
            return f"{summary} at {at}{where} took {what} and {summary_says}."
        case Fate.SUMMARISED:
            return f"{'The server’s' if is_server else 'A'} summary at {at}{where} took {what}."
        case Fate.EDITED:
            return f"At {at} m{loss.message} was rewritten{_by_server(loss)} and no longer says it."
        case Fate.TRUNCATED:
            return f"At {at} m{loss.message} was cut{_by_server(loss)}, and the cut took it."
        case _:
            return f"At {at} {'the server' if is_server else _taker(taker)}{where} took {what} out."


def _what(loss: Loss, changes: SessionChanges) -> str:
    """``its message m4``, ``all 7 messages that said it``, ``5 of the 7 messages that said it``."""
    count, alike = len(loss.carriers), len(went_alike(loss, changes))
    if 1 <= alike < count:
        return f"{alike:,} of the {count:,} messages that said it (the others went otherwise)"
    return {1: f"its message m{loss.message}", 2: "both messages that said it"}.get(
        count, f"all {count:,} messages that said it"
    )


def _by_server(loss: Loss) -> str:
    return " by the server" if loss.event is not None and loss.event.said_by == "server" else ""


def _taker(taker: CompactionChange | None) -> str:
    if taker is None:
        return "the agent"
    return {"trim": "a trim", "summary": "a compaction", "edit": "an edit"}.get(taker.strategy or "", "a compaction")


def _returned(found: SessionFact, calls: Sequence[CallTrace], loss: Loss) -> str:
    """Whether it came back, who says it then, and whether it stayed."""
    later = [trace for trace in calls if loss.returned_call is not None and trace.call >= loss.returned_call]
    if not later:
        return ""
    carrier = next(one for one in found.trace.carriers if one.number == later[0].carriers[0])
    there = f"in m{carrier.number} ({name_of(carrier)})"
    if later[0].state == "conflicting":
        there += ", beside a different one"
    if all(trace.state in HELD for trace in later):
        return f"It is back since call {later[0].call}, {there}."
    return f"It came back at call {later[0].call}, {there}."


def quote(text: str) -> str:
    """Cut a text to what a sentence can hold, on one line."""
    line = " ".join(text.split())
    return line if len(line) <= QUOTED else line[: QUOTED - 1].rstrip() + "…"
