"""Days said from the day of speaking: which are one, and what is no such day."""

# ruff: noqa: E501 - tables of cases are read as tables; Chinese counts double there

from __future__ import annotations

import pytest

from snapshot_sdk._fact_weekdays import find_relative_days
from snapshot_sdk.facts import Fact, find_facts, guess_kind, match_fact


def keys(text: str) -> list[str]:
    """The days of a text."""
    return [one.key for one in find_relative_days(text)]


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("下周三", "1 weekday 3"), ("下个星期三", "1 weekday 3"), ("next wednesday", "1 weekday 3"),
        ("wednesday next week", "1 weekday 3"), ("next week on wednesday", "1 weekday 3"), ("下下周三", "2 weekday 3"),
        ("wednesday after next", "2 weekday 3"), ("本周日", "0 weekday 7"), ("周天", "weekday 7"), ("sunday", "weekday 7"),
        ("每周三", "every weekday 3"), ("wednesdays", "every weekday 3"), ("明日", "1 day"), ("大后天", "3 day"),
        ("the day before yesterday", "-2 day"), ("下个月", "1 month"), ("去年", "-1 year"), ("周一至五", "weekday 1 (to weekday 5)"),
    ],
)  # fmt: skip
def test_equal_days_have_one_key(text: str, key: str) -> None:
    """In Chinese and English."""
    assert keys(text) == [key]


@pytest.mark.parametrize(
    "text", ["一周三次", "每周三次", "本周三个人", "后天性", "三天前天气", "周日报", "the last friday of the month", "mondaine", "monthly", "yearly", "周期"]
)  # fmt: skip
def test_other_words_are_no_days(text: str) -> None:
    """三次 behind 一周 counts, and 后天性 is not the day after tomorrow."""
    assert keys(text) == []


def test_a_day_is_never_the_same_as_a_date() -> None:
    """Which date it is depends on the day of speaking, which is not known: not even beside an anchor."""
    assert match_fact(Fact("date", "下周三", ("送货",)), "送货日期：2026-12-09").state == "absent"
    assert match_fact(Fact("date", "2026-12-09", ("送货",)), "送货：下周三").state == "absent"


def test_a_weekday_at_a_date_is_no_value_of_its_own() -> None:
    """12月2日（周三）is one date."""
    assert [one.text for one in find_facts("12月2日（周三）送到")] == ["12月2日"]
    assert [one.text for one in find_facts("下周三送到，今天先不发")] == ["下周三"]


def test_a_selection_of_such_a_day_is_a_date() -> None:
    """So that it can be traced without naming its kind."""
    assert guess_kind("下周三") == guess_kind("next Wednesday") == guess_kind("today") == "date"
