"""The checks of sizes: what is counted, what is estimated, and what nobody knows."""

from __future__ import annotations

from dataclasses import replace

from snapshot_sdk._fixture_checks_tokens import (
    estimate,
    judge_budget,
    judge_reserve,
    known_tokens,
    measure,
)
from snapshot_sdk._fixture_prompt import prompt_of
from snapshot_sdk._fixture_values import Fixture, TokenRule

RULE = TokenRule(1.0, 0.25, "a rule")
IMAGE = {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}}]}


def test_counted_where_the_history_knows(trip: Fixture) -> None:
    """A message of the history has its count, another one the estimate."""
    told = trip.history[1]
    new = {"role": "user", "content": "x" * 40}
    size = measure(prompt_of([told.message, new]), known_tokens(trip), RULE)
    assert (size.tokens, size.counted, size.estimated) == ((told.tokens or 0) + 10, 1, 1)
    assert "1 counted, 1 estimated (a rule)" in size.how


def test_count_of_the_user_wins() -> None:
    """A counter is asked for every message."""
    size = measure(prompt_of([{"role": "user", "content": "one two"}]), {}, None, lambda text: len(text.split()))
    assert (size.tokens, size.counted) == (2, 1)


def test_estimate_by_script() -> None:
    """Chinese characters and others have rates of their own."""
    assert estimate("中文" + "abcd" * 4, RULE) == 6


def test_over_budget() -> None:
    """By how much, and how it was measured."""
    verdict = judge_budget(measure(prompt_of([{"role": "user", "content": "x" * 400}]), {}, RULE), 60)
    assert verdict.ok is False
    assert "holds 100 tokens, 40 more than its 60" in verdict.what
    assert "the largest is message 1 (user) with 100" in verdict.what


def test_budget_of_a_layer() -> None:
    """Of a message that joins layers only that layer counts."""
    prompt = prompt_of([{"role": "user", "content": "<memory>" + "x" * 383 + "</memory>" + "y" * 400}])
    assert measure(prompt, {}, RULE, layer="memory").tokens == 100
    assert measure(prompt, {}, RULE, layer="state").how == "no message"


def test_unknown_is_neither() -> None:
    """An image has no count: below the limit it cannot be told, above it the rest is enough."""
    text = {"role": "user", "content": "x" * 400}
    size = measure(prompt_of([IMAGE, text]), {}, RULE)
    assert size.unknown == 1
    assert judge_budget(size, 200).ok is None
    assert judge_budget(size, 50).ok is False
    assert judge_reserve(size, 1000, 100).ok is None
    assert judge_reserve(size, 150, 100).ok is False


def test_no_rule_no_figure() -> None:
    """Without a rule an unknown text is unknown, not 0."""
    assert judge_budget(measure(prompt_of([{"role": "user", "content": "x"}]), {}, None), 50).ok is None


def test_reserve() -> None:
    """What is left of the window."""
    size = measure(prompt_of([{"role": "user", "content": "x" * 400}]), {}, RULE)
    assert judge_reserve(size, 200, 100).ok
    assert "99 of 199 tokens are left for the answer, 100 are needed" in judge_reserve(size, 199, 100).what
    assert "50 tokens over the window of 50, so none is left" in judge_reserve(size, 50, 10).what


def test_unknown_window() -> None:
    """Without a window nothing can be said."""
    size = measure(prompt_of([{"role": "user", "content": "x"}]), {}, RULE)
    assert judge_reserve(size, None, 10).ok is None


def test_history_without_counts(trip: Fixture) -> None:
    """A message whose count is unknown is estimated."""
    bare = replace(trip, history=tuple(replace(message, tokens=None) for message in trip.history))
    assert known_tokens(bare) == {}
