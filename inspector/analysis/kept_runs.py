"""What two contexts share untouched, as runs: alignment then looks only at what lies between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np

from inspector.analysis.numbering import NumberedContexts, Numbers, shared_head

SHORTEST: Final = 6
"""Messages from which a run is worth being set apart: up to four of them are looked at anyway."""


class KeptRun(NamedTuple):
    """Messages that stand one after another in both contexts, untouched."""

    before: int
    """Place of the first of them in the first context, from 0."""
    after: int
    """Its place in the second."""
    length: int

    @property
    def places(self) -> range:
        """Their places in the first context."""
        return range(self.before, self.before + self.length)


class Squeezed(NamedTuple):
    """Two contexts with each run cut down to those of its messages that alignment asks about."""

    before: list[int]
    """Places of the first context that are left."""
    after: list[int]
    """Places of the second."""
    left: dict[int, int]
    """Those of them that are left of runs, by their places in the first context."""


def find_runs(numbered: NumberedContexts, one: int, other: int) -> list[KeptRun]:
    """Find what stands untouched in two contexts.

    Beyond the common beginning only messages count whose content occurs once in the rest of either context: which of
    several equal ones is which, alignment decides.

    Args:
        numbered: The contexts.
        one: Place of the first.
        other: Place of the second.
    """
    before, after = numbered.rows[one], numbered.rows[other]
    head = shared_head(before, after)
    size = min(before.size, after.size)
    if head < size:
        head = shared_head(numbered.likes[before], numbered.likes[after])
    runs = [KeptRun(0, 0, head)] if head else []
    if head < size:
        places = _places_of_unique(numbered, before[head:], after[head:])
        runs += _runs(places, head)
    return [run for run in runs if run.length >= SHORTEST]


def _places_of_unique(numbered: NumberedContexts, before: Numbers, after: Numbers) -> Numbers:
    """Where each message of the rest of the second context stands in that of the first; -1: nowhere, or at several."""
    contents = numbered.contents
    counts = [np.bincount(contents[rest], minlength=int(contents.max()) + 1) for rest in (before, after)]
    once = (counts[0] == 1) & (counts[1] == 1)
    where = np.full(int(contents.max()) + 1, -1, np.int32)
    where[contents[before]] = np.arange(before.size, dtype=np.int32)
    places = where[contents[after]]
    likes = numbered.likes
    alike = once[contents[after]] & (likes[before[places]] == likes[after])
    return np.where(alike, places, -1).astype(np.int32)


def _runs(places: Numbers, head: int) -> Iterator[KeptRun]:
    breaks = np.flatnonzero((np.diff(places) != 1) | (places[1:] < 0)) + 1
    for first, end in pairwise([0, *breaks.tolist(), places.size]):
        if places[first] >= 0:
            yield KeptRun(head + int(places[first]), head + first, end - first)


def squeeze(numbered: NumberedContexts, one: int, other: int, runs: Sequence[KeptRun]) -> Squeezed:
    """Cut runs down to their ends, a message of the dialogue, and one that carries ids.

    Neighbours, the last message kept and whether any id is shared are then what they were in the whole contexts.

    Args:
        numbered: The contexts.
        one: Place of the first.
        other: Place of the second.
        runs: Found in them.
    """
    before, after = numbered.rows[one], numbered.rows[other]
    left: dict[int, int] = {}
    keep_before, keep_after = np.ones(before.size, np.bool_), np.ones(after.size, np.bool_)
    for run in runs:
        stands = before[run.before : run.before + run.length]
        told = {0, run.length - 1}
        told |= {int(signs[stands].argmax()) for signs in (numbered.dialogue, numbered.keyed)}
        keep_before[run.before : run.before + run.length] = False
        keep_after[run.after : run.after + run.length] = False
        for offset in told:
            keep_before[run.before + offset] = keep_after[run.after + offset] = True
            left[run.before + offset] = run.after + offset
    return Squeezed(np.flatnonzero(keep_before).tolist(), np.flatnonzero(keep_after).tolist(), left)
