"""Says why a probe is due at no call of a session: it would pass for ever."""

from __future__ import annotations

from inspector.probes.look import SessionFacts, calls_of
from inspector.probes.probe import Probe


def why_never_due(probe: Probe, facts: SessionFacts) -> str:
    """Say why a probe is due at no call.

    Args:
        probe: The probe; it is due nowhere.
        facts: The session.
    """
    own = set(calls_of(probe, facts.changes.contexts))
    if not own:
        lanes = ", ".join(dict.fromkeys(context.lane for context in facts.changes.contexts))
        return f"the session has no lane {probe.lane!r}: it has {lanes}" if probe.lane else "the session has no calls"
    turns = list(dict.fromkeys(row.turn for row in facts.calls if row.number in own and row.turn is not None))
    start, end = probe.due_from, probe.due_until
    for key, turn in (("due_from", start), ("due_until", end)):
        if isinstance(turn, str) and turn not in turns:
            return f"{key}: the session has no turn {turn[:40]!r}"
    if isinstance(start, int) and isinstance(end, int) and start > end:
        return f"due_from, turn {start}, comes after due_until, turn {end}"
    last = max((turn for turn in turns if isinstance(turn, int)), default=None)
    if isinstance(start, int) and last is not None and start > last:
        return f"due_from is turn {start}, and the session ends with turn {last}"
    if start is not None or end is not None:
        return "no call lies between due_from and due_until"
    return "no prompt says what it asks for"
