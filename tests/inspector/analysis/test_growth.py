"""How many calls fit until the context is full."""

from __future__ import annotations

from inspector.analysis.growth import Growth, growth_at


def test_the_median_of_the_growing_calls_decides() -> None:
    """One long tool result does not."""
    tokens = [1_000, 1_100, 1_200, 1_300, 6_300, 6_400]

    assert growth_at(tokens, 8_000) == Growth(per_call=100, calls_left=16)


def test_calls_that_shrank_are_passed_over() -> None:
    """A compaction is no growth."""
    tokens = [100, 200, 300, 50, 150, 250]

    assert growth_at(tokens, 1_000) == Growth(100, 7)


def test_only_the_last_eight_count() -> None:
    """An agent that has slowed down is judged by its present pace."""
    tokens = [*range(0, 10_000, 1_000), *range(9_010, 9_090, 10)]

    assert growth_at(tokens, 10_000) == Growth(10, 92)


def test_below_four_growing_calls_nothing_is_said() -> None:
    """Too little is known."""
    assert growth_at([100, 200, 300, 400], 1_000) is None
    assert growth_at([100, 200, 300, 400, 500], 1_000) == Growth(100, 5)


def test_what_is_unknown_gives_no_estimate() -> None:
    """No limit, no present size, no calls; an unknown size in between breaks the chain."""
    assert growth_at([1, 2, 3, 4, 5, 6], None) is None
    assert growth_at([1, 2, 3, 4, 5, None], 10) is None
    assert growth_at([], 10) is None
    assert growth_at([100, None, 200, None, 300, None, 400, None, 500], 1_000) is None


def test_a_full_context_has_no_calls_left() -> None:
    """Never a negative number."""
    assert growth_at([100, 200, 300, 400, 500], 450) == Growth(100, 0)
