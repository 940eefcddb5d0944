"""What of a text's numbers can be told at once: for most numbers, that it cannot hold them.

A text that many numbers are looked for in is gone through once for all of them. What is told here may be too much,
never too little: a number that is not ruled out is looked for as ever.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from snapshot_sdk._fact_kinds import Finder, Places
from snapshot_sdk._fact_text import Folded

NUMERALS: Final = {
    "0": "0零〇", "1": "1一壹十拾百佰千仟万萬", "2": "2二贰两兩",
    "3": "3三叁", "4": "4四肆", "5": "5五伍半", "6": "6六陆",
    "7": "7七柒", "8": "8八捌", "9": "9九玖",
}  # fmt: skip
SPOKEN: Final = {
    "1": "one ten eleven twelve teen hundred thousand million", "2": "two twelve twenty", "3": "three thirteen thirty",
    "4": "four forty", "5": "five fifteen fifty", "6": "six", "7": "seven", "8": "eight", "9": "nine", "0": "zero",
}  # fmt: skip
"""How the first digit of a number in English words can sound."""
SCALES: Final = "零〇点十拾百佰千仟万萬亿億又个"
"""Behind one of them goes on what began with a 1 that is not said."""

_IN_NUMBER: Final = f"0,.{SCALES}"
"""What may stand between two digits of a number that are not 0."""
_APART: Final = re.compile(rf"(?: (?![千百十万萬亿億])|[^1-9 {_IN_NUMBER}])+")
"""What may not."""
_NOTHING: Final = re.compile(rf"[ {_IN_NUMBER}]+")


class NumberTraces:
    """Of a folded text: its digits but 0, and how else numbers are written there."""

    def __init__(self, text: str) -> None:
        """Keeps the text.

        Args:
            text: Folded.
        """
        self._text = text

    def may_hold(self, digits: str) -> bool:
        """Tells whether a number may stand in the text, however it is written.

        Args:
            digits: Of the number, without 0; empty: it is 0.
        """
        if not digits or digits in self._runs or digits[0] in self._spoken:
            return True
        return not self._otherwise.isdisjoint(digits) or (digits[0] == "1" and self._has_scale)

    @cached_property
    def _runs(self) -> str:
        """The digits of each number, without what may stand in one."""
        return "|".join(_NOTHING.sub("", run) for run in _APART.split(self._text))

    @cached_property
    def _otherwise(self) -> frozenset[str]:
        """Digits that are written as Chinese numerals somewhere."""
        if self._text.isascii():
            return frozenset()
        return frozenset(digit for digit, signs in NUMERALS.items() if any(sign in self._text for sign in signs[1:]))

    @cached_property
    def _has_scale(self) -> bool:
        return any(sign in self._text for sign in SCALES)

    @cached_property
    def _spoken(self) -> frozenset[str]:
        """First digits of numbers that may be written in English words somewhere."""
        return frozenset(digit for digit, pattern in _SPOKEN_PATTERNS.items() if pattern.search(self._text))


def spoken_pattern(word: str) -> str:
    """Gives the pattern of a word that a number in English words begins with.

    Args:
        word: One of :data:`SPOKEN`.
    """
    return word if word == "teen" else f"{word}(?<![a-z]{word})"


_SPOKEN_PATTERNS: Final = {
    digit: re.compile("|".join(map(spoken_pattern, words.split()))) for digit, words in SPOKEN.items()
}


@dataclass(frozen=True)
class NumberFinder:
    """A way to look for a number, which can tell of most texts at once that they do not hold it."""

    find: Finder
    numbers: tuple[str, ...]
    """The digits, without 0, of what it may be written as."""
    anchors: Sequence[str]
    """Folded words beside which another number counts."""

    def __call__(self, form: Folded, text: str) -> Places:
        """Looks for it, as any finder does."""
        return self.find(form, text)

    def is_absent(self, form: Folded, traces: NumberTraces) -> bool:
        """Tells whether a text has neither the number nor another one in its place.

        Args:
            form: The text.
            traces: Of it.
        """
        return not any(map(traces.may_hold, self.numbers)) and not any(one in form.text for one in self.anchors)
