"""Numbers with what they count: money, per cent, durations, and plain numbers with their measure."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final, Literal

from snapshot_sdk._fact_durations import find_lengths, in_base
from snapshot_sdk._fact_hedges import BETWEEN, RANGE, hedge_of
from snapshot_sdk._fact_numbers import ROUGH, Number, find_numbers
from snapshot_sdk._fact_patterns import later
from snapshot_sdk._fact_rates import DIFFERENCE, is_past, rate_of
from snapshot_sdk._fact_successors import was_moved
from snapshot_sdk._fact_text import Taken
from snapshot_sdk._fact_units import CURRENCY, DURATION, DURATION_AFTER, MONEY_AFTER, MONEY_BEFORE
from snapshot_sdk._fact_words import MEASURES, NO_MEASURE, NO_MEASURE_WORDS

QuantityKind = Literal["money", "percent", "duration", "number"]

_LEFT: Final = 8
"""Characters before a number in which its currency may stand."""
_SMALL_CHANGE: Final = later(r"(?:(\d)[角毛])?(?:(\d)分)?")
_HALF_YUAN: Final = {char: n for n, char in enumerate("零一二三四五六七八九")}

_PERCENT: Final = later(r" ?(?:%|percent(?![a-z])|per cent(?![a-z]))")
_POINTS: Final = later(r" ?(?:个?百分点|percentage points?|pp(?![a-z]))")
_PER_MILLE_AFTER: Final = later(r" ?‰")
_TENTHS: Final = later(r" ?成(?![功立员为本绩就长分交语品果都了人型因熟效千])")
"""三成 is 30 %."""
_MILLIONS: Final = {"m": 10**6, "b": 10**9, "mio": 10**6}
"""Scales behind an amount with its currency before it; elsewhere ``m`` is more often metres."""
_PER_CENT: Final = later(r"百分之\Z")
_PER_MILLE: Final = later(r"千分之\Z")
_DISCOUNT: Final = later(r" ?折(?![叠旧扣磨返射])")
_MEASURE: Final = later(r" ?([一-鿿]{1,2})|[ -]?([a-z]{2,}|°c|°f)(?![a-z])")
_ID_BEFORE: Final = later(
    r"(?:#|编号|订单号?|单号|房间号?|工号|(?<![a-z])(?:id|no\.?|number|order|room|ticket|port|page|line|step|code|version"
    r"|chapter|section))[ :#]*\Z"
)
_ONE_IN_WORDS: Final = frozenset("零一二三四五六七八九十两兩〇")


@dataclass(frozen=True)
class Quantity:
    """A number and what it counts, in a folded text."""

    kind: QuantityKind
    value: Decimal
    """Money in whole units of its currency, per cent in hundredths, durations in seconds or months."""
    unit: frozenset[str] | None
    """What its unit can be; None: it has none."""
    start: int
    end: int
    written: Decimal = Decimal(0)
    """The number before its unit: 3 of three days."""
    scaled: bool = False
    """A word or letter multiplies it: 万, k, ‰."""
    factor: Decimal = Decimal(1)
    """What such a word multiplies it by."""
    hedge: str = ""
    """What the words around it make of it: ``about``, ``more`` …; empty: it is exact."""
    until: Decimal | None = None
    """Of a range: its other end."""
    named: bool = False
    """It names a thing (order 8500) and counts nothing."""
    word: str = ""
    """The unit as it was counted in: ``day``, ``workday``; empty: not a length of time."""
    core: tuple[int, int] = (0, 0)
    """Span without the words that hedge it."""
    per: str = ""
    """Of a rate: what it is per, ``person``, ``month``."""


def find_quantities(text: str) -> list[Quantity]:
    """Gives every number of a folded text with its unit, in order; a range is one.

    Args:
        text: Folded.
    """
    taken = Taken()
    found = []
    for length in find_lengths(text):
        if taken.take(length.start, length.end):
            unit = frozenset((length.unit,))
            one = Quantity("duration", length.value, unit, length.start, length.end, word=length.word)
            found.append(replace(one, written=length.value))
    end = 0
    for number in sorted(find_numbers(text), key=lambda one: (one.start, -one.end)):
        quantity = _quantity(text, number) if number.start >= end else None
        if quantity is not None and taken.free(quantity.start, quantity.end):
            end = max(quantity.end, number.end)
            found.append(
                replace(
                    quantity,
                    written=abs(number.value),
                    scaled=quantity.scaled or number.factor != 1,
                    factor=number.factor,
                )
            )
    return _hedged(text, _ranges(text, sorted(found, key=lambda one: one.start)))


def _ranges(text: str, found: list[Quantity]) -> list[Quantity]:
    """Makes one of the two ends of a range; the first takes its unit from the second."""
    joined: list[Quantity] = []
    for one in found:
        before = joined[-1] if joined else None
        between = RANGE.fullmatch(text, before.end, one.start) if before is not None else None
        if before is None or between is None or not _is_range(text, before, one, between[0].strip()):
            joined.append(one)
            continue
        if one.kind == "number" and before.kind != "number":  # $1,200-1,500
            joined[-1] = replace(before, until=one.value, end=one.end, hedge="range")
            continue
        opening = BETWEEN.search(text, max(0, before.start - _LEFT), before.start)
        first = opening.start() if opening is not None else before.start
        low = before.value
        if before.kind == "number" and before.factor == 1 and low < one.written / one.factor:  # 8-9万元, 3-5天
            low *= one.value / one.written * one.factor
        joined[-1] = replace(one, value=low, until=one.value, start=first, hedge="range", written=before.written)
    return joined


def _is_range(text: str, low: Quantity, high: Quantity, joint: str) -> bool:
    if low.until is not None or low.named:
        return False
    if low.kind != high.kind and "number" not in (low.kind, high.kind):
        return False
    if high.kind == "number" and low.kind != "number":
        return low.kind == "money" and high.unit is None and joint in "-~"
    if joint == "and":
        return BETWEEN.search(text, max(0, low.start - _LEFT), low.start) is not None
    if joint == "to" and was_moved(text, low.start):
        return False
    return low.kind != "number" or low.unit is None or low.unit == high.unit


def _hedged(text: str, found: list[Quantity]) -> list[Quantity]:
    hedged = []
    for one in found:
        core = (one.start, one.end)
        rate = rate_of(text, *core) if one.kind != "duration" or one.until is None else None
        if rate is not None and rate.per and (rate.per != DIFFERENCE or one.kind == "money"):
            one = replace(one, start=rate.start, end=rate.end, per=rate.per)
        kind, start, end = hedge_of(text, one.start, core[1])
        end = max(end, one.end)
        if not kind and is_past(text, *core):
            kind = "past"
        if kind and (one.until is None or kind == "denied"):
            hedged.append(replace(one, hedge=one.hedge or kind, start=start, end=end, core=core))
        else:
            hedged.append(replace(one, core=core))
    return hedged


def same_quantity(one: Quantity, other: Quantity) -> bool:
    """Tells whether two quantities say the same; a bare number goes with money and with any measure.

    Args:
        one: One.
        other: Another.
    """
    if (one.value, one.until, one.hedge, one.per) != (other.value, other.until, other.hedge, other.per):
        return False
    if one.kind == other.kind:
        return one.unit is None or other.unit is None or bool(one.unit & other.unit)
    kinds = {one.kind, other.kind}
    bare = one if one.kind == "number" else other
    return kinds == {"money", "number"} and bare.unit is None and not bare.named


def _quantity(text: str, number: Number) -> Quantity | None:
    value, start, end = number.value, number.start, number.end
    hedge = "" if number.exact else "about"
    before = text[max(0, start - _LEFT) : start]
    if (rough := ROUGH.match(text, end)) is not None:
        end, hedge = rough.end(), "more"
    if _PER_CENT.search(before):
        return Quantity("percent", value, _PERCENTS, start - 3, end, hedge=hedge)
    if _PER_MILLE.search(before):
        return Quantity("percent", value / 10, _PERCENTS, start - 3, end, hedge=hedge, scaled=True)
    if number.suffix == "%":
        return Quantity("percent", value, _PERCENTS, start, end + 1, hedge=hedge or _plus(text, end + 1))
    money = MONEY_BEFORE.search(before)
    if number.suffix and not (money and number.suffix in _MILLIONS):
        return _suffixed(number, hedge)
    for pattern, factor, unit in _PARTS:
        if match := pattern.match(text, end):
            hedge = hedge or _plus(text, match.end())
            return Quantity("percent", value * factor, unit, start, match.end(), hedge=hedge, scaled=factor != 1)
    if match := _DISCOUNT.match(text, end):
        tenths = value if value >= 10 else value * 10
        return Quantity("percent", tenths, frozenset(("of the price",)), start, match.end(), hedge=hedge)
    if match := MONEY_AFTER.match(text, end):
        return _money(text, value, match, start, hedge)
    if money:
        opens = start - len(before) + money.start()
        millions = _MILLIONS.get(number.suffix, 1)
        if money[0].endswith("-") or text[max(0, opens - 1) : opens] == "-":  # $-5, -$5
            value, opens = -abs(value), opens - (not money[0].endswith("-"))
        unit = frozenset((CURRENCY[money[1]],))
        end += len(number.suffix)
        return Quantity("money", value * millions, unit, opens, end, hedge=hedge, scaled=millions != 1)
    if match := DURATION_AFTER.match(text, end):
        return _duration(value, match[1], start, match.end(), hedge)
    return _counted(text, number, before, end, hedge)


_PERCENTS: Final = frozenset(("%",))
_PARTS: Final = (
    (_POINTS, Decimal(1), frozenset(("points",))),
    (_PERCENT, Decimal(1), _PERCENTS),
    (_PER_MILLE_AFTER, Decimal("0.1"), _PERCENTS),
    (_TENTHS, Decimal(10), _PERCENTS),
)


def _plus(text: str, end: int) -> str:
    return "more" if text[end : end + 1] == "+" else ""


def _suffixed(number: Number, hedge: str) -> Quantity | None:
    unit, end = number.suffix, number.end + len(number.suffix)
    if unit in ("st", "nd", "rd", "th"):
        return None  # a place in a row
    if unit in CURRENCY:
        return Quantity("money", number.value, frozenset((CURRENCY[unit],)), number.start, end, hedge=hedge)
    if unit in DURATION:
        return _duration(number.value, unit, number.start, end, hedge)
    return Quantity("number", number.value, frozenset((unit,)), number.start, end, hedge=hedge)


def _money(text: str, value: Decimal, match: re.Match[str], start: int, hedge: str) -> Quantity:
    end = match.end()
    if match[1] in ("元", "块"):
        small = _SMALL_CHANGE.match(text, end)
        if small and small[0]:
            value += Decimal(int(small[1] or 0)) / 10 + Decimal(int(small[2] or 0)) / 100
            end = small.end()
        elif match[1] == "块" and end < len(text) and text[end] in _HALF_YUAN:
            value, end = value + Decimal(_HALF_YUAN[text[end]]) / 10, end + 1
    hedge = hedge or _plus(text, end)
    if (rough := _ODD.match(text, end)) is not None:
        end, hedge = rough.end(), "more"
    return Quantity("money", value, frozenset((CURRENCY[match[1]],)), start, end, hedge=hedge)


_ODD: Final = later(r"[多余](?![少年次])")
"""三块多 is more than three."""


_YEARS: Final = range(1800, 2200)
"""Before 年 it is a year of the calendar, and nothing lasts so long."""


def _duration(value: Decimal, word: str, start: int, end: int, hedge: str) -> Quantity:
    if word == "年" and not hedge and value in _YEARS:
        return Quantity("number", value, frozenset((word,)), start, end)
    name = DURATION[word]
    base, unit = in_base(value, name)
    return Quantity("duration", base, frozenset((unit,)), start, end, hedge=hedge, word=name)


def _counted(text: str, number: Number, before: str, end: int, hedge: str) -> Quantity | None:
    """A number that no unit of the lists follows: its measure, or nothing."""
    start = number.start
    unit: str | None = None
    match = _MEASURE.match(text, end)
    if match and match[1]:
        first = match[1][0]
        unit = first if first in MEASURES else None if first in NO_MEASURE else match[1]
        end = match.start(1) + 1 if first in MEASURES else end
    elif match and match[2] not in NO_MEASURE_WORDS:
        unit = match[2].removesuffix("s") if match[2] else None
    if not number.plain and text[start : number.end] in _ONE_IN_WORDS and unit not in MEASURES:
        return None  # 一下, 一般, 三心二意: a word, not a number
    named = bool(_ID_BEFORE.search(before))
    known = frozenset((unit,)) if unit is not None else None
    return Quantity("number", number.value, known, start, end, hedge=hedge or _plus(text, end), named=named)
