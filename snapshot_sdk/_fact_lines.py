"""Which lines of a text can hold a fact at all: the rest, nearly everything, is never read closely.

Values, their anchors and the clauses around them never go over the end of a line, so that a line can be judged by
itself. A filter here may let too much through, never too little: a test compares the results with and without it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from functools import cached_property
from itertools import pairwise
from typing import Final

from snapshot_sdk._fact_near import NEAR, NEAR_FROM, joints_out
from snapshot_sdk._fact_traces import NUMERALS, SCALES, SPOKEN, spoken_pattern
from snapshot_sdk._fact_units import DURATION

_WITHIN: Final = "(?:[0,.零〇点十拾百佰千仟万萬亿億又个]| [千百十万萬亿億]){0,24}"
"""What may stand between two digits of a number that are not 0."""


class Signs:
    """What a line must have: one of some patterns.

    They are looked for one by one before they are looked for as one: to find that a text has none is what is done most
    often, and a pattern that begins with one certain character is passed over ten times as fast as one of alternatives.
    """

    def __init__(self, patterns: Iterable[tuple[str, str]]) -> None:
        """Takes the patterns.

        Args:
            patterns: Each with characters of which all its matches have one, where these are few; a word alone with
                itself.
        """
        self._all = dict.fromkeys(patterns)
        self._joined: dict[tuple[str, ...], re.Pattern[str]] = {}

    @cached_property
    def _each(self) -> list[tuple[str, tuple[str, ...], re.Pattern[str]]]:
        """Each pattern with the texts of which all its matches have one; compiled for the first text."""
        return [
            (pattern, (chars,) if re.escape(chars) == pattern else tuple(chars), re.compile(pattern))
            for pattern, chars in self._all
        ]

    def search(self, text: str, start: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        """Finds the first one in a part of a text.

        Args:
            text: Folded.
            start: Where to begin.
            end: Where to stop.
        """
        return self._join(tuple(pattern for pattern, _ in self._all)).search(text, start, end)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """Finds all of them in a whole text, as one pattern would.

        Args:
            text: Folded.
        """
        there = tuple(
            [
                pattern
                for pattern, chars, compiled in self._each
                if (not chars or any(char in text for char in chars)) and compiled.search(text)
            ]
        )
        if not there:
            return iter(())
        if len(self._joined) > _MOST_JOINED and there not in self._joined:
            there = tuple(pattern for pattern, _ in self._all)
        return self._join(there).finditer(text)

    def _join(self, patterns: tuple[str, ...]) -> re.Pattern[str]:
        if patterns not in self._joined:
            self._joined[patterns] = re.compile("|".join(patterns))
        return self._joined[patterns]


_MOST_JOINED: Final = 32
"""Selections of patterns that are compiled as one; of the rest all are, whether a text has them or not."""


def lines_with(text: str, may: re.Pattern[str] | Signs) -> Iterator[tuple[int, int]]:
    """Gives the lines of a text in which a pattern occurs.

    Args:
        text: Folded.
        may: What a line must have to be looked at.
    """
    end = -1
    for match in may.finditer(text):
        if match.start() < end:
            continue
        begin = text.rfind("\n", 0, match.start()) + 1
        end = text.find("\n", match.end())
        end = len(text) if end < 0 else end
        yield begin, end


def may_hold_id(wanted: str, anchors: Sequence[str]) -> Signs:
    """Gives what a line must have that holds an id, a slip of it, or an anchor.

    Of three pieces of an id two changes leave one whole; joints do not count.

    Args:
        wanted: Plain.
        anchors: Folded.
    """
    bare = joints_out(wanted)
    pieces = [(pattern, "") for pattern in _patterns_of_pieces(_pieces(bare, len(wanted)))]
    ends = [_word(end) for end in (wanted[:NEAR_FROM], wanted[-NEAR_FROM:])]
    if not anchors:
        return Signs((*pieces, *ends))
    # Beside an anchor stands another of its series.
    series = "".join("[0-9]" if sign in _DIGITS else re.escape(sign) for sign in wanted)
    return Signs((*pieces, *ends, (series, "")))


def _patterns_of_pieces(pieces: Sequence[str]) -> Iterator[str]:
    """The pieces of an id, whatever joints are in them; of letters, where a digit follows as changes leave one.

    Else an order would be looked at wherever somebody orders.
    """
    reach = 2 * sum(map(len, pieces)) + NEAR  # a joint before each sign
    for at, piece in enumerate(pieces):
        digits = sum(sign in _DIGITS for sign in "".join(pieces[at + 1 :]))
        followed = digits > NEAR and not any(sign in _DIGITS for sign in piece)
        yield "[-_./:#]*".join(map(re.escape, piece)) + (rf"(?=[a-z#_@./:-]{{0,{reach}}}[0-9])" if followed else "")


_DIGITS: Final = "0123456789"


def _pieces(bare: str, length: int) -> list[str]:
    parts = NEAR + 1 if len(bare) > NEAR and length + NEAR >= NEAR_FROM else 1
    cuts = [len(bare) * part // parts for part in range(parts + 1)]
    return [bare[a:b] for a, b in pairwise(cuts) if a < b]


def may_hold_phone(wanted: str, anchors: Sequence[str]) -> Signs:
    """Gives what a line must have that holds a phone number, a slip of it, or an anchor.

    Args:
        wanted: Plain.
        anchors: Folded.
    """
    digits = wanted.lstrip("+")
    pieces = (*_pieces(digits, len(wanted)), digits[:NEAR_FROM], digits[-NEAR_FROM:])
    return Signs((*(("[ ().-]{0,3}".join(piece), "") for piece in pieces), *map(_word, anchors)))


class NumberSigns(Signs):
    """What a line must have that holds a number, and what of it can be told of a whole text at once."""

    def __init__(self, patterns: Iterable[tuple[str, str]], numbers: Sequence[str], anchors: Sequence[str]) -> None:
        """Takes the patterns.

        Args:
            patterns: As :class:`Signs`.
            numbers: The digits, without 0, of what it may be written as.
            anchors: Folded.
        """
        super().__init__(patterns)
        self.numbers = tuple(numbers)
        self.anchors = tuple(anchors)


def may_hold_number(values: Iterable[Decimal], anchors: Sequence[str]) -> NumberSigns:
    """Gives what a line must have that holds a number with the same digits but 0, however it is written.

    Args:
        values: As they may be written.
        anchors: Folded.
    """
    patterns = []
    numbers = [_digits_but_zero(value) for value in values]
    for number in numbers:
        digits = list(number) or ["0"]
        patterns.append((_digits_in_a_row(digits), ""))
        patterns += [(spoken_pattern(word), "") for word in SPOKEN[digits[0]].split()]
        if digits[0] == "1" and len(digits) > 1:  # 一百五十 is written 百五十 too
            patterns.append((_digits_in_a_row(digits[1:], after_scale=True), ""))
    return NumberSigns((*patterns, *map(_word, anchors)), numbers, anchors)


def _digits_but_zero(value: Decimal) -> str:
    return "".join(digit for digit in str(abs(value)) if digit in "123456789")


def _digits_in_a_row(digits: Sequence[str], *, after_scale: bool = False) -> str:
    """A number's digits but 0; written in digits, none stands before the first and none comes after the last."""
    if digits == ["0"]:
        return f"[{NUMERALS['0']}]"
    one, *others = digits
    first = f"[{NUMERALS[one]}](?<![1-9]{one})"
    if after_scale:
        first += f"(?<=[{SCALES}][{NUMERALS[one]}])"
    last = rf"(?:(?<!{digits[-1]})|(?!0*(?:\.0*)?[1-9]))"
    return _WITHIN.join((first, *(f"[{NUMERALS[digit]}]" for digit in others))) + last


def may_hold_duration(anchors: Sequence[str]) -> Signs:
    """Gives what a line must have that holds a length of time.

    Args:
        anchors: Folded.
    """
    words = [word for word in DURATION if word > "~" or len(word) > 1]
    roots = [word for word in words if not any(word.startswith(other) for other in words if other != word)]
    units = [_word(word) if word > "~" else (f"{word}(?<![a-z]{word})", "") for word in roots]  # no Saturday
    return Signs((*units, (r"[0-9] ?[hs](?![a-z])", ""), *map(_word, anchors)))


def may_hold_day(days: Iterable[int], anchors: Sequence[str]) -> Signs:
    """Gives what a line must have that holds a date with one of some days (of a whole month: its year or month).

    Args:
        days: Numbers.
        anchors: Folded.
    """
    patterns: list[tuple[str, str]] = []
    for day in days:
        before = rf"(?<![1-9]{day})" if day < _TEN else ""
        patterns += [(rf"{day}(?![0-9]){before}", ""), _one_of(_chinese(day))]
    return Signs((*patterns, *map(_word, anchors)))


def may_hold_hour(hours: Iterable[int], anchors: Sequence[str]) -> Signs:
    """Gives what a line must have that holds a time of day with one of some hours.

    Args:
        hours: Of 24.
        anchors: Folded.
    """
    sign = r" ?(?:[:点點时時]|[ap]\.?m)"
    patterns = [(f"{hour}{sign}", "") for hour in hours]
    patterns += [(f"[{_chinese(hour)}]{sign}", _chinese(hour)) for hour in hours]
    return Signs((*patterns, *map(_word, anchors)))


def may_hold_any(*what: str, anchors: Sequence[str]) -> Signs:
    """Gives what a line must have that holds one of some characters, or an anchor.

    Args:
        what: Patterns.
        anchors: Folded.
    """
    return Signs((*((pattern, "") for pattern in what), *map(_word, anchors)))


_TEN: Final = 10


def _chinese(number: int) -> str:
    tens, ones = divmod(number, _TEN)
    return NUMERALS[str(ones)][1:] if ones else "十〇零" if tens else "零〇"


def _one_of(chars: str) -> tuple[str, str]:
    """A pattern that is one of some characters."""
    return f"[{chars}]", chars


def _word(text: str) -> tuple[str, str]:
    """An alternative that is a text."""
    return re.escape(text), text
