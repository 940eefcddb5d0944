"""Numbers with what they count."""

# ruff: noqa: E501 - tables of cases are read as tables; Chinese counts double there

from __future__ import annotations

from decimal import Decimal

import pytest

from snapshot_sdk._fact_durations import find_lengths, in_base
from snapshot_sdk._fact_quantities import Quantity, find_quantities, same_quantity


def only(text: str) -> Quantity:
    """The one quantity of a text."""
    [found] = find_quantities(text)
    return found


@pytest.mark.parametrize(
    ("text", "kind", "value", "unit"),
    [("8500元", "money", 8500, "CNY"), ("$1.2m", "money", 1_200_000, "USD"), ("a$5", "money", 5, "AUD"), ("三块五", "money", "3.5", "CNY"),
     ("-$5", "money", -5, "USD"), ("15%", "percent", 15, "%"), ("百分之十五", "percent", 15, "%"), ("15‰", "percent", "1.5", "%"),
     ("三成", "percent", 30, "%"), ("打八五折", "percent", 85, "of the price"), ("5个百分点", "percent", 5, "points"),
     ("3天", "duration", 259_200, "second"), ("2 years", "duration", 24, "month"), ("3个工作日", "duration", 3, "workday"),
     ("90min", "duration", 5_400, "second"), ("42人", "number", 42, "人"), ("3 boxes", "number", 3, "boxe"), ("512mb", "number", 512, "mb")],
)  # fmt: skip
def test_kinds_and_units(text: str, kind: str, value: object, unit: str) -> None:
    """A value is in whole units of its currency, in hundredths, in seconds or months."""
    found = only(text)
    assert (found.kind, found.value, found.unit) == (kind, Decimal(str(value)), frozenset((unit,)))


@pytest.mark.parametrize(
    ("text", "hedge"),
    [("约8500元", "about"), ("8500元左右", "about"), ("8500多元", "more"), ("8500元以上", "floor"), ("at least 5 days", "floor"),
     ("不到8500元", "less"), ("over $5", "more"), ("不是8500元", "denied"), ("$5+", "more"), ("8000-8500元", "range"),
     ("不超过8500元", ""), ("up to $5", ""), ("3天内", ""), ("8500元", "")],
)  # fmt: skip
def test_words_around_make_another_claim(text: str, hedge: str) -> None:
    """A limit does not: its value is exact."""
    assert only(text).hedge == hedge


@pytest.mark.parametrize("text", ["8000-8500元", "8000到8500元", "8000元至8500元", "between 8,000 and 8,500 yuan"])
def test_a_range_is_one_quantity(text: str) -> None:
    """Its first end takes the unit of the second."""
    found = only(text)
    assert (found.value, found.until, found.kind, found.unit) == (8000, 8500, "money", {"CNY"})


def test_the_scale_of_a_range_goes_for_both_ends() -> None:
    """8-9万元 is eighty to ninety thousand."""
    assert (only("8-9万元").value, only("8-9万元").until) == (80_000, 90_000)


def test_a_number_may_name_a_thing() -> None:
    """Room 8500 counts nothing."""
    assert only("room 8500").named


@pytest.mark.parametrize(
    ("one", "other"), [("8500元", "8500"), ("1,200 dollars", "$1.2k"), ("72 hours", "三天"), ("1年", "12个月")]
)
def test_the_same_quantity(one: str, other: str) -> None:
    """By value and unit, however written; a bare number goes with money."""
    assert same_quantity(only(one), only(other))


@pytest.mark.parametrize(
    ("one", "other"), [("8500元", "8500美元"), ("3天", "3个工作日"), ("15%", "15"), ("5元", "约5元")]
)
def test_another_quantity(one: str, other: str) -> None:
    """Another unit, or no longer exact."""
    assert not same_quantity(only(one), only(other))


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [("一个半小时", 5_400, "second"), ("半年", 6, "month"), ("一年半", 18, "month"), ("half an hour", 1_800, "second"),
     ("two and a half days", 216_000, "second"), ("an hour and a half", 5_400, "second"), ("1h30m", 5_400, "second"),
     ("2小时15分", 8_100, "second"), ("one month", 1, "month")],
)  # fmt: skip
def test_lengths_of_time_with_halves(text: str, value: int, unit: str) -> None:
    """Halves and several units are one length."""
    [found] = find_lengths(text)
    assert (found.value, found.unit, found.start, found.end) == (value, unit, 0, len(text))


def test_working_days_are_no_seconds() -> None:
    """They stay what they are."""
    assert in_base(Decimal(3), "workday") == (3, "workday")
