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
