"""Deltas: right, short where texts are alike, and linear on hostile text."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snapshot_sdk import _delta
from snapshot_sdk._delta import common_head, make_delta
from snapshot_sdk.reading import apply_delta

blocks = ["a" * 300, "b" * 100, "lorem ipsum " * 20, "é", "x", '"\\']
pieces = st.lists(st.sampled_from(blocks), max_size=12).map("".join)


@settings(deadline=None, max_examples=100)
@given(pieces, pieces)
def test_a_delta_gives_the_text(base: str, text: str) -> None:
    """Whatever the texts, applying the delta gives the new one."""
    delta = make_delta(base, text)
    assert delta is None or apply_delta(base, delta) == text


@settings(deadline=None, max_examples=100)
@given(st.text("ab", max_size=1200), st.text("ab", max_size=1200))
def test_common_head(left: str, right: str) -> None:
    """Counts exactly the characters that agree."""
    limit = min(len(left), len(right))
    expected = next((i for i in range(limit) if left[i] != right[i]), limit)
    assert common_head(left, 0, right, 0, limit) == expected


def test_several_edits_are_several_copies() -> None:
    """A changed line, a removed block and an appended one cost about what they hold."""
    rng = random.Random(1)
    lines = [f"line {n} {rng.random()}\n" for n in range(2000)]
    changed = [*lines[:300], "state: new\n", *lines[301:800], *lines[1200:], "appended\n"]
    base, text = "".join(lines), "".join(changed)
    delta = make_delta(base, text)
    assert delta is not None
    assert apply_delta(base, delta) == text
    assert sum(len(piece) for piece in delta if isinstance(piece, str)) < 300


def test_unlike_texts_have_no_delta() -> None:
    """Where nothing is saved, the text is stored whole."""
    assert make_delta("a" * 1000, "b" * 1000) is None
    assert make_delta("", "b" * 1000) is None
    assert make_delta("abc", "abc") is None


@pytest.mark.parametrize(
    ("base", "text"),
    [
        ("a" * 400_000, "b" + "a" * 399_999 + "b"),
        ("ab" * 200_000, "ba" * 200_000),
        ("a" * 400_000, ("a" * 31 + "b") * 12_000),
        (("a" * 31 + "b") * 12_000, ("a" * 30 + "bb") * 12_000),
        ("x" * 400_000, "y" * 400_000),
    ],
)
def test_hostile_texts_are_searched_within_the_budget(base: str, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Repetitive text is looked at a few times, not for each probe anew: the work is counted, not timed."""
    looked_at = 0

    class Counting(str):
        __slots__ = ()

        def find(self, probe: str, start: int = 0, end: int | None = None) -> int:  # type: ignore[override]
            nonlocal looked_at
            found = str.find(self, probe, start, len(self) if end is None else end)
            looked_at += (found if found >= 0 else len(self)) - start
            return found

    delta = make_delta(Counting(base), text)
    assert delta is None or apply_delta(base, delta) == text
    assert looked_at <= (_delta._SCAN_FACTOR + 1) * (len(base) + len(text))
