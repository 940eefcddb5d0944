"""The user's message that falls out of the prompt while it is being answered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from inspector.analysis.story_input import tell_lost_input
from inspector.analysis.told import Told
from inspector.model.context import Block, CallContext
from inspector.model.layers import Layer
from inspector.model.views import CallRow, Sentence, TokenCount

MakeTold = Callable[[Sequence[CallRow], Sequence[CallContext]], Told]
MakeBlock = Callable[..., Block]
Tell = Callable[..., list[Sentence]]


@pytest.fixture
def tell(told: MakeTold, call_row: Callable[..., CallRow], block: MakeBlock, calls: Callable[..., object]) -> Tell:
    """Tell of one turn: asked, asked with a result, and the third call with what is left before the second result."""

    def make(*left: Block, between: Sequence[Block] = (), **changes: object) -> list[Sentence]:
        first, second = (block(f"log {n}", "tool", layer=Layer.TOOL_RESULTS) for n in (1, 2))
        asked = block("read both logs, change nothing", layer=Layer.INPUT)
        kept = [asked if one.text == asked.text else one for one in left]
        contexts = calls([asked], [asked, first], [*kept, *between, first, second])
        rows = [
            call_row(
                n,
                turn=3,
                turn_label="t3",
                counted=TokenCount(100, "tokenizer:o200k_base"),
                composition={Layer.TOOL_RESULTS: 68},
                **changes,
            )
            for n in (1, 2, 3)
        ]
        return list(tell_lost_input(told(rows, contexts)))  # type: ignore[arg-type]

    return make


def test_a_message_that_is_gone_before_its_turn_is_over_is_told(tell: Tell) -> None:
    """At the first call that lacks it, with what fills the prompt."""
    (sentence,) = tell()

    assert (sentence.severity, sentence.kind, sentence.call, sentence.message) == ("error", "input_gone", 3, 1)
    assert sentence.text == (
        "The message that t3 answers, m1, is gone since call 3: a trim took it; 68 % of the prompt are tool results."
    )


def test_a_note_in_its_place_is_not_taken_for_it(tell: Tell, block: MakeBlock) -> None:
    """A placeholder is the user's last text now, and not what the user said."""
    assert [s.call for s in tell(block("(earlier messages were removed)", layer=Layer.INPUT))] == [3]


def test_a_message_that_stays_is_not_told(tell: Tell, block: MakeBlock) -> None:
    """Nothing is gone."""
    assert tell(block("read both logs, change nothing")) == []


def test_a_message_that_a_summary_took_is_not_told(tell: Tell, block: MakeBlock) -> None:
    """What a summary lost of it is a matter of facts."""
    assert tell(between=[block("both logs are to be read", layer=Layer.SUMMARY, is_summary=True)]) == []


@pytest.mark.parametrize("changes", [{"turn_inferred": True}, {"turn": None}])
def test_turns_that_are_not_the_agents_do_not_count(
    told: MakeTold,
    call_row: Callable[..., CallRow],
    block: MakeBlock,
    calls: Callable[..., list[CallContext]],
    changes: dict[str, object],
) -> None:
    """An inferred turn begins with whatever user message is left."""
    asked, result = block("read it", layer=Layer.INPUT), block("log", "tool", layer=Layer.TOOL_RESULTS)
    contexts = calls([asked], [asked, result], [result, replace(result, content="2")])
    rows = [call_row(n, **({"turn": 1} | changes)) for n in (1, 2, 3)]

    assert list(tell_lost_input(told(rows, contexts))) == []
