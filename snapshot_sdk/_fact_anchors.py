"""Anchors: the words that stand beside a value and say what it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from snapshot_sdk._fact_patterns import later
from snapshot_sdk._fact_text import REACH, Taken, clause_of
from snapshot_sdk._fact_words import ANCHOR_FILLERS

_WORD: Final = later(r"(?<![a-z0-9_.@/-])[a-z][a-z_]{2,}(?![a-z0-9@/-])|[㐀-鿿]{2,}")
_AFTER: Final = "是为约共有到了在至于达大概仅的"
_BEFORE: Final = "我你您他她它这那此和与把将请"
_CHINESE: Final = 2
"""Characters of a Chinese anchor: the last two of 总预算 stand in 预算上限 too."""
_MOST: Final = 2


def anchors_of(text: str, start: int) -> tuple[str, ...]:
    """Gives the words right before a value that say what it is: ``预算``, ``order``, ``number``.

    Args:
        text: Folded text.
        start: Where the value begins.
    """
    begin, _ = clause_of(text, start, start)
    words = []
    for match in _WORD.finditer(text, begin, start):
        word = match[0]
        if word[0] > "~":
            word = word.rstrip(_AFTER).rpartition("的")[2].lstrip(_BEFORE)[-_CHINESE:]
        if len(word) >= _CHINESE and word not in ANCHOR_FILLERS:
            words.append(word)
    return tuple(dict.fromkeys(words[-_MOST:]))


def beside(text: str, start: int, end: int, anchors: Sequence[str]) -> bool:
    """Tells whether one of the anchors stands in the clause of a span.

    Args:
        text: Folded text.
        start: First character of the span.
        end: Character after its last.
        anchors: Folded.
    """
    if not _near(text, start, end, anchors):
        return False
    begin, after = clause_of(text, start, end)
    return any(anchor in text[begin:after] for anchor in anchors)


def _near(text: str, start: int, end: int, anchors: Sequence[str]) -> bool:
    """Tells at once that no anchor is near enough: finding a clause costs ten times as much."""
    begin, after = max(0, start - REACH), end + REACH
    return any(text.find(anchor, begin, after) >= 0 for anchor in anchors)


def is_anchored(text: str, start: int, end: int, anchors: Sequence[str], same: Taken) -> bool:
    """Tells whether one of the words that go with a fact stands in this clause, and the fact itself does not.

    Args:
        text: Folded text.
        start: First character of something else.
        end: Character after its last.
        anchors: Folded.
        same: Where the fact stands.
    """
    if not _near(text, start, end, anchors):
        return False
    begin, after = clause_of(text, start, end)
    if same.begins_within(begin, after):
        return False
    return any(anchor in text[begin:after] for anchor in anchors)
