"""Two summaries of one conversation in the same prompt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from inspector.analysis.story_summaries import tell_summaries_beside
from inspector.analysis.told import Told
from inspector.model.context import Block, CallContext
from inspector.model.layers import Layer
from inspector.model.views import CallRow, Sentence

MakeTold = Callable[[Sequence[CallRow], Sequence[CallContext]], Told]
MakeBlock = Callable[..., Block]
MakeCalls = Callable[..., list[CallContext]]

FIRST = "Agreed: the forty freezers go from Utrecht to Bristol by night ferry, quote Q-780, 15,420.00 EUR, Tuesday."
SECOND = "Agreed: the forty freezers go from Utrecht to Leeds by night ferry, quote Q-771, 14,860.00 EUR, Tuesday."
OTHER = "The printer on the third floor is out of toner, and Mina has ordered a box of it."


@pytest.fixture
def tell(told: MakeTold, call_row: Callable[[int], CallRow]) -> Callable[[Sequence[CallContext]], list[Sentence]]:
    """Tell of contexts."""

    def make(contexts: Sequence[CallContext]) -> list[Sentence]:
        return list(tell_summaries_beside(told([call_row(context.call) for context in contexts], contexts)))

    return make


@pytest.fixture
def summary(block: MakeBlock) -> Callable[[str], Block]:
    """Make a summary."""
    return lambda text: block(text, "system", layer=Layer.SUMMARY, is_summary=True)


def test_a_second_summary_that_took_nothing_is_told(
    tell: Callable[..., list[Sentence]], summary: Callable[[str], Block], block: MakeBlock, calls: MakeCalls
) -> None:
    """At the call it came in, once, with the ids and figures that only one of the two has."""
    question, answer = block("And who rides along?"), block("Noor does.", "assistant")
    contexts = calls(
        [summary(FIRST), question],
        [summary(FIRST), summary(SECOND), question, answer],
        [summary(FIRST), summary(SECOND), question, answer, block("Book it.")],
    )

    (sentence,) = tell(contexts)

    assert (sentence.severity, sentence.kind, sentence.call, sentence.message) == ("error", "summary_twice", 2, 3)
    assert sentence.text == (
        "Two summaries of the same conversation, m1 and m3, since call 2: only m1 says Q-780 and 15,420.00, "
        "only m3 says Q-771 and 14,860.00."
    )


def test_a_summary_in_place_of_another_is_none(
    tell: Callable[..., list[Sentence]], summary: Callable[[str], Block], block: MakeBlock, calls: MakeCalls
) -> None:
    """One that took the older one is what a summary is for."""
    assert tell(calls([summary(FIRST), block("And?")], [summary(SECOND), block("And?")])) == []


def test_a_summary_of_the_next_stretch_is_none(
    tell: Callable[..., list[Sentence]], summary: Callable[[str], Block], block: MakeBlock, calls: MakeCalls
) -> None:
    """One that took messages may stand beside the summary of those before."""
    talk = [block(f"the freezers go to Leeds by the night ferry, part {n}") for n in range(6)]

    assert tell(calls([summary(FIRST), *talk], [summary(FIRST), summary(SECOND), *talk[4:]])) == []


def test_a_summary_of_something_else_is_none(
    tell: Callable[..., list[Sentence]], summary: Callable[[str], Block], block: MakeBlock, calls: MakeCalls
) -> None:
    """A summary of another conversation, found by a search say, is no second one of this."""
    assert tell(calls([summary(FIRST), block("And?")], [summary(FIRST), summary(OTHER), block("And?")])) == []


def test_side_calls_are_left_out(
    tell: Callable[..., list[Sentence]], summary: Callable[[str], Block], block: MakeBlock, calls: MakeCalls
) -> None:
    """A judge may be given two summaries to compare."""
    contexts = calls([summary(FIRST), block("And?")], [summary(FIRST), summary(SECOND), block("And?")])

    assert tell([replace(context, purpose="judge") for context in contexts]) == []
