"""Spans of text: finding many texts in one pass, and deciding which of overlapping spans wins."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from inspector.model.layers import Layer

FEW: Final = 48
"""Up to so many texts are searched one by one: ``str.find`` runs at memory speed, a pass in Python does not."""


@dataclass(frozen=True)
class Span:
    """A claim that a run of a text belongs to a layer."""

    start: int
    """Characters into the text."""
    end: int
    """Character after the last."""
    layer: Layer
    why: str
    """Rule that claims it: ``label``, ``rule:<name>``, ``marker:<name>``, ``role``, ``place``."""
    priority: tuple[int, ...]
    """Where spans overlap the largest wins."""
    source: str | None = None
    """Label's source."""


def paint(length: int, base: Span, spans: Iterable[Span]) -> Iterator[Span]:
    """Cut a text into runs without gap or overlap, each owned by the span with the largest priority there.

    Takes n log n steps for n spans, whatever way they nest.

    Args:
        length: Characters of the text; an empty text gives one empty run.
        base: Owner of what no span claims; its ``start`` and ``end`` do not matter.
        spans: Claims, in any order; parts beyond the text are ignored.
    """
    claims = sorted((span for span in spans if 0 <= span.start < min(span.end, length)), key=lambda span: span.start)
    if not claims:
        yield Span(0, length, base.layer, base.why, base.priority, base.source)
        return
    edges = sorted({0, length, *(s.start for s in claims), *(min(s.end, length) for s in claims)})
    open_claims: list[tuple[tuple[int, ...], int, Span]] = []  # a heap: largest priority first, then first come
    coming = iter(enumerate(claims))
    ahead = next(coming, None)
    run: Span | None = None
    for start, end in pairwise(edges):
        while ahead is not None and ahead[1].start <= start:
            heapq.heappush(open_claims, (tuple(-step for step in ahead[1].priority), *ahead))
            ahead = next(coming, None)
        while open_claims and open_claims[0][2].end <= start:
            heapq.heappop(open_claims)
        owner = open_claims[0][2] if open_claims else base
        if run is not None and (run.layer, run.why, run.source) == (owner.layer, owner.why, owner.source):
            run = Span(run.start, end, run.layer, run.why, run.priority, run.source)
            continue
        if run is not None:
            yield run
        run = Span(start, end, owner.layer, owner.why, owner.priority, owner.source)
    if run is not None:
        yield run


def find_texts(text: str, needles: Sequence[str]) -> dict[str, list[int]]:
    """Find every place of many texts; places of one text do not overlap each other.

    Time grows with the text and with the number of texts, not with their product: longer lists are grouped by
    length, and each group is looked up by its first characters in one pass.

    Args:
        text: Where to look.
        needles: What to look for; empty ones are never found.

    Returns:
        Start of each place, ascending, by needle; only needles that were found.
    """
    groups: dict[int, list[str]] = {}
    for needle in dict.fromkeys(needles):
        if 0 < len(needle) <= len(text):
            # The anchor is the largest power of two that fits, so that there are few groups.
            groups.setdefault(min(64, 1 << (len(needle).bit_length() - 1)), []).append(needle)
    found: dict[str, list[int]] = {}
    for anchor, group in groups.items():
        if len(group) <= FEW:
            places = {needle: list(_places(text, needle)) for needle in group}
        else:
            places = _find_group(text, anchor, group)
        found.update((needle, starts) for needle, starts in places.items() if starts)
    return found


def _places(text: str, needle: str) -> Iterator[int]:
    at = text.find(needle)
    while at >= 0:
        yield at
        at = text.find(needle, at + len(needle))


def _find_group(text: str, anchor: int, group: list[str]) -> dict[str, list[int]]:
    by_head: dict[str, list[str]] = {}
    for needle in group:
        by_head.setdefault(needle[:anchor], []).append(needle)
    found: dict[str, list[int]] = {needle: [] for needle in group}
    heads = by_head.keys()
    for at in range(len(text) - anchor + 1):
        head = text[at : at + anchor]
        if head in heads:
            for needle in by_head[head]:
                starts = found[needle]
                if (not starts or starts[-1] + len(needle) <= at) and text.startswith(needle, at):
                    starts.append(at)
    return found
