"""How many more calls fit before the context is full."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

GROWING_CALLS: Final = 8
"""The median is taken over this many of the latest calls that grew."""
FEWEST_GROWING_CALLS: Final = 4
"""Below this nothing is said: one long tool result would decide."""


@dataclass(frozen=True)
class Growth:
    """What the recent calls of a lane say about the next ones."""

    per_call: int
    """Tokens; median of the growing calls."""
    calls_left: int
    """Calls until the limit is reached at that pace; 0: it is reached."""


def growth_at(tokens: Sequence[int | None], limit: int | None) -> Growth | None:
    """Estimate how soon a lane is full, judged at its last given call.

    Args:
        tokens: Context sizes of the calls of one lane up to the judged one; None: unknown.
        limit: Budget or window in tokens.

    Returns:
        None where the limit or the present size is unknown, or too few calls grew.
    """
    if limit is None or not tokens or tokens[-1] is None:
        return None
    steps: list[int] = []
    later: int | None = None
    for count in reversed(tokens):
        if count is None:
            later = None
            continue
        if later is not None and later > count:
            steps.append(later - count)
            if len(steps) == GROWING_CALLS:
                break
        later = count
    if len(steps) < FEWEST_GROWING_CALLS:
        return None
    per_call = max(1, round(statistics.median(steps)))
    return Growth(per_call, max(0, limit - tokens[-1]) // per_call)
