"""Compactions read from fates; more of them with the compactions."""

from __future__ import annotations

from collections.abc import Callable

from inspector.analysis.alignment import align
from inspector.analysis.inferring import Guess, infer_compaction
from inspector.model.context import Block, CallContext
from inspector.model.layers import Layer

Make = Callable[..., Block]
TEXTS = ("where is the parcel", "it left Hamburg", "and the invoice", "sent on Monday", "thanks a lot")


def infer(before: list[Block], after: list[Block], purpose: str | None = None) -> Guess | None:
    """Infer between two calls."""
    first = CallContext(1, "a", None, "main", tuple(before))
    second = CallContext(2, "b", "a", "main", tuple(after), purpose)
    return infer_compaction(first, second, align(before, after))


def test_the_places_taken_are_of_the_call_before(block: Make) -> None:
    """In order."""
    old = [block(text) for text in TEXTS]
    guess = infer(old, old[2:])

    assert guess is not None
    assert (guess.strategy, guess.taken, guess.summary) == ("trim", (0, 1), None)


def test_a_trim_counts_what_it_shortened_too(block: Make) -> None:
    """Dropped at the front, cut behind."""
    long = block("a long result of a tool " * 20, "tool", layer=Layer.TOOL_RESULTS)
    cut = block(long.text[:60] + "…[truncated]", "tool", layer=Layer.TOOL_RESULTS)
    old = [block(text) for text in TEXTS]
    guess = infer([*old[:2], long, old[2]], [old[1], cut, old[2]])

    assert guess is not None
    assert (guess.strategy, guess.taken) == ("trim", (0, 2))


def test_an_unmarked_summary_is_a_guess(block: Make) -> None:
    """With what it is based on."""
    texts = [f"{text}, said in May number {n}" for n, text in enumerate(TEXTS)]
    old = [block(text) for text in texts]
    guess = infer(old, [block("So far: " + "; ".join(texts[:4])), old[4]])

    assert guess is not None
    assert (guess.strategy, guess.certainty, guess.summary) == ("summary", "a guess", 0)
    assert guess.evidence == "messages are gone and a new message holds the words of 4 of them"


def test_nothing_is_inferred_of_what_stayed(block: Make) -> None:
    """Nor of additions."""
    old = [block(text) for text in TEXTS]

    assert infer(old, [*old, block("one more")]) is None
