"""Dates and times of day, Chinese and English."""

# ruff: noqa: E501 - tables of cases are read as tables; Chinese counts double there

from __future__ import annotations

import pytest

from snapshot_sdk._fact_dates import Moment, find_moments, how_moments_differ, same_moment
from snapshot_sdk._fact_times import find_clocks


def only(text: str) -> Moment:
    """The one moment of a text."""
    [found] = find_moments(text)
    return found


@pytest.mark.parametrize(
    ("text", "reading"),
    [("2025-12-08", (2025, 12, 8)), ("20251208", (2025, 12, 8)), ("2025年12月8日", (2025, 12, 8)), ("dec 8th, 2025", (2025, 12, 8)),
     ("8 december", (None, 12, 8)), ("十二月二十四日", (None, 12, 24)), ("25/03/2026", (2026, 3, 25)), ("2024年3月", (2024, 3, 0)),
     ("march 2024", (2024, 3, 0)), ("2024-03", (2024, 3, 0))],
)  # fmt: skip
def test_dates(text: str, reading: tuple[int | None, int, int]) -> None:
    """Year, month, day; day 0 is the whole month."""
    assert only(text).readings == {reading}


def test_a_date_may_have_two_readings() -> None:
    """Day or month first is not known."""
    assert only("08/12/2025").readings == {(2025, 8, 12), (2025, 12, 8)}


@pytest.mark.parametrize("text", ["2025-13-40", "2025.12.08.1", "99/99/2025", "version 3.12", "12月"])
def test_no_dates(text: str) -> None:
    """Months end at 12, and versions are none."""
    assert [one for one in find_moments(text) if one.kind == "date"] == []


@pytest.mark.parametrize(
    ("text", "hour", "minute", "zone", "certain"),
    [("15:00", 15, 0, "", True), ("3pm", 15, 0, "", True), ("12 am", 0, 0, "", True), ("下午三点半", 15, 30, "", True),
     ("凌晨3点", 3, 0, "", True), ("夜里十一点", 23, 0, "", True), ("夜里两点", 2, 0, "", True), ("三点一刻", 3, 15, "", False),
     ("15:00 utc", 15, 0, "utc", True), ("15:00z", 15, 0, "utc", True), ("北京时间15:00", 15, 0, "北京", True),
     ("3pm pst", 15, 0, "pst", True), ("15:00+08:00", 15, 0, "+08:00", True)],
)  # fmt: skip
def test_times(text: str, hour: int, minute: int, zone: str, *, certain: bool) -> None:
    """With the half of the day and the zone, where they are said."""
    [found] = find_clocks(text)
    assert (found.hour, found.minute, found.zone, found.certain) == (hour, minute, zone, certain)


@pytest.mark.parametrize("text", ["第15点意见", "三点建议", "25:00", "1:2:3", "15:002", "百分之八点五"])
def test_no_times(text: str) -> None:
    """Points of a list and decimals are none."""
    assert list(find_clocks(text)) == []


@pytest.mark.parametrize("text", ["2025-12-08 to 2025-12-12", "12月8日至10日", "9:00-18:00", "下午三点到五点"])
def test_a_range_is_one_moment(text: str) -> None:
    """It is another claim than either end."""
    found = only(text)
    assert found.hedge.startswith("to ")
    assert (found.start, found.end) == (0, len(text))


@pytest.mark.parametrize(
    ("one", "other"), [("12月8日", "2025-12-08"), ("3pm", "15:00"), ("15:00 gmt", "15:00z"), ("约3pm", "大约15:00")]
)
def test_the_same_moment(one: str, other: str) -> None:
    """A date without a year goes with one that has it."""
    assert same_moment(only(one), only(other), as_written=False)


def test_a_date_of_two_readings_is_the_same_only_as_written() -> None:
    """Elsewhere the other reading may be meant."""
    one = only("08/12/2025")
    assert same_moment(one, one, as_written=True)
    assert not same_moment(one, only("2025-12-08"), as_written=False)


@pytest.mark.parametrize(
    ("wanted", "other", "why"),
    [("2025-12-08", "2024-12-08", "another year"), ("2025-12-08", "08/12/2025", "it may be read as another day"),
     ("2025-12-08", "2025-12-09", ""), ("15:00", "3am", "the other half of the day"), ("15:00", "14:00-15:00", "a range"),
     ("15:00 utc", "15:00", "the time zone is gone"), ("15:00", "15:00 pst", "another time zone"), ("15:00", "16:00", ""),
     ("15:00", "三点", "which half of the day is not said"), ("15:00", "约15:00", "a range or no longer exact")],
)  # fmt: skip
def test_how_moments_differ(wanted: str, other: str, why: str) -> None:
    """What a careless copy changes is named."""
    assert how_moments_differ(only(wanted), only(other)) == why
