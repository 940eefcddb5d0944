"""What happened to a fact, in a few sentences: where it was, what took it, what remains, what the answers did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from inspector.analysis.changes import SessionChanges
from inspector.analysis.fact_asking import HEDGED, SessionFact, lane_calls
from inspector.analysis.fact_signs import NOUNS, STATE_KINDS, WORDED
from inspector.analysis.fact_sources import Rival, find_rival, words_in_place
from inspector.analysis.fact_standing import Standing, find_standing
from inspector.analysis.fact_trace import HELD, CallTrace, Loss, TraceState
from inspector.analysis.loss_story import TOLD_LOSSES, quote, tell_losses
from inspector.model.fates import Kind
from snapshot_sdk.facts import VALUE_KINDS

NAMED_CALLS: Final = 6
"""Calls that are named in a sentence; the others are counted."""
TOLD_CHANGES: Final = 3
"""Ways in which it was held, one after the other, that are told; the others are counted."""
_MISSING: Final = {"system": "system prompt", "tools": "tool definitions"}
_SAYING: Final = frozenset(("system", "messages", "earlier messages"))
"""Parts whose words an answer may have repeated; no fact is told in a tool's definition alone."""
_WORDLESS: Final = frozenset(("model", "parameters"))
"""Parts of a request that hold no words a fact could be said in."""


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
    """What stands in its place, beside it or before it; None: nothing does."""
    standings: tuple[Standing, ...] = ()
    """What stands where it stood, without its words beside it, at the calls of its losses."""


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
    standings = [find_standing(found, changes, loss) for loss in losses[:TOLD_LOSSES]]
    with_standing = [(loss, standings[at] if at < TOLD_LOSSES else None) for at, loss in enumerate(losses)]
    sentences = [*_where(found, calls, changes), *tell_losses(found, changes, calls, with_standing)]
    told = rival is not None and any(loss.remains_in == rival.number for loss in losses[:TOLD_LOSSES])
    sentences += [
        *_others(found, changes, calls, rival, told=told),
        *_answers(found, calls, losses),
        *_limits(calls, changes, lane),
    ]
    headline, kind = _headline(calls, losses)
    return FactStory(tuple(sentences), headline, kind, rival, tuple(filter(None, standings)))


def _where(found: SessionFact, calls: Sequence[CallTrace], changes: SessionChanges) -> list[str]:
    fact = found.trace.fact
    noun = NOUNS[fact.kind]
    held = [trace for trace in calls if trace.state in HELD]
    if not held:
        return _never(found, calls)
    runs = [list(group) for is_held, group in groupby(calls, lambda trace: trace.state in HELD) if is_held]
    how = _how(runs[0], worded=fact.kind in WORDED)
    first, last = runs[0][0].call, runs[0][-1].call
    subject = "A match of the pattern" if fact.kind == "regex" else f"The {noun}"
    brought = _brought(found, held[0], changes)
    if len(calls) == 1:
        return [f"{subject} was in the only prompt of this lane, call {first}, {how}.", *brought]
    if runs[0][-1] is calls[-1]:
        if first == last:
            return [f"{subject} is in the last prompt only, call {last}, {how}.", *brought]
        return [f"{subject} has been in every prompt from call {first} to the last, call {last}, {how}.", *brought]
    span = f"from call {first} to call {last}" if first != last else f"of call {first} only"
    return [f"{subject} was in the prompt {span}, {how}.", *brought]


def _brought(found: SessionFact, first: CallTrace, changes: SessionChanges) -> list[str]:
    """Say that an answer said it before any prompt did, where that can be known."""
    if found.trace.fact.kind in HEDGED:
        return []  # 310 is not said where "some 310" is, and yet it comes from there
    answer = next((trace for trace in found.trace.calls if trace.answer == "used" and trace.call < first.call), None)
    if answer is None or any(trace.state in HELD and trace.call <= answer.call for trace in found.trace.calls):
        return []
    if any(_SAYING.intersection(context.missing) for context in changes.contexts if context.call <= first.call):
        return []
    return [f"The answer of call {answer.call} said it first: no prompt up to then had it."]


def _never(found: SessionFact, calls: Sequence[CallTrace]) -> list[str]:
    elsewhere = sorted({trace.lane for trace in found.trace.calls if trace.state in HELD})
    answered = [trace.call for trace in calls if trace.answer == "used"]
    if elsewhere:
        lane = calls[0].lane if calls else ""
        others = (
            f"Only lane {elsewhere[0]} has it." if len(elsewhere) == 1 else f"Only lanes {_and(elsewhere)} have it."
        )
        told = [f"In no prompt of lane {lane}. {others}"]
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
    told = [f"{words[state]} since call {call}" for state, call in stretches[1 : TOLD_CHANGES + 1]]
    left = len(stretches) - 1 - len(told)
    if left:
        last, since = stretches[-1]
        told.append(f"… and {words[last]} since call {since}")
    return ", ".join((f"{first} at first", *told))


def _others(
    found: SessionFact, changes: SessionChanges, calls: Sequence[CallTrace], rival: Rival | None, *, told: bool
) -> list[str]:
    said = []
    superseded = next((trace for trace in calls if trace.state == "superseded"), None)
    if rival is not None and (superseded is None or rival.call < superseded.call):
        if not told:
            said.append(_rival_words(rival, is_held=any(trace.state in HELD for trace in calls)))
        if rival.source is None and found.trace.fact.kind in VALUE_KINDS and rival.said_since > calls[0].call:
            # What stood there from the beginning was written by whoever made the agent, and needs no source.
            said.append(
                f"No message of the user and no tool result up to call {rival.call} says “{quote(rival.text)}”."
            )
        elif told and rival.source is not None and rival.source != rival.number:
            said.append(f"“{quote(rival.text)}” comes from m{rival.source}.")
    if superseded is not None and superseded.rivals:
        words = words_in_place(found, changes, superseded.call, superseded.rivals[-1])
        says = f": “{quote(words)}”" if words else ""
        said.append(f"At call {superseded.call} the user says otherwise, m{superseded.rivals[-1]}{says}.")
    return said


def _rival_words(rival: Rival, *, is_held: bool) -> str:
    """Say what stands in a fact's place, beside it or before it, and from whom it has it."""
    there = f"“{quote(rival.text)}” in m{rival.number}"
    source = f", from m{rival.source}" if rival.source not in (None, rival.number) else ""
    if rival.stands == "beside it":
        return f"A different one stands beside it since call {rival.call}: {there}{source}."
    if rival.stands == "before it" and is_held:
        until = rival.last_call or rival.call
        span = f"at call {until}" if until == rival.call else f"from call {rival.call} to call {until}"
        return f"Before it was said a different one stood there, {span}: {there}{source}."
    place = "there" if rival.stands == "before it" else "in its place"
    return f"A different one stands {place} since call {rival.call}: {there}{source}."


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
        verb = "says" if len(altered) == 1 else "say"
        told.append(f"{_the_answers(altered)} {verb} a different one{_said_instead(found, altered)}.")
    if fact.kind == "rule" and any(trace.state in HELD for trace in calls) and not _can_check(fact.text):
        told.append("Whether the answers keep this rule cannot be told by looking.")
    return told


def _can_check(rule: str) -> bool:
    from inspector.analysis.obedience import can_check  # its patterns take 10 ms to compile, for rules alone

    return can_check(rule)


def _said_instead(found: SessionFact, calls: Sequence[int]) -> str:
    """What answers say in its place, where all say one thing."""
    rivals = [found.matcher.match(found.answers.get(call, "")).rivals for call in calls]
    texts = {next((rival.text for rival in one if rival.anchored), "") for one in rivals}
    return f": “{quote(next(iter(texts)))}”" if len(texts) == 1 and texts != {""} else ""


def _limits(calls: Sequence[CallTrace], changes: SessionChanges, lane: str) -> list[str]:
    told = []
    opaque = [trace.call for trace in calls if trace.state == "opaque"]
    if opaque:
        told.append(f"At {name_calls(opaque)} it cannot be known: the prompt has parts that nobody can read.")
    missing = {part for context in changes.contexts if context.lane == lane for part in context.missing} - _WORDLESS
    if missing:
        named = [_MISSING.get(part, part) for part in sorted(missing)]
        told.append(f"This log has no {_and(named, 'or')}: the words there are not known.")
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


def _and(names: Sequence[str], word: str = "and") -> str:
    return f"{', '.join(names[:-1])} {word} {names[-1]}" if len(names) > 1 else "".join(names)


def name_calls(calls: Sequence[int]) -> str:
    """Name calls: ``call 32``, ``calls 32, 34``, ``calls 13–21``, ``calls 2, 5, 9, 11, 14, 20 and 4 more``."""
    if len(calls) == 1:
        return f"call {calls[0]}"
    if len(calls) > 2 and calls[-1] - calls[0] + 1 == len(calls):
        return f"calls {calls[0]}–{calls[-1]}"
    named = ", ".join(str(call) for call in calls[:NAMED_CALLS])
    return f"calls {named}" + (f" and {len(calls) - NAMED_CALLS:,} more" if len(calls) > NAMED_CALLS else "")
