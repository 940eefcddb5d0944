"""What the Trace page shows of a fact, as plain values for the browser: one column a call, one row a carrier."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from inspector.analysis.changes import SessionChanges
from inspector.analysis.compactions import CompactionChange
from inspector.analysis.fact_asking import SessionFact, lane_calls
from inspector.analysis.fact_rows import FactRow, excerpt_at, fact_rows, mark, name_of
from inspector.analysis.fact_signs import (
    ANSWER_KINDS,
    ANSWER_SYMBOLS,
    ANSWER_WORDS,
    NOUNS,
    STATE_KINDS,
    STATE_SYMBOLS,
    STATE_WORDS,
    WORDED,
)
from inspector.analysis.fact_story import FactStory, tell_fact
from inspector.analysis.fact_trace import HELD, CallTrace, Carrier
from inspector.analysis.lifelines import Lifeline
from inspector.analysis.numbering import number_contexts
from inspector.model.fates import FATE_KINDS, FATE_SYMBOLS, Fate
from inspector.model.layers import LAYER_STYLES
from inspector.model.views import CallRow
from inspector.ui.format import format_count, one_line
from inspector.ui.session_fates import compaction_fate

ROWS_SENT: Final = 600
"""Rows of the table of one lane that are sent; more is not read, and the picture has them all."""
CARRIERS_SENT: Final = 60
"""Rows of messages in the picture of one lane; the others are counted."""
THERE: Final = "▫"
"""A message stands in the prompt and does not say the fact."""
ABSENT: Final = " "
_NOTE: Final = 160
"""Characters beside a row of the picture."""


@dataclass(frozen=True)
class Shown:
    """What the page needs beside the fact itself."""

    session: str
    calls: Sequence[CallRow]
    changes: SessionChanges
    asked: Mapping[str, Any]
    """What the browser asked for, given back."""


def trace_payload(found: SessionFact, shown: Shown) -> dict[str, Any]:
    """Return a fact, lane by lane.

    Args:
        found: The fact, followed.
        shown: The session it was followed through.
    """
    fact = found.trace.fact
    names = list(dict.fromkeys(trace.lane for trace in found.trace.calls))
    return {
        **shown.asked,
        "session": shown.session,
        "noun": NOUNS[fact.kind],
        "anchors": list(fact.anchors),
        "error": None,
        "lanes": [_lane(found, shown, name) for name in names],
        "signs": signs(),
        "pins": [],
    }


def signs() -> dict[str, Any]:
    """Return the meaning and the words of each symbol of the picture, for prompts and for answers."""
    states = {
        symbol: [STATE_KINDS[state], STATE_WORDS[state]] for state, symbol in STATE_SYMBOLS.items() if symbol != "·"
    }
    fates = {
        FATE_SYMBOLS[fate]: [FATE_KINDS[fate], fate.value]
        for fate in (Fate.EDITED, Fate.TRUNCATED, Fate.EVICTED, Fate.SUMMARISED)
    }
    answers = {symbol: [ANSWER_KINDS[use], ANSWER_WORDS[use]] for use, symbol in ANSWER_SYMBOLS.items()}
    there = {THERE: ["same", "in the prompt, does not say it"]}
    return {"states": states, "carriers": fates | states | there, "answers": answers, "compactions": fates}


def _lane(found: SessionFact, shown: Shown, name: str) -> dict[str, Any]:
    calls = lane_calls(found, name)
    order = [trace.call for trace in calls]
    there = set(order)
    tokens = _tokens(shown.changes)
    story = tell_fact(found, shown.changes, name)
    rows = fact_rows(found, shown.changes, name)
    carriers, more = _carriers(found, shown, calls)
    turns = {call.number: call.turn_label for call in shown.calls}
    return {
        "name": name,
        "calls": order,
        "turns": [turns.get(call, "") for call in order],
        "sentences": list(story.sentences),
        "headline": story.headline,
        "kind": story.kind,
        "verdict": "".join(STATE_SYMBOLS[trace.state] for trace in calls),
        "carriers": carriers,
        "more": more,
        "answers": "".join(ANSWER_SYMBOLS[trace.answer] if trace.answer else "·" for trace in calls),
        "answered": [call in found.answers for call in order],
        "says": {str(trace.call): trace.answer_says for trace in calls if trace.answer not in (None, "used")},
        "depth": [trace.depth for trace in calls],
        "tokens": [tokens[trace.call] for trace in calls],
        "near": _near(calls, story),
        "near_note": _near_note(story, worded=found.trace.fact.kind in WORDED),
        "compactions": _compactions(shown.changes.compactions, order),
        "losses": {
            str(loss.call): [loss.before_call, loss.compaction] for loss in found.trace.losses if loss.call in there
        },
        "rows": [_row(row) for row in rows[:ROWS_SENT]],
        "rows_more": max(0, len(rows) - ROWS_SENT),
    }


def _tokens(changes: SessionChanges) -> dict[int, int | None]:
    """Counted tokens of the messages of each prompt; None: one is unknown."""
    numbered = changes.life.numbered or number_contexts(changes.contexts)
    return {context.call: numbered.sum_tokens(at) for at, context in enumerate(numbered.contexts)}


def _near(calls: Sequence[CallTrace], story: FactStory) -> str:
    standing = {one.call for one in story.standings}
    return "".join("≠" if trace.rivals or trace.call in standing else "·" for trace in calls)


def _near_note(story: FactStory, *, worded: bool) -> str:
    rival = story.rival
    if rival is None:
        first = next(iter(story.standings), None)
        said = f"{first.name}: {first.text}" if first is not None and first.name else first.text if first else ""
        return one_line(f"≠ {said}, m{first.number}, call {first.call}", _NOTE) if first is not None else "none"
    source = "" if rival.source in (None, rival.number) else f", from m{rival.source}"
    why = f" ({rival.why})" if rival.why and worded else ""
    until = rival.last_call if rival.stands == "before it" else None
    span = f"since call {rival.call}" if until is None else f"calls {rival.call}–{until}"
    return one_line(f"≠ {rival.text}{why}, m{rival.number}, {span}{source}", _NOTE)


def _carriers(found: SessionFact, shown: Shown, calls: Sequence[CallTrace]) -> tuple[list[dict[str, Any]], int]:
    """One row a message that says the fact or something else in its place, or that took one that said it."""
    lane = calls[0].lane
    own = {carrier.number: carrier for carrier in found.trace.carriers if carrier.lane == lane}
    order = [trace.call for trace in calls]
    there = set(order)
    takers = {
        loss.event.other
        for loss in found.trace.losses
        if loss.event is not None and loss.event.other is not None and loss.call in there
    }
    numbers = sorted(own.keys() | (takers - own.keys()))
    turns = {call.number: call.turn_label for call in shown.calls}
    rows = []
    for number in numbers[:CARRIERS_SENT]:
        line = shown.changes.life.lifelines[number - 1]
        carrier = own.get(number)
        born = line.runs[0][0]
        rows.append(
            {
                "number": number,
                "layer": (carrier.layer if carrier else line.layer).value,
                "code": LAYER_STYLES[carrier.layer if carrier else line.layer].code,
                "role": name_of(carrier) if carrier else line.layer.value.replace("_", " "),
                "turn": turns.get(born, ""),
                "marks": _marks(line, carrier, order),
                "note": _note(found, carrier),
            }
        )
    return rows, max(0, len(numbers) - CARRIERS_SENT)


def _marks(line: Lifeline, carrier: Carrier | None, order: Sequence[int]) -> str:
    """One symbol a call: what the message says, that it stands there, or how it went."""
    states = carrier.states if carrier is not None else {}
    ends = {event.call: event.fate for event in line.events if event.fate in (Fate.EVICTED, Fate.SUMMARISED)}
    marks = []
    run = 0
    for call in order:
        while run + 1 < len(line.runs) and line.runs[run][1] < call:
            run += 1
        state = states.get(call)
        if state is not None:
            marks.append(STATE_SYMBOLS[state])
        elif call in ends:
            marks.append(FATE_SYMBOLS[ends[call]])
        elif line.runs[run][0] <= call <= line.runs[run][1]:
            marks.append(THERE)
        else:
            marks.append(ABSENT)
    return "".join(marks)


def _note(found: SessionFact, carrier: Carrier | None) -> str:
    if carrier is None:
        return "took it, does not say it"
    said = []
    for call in sorted(carrier.excerpts):
        piece = mark(found.matcher, carrier.excerpts[call]).hit or carrier.excerpts[call]
        quoted = f"“{one_line(piece, 40)}”"
        if carrier.states.get(call) and quoted not in said:
            said.append(quoted)
    return one_line(" → ".join(said[:3]), _NOTE)


def _compactions(changes: Sequence[CompactionChange], order: Sequence[int]) -> list[list[Any]]:
    """Call, symbol, the call before it, number and words of each compaction of a lane."""
    there = set(order)
    marks = []
    for change in changes:
        fate = compaction_fate(change)
        if change.call not in there or fate is None:
            continue
        took = format_count(len(change.taken), "message")
        words = f"compaction {change.number}: {change.strategy or 'shortened'}, {took} taken"
        marks.append([change.call, FATE_SYMBOLS[fate], change.before_call, change.number, words])
    return marks


def _row(row: FactRow) -> list[Any]:
    piece = row.passage
    return [
        row.call,
        row.message,
        row.where,
        row.how,
        row.symbol,
        row.kind,
        [piece.before, piece.hit, piece.after],
        row.depth,
        row.before_call,
        row.compaction,
    ]


def watch_target(found: SessionFact, changes: SessionChanges) -> dict[str, str]:
    """Return what a watch on a fact looks for: the pattern, or the text as it stands where it is said first.

    Args:
        found: The fact, followed.
        changes: The changes of its session.
    """
    fact = found.trace.fact
    if fact.kind == "regex":
        return {"regex": fact.text}
    first = next((trace for trace in found.trace.calls if trace.state in HELD), None)
    if first is None:
        return {"text": fact.text}
    context = next(context for context in changes.contexts if context.call == first.call)
    number = first.carriers[0]
    block = context.blocks[changes.life.numbers[first.call].index(number)]
    sightings = found.matcher.match(block.text).sightings
    return {"text": sightings[0].text if sightings else excerpt_at_or(found, number, first.call)}


def excerpt_at_or(found: SessionFact, number: int, call: int) -> str:
    """Return what stands around a fact in a message, else the fact's own text."""
    carrier = next((one for one in found.trace.carriers if one.number == number), None)
    return (excerpt_at(carrier, call) if carrier is not None else "") or found.trace.fact.text
