"""How a fact went, in words."""

from __future__ import annotations

from inspector.analysis.changes import SessionChanges
from inspector.analysis.fact_trace import Loss
from inspector.analysis.taken_words import taken_by


def went_alike(loss: Loss, changes: SessionChanges) -> tuple[int, ...]:
    """Return the messages that said a fact and went the way of the one that is named: by the same summary, say.

    Args:
        loss: How it went; what happened to its message is known.
        changes: Of its session.
    """
    if loss.event is None:
        return ()
    way = (loss.event.fate, loss.event.other, loss.event.said_by)
    return tuple(
        [
            number
            for number in loss.carriers
            if any(
                event.call == loss.call and (event.fate, event.other, event.said_by) == way
                for event in changes.life.lifelines[number - 1].events
            )
        ]
    )


def describe_loss(loss: Loss, changes: SessionChanges) -> str:
    """Say what took a fact, without the call: ``m4 evicted by compaction 1, agent/memory.py:60``.

    Args:
        loss: How it went.
        changes: Of its session.
    """
    if loss.event is None:
        return "no message of it was taken out: what carried it says something else now"
    alike = len(went_alike(loss, changes)) - 1
    what = f"m{loss.message}{f' and {alike:,} more' if alike else ''} {loss.event.fate.value}"
    into = f" into m{loss.event.other}" if loss.event.other is not None else ""
    lacks = f"; m{loss.event.other} does not say it" if into else ""
    return f"{what}{into} {taken_by(loss.event, loss.compaction, changes)}{lacks}"
