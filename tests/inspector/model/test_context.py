"""The messages of calls as analysis compares them."""

from __future__ import annotations

import random
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.model.context import Block, changed_places
from inspector.model.layers import Layer

MESSAGES = [Block(f"hash {n}", "user", Layer.HISTORY, f"text {n}") for n in range(6)]


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 10**9))
def test_changed_places_are_those_without_the_same_message(seed: int) -> None:
    """Whether a context grew, shrank, or has another message in the middle."""
    source = random.Random(seed)
    before = tuple(source.choices(MESSAGES, k=source.randrange(9)))
    after = tuple(source.choice([block, *MESSAGES[:1]]) for block in before[: source.randrange(12)])
    after += tuple(source.choices(MESSAGES, k=source.randrange(4)))

    expected = [place for place in range(len(after)) if place >= len(before) or after[place] is not before[place]]
    assert list(changed_places(before, after)) == expected


def test_a_message_in_another_layer_is_another() -> None:
    """Though nothing else of it changed."""
    asked = replace(MESSAGES[0], layer=Layer.INPUT)

    assert list(changed_places((asked, MESSAGES[1]), (MESSAGES[0], MESSAGES[1]))) == [0]
