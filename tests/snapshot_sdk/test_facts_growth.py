"""A text four times as long takes about four times as long, however odd it is."""

# ruff: noqa: E501 - tables of cases are read as tables; Chinese counts double there

from __future__ import annotations

import time

import pytest

from snapshot_sdk.facts import Fact, Matcher, find_facts

SHORT = 2_500
"""Characters: long enough that a quadratic search stands out, short enough that it ends."""
GROWTH = 4
MOST = 10.0
"""Linear is 4, quadratic 16: between them lies room for the noise of a busy machine."""
FLOOR = 0.004
"""Seconds below which a time is all noise."""

SEEDS = ["a-", "1", "12", "不", "[", "{", '{"a":', "一", "1,", "1.", "1-", "/a", "a@", "a.", "://", "1 ", "\\n", "半", "e\u0308", "8500元,",
         "预算8500元", "not ", "12:", "ord-", "ord-2024-00", "c:\\", "只用中文回答,", "call before 9:00,", "a\n", "。", "("]  # fmt: skip
FACTS = [
    Fact("id", "ORD-2024-001"), Fact("money", "8500元", ("预算",)), Fact("number", "12"), Fact("date", "2025-12-01", ("a",)),
    Fact("time", "12:00"), Fact("duration", "12天"), Fact("email", "a@b.com"), Fact("url", "https://a.b/c"), Fact("path", "/a/b/c.d"),
    Fact("phone", "13800138000"), Fact("rule", "以后请只用中文回答我"), Fact("rule", "Never call before 9:00"), Fact("text", "a a a"),
    Fact("json", "1", path="a.b"),
]  # fmt: skip


def cost(seed: str, length: int) -> float:
    """Processor time of this thread for all facts on a text of one seed, the best of two."""
    text, matchers = seed * (length // len(seed)), [Matcher(fact) for fact in FACTS]
    best = float("inf")
    for _ in range(2):
        begin = time.thread_time()
        for matcher in matchers:
            matcher.match(text)
        find_facts(text)
        best = min(best, time.thread_time() - begin)
    return max(best, FLOOR)


@pytest.mark.parametrize("seed", SEEDS)
def test_no_text_is_quadratic(seed: str) -> None:
    """The same few characters over and over."""
    assert cost(seed, SHORT * GROWTH) / cost(seed, SHORT) < MOST
