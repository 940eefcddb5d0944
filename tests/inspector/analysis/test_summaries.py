"""Which messages a summary took."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from inspector.analysis.summaries import find_taken
from inspector.model.context import Block

Make = Callable[..., Block]

TEXTS = (
    "The parcel left Hamburg on Monday with carrier Nordwind.",
    "Invoice 88123 was paid by Alipay in November.",
    "Marta prefers short messages and never phone calls.",
)


@pytest.fixture
def old(block: Make) -> list[Block]:
    """Three messages about different things, and one that stays."""
    return [*(block(text) for text in TEXTS), block("so what now?")]


def test_an_unmarked_message_that_holds_their_words_is_a_guess(old: list[Block], block: Make) -> None:
    """It covers three at least."""
    taken = find_taken(old, [block("So far: " + " ".join(TEXTS)), old[3]], [0, 1, 2], [0], last_kept=1)

    assert {place: (item.after, item.certainty) for place, item in taken.items()} == dict.fromkeys(
        (0, 1, 2), (0, "a guess")
    )


def test_fewer_than_three_are_no_summary(old: list[Block], block: Make) -> None:
    """A message may well repeat two others."""
    assert find_taken(old, [block(" ".join(TEXTS[:2])), *old[2:]], [0, 1], [0], last_kept=2) == {}


def test_the_next_answer_is_no_summary(old: list[Block], block: Make) -> None:
    """It restates what it was told and stands after what stayed."""
    assert find_taken(old, [old[3], block(" ".join(TEXTS), "assistant")], [0, 1, 2], [1], last_kept=0) == {}


def test_where_nothing_stayed_the_new_message_may_be_one(old: list[Block], block: Make) -> None:
    """A whole context became one message."""
    assert set(find_taken(old, [block(" ".join(TEXTS))], [0, 1, 2], [0], last_kept=None)) == {0, 1, 2}


def test_a_copy_or_a_tool_result_is_no_summary(block: Make) -> None:
    """Neither was written to stand for others."""
    whole = block(" ".join(TEXTS))
    before = [whole, *(block(text) for text in TEXTS)]

    assert find_taken(before, [whole, whole], [1, 2, 3], [1], last_kept=None) == {}
    assert find_taken(before[1:], [block(" ".join(TEXTS), "tool")], [0, 1, 2], [0], last_kept=None) == {}


def test_a_marked_summary_took_all_of_the_dialogue(old: list[Block], block: Make) -> None:
    """Whatever it says; how much of the wording it holds is told."""
    summary = block(f"[summary] {TEXTS[0]}", is_summary=True)
    taken = find_taken(old, [summary, old[3]], [0, 1, 2], [0], last_kept=1)

    assert {item.certainty for item in taken.values()} == {"likely"}
    assert taken[0].evidence.endswith("holds 100 % of its words")
    assert taken[2].evidence.endswith("it holds little of its wording")
