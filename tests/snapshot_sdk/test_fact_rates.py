"""An amount per something, a difference and an amount of the past are other amounts."""

# ruff: noqa: E501 - tables of cases are read as tables; Chinese counts double there

from __future__ import annotations

import pytest

from snapshot_sdk._fact_rates import currency_beside, is_past, rate_of
from snapshot_sdk.facts import Fact, find_facts, match_fact


@pytest.mark.parametrize(
    ("text", "amount", "per"),
    [("$75 a month", "$75", "month"), ("$75 pcm", "$75", "month"), ("每人不超过640元", "640元", "person"), ("月薪640元", "640元", "month"), ("640元/晚", "640元", "night"),
     ("a daily fee of $75", "$75", "day"), ("$75 plus vat", "$75", "on top"), ("立减640元", "640元", "difference"), ("至少640元", "640元", ""), ("共640元", "640元", ""), ("$75 in all", "$75", "")],
)  # fmt: skip
def test_what_an_amount_is_per(text: str, amount: str, per: str) -> None:
    """Before it or behind it, Chinese and English."""
    start = text.index(amount)
    assert rate_of(text, start, start + len(amount)).per == per


@pytest.mark.parametrize(
    ("text", "amount", "past"),
    [("原价640元", "640元", True), ("was $75, now $60", "$75", True), ("the refund was $75", "$75", False), ("640元改成520元", "640元", True), ("改成640元", "640元", False)],
)  # fmt: skip
def test_an_amount_of_the_past(text: str, amount: str, *, past: bool) -> None:
    """It is said to be no more, or another one comes after it."""
    start = text.index(amount)
    assert is_past(text, start, start + len(amount)) is past


def test_the_currency_may_have_a_key_of_its_own() -> None:
    """The nearest one counts."""
    text = '{"amount": 640, "currency": "eur"}'
    assert currency_beside(text, text.index("640"), text.index("640") + 3) == "EUR"
    assert match_fact(Fact("money", "640元"), text).state == "distorted"


def test_words_that_go_with_the_fact_say_what_it_is_per() -> None:
    """Who asks for 640元 beside 月薪 means the salary."""
    assert match_fact(Fact("money", "640元", ("月薪",)), "月薪640元").state == "kept"
    assert match_fact(Fact("money", "640元"), "月薪640元").state == "distorted"


def test_a_bare_number_may_be_a_rate() -> None:
    """Beside an anchor only: neither its currency nor what it is per is said."""
    fact = Fact("money", "$1,800 per person", ("budget",))
    said = ('{"budget": 1800}', '{"rooms": 1800}', "a budget of $1,800")
    assert [match_fact(fact, text).state for text in said] == ["kept", "absent", "distorted"]


def test_what_is_no_more_is_no_fact() -> None:
    """Only the price of now is found."""
    assert [one.text for one in find_facts("原价8500元，现价8000元")] == ["8000元"]
