"""Dates and times of day, Chinese and English."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from snapshot_sdk._fact_hedges import RANGE, hedge_of
from snapshot_sdk._fact_patterns import later
from snapshot_sdk._fact_successors import was_moved
from snapshot_sdk._fact_text import Taken
from snapshot_sdk._fact_times import NUMERAL as _NUMERAL
from snapshot_sdk._fact_times import find_clocks, read_hours

_MONTHS: Final = {
    name: number
    for number, names in enumerate(
        (
            "january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug",
            "september sept sep", "october oct", "november nov", "december dec",
        ),
        start=1,
    )
    for name in names.split()
}  # fmt: skip
_MONTH: Final = "|".join(sorted(_MONTHS, key=len, reverse=True))

_SHORT: Final = r"(?:(?<![a-z]{5})\.)?"
"""The point of an abbreviation; that behind a whole word ends the sentence."""
_THROUGH: Final = " ?(?:-|~|to|through|until|till) ?"

_ISO: Final = later(
    r"(?<![0-9a-z_./-])(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?:[t ](?=\d{2}:)|(?![0-9a-z_/]|[-.][0-9a-z]))"
)
_COMPACT: Final = later(r"(?<![0-9a-z_./,-])((?:19|20)\d\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?![0-9a-z_./,-])")
_CHINESE: Final = later(
    rf"(?:(\d{{4}}|{_NUMERAL}{{4}}) ?年 ?)?(?<![0-9])(\d{{1,2}}|{_NUMERAL}{{1,2}}) ?月 ?"
    rf"(?:(\d{{1,2}}|{_NUMERAL}{{1,3}}) ?[日号](?!码))"
)
_MONTH_FIRST: Final = later(
    rf"(?<![a-z])({_MONTH})\.? (\d{{1,2}})(?:st|nd|rd|th)?(?![0-9:%])(?:,? (\d{{4}})(?![0-9]))?(?![a-z])"
)
_DAY_FIRST: Final = later(
    rf"(?<![0-9a-z.,/-])(\d{{1,2}})(?:st|nd|rd|th)?(?: of)?[ -]({_MONTH})(?![a-z])(?:{_SHORT},?[ -](\d{{4}})(?![0-9]))?"
)
_DAYS_FIRST: Final = later(
    rf"(?<![0-9a-z.,/-])(\d{{1,2}})(?:st|nd|rd|th)?{_THROUGH}(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? ({_MONTH})(?![a-z])"
    rf"(?:{_SHORT},? (\d{{4}})(?![0-9]))?"
)
"""18-21 March."""
_DAYS_LAST: Final = later(
    rf"(?<![a-z])({_MONTH})\.? (\d{{1,2}})(?:st|nd|rd|th)?{_THROUGH}(\d{{1,2}})(?:st|nd|rd|th)?"
    rf"(?![0-9a-z:%/-]|[.][0-9])(?:,? (\d{{4}})(?![0-9]))?"
)
"""March 18-21."""
_DAYS_CHINESE: Final = later(
    rf"(?:(\d{{4}}|{_NUMERAL}{{4}}) ?年 ?)?(?<![0-9])(\d{{1,2}}|{_NUMERAL}{{1,2}}) ?月 ?"
    rf"(\d{{1,2}}|{_NUMERAL}{{1,3}}) ?[日号]? ?(?:到|至|-|~) ?(\d{{1,2}}|{_NUMERAL}{{1,3}}) ?[日号](?!码)"
)
"""3月18-21日."""
_SLASHED: Final = later(r"(?<![0-9a-z_./-])(\d{1,2})([/.-])(\d{1,2})\2(\d{4})(?![0-9a-z_/-])")

_MONTH_ONLY: Final = later(
    rf"(?<![0-9a-z_./-])(?:((?:19|20)\d\d)-(0[1-9]|1[0-2])(?![0-9a-z_/-]|[.][0-9])"
    rf"|(\d{{4}}|{_NUMERAL}{{4}}) ?年 ?(\d{{1,2}}|{_NUMERAL}{{1,2}}) ?月(?!份?(?:\d|{_NUMERAL}))"
    rf"|({_MONTH})\.?,? ((?:19|20)\d\d)(?![0-9-]))"
)
_UNTIL: Final = later(rf"(\d{{1,2}}|{_NUMERAL}{{1,3}}) ?[日号点]|\d{{1,2}}(?::\d{{2}})?(?!\d)")
"""The other end of a range, without its month."""


@dataclass(frozen=True)
class Moment:
    """A date or a time of day in a folded text."""

    kind: str
    """``date`` or ``time``."""
    readings: frozenset[tuple[int | None, int, int]]
    """Year (None: not said), month, day (0: the whole month); or hour, minute, second.
    Two for 08/12/2025, which is August or December."""
    start: int
    end: int
    certain: bool = True
    """Of a time: it is known whether it is before or after noon."""
    zone: str = ""
    """Of a time its zone, of a date its calendar; empty where none is named."""
    hedge: str = ""
    """What the words around it make of it: ``about``, a range with its other end …; empty: it is exact."""
    until: frozenset[tuple[int | None, int, int]] = frozenset()
    """Of a range: the readings of its other end."""
    core: tuple[int, int] = (0, 0)
    """Span without the words that hedge it."""


def find_moments(text: str) -> list[Moment]:
    """Gives the dates and times of a folded text, in order; a range is one.

    Args:
        text: Folded.
    """
    taken = Taken()
    longest_first = sorted((*find_dates(text), *_times(text)), key=lambda one: one.start - one.end)
    found = [one for one in longest_first if taken.take(one.start, one.end)]
    found = _ranges(text, sorted(found, key=lambda one: one.start))
    if found and _ANY_CALENDAR.search(text):
        found = [_calendar(text, one) for one in found]
    return [_hedged(text, one) for one in found]


def _ranges(text: str, found: list[Moment]) -> list[Moment]:
    joined: list[Moment] = []
    skip = -1
    for place, one in enumerate(found):
        after = found[place + 1] if place + 1 < len(found) else None
        if one.start < skip:
            continue
        if one.until:
            joined.append(one)
            continue
        joint = RANGE.match(text, one.end)
        if joint is not None and joint[0].strip() == "to" and was_moved(text, one.start):
            joint = None
        if joint is None or joint[0].strip() == "and" or (joint[0] == "-" and one.kind == "date" and after is None):
            joined.append(one)
        elif after is not None and after.start == joint.end() and after.kind == one.kind:
            skip = after.end
            joined.append(replace(one, end=after.end, hedge=_to(after.readings), until=after.readings))
        elif (bare := _UNTIL.match(text, joint.end())) is not None and _same_writing(text, one, bare[0]):
            joined.append(replace(one, end=bare.end(), hedge=f"to {bare[0]}"))
        else:
            joined.append(one)
    return joined


def _to(until: frozenset[tuple[int | None, int, int]]) -> str:
    return f"to {sorted(until, key=str)}"


def _same_writing(text: str, one: Moment, until: str) -> bool:
    """Tells whether 12月8日至10日 goes on: both end in the same sign."""
    return not until[-1].isdigit() and text[one.end - 1] in "日号点"


_CALENDAR: Final = later(
    r"(?:(农历|阴历|旧历|(?<![a-z])lunar(?: calendar| date)?)"
    r"|(民国|佛历|伊斯兰历|令和|(?<![a-z])(?:hijri|julian|buddhist|hebrew)(?: calendar)?))"
    r"(?:的|是|为|:)? ?\Z"
)
_CALENDAR_BEHIND: Final = later(r" ?\(?(?:农历|阴历|旧历|(?:lunar|on the lunar|in the lunar)(?![a-z]))")
_ANY_CALENDAR: Final = later("历|民国|令和|lunar|hijri|julian|buddhist|hebrew")
_CALENDAR_REACH: Final = 20


def _calendar(text: str, one: Moment) -> Moment:
    """Names the calendar of a date, where it is not the common one."""
    if one.kind != "date":
        return one
    before = _CALENDAR.search(text, max(0, one.start - _CALENDAR_REACH), one.start)
    if before is not None:
        return replace(one, zone="lunar" if before[1] else before[2], start=before.start())
    behind = _CALENDAR_BEHIND.match(text, one.end)
    return one if behind is None else replace(one, zone="lunar", end=behind.end())


def _hedged(text: str, one: Moment) -> Moment:
    if one.hedge:
        return replace(one, core=(one.start, one.end))
    kind, start, end = hedge_of(text, one.start, one.end)
    core = (one.start, one.end)
    if kind not in ("about", "denied"):  # "from Monday" and "over Christmas" say the day
        return replace(one, core=core)
    return replace(one, hedge=kind, start=start, end=end, core=core)


def same_moment(one: Moment, other: Moment, *, as_written: bool) -> bool:
    """Tells whether two dates or two times are the same.

    A date without a year goes with one that has a year. One that can be read in two ways is the same only as one
    that is written alike.

    Args:
        one: One.
        other: Another.
        as_written: Both are the same characters.
    """
    if one.kind != other.kind or one.zone != other.zone or one.hedge != other.hedge:
        return False
    if as_written:
        return one.readings == other.readings
    if len(one.readings) > 1 or len(other.readings) > 1:
        return False
    [(first, *rest)], [(second, *others)] = one.readings, other.readings
    if one.kind == "time":
        return (first, *rest) == (second, *others)
    return rest == others and (first is None or second is None or first == second)


def how_moments_differ(wanted: Moment, other: Moment) -> str:
    """Names what a careless copy changes: the year, the half of the day, the zone; empty: it is another moment.

    Args:
        wanted: What is looked for.
        other: Of the same kind, and not the same.
    """
    if wanted.kind == "date":
        days = {(month, day) for _, month, day in (*other.readings, *other.until)}
        if not days & {(month, day) for _, month, day in wanted.readings}:
            return ""
        if other.zone != wanted.zone:
            return "another calendar"
        if other.hedge != wanted.hedge:
            return "a range or no longer exact"
        return "another year" if len(other.readings) == 1 else "it may be read as another day"
    if other.until and wanted.readings & other.until:
        return "a range"
    [(hour, minute, _)], [(other_hour, other_minute, _)] = wanted.readings, other.readings
    if minute != other_minute or (hour or 0) % 12 != (other_hour or 0) % 12:
        return ""
    if hour != other_hour:
        return "the other half of the day" if other.certain else "which half of the day is not said"
    if other.zone != wanted.zone:
        return "another time zone" if other.zone else "the time zone is gone"
    return "a range or no longer exact"


def find_dates(text: str) -> Iterator[Moment]:
    """Gives the dates of a folded text; of ranges those that name a month once. One may lie within another.

    Args:
        text: Folded.
    """
    for match in _ISO.finditer(text):
        yield from _date(int(match[1]), int(match[3]), int(match[4]), match.start(), match.end(4))
    for match in _COMPACT.finditer(text):
        yield from _date(int(match[1]), int(match[2]), int(match[3]), match.start(), match.end())
    for match in _CHINESE.finditer(text) if "月" in text else ():  # to find that it is not takes no time
        year = None if match[1] is None else read_hours(match[1])
        month, day = read_hours(match[2]), read_hours(match[3])
        if month is not None and day is not None:
            yield from _date(year, month, day, match.start(), match.end())
    for match in _MONTH_FIRST.finditer(text):
        year = int(match[3]) if match[3] else None
        yield from _date(year, _MONTHS[match[1]], int(match[2]), match.start(), match.end())
    for match in _DAY_FIRST.finditer(text):
        year = int(match[3]) if match[3] else None
        yield from _date(year, _MONTHS[match[2]], int(match[1]), match.start(), match.end())
    for match in _SLASHED.finditer(text):
        one, other, year = int(match[1]), int(match[3]), int(match[4])
        readings = frozenset((year, m, d) for m, d in ((one, other), (other, one)) if _valid(m, d))
        if readings:
            yield Moment("date", readings, match.start(), match.end())
    yield from _months(text)
    yield from _stretches(text)


def _stretches(text: str) -> Iterator[Moment]:
    """Days of one month from one to another: the month is said once."""
    stretches = [(m, m[4], _MONTHS[m[3]], m[1], m[2]) for m in _DAYS_FIRST.finditer(text)]
    stretches += [(m, m[4], _MONTHS[m[1]], m[2], m[3]) for m in _DAYS_LAST.finditer(text)]
    stretches += [
        (m, m[1], read_hours(m[2]) or 0, m[3], m[4]) for m in (_DAYS_CHINESE.finditer(text) if "月" in text else ())
    ]
    for match, said, month, low, high in stretches:
        year, first, last = read_hours(said) if said else None, read_hours(low), read_hours(high)
        if first is not None and last is not None and first < last and _valid(month, first) and _valid(month, last):
            until = frozenset(((year, month, last),))
            readings = frozenset(((year, month, first),))
            yield Moment("date", readings, match.start(), match.end(), hedge=_to(until), until=until)


def _months(text: str) -> Iterator[Moment]:
    for match in _MONTH_ONLY.finditer(text):
        if match[5]:
            month: int | None = _MONTHS[match[5]]
            year: int | None = int(match[6])
        else:
            year, month = read_hours(match[1] or match[3]), read_hours(match[2] or match[4])
        if month is not None and 1 <= month <= 12:
            yield Moment("date", frozenset(((year, month, 0),)), match.start(), match.end())


def _date(year: int | None, month: int, day: int, start: int, end: int) -> Iterator[Moment]:
    if _valid(month, day):
        yield Moment("date", frozenset(((year, month, day),)), start, end)


def _valid(month: int, day: int) -> bool:
    return 1 <= month <= 12 and 1 <= day <= 31


def _times(text: str) -> Iterator[Moment]:
    for clock in find_clocks(text):
        reading = frozenset(((clock.hour, clock.minute, clock.second),))
        yield Moment("time", reading, clock.start, clock.end, clock.certain, clock.zone)
