"""Which texts say a value, asked again and again while more are said."""

from __future__ import annotations

import random

import pytest

from inspector.analysis.said_texts import SaidTexts, digits_of
from snapshot_sdk.facts import Fact, FoundFact, Matcher, find_facts

AMOUNTS = ("8500元", "8,500 yuan", "about 8500", "110", "step 110", "SKU-110361", "八千五百元", "0.85万元")
SOUGHT = ("8500元", "110 boxes", "8500", "12%", "ORD-110", "85万元")
VALUES = tuple(value for text in SOUGHT for value in find_facts(text))


def numbers_that_say(value: FoundFact, texts: list[tuple[int, str]]) -> list[int]:
    """Every number whose text says a value, each text looked through anew."""
    found = []
    for number, text in texts:
        match = Matcher(Fact(value.kind, value.text)).match(text)
        if match.sightings or any(digits_of(rival.text) == digits_of(value.text) for rival in match.rivals):
            found.append(number)
    return found


@pytest.mark.parametrize("seed", range(40))
def test_the_answers_are_those_of_looking_through_all_texts_each_time(seed: int) -> None:
    """Whether any says it and which is the first, in any order of asking, between any of what is said."""
    rng = random.Random(seed)
    said, texts = SaidTexts(), []
    for number in range(12):
        text = ", ".join(rng.choices((*AMOUNTS, "nothing", "of note"), k=rng.randrange(1, 3)))
        said.add(number, text)
        texts.append((number, text))
        for value in rng.sample(VALUES, 3):
            there = numbers_that_say(value, texts)
            if rng.random() < 0.6:
                assert said.say(value) == bool(there)
            if rng.random() < 0.6:
                assert said.first(value) == (there[0] if there else None)


def test_a_value_said_later_is_found_then() -> None:
    """That none of the texts so far said it is remembered of those only."""
    said, value = SaidTexts(), find_facts("8500元")[0]
    said.add(1, "hello")
    assert not said.say(value)

    said.add(2, "预算涨到八千五百元")

    assert (said.say(value), said.first(value)) == (True, 2)
