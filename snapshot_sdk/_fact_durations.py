"""Lengths of time that are more than a number and a unit: 一个半小时, half a year, 1h30m."""

# ruff: noqa: E501 - Chinese counts double

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Final, NamedTuple

from snapshot_sdk._fact_numbers import read_chinese, read_english
from snapshot_sdk._fact_patterns import later
from snapshot_sdk._fact_units import DURATION, MONTHS, SECONDS

_ZH: Final = "[0-9]{1,6}(?:\\.[0-9]{1,3})?|[零一二三四五六七八九十百两]{1,6}"
_HALF_ZH: Final = later(rf"(?<![0-9.第一-十])(?:({_ZH}) ?个半|(?<!个)半个?)(小时|钟头|天|月|年|星期|礼拜)")
_AND_HALF_ZH: Final = later(rf"(?<![0-9.第])({_ZH}) ?(天|年|小时|周)半(?!价|天|年)")
_EN: Final = "[0-9]{1,6}|[a-z]{2,9}(?:-[a-z]{3,5})?"
_HALF_EN: Final = later(r"(?<![a-z-])half (?:an?|of an?) (hour|day|week|month|year)(?![a-z])")
_AND_HALF_EN: Final = later(
    rf"(?<![a-z0-9-])(?:({_EN}) and a half (hour|day|week|month|year)s?|(?:an?|one) (hour|day|week|month|year) and a half)"
    r"(?![a-z])"
)
_ONE: Final = later(r"(?<![a-z-])one (hour|day|week|month|year)(?![a-z])")
_COMPOUND: Final = later(
    r"(?<![0-9a-z.])(?:(\d{1,4}) ?(?:d|days?|天) ?)?(?:(\d{1,4}) ?(?:h|hrs?|hours?|个?小时|个?钟头)(?:,? ?and)? ?)"
    r"(\d{1,4}) ?(?:m|mins?|minutes?|分钟?)(?![a-z])",
)
_UNITS: Final = {"小时": "hour", "钟头": "hour", "天": "day", "月": "month", "年": "year", "星期": "week"} | {
    "礼拜": "week",
    "周": "week",
}
_HALF: Final = Decimal("0.5")


class Length(NamedTuple):
    """A length of time in a folded text."""

    value: Decimal
    """Seconds or months."""
    unit: str
    """``second`` or ``month``."""
    start: int
    end: int
    word: str = ""
    """What it is counted in, where that is one unit."""


def in_base(value: Decimal, name: str) -> tuple[Decimal, str]:
    """Gives a length in seconds or months, or as it is where it is neither (working days, nights).

    Args:
        value: How many.
        name: Of what.
    """
    if name in SECONDS:
        return value * SECONDS[name], "second"
    return (value * MONTHS[name], "month") if name in MONTHS else (value, name)


def find_lengths(text: str) -> Iterator[Length]:
    """Gives the lengths of time of a folded text that have halves or several units.

    Args:
        text: Folded.
    """
    # A sign is looked for before the pattern that has it: to find none takes a hundredth of the time.
    for match in _HALF_ZH.finditer(text) if "半" in text else ():
        yield from _length(match, _read(match[1]) if match[1] else Decimal(0), match[2])
    for match in _AND_HALF_ZH.finditer(text) if "半" in text else ():
        yield from _length(match, _read(match[1]), match[2])
    for match in _HALF_EN.finditer(text) if "half " in text else ():
        yield from _length(match, Decimal(0), match[1])
    for match in _AND_HALF_EN.finditer(text) if " and a half" in text else ():
        yield from _length(match, _read(match[1]) if match[1] else Decimal(1), match[2] or match[3])
    for match in _ONE.finditer(text) if "one " in text else ():
        yield Length(*in_base(Decimal(1), match[1]), match.start(), match.end(), match[1])
    for match in _COMPOUND.finditer(text):
        days, hours, minutes = (int(part or 0) for part in match.groups())
        yield Length(Decimal((days * 24 + hours) * 3_600 + minutes * 60), "second", match.start(), match.end())


def _length(match: re.Match[str], whole: Decimal | None, word: str) -> Iterator[Length]:
    if whole is not None:
        value, unit = in_base(whole + _HALF, _UNITS.get(word) or DURATION[word])
        yield Length(value, unit, match.start(), match.end())


def _read(written: str) -> Decimal | None:
    if written[0].isdigit():
        return Decimal(written)
    if written[0] > "~":
        return read_chinese(written)
    spoken = 1 if written == "one" else read_english(written) if written in _SPOKEN else None
    return None if spoken is None else Decimal(spoken)


_SPOKEN: Final = frozenset(("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"))
