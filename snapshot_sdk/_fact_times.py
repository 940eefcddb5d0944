"""Times of day: 15:00, 3pm, 下午三点半, with their time zones."""

# ruff: noqa: E501 - Chinese counts double

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from snapshot_sdk._fact_numbers import read_chinese
from snapshot_sdk._fact_patterns import later

NUMERAL: Final = "[〇零两一二三四五六七八九十]"
_PARTS: Final = "凌晨|清晨|早上|早晨|上午|中午|下午|傍晚|晚上|今晚|明晚|夜里|晚间|早|晚"
_CLOCK: Final = later(
    r"(?<![0-9a-z:.+])(\d{1,2}):(\d{2})(?::(\d{2}))?(?:\.\d+)? ?(am|pm|a\.m\.|p\.m\.)?(?![0-9]|[a-y]|:[0-9])"
)
_ISO_CLOCK: Final = later(r"(?<=\dt)(\d{2}):(\d{2})(?::(\d{2}))?(?:\.\d+)?()(?![0-9])")
_HOUR: Final = later(r"(?<![0-9a-z:.$¥€£,-])(\d{1,2}) ?(am|pm|a\.m\.|p\.m\.)(?![a-z])")
_CHINESE_CLOCK: Final = later(
    rf"({_PARTS})? ?(?<![0-9.第共这那])(?<![一二三四五六七八九十])"
    rf"(\d{{1,2}}|{NUMERAL}{{1,3}})(?:点钟?|點鐘?|时(?!间|候|期)|時(?!間|候|期))(?:(半)|(一刻)|(三刻)|(\d{{1,2}}(?=分)|\d{{2}}|{NUMERAL}{{1,3}}(?=分)|{NUMERAL}{{2,3}})分?)?"
    rf"(?![0-9]|{NUMERAL}|[意建原理要结内问想看说注][^。，]?)"
)
"""Not 第三点 and not 三点意见, which are points of a list."""
_ANY_CLOCK: Final = later(r"\d:\d|\d ?[ap]\.?m|[点點时時]")
"""What every text with a time of day has; most have none."""
_DAY_PART: Final = later(rf"({_PARTS}) ?\Z")
_EVENING: Final = frozenset(("下午", "傍晚", "晚上", "今晚", "明晚", "夜里", "晚间", "晚"))
_LATE: Final = 5
"""Hours of the night: 夜里三点 is 3:00, 夜里十一点 is 23:00."""

_ZONE_AFTER: Final = later(
    r" ?\(?(?:(utc|gmt)(?:([+-]\d{1,2})(?::?\d{2})?)?|(z)|([ecmp][sd]?t|bst|ist|jst|kst|hkt|sgt|ce[s]?t|ee[s]?t|msk|hst|akst"
    r"|ae[sd]t)|(\+\d{2}:?\d{2}|(?<=\d:\d{2}:\d{2})-\d{2}:?\d{2}))(?![a-z0-9])"
)
_ZONE_BEFORE: Final = later(
    r"(北京|东京|纽约|伦敦|巴黎|柏林|首尔|新加坡|洛杉矶|悉尼|当地|美东|美西|(?<![a-z])(?:utc|gmt))(?:时间)? ?\Z"
)
_ALIKE: Final = {"gmt": "utc", "z": "utc", "+00:00": "utc", "+0000": "utc", "-00:00": "utc"}
_BEFORE: Final = 8
"""Characters before a time in which a part of the day or a zone may stand."""


class Clock(NamedTuple):
    """A time of day in a folded text."""

    hour: int
    minute: int
    second: int
    start: int
    end: int
    certain: bool
    """It is known whether it is before or after noon."""
    zone: str
    """Empty: none is named."""


def find_clocks(text: str) -> Iterator[Clock]:
    """Gives the times of day of a folded text.

    Args:
        text: Folded.
    """
    if not _ANY_CLOCK.search(text):
        return
    for pattern in (_CLOCK, _ISO_CLOCK):
        for match in pattern.finditer(text):
            hour, minute, second = int(match[1]), int(match[2]), int(match[3] or 0)
            part = _DAY_PART.search(text, max(0, match.start() - _BEFORE), match.start())
            start = part.start() if part else match.start()
            yield from _clock(text, (hour, minute, second), match[4] or (part[1] if part else None), start, match.end())
    for match in _HOUR.finditer(text):
        yield from _clock(text, (int(match[1]), 0, 0), match[2], match.start(), match.end())
    for match in _CHINESE_CLOCK.finditer(text):
        hours = read_hours(match[2])
        minutes = 30 if match[3] else 15 if match[4] else 45 if match[5] else read_hours(match[6]) if match[6] else 0
        if hours is not None and minutes is not None:
            sure = match[1] is not None or hours > 12
            yield from _clock(text, (hours, minutes, 0), match[1], match.start(), match.end(), sure=sure)


def _clock(
    text: str, at: tuple[int, int, int], part: str | None, start: int, end: int, *, sure: bool = True
) -> Iterator[Clock]:
    hour, minute, second = at
    if part is not None and hour <= 12:
        evening = part in _EVENING and not (part == "夜里" and hour <= _LATE)
        if part.startswith("p") or evening or (part == "中午" and hour < 3):
            hour = hour % 12 + 12
        elif part.startswith("a") and hour == 12:
            hour = 0
    if hour > 24 or minute > 59:
        return
    after = _ZONE_AFTER.match(text, end)
    before = _ZONE_BEFORE.search(text, max(0, start - _BEFORE), start)
    zone = ""
    if after is not None:
        zone, end = next(group for group in (after[3], after[4], after[5], after[0].strip(" (")) if group), after.end()
    elif before is not None:
        zone, start = before[1], before.start()
    yield Clock(hour, minute, second, start, end, sure, _ALIKE.get(zone, zone))


def read_hours(written: str) -> int | None:
    """Reads digits or a Chinese numeral.

    Args:
        written: One of them.
    """
    if written.isdigit() and written.isascii():
        return int(written)
    value = read_chinese(written)
    return None if value is None else int(value)
