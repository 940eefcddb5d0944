"""Figures of several sessions put together: the sum of what they count over the sum of what they count it among."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from inspector.probes.metrics import Metric, measure


@dataclass(frozen=True)
class Extreme:
    """The session at one end of a figure."""

    session: str
    value: float


@dataclass(frozen=True)
class PooledMetric:
    """One figure over sessions.

    A session counts by how much there was to count in it, and one with nothing to count not at all: a mean of the
    sessions' shares would let a session of one answer weigh as much as one of a hundred.
    """

    metric: Metric
    """Numerators and denominators added up; its formula is that of one session."""
    sessions: int
    """Sessions that have the figure; in the others it is a share of nothing."""
    touched: int
    """Of these, sessions whose share is more than 0: of a rate of losses, those with at least one."""
    lowest: Extreme | None
    """None: no session has the figure. Of equals the first by name."""
    highest: Extreme | None
    """None: no session has the figure. Of equals the first by name."""


def pool(measured: Iterable[tuple[str, Sequence[Metric]]]) -> tuple[PooledMetric, ...]:
    """Put the figures of sessions together, every figure there is, in the order of :func:`measure`.

    Args:
        measured: Each session's name and figures.
    """
    by_name: dict[str, list[tuple[str, Metric]]] = {one.name: [] for one in _NOTHING}
    for session, metrics in measured:
        for one in metrics:
            by_name[one.name].append((session, one))
    return tuple(_pool(nothing, by_name[nothing.name]) for nothing in _NOTHING)


_NOTHING = measure((), (), (), {})
"""The figures of no session: their names and formulas."""


def _pool(nothing: Metric, of_sessions: Sequence[tuple[str, Metric]]) -> PooledMetric:
    known = [(session, one) for session, one in of_sessions if one.whole]
    shares = sorted((one.part / one.whole, session) for session, one in known)
    lowest = shares[0] if shares else None
    highest = min(((-share, session) for share, session in shares), default=None)
    return PooledMetric(
        Metric(
            nothing.name,
            math.fsum(one.part for _, one in known),
            sum(one.whole for _, one in known),
            nothing.formula,
        ),
        sessions=len(known),
        touched=sum(one.part > 0 for _, one in known),
        lowest=None if lowest is None else Extreme(lowest[1], lowest[0]),
        highest=None if highest is None else Extreme(highest[1], -highest[0]),
    )
