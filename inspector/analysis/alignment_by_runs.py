"""Aligns two contexts of a session at the price of what differs: what they share untouched is set apart first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Hashable, Mapping, Sequence
from itertools import pairwise, takewhile

from inspector.analysis.alignment import AlignedBlock, Alignment, align, name_new
from inspector.analysis.kept_runs import KeptRun, find_runs, squeeze
from inspector.analysis.numbering import NumberedContexts
from inspector.model.context import Block, Identity
from inspector.model.fates import Fate


def align_numbered(numbered: NumberedContexts, one: int, other: int, seen: Container[Identity] = ()) -> Alignment:
    """Align two contexts; the outcome is that of :func:`inspector.analysis.alignment.align`.

    Args:
        numbered: The contexts of the session.
        one: Place of the first.
        other: Place of the second.
        seen: As for ``align``.
    """
    before, after = numbered.contexts[one].blocks, numbered.contexts[other].blocks
    runs = find_runs(numbered, one, other)
    if not runs:
        return align(before, after, seen=seen)
    if runs[0] == (0, 0, len(before)):
        return _grown(after, runs[0], seen)
    left, right, of_runs = squeeze(numbered, one, other, runs)
    lefts, rights = [before[place] for place in left], [after[place] for place in right]
    if _crosses([block.identity for block in lefts], [block.identity for block in rights]):
        return align(before, after, seen=seen)
    small = align(lefts, rights, seen=seen, known=_Contents(numbered, one))
    rows = [_placed(row, left, right) for row in small.rows]
    apart = tuple([row for row in rows if not _is_of_run(row, of_runs)])
    if len(rows) - len(apart) < len(of_runs) or _crosses_over(rows):
        return align(before, after, seen=seen)
    counts = dict(small.counts)
    counts[Fate.KEPT] += sum(run.length for run in runs) - len(of_runs)
    return Alignment(apart, len(before), len(after), counts, tuple(runs))


def _grown(after: Sequence[Block], kept: KeptRun, seen: Container[Identity]) -> Alignment:
    """Align a context with one that is all of it and what was appended: nearly every call of a long session."""
    rows = tuple([name_new(place, after[place], seen, at_end=True) for place in range(kept.length, len(after))])
    counts = {Fate.KEPT: kept.length}
    for row in rows:
        counts[row.fate] = counts.get(row.fate, 0) + 1
    return Alignment(rows, kept.length, len(after), counts, (kept,))


def _is_of_run(row: AlignedBlock, of_runs: Mapping[int, int]) -> bool:
    return row.fate is Fate.KEPT and row.before is not None and of_runs.get(row.before) == row.after


def _crosses_over(rows: Sequence[AlignedBlock]) -> bool:
    """Tell whether a pair stands in another order: which one has moved, the number of those between them decides."""
    pairs = sorted(
        (row.before, row.after)
        for row in rows
        if row.before is not None and row.after is not None and row.fate is not Fate.SUMMARISED
    )
    return any(first[1] > second[1] for first, second in pairwise(pairs))


class _Contents:
    """Contents of a context, looked up where somebody asks."""

    def __init__(self, numbered: NumberedContexts, at: int) -> None:
        self._numbered = numbered
        self._at = at
        self._known: frozenset[str] | None = None

    def __contains__(self, content: object) -> bool:
        if self._known is None:
            self._known = frozenset(block.content for block in self._numbered.contexts[self._at].blocks)
        return content in self._known


def _crosses(one: Sequence[Hashable], other: Sequence[Hashable]) -> bool:
    """Tell whether messages that either side has once, past the common beginning, stand in another order there."""
    head = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
    rests = one[head:], other[head:]
    counts = [Counter(rest) for rest in rests]
    places = {value: place for place, value in enumerate(rests[1]) if counts[0][value] == counts[1][value] == 1}
    order = [places[value] for value in rests[0] if value in places]
    return any(first > second for first, second in pairwise(order))


def _placed(row: AlignedBlock, left: Sequence[int], right: Sequence[int]) -> AlignedBlock:
    return row._replace(
        before=None if row.before is None else left[row.before],
        after=None if row.after is None else right[row.after],
    )
