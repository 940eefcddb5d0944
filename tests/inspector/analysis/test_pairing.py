"""Pairs of rewritten messages, one way of finding them at a time."""

from __future__ import annotations

from collections.abc import Callable

from inspector.analysis.pairing import (
    keys_differ,
    pair_by_cut,
    pair_by_keys,
    pair_by_place_holder,
    pair_by_words,
    share_keys,
)
from inspector.model.context import Block

Make = Callable[..., Block]
A = "Invoice 88123 was paid by Alipay in November, and the receipt was sent by mail."
B = "The parcel left Hamburg on Monday with carrier Nordwind, two days late again."


def test_keys_differ_only_where_both_have_some(block: Make) -> None:
    """And none in common."""
    one, two, none = block("a", keys=("call:1",)), block("a", keys=("call:2",)), block("a")

    assert keys_differ(one, two)
    assert not keys_differ(one, none)
    assert not keys_differ(one, block("b", keys=("call:2", "call:1")))


def test_contexts_share_ids_or_not(block: Make) -> None:
    """Made anew, none is common."""
    assert share_keys([block("a", keys=("call:1",))], [block("b"), block("c", keys=("call:1",))])
    assert not share_keys([block("a", keys=("call:1",))], [block("c", keys=("call:9",))])


def test_a_result_is_paired_by_its_call(block: Make) -> None:
    """Though nothing of its text is left."""
    before, after = [block(A, "tool", keys=("result:1",))], [block(B, "tool", keys=("result:1",))]

    assert pair_by_keys(before, after, [0], [0], {})[0].evidence == "the same tool call id 1"


def test_a_call_and_its_result_are_two_messages(block: Make) -> None:
    """The same id, but not the same key."""
    assert pair_by_keys([block("a", keys=("call:1",))], [block("b", keys=("result:1",))], [0], [0], {}) == {}


def test_the_head_of_one_text_names_it(block: Make) -> None:
    """Of two texts it names none, unless one stands where it stood."""
    long, other = block(A + " " + B), block(A + " And more.")

    assert set(pair_by_cut([long, block(B)], [block(A)], [0, 1], [0], {})) == {0}
    assert pair_by_cut([long, other], [block(A)], [0, 1], [0], {}) == {}
    assert set(pair_by_cut([long, block(B), other], [block(A), block(B)], [0, 2], [0], {1: 1})) == {0}


def test_a_very_short_rest_names_nothing(block: Make) -> None:
    """Many texts begin so."""
    assert pair_by_cut([block(A)], [block(A[:8])], [0], [0], {}) == {}


def test_a_place_holder_needs_its_neighbours(block: Make) -> None:
    """Both of them, its role, and its words."""
    before = [block("a"), block(A, "tool"), block("b")]
    around = {0: 0, 2: 2}

    def pair(text: str, role: str = "tool", paired: dict[int, int] = around) -> set[int]:
        return set(pair_by_place_holder(before, [block("a"), block(text, role), block("b")], [1], [1], paired))

    assert pair("[omitted]") == {1}
    assert pair("已省略") == {1}
    assert pair("[omitted]", role="user") == set()
    assert pair("something else") == set()
    assert pair("[omitted]", paired={0: 0}) == set()


def test_the_best_assignment_wins(block: Make) -> None:
    """Not the first that fits."""
    mixed = block(f"{A} {B}")
    pairs = pair_by_words([mixed, block(A)], [block(A + " Late."), block(f"{A} {B} Late.")], [0, 1], [0, 1], {})

    assert {i: pair.after for i, pair in pairs.items()} == {0: 1, 1: 0}


def test_words_alone_are_never_certain(block: Make) -> None:
    """However many agree."""
    pair = pair_by_words([block(A)], [block(A.replace("November", "May"))], [0], [0], {})[0]

    assert pair.certainty in ("likely", "a guess")
    assert pair.similarity is not None
    assert pair.evidence.endswith("of the shorter text's words, rare ones counting more")
