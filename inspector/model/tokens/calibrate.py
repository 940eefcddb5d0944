"""How the provider's figure relates to the counted one, where past calls show it steadily."""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from typing import Final

FEWEST: Final = 3
"""Calls needed before anything is called steady."""
RECENT: Final = 8
"""Only so many of the latest calls are looked at: prompts change over a session."""
LARGEST_SPREAD: Final = 0.03
"""Steady: every recent ratio within 3 % of their median."""


def calibrate(history: Iterable[tuple[int | None, int | None]]) -> float | None:
    """Return the ratio of provider's to counted tokens, if recent calls of one model agree on it.

    Args:
        history: Counted and provider's tokens of past calls of one model, oldest first; calls with an unknown or
            zero figure are passed over.

    Returns:
        The median ratio of the recent calls; None where they are too few or disagree.
    """
    ratios = [provider / counted for counted, provider in history if counted and provider][-RECENT:]
    if len(ratios) < FEWEST:
        return None
    middle = statistics.median(ratios)
    return middle if all(abs(ratio / middle - 1) <= LARGEST_SPREAD for ratio in ratios) else None
