"""How a fact went, in words."""

from __future__ import annotations

from inspector.analysis.changes import SessionChanges
from inspector.analysis.fact_trace import Loss


def describe_loss(loss: Loss, changes: SessionChanges) -> str:
    """Say what took a fact, without the call: ``m4 evicted by compaction 1, agent/memory.py:60``.

    Args:
        loss: How it went.
        changes: Of its session.
    """
    if loss.event is None:
        return "no message of it was taken out: what carried it says something else now"
    what = f"m{loss.message} {loss.event.fate.value}"
    if loss.event.other is not None:
        what += f" into m{loss.event.other}, which does not say it"
    taker = next((one for one in changes.compactions if one.number == loss.compaction), None)
    if loss.event.said_by == "server":
        return f"{what} by the server: {loss.event.evidence}"
    if taker is None:
        return f"{what} ({loss.event.certainty})"
    return f"{what} by compaction {taker.number}" + (f", {taker.caller}" if taker.caller else "")
