"""Passages of one set of texts that stand word for word in another: what a summary carried over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from inspector.analysis.words import WORD

LEAST_WORDS: Final = 8
"""Words in a row that make a passage: fewer are shared by chance."""
LEAST_CHARACTERS: Final = 12
"""Characters in a row that make a passage of Chinese, Japanese or Korean, where each is a word."""
MOST_WORDS: Final = 1_500_000
"""Words looked through, both sides together; beyond them nothing is looked for (about two seconds)."""
MOST_PASSAGES: Final = 200
"""Passages of one comparison that are shown; the longest come first."""
_FIRST_CJK: Final = "぀"
_BASE: Final = np.uint64(0x9E3779B97F4A7C15)
"""Odd, with well mixed bits (2⁶⁴ ÷ golden ratio): runs that differ get different numbers, and equality is checked."""
_OVER_AN_END: Final = np.uint64(0)


@dataclass(frozen=True)
class Passage:
    """A run of words that stands in a text of each side."""

    source: int
    """Place of the text in the first list."""
    start: int
    """Characters into it."""
    end: int
    target: int
    """Place of the text in the second list."""
    target_start: int
    target_end: int

    @property
    def length(self) -> int:
        """Characters of the passage in the first text."""
        return self.end - self.start


@dataclass(frozen=True)
class _Words:
    """The words of several texts in one row."""

    ids: np.ndarray
    """Number of each word; 0 separates texts."""
    starts: list[int]
    ends: list[int]
    texts: list[int]
    """Which text each word is of."""


def find_passages(sources: Sequence[str], targets: Sequence[str], first: int | None = None) -> tuple[Passage, ...]:
    """Find the passages of texts that stand word for word in others.

    Each run of a source is given once, where most of it stands; among equals in target ``first``, else the earliest.

    Args:
        sources: Texts whose passages are looked for.
        targets: Texts they may stand in.
        first: The target that is preferred, a summary.
    """
    vocabulary: dict[str, int] = {}
    order = list(range(len(targets)))
    if first is not None:
        order.insert(0, order.pop(first))
    a = _read(sources, vocabulary)
    b = _read([targets[at] for at in order], vocabulary)
    if min(len(a.ids), len(b.ids)) < LEAST_WORDS or len(a.ids) + len(b.ids) > MOST_WORDS:
        return ()
    seeds = _seeds(a.ids, b.ids)
    found: list[Passage] = []
    at = 0
    while at < len(a.ids):
        best = max(((_extend(a.ids, b.ids, at, to), -to) for to in seeds.get(at, ())), default=(0, 0))
        length, to = best[0], -best[1]
        if length and _is_long(a, at, length, sources):
            last, other = at + length - 1, to + length - 1
            found.append(
                Passage(a.texts[at], a.starts[at], a.ends[last], order[b.texts[to]], b.starts[to], b.ends[other])
            )
            at += length
        else:
            at += 1
    found.sort(key=lambda passage: -passage.length)
    return tuple(sorted(found[:MOST_PASSAGES], key=lambda passage: (passage.source, passage.start)))


def _read(texts: Sequence[str], vocabulary: dict[str, int]) -> _Words:
    ids: list[int] = []
    starts: list[int] = []
    ends: list[int] = []
    of: list[int] = []
    for at, text in enumerate(texts):
        spans = [match.span() for match in WORD.finditer(text)]
        lowered = text.lower()
        same = lowered if len(lowered) == len(text) else text  # lower case of some letters is longer
        ids += [vocabulary.setdefault(same[start:end], len(vocabulary) + 1) for start, end in spans]
        starts += [start for start, _ in spans]
        ends += [end for _, end in spans]
        ids.append(0)
        starts.append(len(text))
        ends.append(len(text))
        of += [at] * (len(spans) + 1)
    return _Words(np.array(ids, dtype=np.uint64), starts, ends, of)


def _seeds(a: np.ndarray, b: np.ndarray) -> dict[int, list[int]]:
    """Places of the first row whose next words also stand at places of the second; a few of each."""
    own, other = _hashes(a), _hashes(b)
    shared = np.setdiff1d(np.intersect1d(own, other), _OVER_AN_END)
    if not len(shared):
        return {}
    places: dict[int, list[int]] = {}
    for at in np.flatnonzero(np.isin(other, shared)).tolist():
        near = places.setdefault(int(other[at]), [])
        if len(near) < 4:
            near.append(at)
    return {at: places[int(own[at])] for at in np.flatnonzero(np.isin(own, shared)).tolist()}


def _hashes(ids: np.ndarray) -> np.ndarray:
    """A number for each run of :data:`LEAST_WORDS` words; 0 for runs over the end of a text."""
    count = len(ids) - LEAST_WORDS + 1
    value = np.zeros(count, dtype=np.uint64)
    whole = np.ones(count, dtype=bool)
    for step in range(LEAST_WORDS):
        piece = ids[step : step + count]
        value = value * _BASE + piece  # wraps round: a hash
        whole &= piece != 0
    return np.where(whole, value, _OVER_AN_END)


def _extend(a: np.ndarray, b: np.ndarray, at: int, to: int) -> int:
    """How many words are equal from two places on; 0 where equal hashes were chance, or nothing."""
    length = 0
    while at + length < len(a) and to + length < len(b) and a[at + length] == b[to + length] != 0:
        length += 1
    return length if length >= LEAST_WORDS else 0


def _is_long(words: _Words, at: int, length: int, texts: Sequence[str]) -> bool:
    """Whether a run is long enough, words and characters of its scripts weighed together."""
    text = texts[words.texts[at]]
    characters = sum(text[words.starts[at + step]] >= _FIRST_CJK for step in range(length))
    return characters / LEAST_CHARACTERS + (length - characters) / LEAST_WORDS >= 1
