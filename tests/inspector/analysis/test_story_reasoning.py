"""Reasoning that is sent back until it is most of the prompt."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from inspector.analysis.story_reasoning import find_repeated_clause, tell_reasoning_growth
from inspector.model.context import Block, CallContext
from inspector.model.layers import Layer
from inspector.model.views import TokenCount

GUESS = "the gmv column is net of refunds"
USER = Block("user", "user", Layer.INPUT, "which store is it, by net figures?")


def thought(n: int, text: str) -> Block:
    """A thought."""
    return Block(f"t{n}", "assistant", Layer.REASONING, f"Step {n}: {text}, so go on.")


@pytest.fixture
def tell(call_row: Callable[..., Any], told: Callable[..., Any]) -> Callable[..., list[Any]]:
    """What is said of the steps of one turn, by their tokens and how many of these are reasoning."""

    def tell_of(sizes: list[int], reasoning: list[int], text: str = GUESS, **more: Any) -> list[Any]:
        thoughts = [thought(n, text) for n in range(1, len(sizes))]
        contexts = [
            CallContext(n, f"id-{n}", f"id-{n - 1}" if n > 1 else None, "main", (USER, *thoughts[: n - 1]))
            for n in range(1, len(sizes) + 1)
        ]
        rows = [
            call_row(
                n,
                **{
                    "turn_label": "t1",
                    "tokens": TokenCount(size, "provider"),
                    "counted": TokenCount(size, "tokenizer:x"),
                    "composition": {Layer.REASONING: part},
                    **more,
                },
            )
            for n, (size, part) in enumerate(zip(sizes, reasoning, strict=True), 1)
        ]
        return list(tell_reasoning_growth(told(rows, contexts)))

    return tell_of


def test_growth_by_reasoning_is_told(tell: Callable[..., list[Any]]) -> None:
    """With the clause that all thoughts repeat; it points to the last step."""
    (sentence,) = tell([1_000, 1_600, 2_300, 3_100, 4_200], [0, 400, 900, 1_500, 2_400])

    assert (sentence.severity, sentence.kind, sentence.call, sentence.message) == ("warning", "reasoning_growth", 5, 2)
    assert sentence.text == (
        "In 4 steps of t1 the prompt grew 4.2-fold, 75 % of it by earlier reasoning; "
        f"“{GUESS}” of m2 is in all 4 thoughts and in no other message."
    )


@pytest.mark.parametrize(
    ("sizes", "reasoning"),
    [
        pytest.param([1_000, 1_600, 2_300, 2_900], [0, 400, 900, 1_500], id="less than threefold"),
        pytest.param([1_000, 2_300, 4_200], [0, 900, 2_400], id="too few steps"),
        pytest.param([1_000, 1_600, 2_300, 4_200], [0, 100, 200, 900], id="tool results are what it grew by"),
        pytest.param([1_000, 1_600, 2_300, 4_200], [0, 0, 0, 0], id="no reasoning at all"),
    ],
)
def test_nothing_is_said_of(tell: Callable[..., list[Any]], sizes: list[int], reasoning: list[int]) -> None:
    """Prompts that grow little, briefly, or by something else."""
    assert tell(sizes, reasoning) == []


def test_turns_are_judged_one_by_one(tell: Callable[..., list[Any]], call_row: Callable[..., Any], told: Any) -> None:
    """A dialogue that grows over many turns is none that swells."""
    contexts = [CallContext(n, f"id-{n}", None, "main", (USER,)) for n in range(1, 6)]
    rows = [
        call_row(
            n,
            tokens=TokenCount(1_000 * n, "provider"),
            counted=TokenCount(1_000 * n, "tokenizer:x"),
            composition={Layer.REASONING: 900 * n},
        )
        for n in range(1, 6)
    ]

    assert list(tell_reasoning_growth(told(rows, contexts))) == []


def test_sizes_that_are_unknown_grow_by_nothing(tell: Callable[..., list[Any]]) -> None:
    """Unknown is not 0."""
    sizes, reasoning = [1_000, 1_600, 2_300, 4_200], [0, 400, 900, 2_000]

    assert tell(sizes, reasoning, tokens=TokenCount(None, "unknown")) == []
    assert tell(sizes, reasoning, counted=TokenCount(None, "unknown")) == []


def test_a_clause_must_be_the_models_own() -> None:
    """What the user said, or a tool, may be repeated."""
    thoughts = [thought(n, GUESS).text for n in range(5)]

    assert find_repeated_clause(thoughts, []) == (f"{GUESS}", 5, 0)
    assert find_repeated_clause(thoughts, [f"You know that {GUESS}."]) is None


def test_a_clause_must_be_in_most_thoughts() -> None:
    """Three of five are a coincidence; short ones are habits of speech."""
    mixed = [thought(n, GUESS if n < 3 else f"number {n} says it all").text for n in range(5)]

    assert find_repeated_clause(mixed, []) is None
    assert find_repeated_clause(["So go on."] * 5, []) is None


def test_of_two_the_more_frequent_one_is_named() -> None:
    """And where the first thought has it only inside a longer clause, the one that copies it is named."""
    thoughts = ["clearly gmv 已经是净额，合计对不上", *["gmv 已经是净额，看看客流"] * 4]

    assert find_repeated_clause(thoughts, []) == ("gmv 已经是净额", 5, 1)
