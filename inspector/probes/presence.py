"""Presence: whether a context holds the answer to a probe, found by looking, without a model."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from inspector.analysis.fact_trace import HELD, CallTrace, FactTrace, TraceState
from inspector.probes.probe import Probe

PresenceState = Literal["not due", "present", "summary", "conflicting", "distorted", "absent", "opaque", "unknown"]
"""``summary``: only a summary says it. ``unknown``: the probe says nothing that could be looked for."""

_ORDER: Final[tuple[PresenceState, ...]] = (
    "opaque", "absent", "distorted", "conflicting", "summary", "present",
)  # fmt: skip
"""Worst first: of several facts the worst decides."""

_STATES: Final[Mapping[TraceState, PresenceState]] = {
    "kept": "present",
    "restated": "present",
    "superseded": "distorted",
    "summarised": "summary",
    "conflicting": "conflicting",
    "distorted": "distorted",
    "recoverable": "absent",
    "evicted": "absent",
    "not yet": "absent",
    "opaque": "opaque",
}

_HELD_STATES: Final[tuple[PresenceState, ...]] = ("present", "summary", "conflicting", "opaque")

_NOTES: Final[Mapping[TraceState, str]] = {
    "superseded": "a later message of the user says something else: should the probe end before it (due_until)?",
    "recoverable": "it is gone, but what is left says where it can be fetched again",
    "not yet": "no prompt had said it by then",
    "opaque": "a part of the prompt cannot be read: it may stand there",
}


@dataclass(frozen=True)
class Presence:
    """Whether the context of one call holds what a probe asks."""

    probe: str
    """Id of the probe."""
    call: int
    state: PresenceState
    carriers: tuple[int, ...] = ()
    """Numbers of the messages that hold it."""
    rivals: tuple[int, ...] = ()
    """Numbers of the messages that say something else in its place."""
    depth: int | None = None
    """Tokens from the nearest copy to the end of the prompt, of several facts the farthest; None: none, or unknown."""
    note: str = ""
    """What a reader should know of it, in words; empty: nothing more."""


def judge_presence(
    probe: Probe, traces: Sequence[FactTrace], calls: Sequence[int], due: Collection[int] | None = None
) -> dict[int, Presence]:
    """Say at each call whether its context holds the answer to a probe.

    Args:
        probe: The probe.
        traces: The life of each fact of ``probe.looked_for``, in that order.
        calls: Calls to judge, in order; those of the lanes that should know it.
        due: Calls at which it should be known; None: from the first call by which all of it was said.
    """
    by_call = [{trace.call: trace for trace in traced.calls} for traced in traces]
    if due is None:
        due = _since_said(by_call, calls)
    found = {}
    for call in calls:
        at_call = [traced[call] for traced in by_call if call in traced]
        found[call] = _judge(probe, call, at_call) if call in due else Presence(probe.id, call, "not due")
    return found


def _since_said(by_call: Sequence[Mapping[int, CallTrace]], calls: Sequence[int]) -> frozenset[int]:
    """The calls from which on every fact had been said; a fact that no prompt ever said delays nothing."""
    firsts = [
        next((at for at, call in enumerate(calls) if call in traced and traced[call].state in HELD), None)
        for traced in by_call
    ]
    said = [first for first in firsts if first is not None]
    return frozenset(calls[max(said) :]) if said else frozenset()


def _judge(probe: Probe, call: int, traces: Sequence[CallTrace]) -> Presence:
    if probe.expected.must_abstain:
        # Nothing of it may stand there, or the probe is wrong.
        states = {_STATES[trace.state] for trace in traces}
        held: PresenceState = next((state for state in _HELD_STATES if state in states), "absent")
        return _presence(probe, call, held, traces, "")
    if not traces:
        return Presence(probe.id, call, "unknown")
    worst = min(traces, key=lambda trace: _ORDER.index(_STATES[trace.state]))
    return _presence(probe, call, _STATES[worst.state], traces, _NOTES.get(worst.state, ""))


def _presence(probe: Probe, call: int, state: PresenceState, traces: Sequence[CallTrace], note: str) -> Presence:
    depths = [trace.depth for trace in traces if trace.depth is not None]
    return Presence(
        probe=probe.id,
        call=call,
        state=state,
        carriers=tuple(dict.fromkeys(number for trace in traces for number in trace.carriers)),
        rivals=tuple(dict.fromkeys(number for trace in traces for number in trace.rivals)),
        depth=max(depths, default=None),
        note=note,
    )
