"""Spans are painted without gap or overlap, and many texts are found in one pass."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from inspector.model.layers import Layer
from inspector.model.spans import Span, find_texts, paint

BASE = Span(0, 0, Layer.HISTORY, "role", (0,))


def span(start: int, end: int, layer: Layer, *priority: int) -> Span:
    """Return a claim."""
    return Span(start, end, layer, layer.value, priority)


def painted(length: int, *claims: Span) -> list[tuple[int, int, str]]:
    """Return runs as plain tuples."""
    return [(run.start, run.end, run.layer.value) for run in paint(length, BASE, claims)]


def test_nothing_claimed_is_one_run() -> None:
    """Without claims the base owns all; an empty text is one empty run."""
    assert painted(5) == [(0, 5, "history")]
    assert painted(0) == [(0, 0, "history")]


def test_the_larger_priority_wins_and_the_smaller_keeps_the_rest() -> None:
    """Where two claims overlap one wins; outside the overlap the other holds."""
    claims = (span(0, 6, Layer.MEMORY, 1), span(4, 9, Layer.STATE, 2))
    assert painted(10, *claims) == [(0, 4, "memory"), (4, 9, "state"), (9, 10, "history")]


def test_claims_beyond_the_text_are_cut() -> None:
    """A claim ends where the text ends."""
    assert painted(4, span(2, 99, Layer.STATE, 1), span(7, 9, Layer.MEMORY, 1)) == [(0, 2, "history"), (2, 4, "state")]


claims = st.lists(
    st.builds(span, st.integers(0, 30), st.integers(0, 30), st.sampled_from(list(Layer)), st.integers(0, 5)),
    max_size=12,
)


@given(claims=claims)
def test_runs_cover_the_text_and_belong_to_the_strongest(claims: list[Span]) -> None:
    """Every character belongs to a claim of the largest priority over it, or to the base."""
    runs = list(paint(25, BASE, claims))
    assert runs[0].start == 0
    assert runs[-1].end == 25
    assert all(before.end == after.start for before, after in pairwise(runs))
    for at in range(25):
        over = [claim for claim in claims if claim.start <= at < claim.end]
        owner = next(run for run in runs if run.start <= at < run.end)
        best = max((claim.priority for claim in over), default=(0,))
        assert owner.layer in ({c.layer for c in over if c.priority == best} if over else {Layer.HISTORY})


def places_one_by_one(text: str, needle: str) -> list[int]:
    """Find the places of one text, the slow way."""
    found, at = [], text.find(needle)
    while at >= 0:
        found.append(at)
        at = text.find(needle, at + len(needle))
    return found


@given(
    text=st.text("ab", max_size=80),
    needles=st.lists(st.text("ab", min_size=1, max_size=9), max_size=300),
)
def test_many_texts_are_found_as_one_by_one(text: str, needles: list[str]) -> None:
    """The pass over many texts finds what a search for each finds."""
    expected = {needle: places for needle in needles if (places := places_one_by_one(text, needle))}
    assert find_texts(text, needles) == expected


def test_a_long_text_with_thousands_of_needles() -> None:
    """Five thousand texts are found in four megabytes."""
    needles = [f"fact number {n:06d} of the customer" for n in range(5_000)]
    text = "\n".join(needles) + "x" * 4_000_000 + "\n".join(reversed(needles))
    assert {needle: len(places) for needle, places in find_texts(text, needles).items()} == dict.fromkeys(needles, 2)


def test_empty_texts_are_never_found() -> None:
    """An empty text has no place."""
    assert find_texts("abc", ["", "b"]) == {"b": [1]}
