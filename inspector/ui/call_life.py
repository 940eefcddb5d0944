"""The life of a message in lines: when it came, what changed it, what took it, and who pinned it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from inspector.analysis.changes import SessionChanges
from inspector.analysis.compactions import CompactionChange
from inspector.analysis.ghosts import StillSaid, find_still_said
from inspector.analysis.lifelines import LifeEvent, Lifeline
from inspector.analysis.pins import BROKEN, PinLife
from inspector.model.context import Block
from inspector.model.fates import FATE_KINDS, FATE_SYMBOLS, Fate, Kind
from inspector.ui.format import format_count, one_line

TurnOf = Callable[[int], str | None]

FIRST_EVENTS: Final = 2
LAST_EVENTS: Final = 5
"""Events shown of a long life: a state that is rewritten at every call has hundreds."""
LATER_EVENTS: Final = 2
"""Events told of what comes after the call that is looked at."""
QUOTED: Final = 60
"""Characters of a sentence that is quoted."""
NAMED: Final = 4
"""Messages named in a line; more are counted."""
_TOLD: Final = {
    Fate.ADDED: "added",
    Fate.MOVED: "moved to another place",
    Fate.EDITED: "edited",
    Fate.TRUNCATED: "cut",
    Fate.EVICTED: "taken out",
    Fate.RETURNED: "back",
}
_REWRITTEN: Final = (Fate.EDITED, Fate.TRUNCATED)


def life_lines(changes: SessionChanges, number: int, call: int, turn_of: TurnOf) -> list[dict[str, Any]]:
    """Tell the life of a message as a call sees it.

    Args:
        changes: What changed in the session.
        number: Number of the message.
        call: The call that is looked at; what comes later is told as such.
        turn_of: Turn of a call in words.

    Returns:
        Lines: ``symbol``, ``kind``, ``text``; where it applies ``call`` and ``where`` (a link to the call),
        ``compare`` (two calls), ``message`` (one that is named), ``watch`` (an id that can be removed), ``later``.
    """
    if not 1 <= number <= len(changes.life.lifelines):
        return []
    line = changes.life.lifelines[number - 1]
    past = [event for event in line.events if event.call <= call]
    later = [event for event in line.events if event.call > call]
    told: list[dict[str, Any]] = []
    if len(past) > FIRST_EVENTS + LAST_EVENTS + 1:
        left = len(past) - FIRST_EVENTS - LAST_EVENTS
        told += [_event(changes, line, event, turn_of) for event in past[:FIRST_EVENTS]]
        told.append({"symbol": "⋯", "kind": "same", "text": f"{format_count(left, 'change')} between"})
        past = past[-LAST_EVENTS:]
    told += [_event(changes, line, event, turn_of) for event in past]
    told += _pin_lines(changes.pins, number, call, changes.life.numbers, turn_of)
    told += [_event(changes, line, event, turn_of) | {"later": True} for event in later[:LATER_EVENTS]]
    if len(later) > LATER_EVENTS:
        more = f"{format_count(len(later) - LATER_EVENTS, 'change')} after that"
        told.append({"symbol": "⋯", "kind": "same", "text": more, "later": True})
    return told


def where(call: int, turn_of: TurnOf) -> str:
    """Write a call and its turn: ``call 30 · turn 14``."""
    turn = turn_of(call)
    return f"call {call}" + (f" · {turn}" if turn else "")


def _event(changes: SessionChanges, line: Lifeline, event: LifeEvent, turn_of: TurnOf) -> dict[str, Any]:
    told: dict[str, Any] = {
        "symbol": FATE_SYMBOLS[event.fate],
        "kind": FATE_KINDS[event.fate],
        "call": event.call,
        "where": where(event.call, turn_of),
        "text": _happened(changes.compactions, line, event),
        "title": f"{event.certainty}: {event.evidence}",
    }
    before = changes.life.previous.get(event.call)
    if event.fate in _REWRITTEN and before is not None:
        told["compare"] = [before, event.call]
    if event.other is not None:
        told["message"] = event.other
    return told


def _happened(compactions: Sequence[CompactionChange], line: Lifeline, event: LifeEvent) -> str:
    if event.fate is Fate.SUMMARISED:
        what = f"taken by summary m{event.other}" if event.other is not None else "taken by a summary"
    else:
        what = _TOLD.get(event.fate, event.fate.value)
    taker = next((c for c in compactions if c.call == event.call and line.number in c.taken), None)
    if taker is not None and taker.said_by == "recorded":
        reason = one_line(taker.reason or taker.policy or "", QUOTED)
        said = ", ".join(part for part in (f"“{reason}”" if reason else "", taker.caller or "") if part)
        return f"{what}; recorded by the agent" + (f": {said}" if said else "")
    if event.said_by == "server":
        sure = "" if event.certainty == "certain" else f" ({event.certainty})"
        return f"{what} by the server{sure}: {event.evidence}"
    if event.fate in (Fate.SUMMARISED, Fate.EVICTED) or event.certainty != "certain":
        return f"{what}; inferred, {event.certainty}"
    return what


def _pin_lines(
    pins: Sequence[PinLife], number: int, call: int, numbers: Mapping[int, Sequence[int]], turn_of: TurnOf
) -> Iterator[dict[str, Any]]:
    for pin in pins:
        if number not in pin.carriers:
            continue
        yield {"symbol": "⚲", "kind": "condensed", "text": _pin_words(pin, turn_of)} | (
            {"watch": pin.id} if pin.watched else {}
        )
        verdict = pin.verdicts.get(call)
        own = numbers.get(call, ())
        holders = [holder for holder in pin.carriers if holder in own]
        if verdict in BROKEN:
            since = f" since {where(pin.first_broken_call, turn_of)}" if pin.first_broken_call else ""
            kind: Kind = "altered" if verdict == "altered" else "lost"
            yield {"symbol": "≈" if kind == "altered" else "✕", "kind": kind, "text": f"that text is {verdict}{since}"}
        elif verdict is not None and number not in own and holders:
            thin = "only in a summary: " if verdict == "only in a summary" else ""
            yield {
                "symbol": "■",
                "kind": "here",
                "text": f"that text still stands in this call, {thin}{_name(holders)}",
            }


def _pin_words(pin: PinLife, turn_of: TurnOf) -> str:
    quoted = f"“{one_line(pin.excerpt, QUOTED)}”"
    since = "" if pin.since_call is None else f" since {where(pin.since_call, turn_of)}"
    who = f"watched{since}" if pin.watched else f"pinned{since.replace('since', 'at', 1)}"
    released = f"; released at call {pin.released_call}" if pin.released_call is not None else ""
    reason = f"“{one_line(pin.reason, QUOTED)}”" if pin.reason else ""
    about = ", ".join(part for part in (reason, pin.caller or "") if part)
    return f"{who}: {quoted}{f' ({about})' if about else ''}{released}"


def still_said_line(
    text: str, blocks: Sequence[Block], numbers: Sequence[int], taker: int | None, *, is_held: bool = False
) -> dict[str, Any]:
    """Say whether the call still holds what a message that is gone said; only what is found word for word is known.

    Args:
        text: The message as it stood last.
        blocks: The messages of the call.
        numbers: Their numbers.
        taker: Number of the summary that took it; None: none did.
        is_held: A pinned part of it, shorter than a sentence, still stands in the call.
    """
    said = find_still_said(text, blocks)
    if not said.sentences:
        return {"symbol": "·", "kind": "same", "text": "it had no text"}
    if not said.found:
        summary = f", not in summary m{taker}" if taker in numbers else ""
        what = "none of its sentences stands in this call" if is_held else "nothing in this call says it"
        return {"symbol": "✕", "kind": "lost", "text": f"{what}: no copy{summary}"}
    names = _name([numbers[place] for place in sorted(said.found)])
    if not said.missing:
        return {"symbol": "■", "kind": "here", "text": f"this call still says it, word for word: {names}"}
    return {
        "symbol": "◐",
        "kind": "altered",
        "text": f"{_share(said)} still stand in this call: {names}; not in it: "
        f"“{one_line(said.missing[0], QUOTED)}”"
        + (f" and {len(said.missing) - 1} more" if len(said.missing) > 1 else ""),
    }


def _name(numbers: Sequence[int]) -> str:
    names = ", ".join(f"m{number}" for number in numbers[:NAMED])
    return names + (f" and {len(numbers) - NAMED} more" if len(numbers) > NAMED else "")


def _share(said: StillSaid) -> str:
    return f"{len(said.sentences) - len(said.missing)} of its {len(said.sentences)} sentences"
