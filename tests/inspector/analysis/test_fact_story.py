"""The sentences that say what happened to a fact."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from inspector.analysis.changes import SessionChanges, trace_session
from inspector.analysis.fact_asking import follow, make_fact
from inspector.analysis.fact_story import FactStory, name_calls, tell_fact
from inspector.model.context import Block, CallContext
from inspector.model.layers import Layer

MakeBlock = Callable[..., Block]
MakeCalls = Callable[..., list[CallContext]]
RULE = "以后请只用中文回答，不要用英文。"


def tell(text: str, changes: SessionChanges, answers: dict[int, str] | None = None, lane: str = "main") -> FactStory:
    """Follow a text and say what happened to it."""
    return tell_fact(follow(make_fact(text, contexts=changes.contexts), changes, answers or {}), changes, lane)


@pytest.fixture
def evicted(block: MakeBlock, calls: MakeCalls) -> SessionChanges:
    """Two calls with the rule, two without it."""
    system, rule, more = block("You are a clerk.", "system"), block(RULE), block("订单号是 ORD-1001。")
    return trace_session(calls([system, rule], [system, rule, more], [system, more], [system, more]))


def test_it_says_where_a_fact_was_and_how_it_went(evicted: SessionChanges) -> None:
    """The stretch of calls, the message that carried it, and that nothing is left."""
    story = tell(RULE, evicted)

    assert story.sentences == (
        "The rule was in the prompt from call 1 to call 2, word for word.",
        "At call 3 a trim took its message m2 out. Nothing replaced it.",
    )
    assert (story.headline, story.kind) == ("call 3: lost", "lost")


def test_answers_that_break_a_rule_are_counted_since_its_loss(evicted: SessionChanges) -> None:
    """Of those that are known."""
    english = "Could you please give me your order number so I can confirm it?"

    story = tell(RULE, evicted, {1: "好的。", 3: english, 4: "好的。"})

    assert story.sentences[-1] == "Since then 1 of 2 answers breaks it: not in Chinese (call 3)."


def test_a_fact_that_is_held_is_said_in_one_sentence(evicted: SessionChanges) -> None:
    """Its words and no trouble."""
    story = tell("clerk", evicted)

    assert story.sentences == ("The text has been in every prompt from call 1 to the last, call 4, word for word.",)
    assert story.headline == "held since call 1"


def test_what_only_the_model_said_is_named_so(evicted: SessionChanges) -> None:
    """It stands in no prompt."""
    story = tell("ORD-7777", evicted, {3: "您的订单 ORD-7777 已发货。"})

    assert story.sentences == ("Never in any prompt. In the answer of call 3 only: the model brought it itself.",)


def test_what_is_nowhere_is_said_with_what_was_searched(evicted: SessionChanges) -> None:
    """So that nobody takes it for an error."""
    assert tell("nowhere", evicted).sentences == ("Never in any prompt, and in no answer: 4 calls searched.",)


def test_a_state_that_drifts_is_told_with_the_value_and_its_missing_source(block: MakeBlock, calls: MakeCalls) -> None:
    """Neither a user nor a tool said what the state says now."""

    def state(value: str) -> Block:
        text = f"task: trip\nfrom: 上海\nbudget: {value}\nhotel: H-507 by the sea, four nights"
        return block(text, "system", layer=Layer.STATE)

    limit, next_one = block("总预算8000元，不能超。"), block("好的，继续。")
    changes = trace_session(calls([state("8000元"), limit], [state("8500元"), next_one]))

    story = tell("8000元", changes)

    assert story.headline == "call 2: altered"
    assert "says “8500元” in its place" in story.sentences[1]
    assert story.sentences[2] == "No message of the user and no tool result up to call 2 says “8500元”."
    assert story.rival is not None
    assert story.rival.source is None


def test_what_the_instructions_say_from_the_beginning_needs_no_source(block: MakeBlock, calls: MakeCalls) -> None:
    """Whoever made the agent wrote it: that no user said it is no news."""
    limits = block("budget: 8500元", "system", layer=Layer.SYSTEM)
    other, said = block("好的。"), block("budget: 8000元")
    story = tell("8000元", trace_session(calls([limits, said], [limits, other])))

    assert story.rival is not None
    assert not any("No message of the user" in one for one in story.sentences)


def test_a_lane_without_it_says_which_has_it(block: MakeBlock, calls: MakeCalls) -> None:
    """A side call is a line of thought of its own."""
    main = calls([block("order ORD-1001")])
    other = calls([block("look it up")], lane="researcher", first=2)

    story = tell("ORD-1001", trace_session([*main, *other]), lane="researcher")

    assert story.sentences == ("In no prompt of lane researcher. Only lane main has it.",)


def test_a_rule_nobody_can_check_by_looking_says_so(block: MakeBlock, calls: MakeCalls) -> None:
    """None of its answers is called good."""
    changes = trace_session(calls([block("付款前必须先问我。")]))

    assert tell("付款前必须先问我", changes).sentences[-1] == (
        "Whether the answers keep this rule cannot be told by looking."
    )


@pytest.mark.parametrize(
    ("calls_", "words"),
    [
        ([32], "call 32"),
        ([32, 34], "calls 32, 34"),
        ([13, 14, 15], "calls 13–15"),
        ([1, 3, 5, 7, 9, 11, 13, 15], "calls 1, 3, 5, 7, 9, 11 and 2 more"),
    ],
)
def test_calls_are_named_or_counted(calls_: list[int], words: str) -> None:
    """A run as its ends, many by their number."""
    assert name_calls(calls_) == words
