"""What took a message, in words: a compaction with its place in the agent's code, a server, or nobody known."""

from __future__ import annotations

from inspector.analysis.changes import SessionChanges
from inspector.analysis.lifelines import LifeEvent


def taken_by(event: LifeEvent, compaction: int | None, changes: SessionChanges) -> str:
    """Say what took a message: ``by compaction 1, agent/memory.py:60``, ``by the server: …``, ``(certain)``.

    Args:
        event: What happened to it.
        compaction: Number of the compaction that did it; None: none did, or that is not known.
        changes: Of its session.
    """
    if event.said_by == "server":
        return f"by the server: {event.evidence}"
    taker = next((one for one in changes.compactions if one.number == compaction), None)
    if taker is None:
        return f"({event.certainty})"
    return f"by compaction {taker.number}{f', {taker.caller}' if taker.caller else ''}"
