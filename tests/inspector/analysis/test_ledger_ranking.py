"""What makes a value look more like a commitment, and when it looks like none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from inspector.analysis.ledger_ranking import LEAST, Circumstances, weigh

Make = Callable[..., Circumstances]


@pytest.fixture
def value() -> Make:
    """Give a maker of values that a tool said once."""
    plain = Circumstances("money", None, False, "a tool result", 1, False, 1, None)
    return lambda **more: replace(plain, **more)


def test_each_circumstance_lifts(value: Make) -> None:
    """The user's word, repetition, use afterwards and a pin, each more than nothing."""
    least = weigh(value())[0]

    assert weigh(value(messages=3))[0] > least
    assert weigh(value(used_at=9))[0] > weigh(value(messages=3))[0]
    assert weigh(value(pinned=True))[0] > weigh(value(by_user=True, used_at=9))[0]


def test_one_of_a_listing_is_no_commitment(value: Make) -> None:
    """Forty prices of a catalogue are not what was agreed."""
    score, reasons = weigh(value(listed=40))

    assert score < LEAST
    assert reasons == ("in a tool result", "one of 40 of its kind there")


def test_reasons_are_told_the_weightiest_first(value: Make) -> None:
    """A pin before use before who said it."""
    reasons = weigh(value(pinned=True, used_at=12, by_user=True))[1]

    assert reasons == ("pinned", "a tool call passes it at call 12", "said by the user")
