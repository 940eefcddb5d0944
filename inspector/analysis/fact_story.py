"""What happened to a fact, in a few sentences: where it was, what took it, what remains, what the answers did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from inspector.analysis.changes import SessionChanges
from inspector.analysis.compactions import CompactionChange
from inspector.analysis.fact_asking import SessionFact, lane_calls
from inspector.analysis.fact_signs import NOUNS, STATE_KINDS, WORDED
from inspector.analysis.fact_sources import Rival, find_rival, words_in_place
from inspector.analysis.fact_trace import HELD, CallTrace, Loss, TraceState
from inspector.analysis.obedience import can_check
from inspector.model.fates import Fate, Kind
from snapshot_sdk.facts import VALUE_KINDS

TOLD_LOSSES: Final = 2
"""Losses that are told; the others are counted."""
NAMED_CALLS: Final = 6
"""Calls that are named in a sentence; the others are counted."""
QUOTED: Final = 60
"""Characters of a text in a sentence."""
_MISSING: Final = {"system": "system prompt", "tools": "tool definitions"}


@dataclass(frozen=True)
class FactStory:
    """What is said of a fact in one lane."""

    sentences: tuple[str, ...]
    """The first says where it was."""
    headline: str
    """The worst of it in three words: ``call 30: lost``; empty: nothing happened."""
    kind: Kind
    """Meaning of the headline."""
    rival: Rival | None
    """What stands in its place; None: nothing does."""


def tell_fact(found: SessionFact, changes: SessionChanges, lane: str) -> FactStory:
    """Say what happened to a fact in the calls of a lane.

    Args:
        found: The fact, followed.
        changes: The changes of its session.
        lane: The lane.
    """
    calls = lane_calls(found, lane)
    losses = [loss for loss in found.trace.losses if any(trace.call == loss.call for trace in calls)]
    rival = find_rival(found, changes, lane)
    sentences = [*_where(found, calls), *_losses(losses, changes, rival)]
    told = rival is not None and any(loss.remains_in == rival.number for loss in losses[:TOLD_LOSSES])
    sentences += [
        *_others(found, changes, calls, rival, told=told),
        *_answers(found, calls, losses),
        *_limits(calls, changes, lane),
    ]
    headline, kind = _headline(calls, losses)
    return FactStory(tuple(sentences), headline, kind, rival)


def _where(found: SessionFact, calls: Sequence[CallTrace]) -> list[str]:
    fact = found.trace.fact
    noun = NOUNS[fact.kind]
    held = [trace for trace in calls if trace.state in HELD]
    if not held:
        return _never(found, calls)
    runs = [list(group) for is_held, group in groupby(calls, lambda trace: trace.state in HELD) if is_held]
    how = _how(runs[0], worded=fact.kind in WORDED)
    first, last = runs[0][0].call, runs[0][-1].call
    subject = "A match of the pattern" if fact.kind == "regex" else f"The {noun}"
    if len(calls) == 1:
        return [f"{subject} was in the only prompt of this lane, call {first}, {how}."]
    if runs[0][-1] is calls[-1]:
        return [f"{subject} has been in every prompt from call {first} to the last, call {last}, {how}."]
    span = f"from call {first} to call {last}" if first != last else f"of call {first} only"
    return [f"{subject} was in the prompt {span}, {how}."]


def _never(found: SessionFact, calls: Sequence[CallTrace]) -> list[str]:
    elsewhere = sorted({trace.lane for trace in found.trace.calls if trace.state in HELD})
    answered = [trace.call for trace in calls if trace.answer == "used"]
    if elsewhere:
        lane = calls[0].lane if calls else ""
        told = [f"In no prompt of lane {lane}. Only lane {', '.join(elsewhere)} has it."]
        verb = "says" if len(answered) == 1 else "say"
        return [*told, f"{_the_answers(answered)} {verb} it."] if answered else told
    if answered:
        also = " only" if len(answered) == 1 else ""
        where = _the_answers(answered).replace("The", "the", 1)
        return [f"Never in any prompt. In {where}{also}: the model brought it itself."]
    if any(trace.rivals for trace in calls):
        return ["Never in any prompt or answer as it is."]
    count = len(found.trace.calls)
    return [f"Never in any prompt, and in no answer: {count:,} {'call' if count == 1 else 'calls'} searched."]


def _how(run: Sequence[CallTrace], *, worded: bool) -> str:
    words: dict[TraceState, str] = {
        "kept": "word for word" if worded else "unchanged",
        "restated": "in other words",
        "summarised": "in a summary only",
        "conflicting": "beside a different one",
    }
    stretches = [(state, next(group).call) for state, group in groupby(run, lambda trace: trace.state)]
    first = words[stretches[0][0]]
    if len(stretches) == 1:
        return first
    state, call = stretches[1]
    more = " and more changes after" if len(stretches) > 2 else ""
    return f"{first} at first, {words[state]} since call {call}{more}"


def _losses(losses: Sequence[Loss], changes: SessionChanges, rival: Rival | None) -> list[str]:
    told = []
    for loss in losses[:TOLD_LOSSES]:
        parts = [_cause(loss, changes), _remains(loss, rival)]
        if loss.returned_call is not None:
            parts.append(f"It came back at call {loss.returned_call}.")
        told.append(" ".join(part for part in parts if part))
    if len(losses) > TOLD_LOSSES:
        told.append(f"It went {len(losses) - TOLD_LOSSES:,} more times, last at call {losses[-1].call}.")
    return told


def _cause(loss: Loss, changes: SessionChanges) -> str:
    count = len(loss.carriers)
    what = {1: f"its message m{loss.message}", 2: "both messages that said it"}.get(
        count, f"all {count:,} messages that said it"
    )
    taker = next((one for one in changes.compactions if one.number == loss.compaction), None)
    at = f"call {loss.call}"
    if loss.event is None:
        # What carried it still stands, or its end is not known: the fact went with other words.
        return f"At {at} it is gone."
    where = f" ({taker.caller})" if taker is not None and taker.caller else ""
    server = "the server" if loss.event.said_by == "server" else None
    match loss.event.fate:
        case Fate.SUMMARISED if loss.event.other is not None:
            return f"The summary m{loss.event.other} at {at}{where} took {what} and does not say it."
        case Fate.SUMMARISED:
            return f"A summary at {at}{where} took {what}."
        case Fate.EDITED:
            return f"At {at} m{loss.message} was rewritten{_by(server)} and no longer says it."
        case Fate.TRUNCATED:
            return f"At {at} m{loss.message} was cut{_by(server)}, and the cut took it."
        case _:
            return f"At {at} {server or _taker(taker)}{where} took {what} out."


def _by(server: str | None) -> str:
    return f" by {server}" if server else ""


def _taker(taker: CompactionChange | None) -> str:
    if taker is None:
        return "the agent"
    return {"trim": "a trim", "summary": "a compaction", "edit": "an edit"}.get(taker.strategy or "", "a compaction")


def _remains(loss: Loss, rival: Rival | None) -> str:
    if loss.remains == "pointer":
        return f"m{loss.remains_in} points back to it."
    if loss.remains == "another value":
        says = f" “{quote(rival.text)}”" if rival is not None else " something else"
        return f"m{loss.remains_in} says{says} in its place."
    return "Nothing replaced it."


def _others(
    found: SessionFact, changes: SessionChanges, calls: Sequence[CallTrace], rival: Rival | None, *, told: bool
) -> list[str]:
    said = []
    superseded = next((trace for trace in calls if trace.state == "superseded"), None)
    if rival is not None and (superseded is None or rival.call < superseded.call):
        if not told:
            there = f"“{quote(rival.text)}” in m{rival.number}"
            said.append(f"A different one stands in its place since call {rival.call}: {there}.")
        if rival.source is None and found.trace.fact.kind in VALUE_KINDS and rival.call > calls[0].call:
            # What stood there from the beginning was written by whoever made the agent, and needs no source.
            said.append(
                f"No message of the user and no tool result up to call {rival.call} says “{quote(rival.text)}”."
            )
        elif rival.source is not None and rival.source != rival.number:
            said.append(f"It comes from m{rival.source}.")
    if superseded is not None and superseded.rivals:
        words = words_in_place(found, changes, superseded.call, superseded.rivals[-1])
        says = f": “{quote(words)}”" if words else ""
        said.append(f"At call {superseded.call} the user says otherwise, m{superseded.rivals[-1]}{says}.")
    return said


def _answers(found: SessionFact, calls: Sequence[CallTrace], losses: Sequence[Loss]) -> list[str]:
    fact = found.trace.fact
    told = []
    broken = [trace for trace in calls if trace.answer == "broken"]
    if broken:
        first = losses[0].call if losses and losses[0].call <= broken[0].call else None
        counted = [trace for trace in calls if trace.call in found.answers and trace.call >= (first or 0)]
        verb = "breaks" if len(broken) == 1 else "break"
        since = "Since then " if first else ""
        told.append(
            f"{since}{len(broken):,} of {len(counted):,} answers {verb} it: {broken[0].answer_says} "
            f"({name_calls([trace.call for trace in broken])})."
        )
    asked = [trace.call for trace in calls if trace.answer == "asked for"]
    if asked:
        told.append(f"{_the_answers(asked)} asked for it again.")
    altered = [trace.call for trace in calls if trace.answer == "altered"]
    if altered:
        told.append(f"{_the_answers(altered)} {'says' if len(altered) == 1 else 'say'} a different one.")
    if fact.kind == "rule" and not can_check(fact.text):
        told.append("Whether the answers keep this rule cannot be told by looking.")
    return told


def _limits(calls: Sequence[CallTrace], changes: SessionChanges, lane: str) -> list[str]:
    told = []
    opaque = [trace.call for trace in calls if trace.state == "opaque"]
    if opaque:
        told.append(f"At {name_calls(opaque)} it cannot be known: the prompt has parts that nobody can read.")
    missing = {part for context in changes.contexts if context.lane == lane for part in context.missing}
    if missing:
        named = " and no ".join(_MISSING.get(part, part) for part in sorted(missing))
        told.append(f"This log has no {named}: what they said is not counted.")
    return told


def _headline(calls: Sequence[CallTrace], losses: Sequence[Loss]) -> tuple[str, Kind]:
    if losses:
        worst = next((loss for loss in losses if loss.returned_call is None), losses[0])
        state = next(trace.state for trace in calls if trace.call == worst.call)
        word = "altered" if state == "distorted" else "recoverable" if state == "recoverable" else "lost"
        return f"call {worst.call}: {word}", STATE_KINDS[state]
    changed = next((t for t in calls if t.state in ("distorted", "conflicting", "superseded")), None)
    if changed is not None:
        return f"call {changed.call}: {changed.state}", STATE_KINDS[changed.state]
    held = next((trace for trace in calls if trace.state in HELD), None)
    return (f"held since call {held.call}", "here") if held is not None else ("", "same")


def _the_answers(calls: Sequence[int]) -> str:
    return f"The answer{'s' if len(calls) > 1 else ''} of {name_calls(calls)}"


def name_calls(calls: Sequence[int]) -> str:
    """Name calls: ``call 32``, ``calls 32, 34``, ``calls 13–21``, ``calls 2, 5, 9, 11, 14, 20 and 4 more``."""
    if len(calls) == 1:
        return f"call {calls[0]}"
    if len(calls) > 2 and calls[-1] - calls[0] + 1 == len(calls):
        return f"calls {calls[0]}–{calls[-1]}"
    named = ", ".join(str(call) for call in calls[:NAMED_CALLS])
    return f"calls {named}" + (f" and {len(calls) - NAMED_CALLS:,} more" if len(calls) > NAMED_CALLS else "")


def quote(text: str) -> str:
    """Cut a text to what a sentence can hold, on one line."""
    line = " ".join(text.split())
    return line if len(line) <= QUOTED else line[: QUOTED - 1].rstrip() + "…"
