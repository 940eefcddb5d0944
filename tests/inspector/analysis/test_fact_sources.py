"""Who said the value that took a fact's place."""

from __future__ import annotations

from collections.abc import Callable

from inspector.analysis.changes import trace_session
from inspector.analysis.fact_asking import follow, make_fact
from inspector.analysis.fact_sources import Rival, find_rival
from inspector.model.context import Block, CallContext
from inspector.model.layers import Layer

MakeBlock = Callable[..., Block]
MakeCalls = Callable[..., list[CallContext]]


def rival_of(contexts: list[CallContext]) -> Rival | None:
    """Of the budget of 8000元."""
    changes = trace_session(contexts)
    found = follow(make_fact("8000元", anchors=("预算", "budget")), changes, {})
    return find_rival(found, changes, "main")


def test_a_tool_that_said_it_is_its_source(block: MakeBlock, calls: MakeCalls) -> None:
    """The agent did not make it up."""
    state = block("budget: 8500元", "system", layer=Layer.STATE)
    result = block('{"budget": "8500元"}', "tool", layer=Layer.TOOL_RESULTS)
    rival = rival_of(calls([block("总预算8000元。")], [result, state]))

    assert rival is not None
    assert (rival.text, rival.call, rival.number, rival.source) == ("8500元", 2, 3, 2)


def test_the_agents_own_writing_is_no_source(block: MakeBlock, calls: MakeCalls) -> None:
    """A state and an answer repeat what the agent made up."""
    state = block("budget: 8500元", "system", layer=Layer.STATE)
    answer = block("预算8500元。", "assistant")
    rival = rival_of(calls([block("总预算8000元。")], [answer, state]))

    assert rival is not None
    assert rival.source is None


def test_nothing_in_its_place_is_none(block: MakeBlock, calls: MakeCalls) -> None:
    """A price is no budget."""
    assert rival_of(calls([block("总预算8000元。")], [block("机票3560元。")])) is None
