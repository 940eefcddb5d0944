"""Days that are said from the day of speaking: 下周三, next Wednesday, tomorrow, and weekdays.

Which date such a day is depends on when it was said, and that is not known here: it is the same as the same day said
again, in Chinese or English, and never the same as a date.
"""

# ruff: noqa: E501 - lists of words are read as text; Chinese counts double there

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, Literal

from snapshot_sdk._fact_hedges import RANGE, WHY, hedge_of
from snapshot_sdk._fact_patterns import later
from snapshot_sdk._fact_successors import was_moved

Unit = Literal["weekday", "day", "week", "weekend", "month", "year"]

_DAYS: Final = {
    name: number
    for number, names in enumerate(
        ("一 monday mon", "二 tuesday tues tue", "三 wednesday wed", "四 thursday thurs thur thu", "五 friday fri",
         "六 saturday", "日 天 sunday"),
        start=1,
    )
    for name in names.split()
}  # fmt: skip
"""Neither sat nor sun: these are other words, too."""
_ENGLISH: Final = "|".join(sorted((name for name in _DAYS if name < "~"), key=len, reverse=True))
_WEEK: Final = "(?:周|週|星期|礼拜|禮拜)"
_WHICH: Final = "上上个?|下下个?|上一?个?|下一?个?|本|这一?个?|這一?個?"
_STEPS: Final = {
    "上上": -2, "下下": 2, "上": -1, "下": 1, "本": 0, "这": 0, "這": 0, "last": -1, "previous": -1, "past": -1, "next": 1, "this": 0,
}  # fmt: skip
_RECURRING: Final = {
    "每": "every",
    "每个": "every",
    "隔": "every other",
    "every": "every",
    "each": "every",
    "every other": "every other",
}
_COUNTED: Final = "次天个個顿節节回遍小分年月岁期刊报報元块度点點十百千万人种種本条"
"""What behind 周三 makes three of something of it: 一周三次, 本周三个人."""

_WEEKDAY_CHINESE: Final = later(
    rf"(?<![一两几二三四五六七八九十百整半多0-9])(?:(?P<far>{_WHICH}){_WEEK}的?)?(?P<which>每个?|隔|{_WHICH})?{_WEEK}(?P<day>[一二三四五六日天])(?![{_COUNTED}])"
)
_WEEKDAY_ENGLISH: Final = later(
    r"(?<![a-z])(?:(?P<which>next|last|previous|past|this coming|this|coming|every other|every|each) (?P<far>week (?:on )?)?)?"
    rf"(?!thus(?![a-z]))(?P<day>{_ENGLISH})(?P<many>s)?(?![a-z'’-])(?:\.(?= [a-z]))?(?: (?:of )?(?P<week>next|this|last) week(?![a-z])|(?P<after> after next(?![a-z]))|(?P<before> before last(?![a-z])))?"
    r"(?! (?:of|in) (?:the|each|every|next|this|last) (?:month|year|quarter))"
)
_OFFSETS: Final = {
    "大后天": 3, "大後天": 3, "后天": 2, "後天": 2, "明天": 1, "明日": 1, "今天": 0, "今日": 0, "昨天": -1, "昨日": -1, "大前天": -3,
    "前天": -2, "the day after tomorrow": 2, "day after tomorrow": 2, "tomorrow": 1, "today": 0, "yesterday": -1,
    "the day before yesterday": -2, "day before yesterday": -2,
}  # fmt: skip
_DAY: Final = later(
    "(?:大[后後]天|(?<![以之最然往今])[后後]天(?!性|养成|培养|努力)|明[天日](?!星)|今[天日](?!头条)|昨[天日]|大前天|(?<![以之目0-9一二三四五六七八九十几])前天(?!气))"
    "|(?<![a-z])(?:(?:the )?day after tomorrow|(?:the )?day before yesterday|tomorrow|today|yesterday)(?![a-z])"
)
_SIGNS_OF_DAY: Final = ("天", "日", "tomorrow", "today", "yesterday")
"""One of them is in every such day: to find that none is there takes a tenth of the time."""
_SPAN_CHINESE: Final = later(
    rf"(?P<week>{_WHICH})(?:{_WEEK}(?P<end>末)?(?![一二三四五六日天的年]|{_WEEK})|(?P<month>月)(?![0-9一二三四五六七八九十份]))|(?P<weekend>周末|週末)|(?P<year>[今明去后後]年)(?![0-9]|[一二三四五六七八九十]+月)"
)
_SPAN_ENGLISH: Final = later(
    rf"(?<![a-z])(?P<which>next|last|this) (?P<unit>weekend|week|month|year)(?![a-z])(?! (?:on )?(?:{_ENGLISH}))"
)
_YEARS: Final = {"今": 0, "明": 1, "去": -1, "后": 2, "後": 2}
_TO_DAY: Final = later(r" ?(?:到|至|-|~) ?([一二三四五六日天])(?![楼層层号室月点點家个])")
"""The other end of 周一到五."""
HINT: Final = later(
    rf"周|週|星期|礼拜|禮拜|[前后後明今昨][天日年]|去年|[上下本这這][一个個]*月|(?<![a-z])(?:{_ENGLISH})|tomorrow|today|yesterday|weekend|week|month|year"
)
"""What every text has in which such a day stands."""


@dataclass(frozen=True)
class RelativeDay:
    """A day said from the day of speaking, or a weekday, in a folded text."""

    unit: Unit
    step: int | str | None
    """How many days, weeks … from now; ``coming``, ``every``; None: a weekday of which no week is said."""
    day: int
    """Of a weekday: 1 is Monday; else 0."""
    start: int
    end: int
    hedge: str = ""
    """What the words around it make of it; of a range its other end."""

    @property
    def promises(self) -> bool:
        """It is a day that one may be held to: a weekday or a day to come, not today, this week or some year."""
        return self.unit == "weekday" or (self.unit == "day" and isinstance(self.step, int) and self.step > 0)

    @property
    def key(self) -> str:
        """Equal for equal days."""
        step = "" if self.step is None else f"{self.step} "
        return f"{step}{self.unit}{f' {self.day}' if self.day else ''}{f' ({self.hedge})' if self.hedge else ''}"


def find_relative_days(text: str) -> list[RelativeDay]:
    """Gives such days of a folded text, in order; a range is one.

    Args:
        text: Folded.
    """
    if not HINT.search(text):
        return []
    found: list[RelativeDay] = []
    end = -1
    for one in sorted(_all(text), key=lambda one: (one.start, one.start - one.end)):
        if one.start >= end:
            found.append(one)
            end = one.end
    return [_hedged(text, one) for one in _ranges(text, found)]


def _all(text: str) -> Iterator[RelativeDay]:
    for match in _WEEKDAY_CHINESE.finditer(text):
        which = match["which"] or match["far"]
        yield RelativeDay("weekday", _step(which), _DAYS[match["day"]], match.start(), match.end())
    for match in _WEEKDAY_ENGLISH.finditer(text):
        yield RelativeDay("weekday", _english_step(match), _DAYS[match["day"]], match.start(), match.end())
    for match in _DAY.finditer(text) if any(sign in text for sign in _SIGNS_OF_DAY) else ():
        yield RelativeDay("day", _OFFSETS[match[0]], 0, match.start(), match.end())
    for match in _SPAN_CHINESE.finditer(text):
        if match["year"]:
            yield RelativeDay("year", _YEARS[match["year"][0]], 0, match.start(), match.end())
        elif match["weekend"]:
            yield RelativeDay("weekend", None, 0, match.start(), match.end())
        else:
            unit: Unit = "month" if match["month"] else "weekend" if match["end"] else "week"
            yield RelativeDay(unit, _step(match["week"]), 0, match.start(), match.end())
    units: dict[str, Unit] = {"weekend": "weekend", "week": "week", "month": "month", "year": "year"}
    for match in _SPAN_ENGLISH.finditer(text):
        yield RelativeDay(units[match["unit"]], _STEPS[match["which"]], 0, match.start(), match.end())


def _step(which: str | None) -> int | str | None:
    if which is None:
        return None
    return _RECURRING.get(which) or next(step for name, step in _STEPS.items() if which.startswith(name))


def _english_step(match: re.Match[str]) -> int | str | None:
    if match["after"] or match["before"]:
        return 2 if match["after"] else -2
    if match["week"]:
        return _STEPS[match["week"]]
    which = match["which"]
    if match["many"]:
        return "every"
    if which is None or "coming" in which:
        return which and "coming"
    return _RECURRING.get(which) or _STEPS[which]


def _ranges(text: str, found: list[RelativeDay]) -> Iterator[RelativeDay]:
    skip = -1
    for place, one in enumerate(found):
        after = found[place + 1] if place + 1 < len(found) else None
        if one.start < skip:
            continue
        joint = RANGE.match(text, one.end)
        bare = _TO_DAY.match(text, one.end) if one.unit == "weekday" else None
        if (
            joint is not None
            and after is not None
            and after.start == joint.end()
            and _joins(joint[0])
            and not was_moved(text, one.start)
        ):
            skip = after.end
            yield replace(one, end=after.end, hedge=f"to {after.key}")
        elif bare is not None:
            yield replace(one, end=bare.end(), hedge=f"to weekday {_DAYS[bare[1]]}")
        else:
            yield one


def _joins(joint: str) -> bool:
    """Tells whether a word makes a range of two days; "or" and "and" name both."""
    return joint.strip() in ("到", "至", "-", "~", "to", "through", "until", "")


def _hedged(text: str, one: RelativeDay) -> RelativeDay:
    if one.hedge:
        return one
    kind, start, end = hedge_of(text, one.start, one.end)
    return replace(one, hedge=kind, start=start, end=end) if kind in ("about", "denied") else one


def how_relative_days_differ(wanted: RelativeDay, other: RelativeDay) -> str:
    """Names what a careless copy changes: the weekday, or which week; empty: it is another day altogether.

    Args:
        wanted: What is looked for.
        other: Not the same.
    """
    if wanted.unit != other.unit:
        return ""
    same_day, same_step = wanted.day == other.day, wanted.step == other.step
    if same_day and same_step:
        return "a range" if other.hedge.startswith("to ") else WHY.get(other.hedge, "no longer exact")
    if wanted.unit != "weekday":
        return ""
    if same_step:
        return "another weekday"
    return "another week, or which week is not said" if same_day else ""
