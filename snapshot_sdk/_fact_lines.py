"""Which lines of a text can hold a fact at all: the rest, nearly everything, is never read closely.

Values, their anchors and the clauses around them never go over the end of a line, so that a line can be judged by
itself. A filter here may let too much through, never too little: a test compares the results with and without it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Final

from snapshot_sdk._fact_near import NEAR, NEAR_FROM, joints_out
from snapshot_sdk._fact_units import DURATION

_NUMERALS: Final = {
    "0": "0零〇", "1": "1一壹十拾百佰千仟万萬", "2": "2二贰两兩",
    "3": "3三叁", "4": "4四肆", "5": "5五伍半", "6": "6六陆",
    "7": "7七柒", "8": "8八捌", "9": "9九玖",
}  # fmt: skip
_SPOKEN: Final = {
    "1": "one ten eleven twelve teen hundred thousand million", "2": "two twelve twenty", "3": "three thirteen thirty",
    "4": "four forty", "5": "five fifteen fifty", "6": "six", "7": "seven", "8": "eight", "9": "nine", "0": "zero",
}  # fmt: skip
"""How the first digit of a number in English words can sound."""
_WITHIN: Final = "(?:[0,.零〇点十拾百佰千仟万萬亿億又个]| [千百十万萬亿億]){0,24}"
"""What may stand between two digits of a number that are not 0."""


def lines_with(text: str, may: re.Pattern[str]) -> Iterator[tuple[int, int]]:
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


def may_hold_id(wanted: str, anchors: Sequence[str]) -> re.Pattern[str]:
    """Gives what a line must have that holds an id, a slip of it, or an anchor.

    Of three pieces of an id two changes leave one whole; joints do not count.

    Args:
        wanted: Plain.
        anchors: Folded.
    """
    bare = joints_out(wanted)
    patterns = ["[-_./:#]*".join(map(re.escape, piece)) for piece in _pieces(bare, len(wanted))]
    patterns += [re.escape(end) for end in (wanted[:NEAR_FROM], wanted[-NEAR_FROM:])]
    if anchors:  # beside one of them stands another of its series
        patterns.append("".join("[0-9]" if sign in "0123456789" else re.escape(sign) for sign in wanted))
    return _any(patterns)


def _pieces(bare: str, length: int) -> list[str]:
    parts = NEAR + 1 if len(bare) > NEAR and length + NEAR >= NEAR_FROM else 1
    cuts = [len(bare) * part // parts for part in range(parts + 1)]
    return [bare[a:b] for a, b in pairwise(cuts) if a < b]


def may_hold_phone(wanted: str, anchors: Sequence[str]) -> re.Pattern[str]:
    """Gives what a line must have that holds a phone number, a slip of it, or an anchor.

    Args:
        wanted: Plain.
        anchors: Folded.
    """
    digits = wanted.lstrip("+")
    pieces = (*_pieces(digits, len(wanted)), digits[:NEAR_FROM], digits[-NEAR_FROM:])
    return _any((*("[ ().-]{0,3}".join(piece) for piece in pieces), *map(re.escape, anchors)))


def may_hold_number(values: Iterable[Decimal], anchors: Sequence[str]) -> re.Pattern[str]:
    """Gives what a line must have that holds a number with the same digits but 0, however it is written.

    Args:
        values: As they may be written.
        anchors: Folded.
    """
    patterns = []
    for value in values:
        digits = [digit for digit in str(abs(value)) if digit in "123456789"] or ["0"]
        patterns.append(_digits_in_a_row(digits))
        patterns += map(_spoken, _SPOKEN[digits[0]].split())
        if digits[0] == "1" and len(digits) > 1:  # 一百五十 is written 百五十 too
            patterns.append(_digits_in_a_row(digits[1:]))
    return _any((*patterns, *map(re.escape, anchors)))


def _digits_in_a_row(digits: Sequence[str]) -> str:
    """A number's digits but 0; written in digits, none stands before the first and none comes after the last."""
    if digits == ["0"]:
        return f"[{_NUMERALS['0']}]"
    one, *others = digits
    first = f"[{_NUMERALS[one]}](?<![1-9]{one})"
    last = rf"(?:(?<!{digits[-1]})|(?!0*(?:\.0*)?[1-9]))"
    return _WITHIN.join((first, *(f"[{_NUMERALS[digit]}]" for digit in others))) + last


def may_hold_duration(anchors: Sequence[str]) -> re.Pattern[str]:
    """Gives what a line must have that holds a length of time.

    Args:
        anchors: Folded.
    """
    words = [word for word in DURATION if word > "~" or len(word) > 1]
    return _any((*words, r"[0-9] ?[hs](?![a-z])", *map(re.escape, anchors)))


def may_hold_day(days: Iterable[int], anchors: Sequence[str]) -> re.Pattern[str]:
    """Gives what a line must have that holds a date with one of some days (of a whole month: its year or month).

    Args:
        days: Numbers.
        anchors: Folded.
    """
    patterns = []
    for day in days:
        before = rf"(?<![1-9]{day})" if day < _TEN else ""
        patterns += [rf"{day}(?![0-9]){before}", _chinese(day)]
    return _any((*patterns, *map(re.escape, anchors)))


def may_hold_hour(hours: Iterable[int], anchors: Sequence[str]) -> re.Pattern[str]:
    """Gives what a line must have that holds a time of day with one of some hours.

    Args:
        hours: Of 24.
        anchors: Folded.
    """
    sign = r" ?(?:[:点點时時]|[ap]\.?m)"
    patterns = [rf"{hour}{sign}" for hour in hours] + [f"{_chinese(hour)}{sign}" for hour in hours]
    return _any((*patterns, *map(re.escape, anchors)))


def may_hold_any(*what: str, anchors: Sequence[str]) -> re.Pattern[str]:
    """Gives what a line must have that holds one of some characters, or an anchor.

    Args:
        what: Patterns.
        anchors: Folded.
    """
    return _any((*what, *map(re.escape, anchors)))


_TEN: Final = 10


def _chinese(number: int) -> str:
    tens, ones = divmod(number, _TEN)
    return f"[{_NUMERALS[str(ones)][1:]}]" if ones else "[十〇零]" if tens else "[零〇]"


def _spoken(word: str) -> str:
    return word if word == "teen" else f"{word}(?<![a-z]{word})"


def _any(patterns: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(dict.fromkeys(patterns)))
