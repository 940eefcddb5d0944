"""Numbers as people write them."""

# ruff: noqa: E501 - tables of cases are read as tables; Chinese counts double there

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snapshot_sdk._fact_numbers import find_numbers, is_range, read_chinese, read_english

DIGITS, UNITS = "零一二三四五六七八九", ("", "十", "百", "千")


def spell(value: int) -> str:
    """Write a number below 100,000,000 in Chinese."""
    if value >= 10_000:
        rest = value % 10_000
        return spell(value // 10_000) + "万" + (("零" if rest < 1_000 else "") + spell(rest) if rest else "")
    written, gap = "", False
    for place in (3, 2, 1, 0):
        digit = value // 10**place % 10
        if digit:
            written += ("零" if gap and written else "") + DIGITS[digit] + UNITS[place]
        gap = digit == 0
    return written


@settings(deadline=None)
@given(st.integers(1, 99_999_999))
def test_chinese_numerals_are_read_as_they_are_spelled(value: int) -> None:
    """Up to a hundred million."""
    assert read_chinese(spell(value)) == value


@pytest.mark.parametrize(
    ("written", "value"),
    [("八千五", 8_500), ("一万二", 12_000), ("八千零五", 8_005), ("两百", 200), ("二〇二五", 2_025), ("三点五", Decimal("3.5")),
     ("捌仟伍佰", 8_500), ("十五", 15), ("千万", None), ("万一", None), ("一二百", None)],
)  # fmt: skip
def test_spoken_numerals(written: str, value: object) -> None:
    """Short forms count, words that are none do not."""
    assert read_chinese(written) == value


@pytest.mark.parametrize(
    ("words", "value"),
    [("eight thousand five hundred", 8_500), ("forty-two", 42), ("a hundred and one", 101), ("one", None),
     ("one two", None), ("hundred", None)],
)  # fmt: skip
def test_english_numerals(words: str, value: int | None) -> None:
    """A list of numerals is no number, nor is a bare one."""
    assert read_english(words) == value


@pytest.mark.parametrize(
    ("text", "values"),
    [("8,500 and 8500.00", [8500, 8500]), ("0.85万", [8500]), ("1万2千", [12000]), ("8.5k", [8500]), ("1,2,3", [1, 2, 3]),
     ("ord-2024-001 v2 3.11.7 10:30", []), ("第3", []), ("-42", [-42]), ("a 30-day trial", [30]), ("usd5", [5]),
     ("8000-8500", [8000, 8500]), ("1,200-1,500", [1200, 1500]), ("三四万", [30000])],
)  # fmt: skip
def test_numbers_in_a_text(text: str, values: list[int]) -> None:
    """Digits within names are none."""
    assert sorted(number.value for number in find_numbers(text)) == sorted(map(Decimal, values))


@pytest.mark.parametrize("text", ["8500多", "8000-8500", "三四万", "8500+"])
def test_a_number_may_be_rough(text: str) -> None:
    """Ranges, 三四 and 多 are not exact."""
    assert not any(number.exact for number in find_numbers(text))


@settings(deadline=None)
@given(st.text("0123456789.,-万千百十零一二 a", max_size=30))
def test_any_text_has_numbers_or_none(text: str) -> None:
    """Nothing raises, and every number lies in the text."""
    for number in find_numbers(text):
        assert 0 <= number.start < number.end <= len(text)


@pytest.mark.parametrize(("one", "other", "is_one"), [("3", "5", True), ("24", "001", False), ("9", "3", False)])
def test_two_numbers_may_be_a_range(one: str, other: str, *, is_one: bool) -> None:
    """The smaller comes first, and none begins with 0: that is a name."""
    assert is_range(one, other) is is_one
