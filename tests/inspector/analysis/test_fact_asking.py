"""Making a fact of what was typed, and what a lane never had."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from inspector.analysis.changes import trace_session
from inspector.analysis.fact_asking import follow, lane_calls, make_fact, opaque_calls
from inspector.model.context import Block, CallContext
from inspector.model.layers import Layer
from inspector.model.views import CallRow, ServerEffect, TokenCount

MakeBlock = Callable[..., Block]
MakeCalls = Callable[..., list[CallContext]]


@pytest.mark.parametrize(
    ("text", "kind"), [("ORD-2024-001", "id"), ("8,000 元", "money"), ("请只用中文回答", "rule"), ("净水器", "text")]
)
def test_the_kind_of_a_text_is_guessed(text: str, kind: str) -> None:
    """An id, an amount, a rule, else a text."""
    assert make_fact(text).kind == kind


def test_the_words_beside_a_value_are_learnt(block: MakeBlock, calls: MakeCalls) -> None:
    """From what a user says and from the key of a state, so that another value beside either is seen."""
    state = block("budget: 8000元\nhotel: H-1", "system", layer=Layer.STATE)

    fact = make_fact("8000元", contexts=calls([block("总预算8000元。"), state]))

    assert set(fact.anchors) == {"预算", "budget"}


def test_words_that_were_given_are_kept(block: MakeBlock, calls: MakeCalls) -> None:
    """Nothing is learnt beside them."""
    fact = make_fact("8000元", anchors=("limit",), contexts=calls([block("总预算8000元。")]))

    assert fact.anchors == ("limit",)


def test_a_selection_is_widened_to_the_value_it_lies_in(block: MakeBlock, calls: MakeCalls) -> None:
    """Who selects the digits of 约8500元 means what stands there, where nobody says the amount by itself."""
    about, exact, more = block("预算约8500元"), block("定金8500元"), block("预算18500元")

    assert make_fact("8500元", contexts=calls([about])).text == "约8500元"
    assert make_fact("8500元", contexts=calls([about, exact])).text == "8500元"
    assert make_fact("8500元", contexts=calls([more])).text == "8500元"
    assert make_fact("21 March", contexts=calls([block("open 18-21 March")])).text == "18-21 March"
    assert make_fact("ORD-2024-001", contexts=calls([block("ORD-2024-0012")])).text == "ORD-2024-001"


def test_a_tool_result_teaches_no_words(block: MakeBlock, calls: MakeCalls) -> None:
    """Its fields name many values of a kind."""
    result = block('{"price": "8000元"}', "tool", layer=Layer.TOOL_RESULTS)

    assert make_fact("8000元", contexts=calls([result])).anchors == ()


def test_what_a_lane_never_had_is_not_gone_from_it(block: MakeBlock, calls: MakeCalls) -> None:
    """A sub-agent starts without the fact: it is not yet there, and not lost."""
    main = calls([block("order ORD-1001")])
    other = calls([block("look it up")], lane="researcher", first=2)

    found = follow(make_fact("ORD-1001"), trace_session([*main, *other]), {})

    assert [trace.state for trace in lane_calls(found, "researcher")] == ["not yet"]


def test_a_prompt_with_parts_nobody_can_read_is_opaque(call_row: Callable[..., CallRow]) -> None:
    """A server that added an unknown number of tokens added something that is not in the record."""
    unknown = TokenCount(None, "unknown")
    effect = ServerEffect(("stored",), 0, 0, None, 1, "certain", unknown)

    assert opaque_calls([call_row(1), call_row(2, server=effect)]) == {2}
