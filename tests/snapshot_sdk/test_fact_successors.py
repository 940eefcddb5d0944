"""Values that another one of their kind behind them succeeds."""

from __future__ import annotations

import pytest

from snapshot_sdk.facts import Fact, find_facts, match_fact


@pytest.mark.parametrize(
    ("kind", "old", "new", "text"),
    [("date", "周六", "周日", "周六不行，改周日"), ("date", "Thursday", "Friday", "It slipped from Thursday to Friday"),
     ("money", "$4,200", "$5,000", "budget: $4,200 -> $5,000"), ("money", "5600元", "4900元", "5600元被压到4900元"),
     ("time", "14:30", "15:15", "14:30 got bumped to 15:15"), ("duration", "90天", "60天", "质保90天缩水成60天"),
     ("date", "Tuesday", "Wednesday", "Tuesday is a write-off, Wednesday it is"),
     ("percent", "20%", "25%", "the deposit went from 20% to 25%")],
)  # fmt: skip
def test_the_second_takes_the_place_of_the_first(kind: str, old: str, new: str, text: str) -> None:
    """The first is denied, the second stands."""
    assert match_fact(Fact(kind, old), text).state == "distorted"  # type: ignore[arg-type]
    assert match_fact(Fact(kind, new), text).state == "kept"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("kind", "first", "text"),
    [("date", "March 5", "Loading stays on March 5, arrival becomes March 6"),
     ("money", "$10", "$10 converted to $12 AUD"),
     ("date", "周四", "周四交稿，周五校对"), ("duration", "12个月", "滤芯每12个月更换一次，另一种每36个月更换一次"),
     ("money", "680元", "房租680元，押金200元")],
)  # fmt: skip
def test_two_values_that_both_stand(kind: str, first: str, text: str) -> None:
    """Nothing leads from the first to the second."""
    assert match_fact(Fact(kind, first), text).state in ("kept", "conflicting")  # type: ignore[arg-type]


def test_what_is_found_passes_over_what_is_succeeded() -> None:
    """A day that was moved is no value of the text any more."""
    assert [found.text for found in find_facts("周六不行，改周日")] == ["周日"]
