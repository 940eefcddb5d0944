"""The sentences that say what happened to a fact."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

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


def test_a_rewritten_message_says_in_one_sentence_what_it_says_now(block: MakeBlock, calls: MakeCalls) -> None:
    """That the fact is gone and what took its place are one thing."""

    def state(value: str) -> Block:
        text = f"task: trip\nfrom: 上海\nbudget: {value}\nhotel: H-507 by the sea, four nights"
        return block(text, "system", layer=Layer.STATE)

    story = tell("8000元", trace_session(calls([state("8000元"), block("好")], [state("8500元"), block("好")])))

    assert story.sentences[1] == "At call 2 m1 was rewritten and says “8500元” in its place."


def test_a_text_that_was_rewritten_is_told_with_what_stands_there(block: MakeBlock, calls: MakeCalls) -> None:
    """Not that nothing replaced it."""
    clock = "You plan visits for groups. Current time: {}.\nAnswer in the language of the last message."
    before, now = (block(clock.format(time), "system") for time in ("2026-11-26T08:14:08Z", "2026-11-26T08:15:40Z"))
    story = tell("2026-11-26T08:14:08Z", trace_session(calls([before, block("hi")], [now, block("hi")])))

    assert story.sentences[1] == "At call 2 m1 was rewritten and says “2026-11-26T08:15:40Z” there."


def test_a_value_without_words_of_its_own_is_found_in_the_state_under_its_name(
    block: MakeBlock, calls: MakeCalls
) -> None:
    """A tool call named it, and the state had never taken it over."""
    state = block("<task_state>\ndate: 2026-12-04\npeople: 18\n</task_state>", "system", layer=Layer.STATE)
    hello, given = block("订周五晚上的聚餐。"), block("刚又有四个人报名，改成 22 人。")
    call = block('change_hold({"hold": "H-1", "people": 22})', "assistant", layer=Layer.TOOL_CALLS)
    changes = trace_session(calls([state, hello, given, call], [state, hello]))

    story = tell("22 人", changes)

    assert story.sentences[1].endswith("m1 (state) still says “people: 18”.")
    assert [(one.number, one.text) for one in story.standings] == [(1, "18")]


def test_a_value_that_no_words_go_with_is_not_said_to_have_no_successor(block: MakeBlock, calls: MakeCalls) -> None:
    """Nobody can know what would have taken its place."""
    story = tell("15420.25", trace_session(calls([block("hi"), block("15420.25")], [block("hi")])))

    assert story.sentences[1] == "At call 2 the agent took its message m2 out."


def test_what_comes_back_is_told_with_who_says_it(block: MakeBlock, calls: MakeCalls) -> None:
    """And whether it stayed."""
    hello, given, again = block("hello"), block("订单号是 ORD-1001。"), block("说过了：ORD-1001。")
    stays = trace_session(calls([hello, given], [hello], [hello, again]))
    goes = trace_session(calls([hello, given], [hello], [hello, again], [hello]))

    assert tell("ORD-1001", stays).sentences[1].endswith("It is back since call 3, in m3 (user).")
    assert "It came back at call 3, in m3 (user)." in tell("ORD-1001", goes).sentences[1]


def test_what_took_some_of_its_messages_is_not_said_to_have_taken_all(block: MakeBlock, calls: MakeCalls) -> None:
    """The one was rewritten, the other taken out."""
    words = "The trip goes to Lisbon in May with four people, two rooms and a car"
    plan, said = block(f"{words}, ORD-1001.", "system"), block("order ORD-1001")
    story = tell("ORD-1001", trace_session(calls([plan, said], [block(f"{words}.", "system")])))

    assert "1 of the 2 messages that said it (the others went otherwise)" in story.sentences[1]


def test_what_stood_there_before_a_fact_was_said_is_told_as_before(block: MakeBlock, calls: MakeCalls) -> None:
    """It does not stand in its place now."""

    def state(value: str) -> Block:
        text = f"task: trip\nfrom: 上海\nbudget: {value}\nhotel: H-507 by the sea, four nights"
        return block(text, "system", layer=Layer.STATE)

    changes = trace_session(calls([state("8000元")], [state("8000元"), block("好")], [state("8500元"), block("好")]))
    story = tell("8500元", changes)

    assert story.rival is not None
    assert (story.rival.stands, story.rival.last_call) == ("before it", 2)
    assert story.sentences[1] == (
        "Before it was said a different one stood there, from call 1 to call 2: “8000元” in m1."
    )


def test_each_way_in_which_it_was_held_is_told(block: MakeBlock, calls: MakeCalls) -> None:
    """Not that more changed after."""
    given = block("quote Q-780")
    summary = block("Earlier: quote Q-780", is_summary=True, layer=Layer.SUMMARY)
    other = block("Earlier: quote Q-771", is_summary=True, layer=Layer.SUMMARY)
    story = tell_fact(
        follow(
            make_fact("Q-780", anchors=("quote",)),
            changes := trace_session(calls([given], [summary], [summary, other])),
            {},
        ),
        changes,
        "main",
    )

    assert story.sentences[0] == (
        "The id has been in every prompt from call 1 to the last, call 3, unchanged at first, in a summary only since "
        "call 2, beside a different one since call 3."
    )
    assert "A different one stands beside it since call 3: “Q-771” in m3." in story.sentences


def test_a_fact_of_the_last_prompt_only_is_said_so(block: MakeBlock, calls: MakeCalls) -> None:
    """Not from a call to the same call."""
    changes = trace_session(calls([block("hello")], [block("hello"), block("order ORD-1001")]))

    assert tell("ORD-1001", changes).sentences == ("The id is in the last prompt only, call 2, unchanged.",)


def test_what_an_answer_said_before_any_prompt_is_named_so(block: MakeBlock, calls: MakeCalls) -> None:
    """The model brought it, and every prompt after repeats it."""
    thought = block("gmv 已经是净额，直接用。", "assistant")
    changes = trace_session(calls([block("hello")], [block("hello"), thought]))

    assert tell("gmv 已经是净额", changes, {1: "gmv 已经是净额，直接用。"}).sentences[1] == (
        "The answer of call 1 said it first: no prompt up to then had it."
    )


def test_what_an_answer_says_instead_is_quoted(block: MakeBlock, calls: MakeCalls) -> None:
    """One need not open it to know."""
    changes = trace_session(calls([block("总预算8000元，不能超。")]))

    assert tell("8000元", changes, {1: "您的总预算是8500元。"}).sentences[-1] == (
        "The answer of call 1 says a different one: “8500元”."
    )


def test_a_log_without_parts_says_so_in_one_list(block: MakeBlock, calls: MakeCalls) -> None:
    """Parts that hold no words are not in it."""
    [context] = calls([block("order ORD-1001")])
    changes = trace_session([replace(context, missing=("model", "parameters", "system", "tools"))])

    assert tell("ORD-1001", changes).sentences[-1] == (
        "This log has no system prompt or tool definitions: the words there are not known."
    )


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
