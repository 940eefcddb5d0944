"""Calls that ran at the same time: one was sent before the other one's answer was there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta

from inspector.model.views import CallRow

Span = tuple[datetime, datetime]


def span_of(call: CallRow) -> Span | None:
    """Say when a call was sent and when it was answered; None: unknown.

    Args:
        call: The call.
    """
    if call.duration_ms is None:
        return None
    try:
        sent = datetime.fromisoformat(call.time)
    except ValueError:
        return None
    return sent, sent + timedelta(milliseconds=call.duration_ms)


def find_overlaps(calls: Sequence[CallRow]) -> dict[int, tuple[int, ...]]:
    """Find calls of one lane that ran at the same time.

    Lanes beside one another are meant to; so are side calls, which are left out.

    Args:
        calls: The calls in display order.

    Returns:
        Call number → the numbers of the calls it overlaps, in order; a call that overlaps none is absent.
    """
    lanes: dict[str, list[tuple[int, Span]]] = defaultdict(list)
    for call in calls:
        span = span_of(call)
        if call.purpose is None and span is not None:
            lanes[call.lane].append((call.number, span))
    found: dict[int, set[int]] = defaultdict(set)
    for lane in lanes.values():
        running: list[tuple[int, datetime]] = []
        for number, (sent, answered) in sorted(lane, key=lambda one: one[1][0]):
            running = [(other, end) for other, end in running if end > sent]
            for other, _ in running:
                found[number].add(other)
                found[other].add(number)
            running.append((number, answered))
    return {number: tuple(sorted(others)) for number, others in sorted(found.items())}


def overlap_words(others: Sequence[int]) -> str:
    """Name the calls that one overlaps: ``overlaps calls 7 and 9``.

    Args:
        others: Their numbers.
    """
    if len(others) == 1:
        return f"overlaps call {others[0]}"
    if len(others) == 2:
        return f"overlaps calls {others[0]} and {others[1]}"
    return f"overlaps {len(others):,} calls, {others[0]} to {others[-1]}"
