"""Calls that ran at the same time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from inspector.analysis.overlaps import find_overlaps, overlap_words
from inspector.model.views import CallRow


@pytest.fixture
def sent(call_row: Callable[..., Any]) -> Callable[..., list[CallRow]]:
    """Give a maker of calls: the second each was sent at, and the seconds its answer took."""

    def make(*spans: tuple[float, float], **more: Any) -> list[CallRow]:
        return [
            call_row(n, time=f"2026-01-01T00:00:{at:09.6f}Z", duration_ms=took * 1_000, **more)
            for n, (at, took) in enumerate(spans, 1)
        ]

    return make


def test_a_call_sent_before_the_answer_overlaps(sent: Callable[..., list[CallRow]]) -> None:
    """Both say so; one of its own does not."""
    assert find_overlaps(sent((0, 2), (1.5, 1), (4, 1))) == {1: (2,), 2: (1,)}


def test_a_long_call_overlaps_several(sent: Callable[..., list[CallRow]]) -> None:
    """Which do not overlap each other."""
    assert find_overlaps(sent((0, 10), (1, 1), (3, 1))) == {1: (2, 3), 2: (1,), 3: (1,)}


def test_a_call_sent_with_the_answer_does_not(sent: Callable[..., list[CallRow]]) -> None:
    """The tool that was called took no time."""
    assert find_overlaps(sent((0, 2), (2, 2))) == {}


@pytest.mark.parametrize("more", [{"purpose": "title"}, {"duration_ms": None}])
def test_side_calls_and_unknown_times_overlap_nothing(
    call_row: Callable[..., Any], sent: Callable[..., list[CallRow]], more: dict[str, Any]
) -> None:
    """They are meant to, or nobody can say."""
    first = sent((0, 60))
    other = call_row(2, **{"time": "2026-01-01T00:00:01Z", "duration_ms": 1_000.0, **more})

    assert find_overlaps([*first, other]) == {}


def test_lanes_beside_one_another_do_not_count(sent: Callable[..., list[CallRow]]) -> None:
    """Sub-agents run at the same time by design."""
    main, scout = sent((0, 9)), sent((0, 9), (1, 1), lane="scout")[1:]

    assert find_overlaps([*main, *scout]) == {}


@pytest.mark.parametrize(
    ("others", "said"),
    [
        ((8,), "overlaps call 8"),
        ((7, 9), "overlaps calls 7 and 9"),
        ((2, 3, 4), "overlaps 3 calls, 2 to 4"),
    ],
)
def test_the_others_are_named(others: Sequence[int], said: str) -> None:
    """As many as can be read."""
    assert overlap_words(others) == said
