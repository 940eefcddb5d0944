"""What happened to messages, compactions and pins, in the words of the Session page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from inspector.analysis.compactions import CompactionChange
from inspector.analysis.counted import write_count, write_tokens
from inspector.analysis.lifelines import LifeEvent
from inspector.analysis.pins import BROKEN, PinLife
from inspector.model.fates import Fate
from inspector.ui.format import format_count, format_duration, one_line

_HAPPENED: Final = {
    Fate.MOVED: "moved",
    Fate.EDITED: "rewritten",
    Fate.TRUNCATED: "cut",
    Fate.EVICTED: "taken out",
    Fate.RETURNED: "back",
}
_SUBJECTS: Final = {"summary": "A summary", "edit": "An edit", "trim": "A trim"}
_QUOTED: Final = 120
"""Characters of a reason, a policy or an error in one line."""


def event_words(event: LifeEvent, taker: CompactionChange | None) -> str:
    """Return an event in one line: what, where and who says so.

    Args:
        event: What happened to a message.
        taker: The compaction that did it, if one did.
    """
    if event.fate is Fate.SUMMARISED:
        what = f"taken by m{event.other} at call {event.call}" if event.other else f"summarised at call {event.call}"
    else:
        what = f"{_HAPPENED.get(event.fate, str(event.fate))} at call {event.call}"
    if taker is not None and taker.said_by == "recorded":
        return f"{what} · recorded by {taker.caller or 'the agent'}"
    if event.said_by == "server":
        return f"{what} · by the server, {event.certainty}: {event.evidence}"
    return f"{what} · inferred, {event.certainty}: {event.evidence}"


def compaction_fate(change: CompactionChange) -> Fate | None:
    """Return the fate that stands for a compaction: what became of most of what it took; None: it took nothing."""
    if change.summary is not None or change.strategy == "summary":
        return Fate.SUMMARISED
    if change.strategy == "trim":
        return Fate.EVICTED
    fates = [Fate.TRUNCATED, Fate.EDITED] if change.strategy == "edit" else [Fate.EVICTED, Fate.TRUNCATED, Fate.EDITED]
    worst = max(fates, key=lambda fate: change.fates.get(fate, 0))
    if change.fates.get(worst, 0):
        return worst
    return Fate.EDITED if change.strategy == "edit" else None


def compaction_lines(change: CompactionChange) -> list[str]:
    """Return what is said of a compaction: its figures, who says so, and where record and snapshots disagree."""
    subject = _SUBJECTS.get(change.strategy or "", "A compaction")
    if change.state != "done":
        lines = [f"{subject} was recorded as {change.state}."]
    elif change.messages_taken:
        verb = "shortened" if compaction_fate(change) in (Fate.EDITED, Fate.TRUNCATED) else "took"
        new = f", {change.unseen:,} of them new in this call" if change.unseen and change.taken else ""
        new = " that no call ever saw" if change.unseen and not change.taken else new
        lines = [f"{subject} {verb} {format_count(change.messages_taken, 'message')}{new}{_tokens(change)}."]
    else:
        lines = [f"{subject} took no message of the call before."]
    lines.append(_said(change))
    lines += [f"▲ {contradiction}" for contradiction in change.contradictions]
    return lines


def _tokens(change: CompactionChange) -> str:
    if change.tokens_taken is None:
        return ""
    if change.tokens_left is None:
        return f", {write_tokens(change.tokens_taken, estimated=change.estimated)}" if change.summary is None else ""
    taken = write_tokens(change.tokens_taken, estimated=change.estimated)
    framing = ", framing not counted" if change.said_by == "server" else ""  # the figure of the frame's tag has it
    return f": {taken} became {write_count(change.tokens_left, estimated=change.estimated)}{framing}"


def _said(change: CompactionChange) -> str:
    if change.said_by == "server":
        return f"By the server, {change.certainty}: {change.evidence}."
    if change.said_by == "inferred":
        return f"Inferred, {change.certainty}: {change.evidence}."
    reasons = [f"“{one_line(text, _QUOTED)}”" for text in dict.fromkeys((change.reason, change.policy)) if text]
    reasons += [change.caller] if change.caller else []
    reasons += [format_duration(change.duration_ms)] if change.duration_ms is not None else []
    reasons += [f"error: {one_line(change.error, _QUOTED)}"] if change.error else []
    return f"Recorded: {', '.join(reasons)}." if reasons else "Recorded by the agent."


def pin_words(pin: PinLife, compactions: Sequence[CompactionChange]) -> str:
    """Return how a pin fared, in one line."""
    who = "watched" if pin.watched else "pinned"
    if not pin.verdicts:
        return f"{who}; no call counts for it"
    if pin.first_broken_call is None:
        return f"{who}, in every call since call {pin.since_call}"
    stretches = _broken_stretches(pin)
    first, back = stretches[-1]
    word = "altered" if pin.verdicts[first] == "altered" else "gone"
    line = f"{who}, {word} since call {first}" if back is None else f"{who}, {word} from call {first} until call {back}"
    if len(stretches) > 1:
        line += f" (and {format_count(len(stretches) - 1, 'time')} before, first at call {pin.first_broken_call})"
        return line
    if pin.cause is not None:
        taker = next((c for c in compactions if c.number == pin.cause_compaction), None)
        line += f"; m{pin.cause_message} {event_words(pin.cause, taker)}"
    return line


def _broken_stretches(pin: PinLife) -> list[tuple[int, int | None]]:
    """Return where a pin is broken: first call of each stretch, and the call that holds it again; None: none does."""
    stretches: list[tuple[int, int | None]] = []
    whole = True
    for call, verdict in pin.verdicts.items():
        broken = verdict in BROKEN
        if broken and whole:
            stretches.append((call, None))
        elif not broken and not whole:
            stretches[-1] = (stretches[-1][0], call)
        whole = not broken
    return stretches
