"""The days that a range names."""

from __future__ import annotations

import pytest

from inspector.analysis.ledger_ranges import days_of_ranges


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("in Lisbon, 18-21 March, from Warsaw", ["18 March", "21 March"]),
        ("18 to 21 March 2027", ["18 March 2027", "21 March 2027"]),
        ("March 18–21, 2027", ["18 March 2027", "21 March 2027"]),
        ("12月4日至8日", ["12月4日", "12月8日"]),
        ("2026年12月4日到8日", ["2026年12月4日", "2026年12月8日"]),
        ("2-3 people", []),
        ("version 1.18-21 march", []),
        ("rooms 18-21", []),
        ("18 marches", []),
    ],
)
def test_first_and_last_day(text: str, days: list[str]) -> None:
    """English and Chinese; numbers of anything else are none."""
    assert list(days_of_ranges(text)) == days


@pytest.mark.parametrize("joint", ["-", "–", " to ", "至", " until "])
@pytest.mark.parametrize("form", ["{0}{1}{2} March", "{0}{1}{2}  sep 2026", "June {0}{1}{2}", "dec  {0}{1}{2}, 2026"])
def test_a_month_beside_a_number_is_seen_before_the_range_is_read(form: str, joint: str) -> None:
    """A text that has none is not read closely; each of these has one, and is."""
    assert len(list(days_of_ranges(form.format(18, joint, 21)))) == 2
