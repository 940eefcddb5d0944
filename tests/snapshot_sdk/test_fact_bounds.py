"""A date or a time with a bound is another value than the day or the hour itself."""

# ruff: noqa: E501 - tables of cases are read as tables; Chinese counts double there

from __future__ import annotations

import pytest

from snapshot_sdk._fact_bounds import bound_of, is_shifted
from snapshot_sdk.facts import Fact, find_facts, match_fact


@pytest.mark.parametrize(
    ("text", "day", "kind", "whole"),
    [("by the end of March 5", "March 5", "by", "by the end of March 5"), ("before Thursday, March 5", "March 5", "before", "before Thursday, March 5"),
     ("March 5 or later", "March 5", "since", "March 5 or later"), ("3月5日（周四）之前送到", "3月5日", "before", "3月5日（周四）之前"),
     ("3月5日前往上海", "3月5日", "", "3月5日"), ("from March 5 on.", "March 5", "since", "from March 5 on"), ("from March 5 to", "March 5", "", "March 5"),
     ("不晚于3月5日", "3月5日", "by", "不晚于3月5日"), ("3月5日前后", "3月5日", "near", "3月5日前后")],
)  # fmt: skip
def test_the_words_that_bound_a_day(text: str, day: str, kind: str, whole: str) -> None:
    """What the bound is, and the span with its words."""
    form = text.lower().replace("（", "(").replace("）", ")")
    start = form.index(day.lower())
    bound = bound_of(form, start, start + len(day))
    assert (bound.kind, text[bound.start : bound.end]) == (kind, whole)


@pytest.mark.parametrize(("text", "shifted"), [("3月5日的前一天", True), ("3月5日不行", True), ("3月5日上午", False)])
def test_another_day_said_from_a_date(text: str, shifted: bool) -> None:
    """The day before it, or a day that will not do, is not that day."""
    assert is_shifted(text, len("3月5日")) is shifted


def test_a_due_day_is_the_last_day() -> None:
    """A state that names a deadline says the same as "by"."""
    fact = Fact("date", "by March 5, 2026")
    assert [match_fact(fact, text).state for text in ('{"deadline": "2026-03-05"}', "on March 5, 2026")] == [
        "kept",
        "distorted",
    ]


def test_a_start_is_a_first_day() -> None:
    """A state that names a start says the same as "from then on"."""
    fact = Fact("date", "2026年10月8日起")
    assert [match_fact(fact, text).state for text in ("2026年10月8日上市", "2026年10月8日来过")] == [
        "kept",
        "distorted",
    ]


def test_an_hour_may_be_the_name_of_something() -> None:
    """The rollout was at 14:00."""
    assert match_fact(Fact("time", "14:00"), "Errors since the 14:00 rollout").state == "kept"


def test_a_found_date_has_its_bound() -> None:
    """Else it would not be seen where it was found."""
    assert [one.text for one in find_facts("Ship before March 5, 2026, call after 3 pm.")] == [
        "before March 5, 2026",
        "after 3 pm",
    ]


def test_a_bound_is_named() -> None:
    """A reader sees what stands in the fact's place."""
    assert [one.why for one in match_fact(Fact("time", "3 pm"), "after 3 pm").rivals] == ["after it, not then"]
