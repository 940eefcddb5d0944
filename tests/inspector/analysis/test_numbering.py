"""Messages as numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.analysis.numbering import number_contexts, shared_head
from inspector.model.context import Block, CallContext
from inspector.model.layers import Layer

MakeBlock = Callable[..., Block]
MakeCalls = Callable[..., list[CallContext]]


def test_a_message_that_stays_has_one_number(block: MakeBlock, calls: MakeCalls) -> None:
    """Wherever it stands."""
    a, b, c = block("a"), block("b"), block("c")

    numbered = number_contexts(calls([a, b], [b, a, c]))

    assert [row.tolist() for row in numbered.rows] == [[0, 1], [1, 0, 2]]


def test_shrinking_contexts_keep_their_numbers(block: MakeBlock, calls: MakeCalls) -> None:
    """The beginning of the call before is no beginning of a shorter one."""
    a, b, c = block("a"), block("b"), block("c")

    numbered = number_contexts(calls([a, b, c], [c], [], [a]))

    assert [row.tolist() for row in numbered.rows] == [[0, 1, 2], [2], [], [0]]


def test_input_that_became_history_is_alike(block: MakeBlock, calls: MakeCalls) -> None:
    """Nobody touched it; of another role it is another message."""
    asked = block("a", layer=Layer.INPUT)
    numbered = number_contexts(calls([asked, replace(asked, layer=Layer.HISTORY), block("a", "assistant")]))

    assert numbered.likes.tolist() == [0, 0, 1]


def test_tokens_to_the_end_are_unknown_where_one_is(block: MakeBlock, calls: MakeCalls) -> None:
    """Never 0."""
    numbered = number_contexts(calls([replace(block("a"), tokens=None), block("bb"), block("ccc")]))

    assert numbered.sum_tokens(0) is None
    assert numbered.sum_tokens(0, 1) == 5
    assert numbered.sum_tokens(0, 3) == 0


def test_contexts_are_known_by_identity(block: MakeBlock, calls: MakeCalls) -> None:
    """Equal ones of another load are others."""
    contexts = calls([block("a")])

    assert number_contexts(contexts).is_of(contexts)
    assert not number_contexts(contexts).is_of(calls([block("a")]))


@settings(max_examples=200, deadline=None)
@given(st.lists(st.integers(0, 2), max_size=6), st.lists(st.integers(0, 2), max_size=6))
def test_rows_begin_alike_up_to_the_first_that_differs(one: list[int], other: list[int]) -> None:
    """Or up to the end of the shorter one."""
    expected = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))

    assert shared_head(np.array(one, np.int32), np.array(other, np.int32)) == expected
