"""Facts about commitments: what looks like a rule, a goal, an id or an amount that matters."""

from __future__ import annotations

import pytest

from inspector.analysis.commitments import find_commitments, find_rules
from inspector.model.context import Block, CallContext
from inspector.model.layers import Layer


def context(call: int, *blocks: Block, purpose: str | None = None) -> CallContext:
    """A call of these messages."""
    return CallContext(call, f"id{call}", None, "main", blocks, purpose)


def user(text: str) -> Block:
    """A message of the user."""
    return Block(f"u:{text}", "user", Layer.HISTORY, text)


def called(text: str, identity: str) -> Block:
    """A tool call."""
    return Block(f"c:{text}", "assistant", Layer.TOOL_CALLS, text, (f"call:{identity}",))


def result(text: str, identity: str) -> Block:
    """A tool result."""
    return Block(f"r:{text}", "tool", Layer.TOOL_RESULTS, text, (f"result:{identity}",))


@pytest.mark.parametrize(
    "text",
    [
        "以后请只用中文回答我。",
        "一个感叹号都不要用。",
        "另外有事发短信，别打电话。",
        "总预算8000元，不能超。",
        "毛利一律按扣除退款后的净额算。",
        "我对花生过敏，很严重。",
        "Never put anyone on a flight that leaves before 9:00.",
        "Do not restart or roll back anything before I say so.",
        "every dinner needs a real vegetarian main course",
        "billing_2023 is under legal hold.",
        "- at most 1,800 euros per person",
        "Touch nothing else.",
    ],
)
def test_a_rule_looks_like_one(text: str) -> None:
    """In Chinese and in English."""
    assert len(find_rules(text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "你好，我想改一下订单的配送时间。",
        "两种车价钱一样，说清差别。",
        "别的颜色有吗？",
        "必须明天去吗？",
        "字段含义拿不准。",
        "The courier came late and the box was wet.",
        "Must I pay now?",
        '{"must": "only"}',
        "if (never) { return; }",
        "I always liked it there.",
        "Now the budget memo and Harlan County.",
    ],
)
def test_small_talk_questions_and_code_are_no_rules(text: str) -> None:
    """Though a word of them may occur in one."""
    assert find_rules(text) == ()


def test_a_rule_knows_its_place() -> None:
    """Without the bullet before it."""
    text = "Hello.\n- Never before 9:00.\nThanks."
    (rule,) = find_rules(text)

    assert text[rule.start : rule.end] == rule.text == "Never before 9:00."


def test_a_bullet_is_no_figure() -> None:
    """“1,800 euros at most” keeps its 1."""
    assert find_rules("1,800 euros at most.")[0].text == "1,800 euros at most."
    assert find_rules("3. Never at night.")[0].text == "Never at night."


def test_a_rule_of_the_user_goes_before_one_of_the_instructions() -> None:
    """Those stand where little is lost."""
    system = Block("s", "system", Layer.SYSTEM, "Never answer at night.")
    found = find_commitments([context(1, system, user("Never call me at night."))])

    assert [one.text for one in found] == ["Never call me at night.", "Never answer at night."]


def test_an_id_that_the_user_said_and_tools_use_comes_first() -> None:
    """One of a hundred in a result that nobody came back to is none."""
    listing = " ".join(f"ITEM-{n:04}" for n in range(2000, 2100))
    found = find_commitments(
        [
            context(
                1, user("My order is ORD-2024-001."), called('look({"id": "ORD-2024-001"})', "c"), result(listing, "c")
            )
        ]
    )

    assert [one.text for one in found] == ["ORD-2024-001"]
    assert "said by the user" in found[0].why
    assert "1 tool call" in found[0].why


def test_an_id_of_a_result_counts_once_a_tool_call_uses_it() -> None:
    """The hold that was made, say."""
    found = find_commitments(
        [context(1, result('{"hold": "CJ-4409"}', "c1"), called('pay({"hold": "CJ-4409"})', "c2"))]
    )

    assert [(one.kind, one.text) for one in found] == [("id", "CJ-4409")]


def test_a_value_learns_what_others_call_it() -> None:
    """So that another amount beside `budget` has taken the place of 预算."""
    state = Block("s", "system", Layer.STATE, "budget: 8000元")
    found = find_commitments([context(1, state, user("总预算8000元，不能超。"))])
    amount = next(one for one in found if one.kind == "amount")

    assert {"预算", "budget"} <= set(amount.fact.anchors)


def test_an_amount_that_is_a_limit_outranks_one_that_is_not() -> None:
    """At most 1,800 euros is a promise, 39.4 % a figure."""
    found = find_commitments([context(1, user("It fell to 39.4 %."), user("At most 1,800 euros, please."))])
    amounts = [one.text for one in found if one.kind == "amount"]

    assert amounts == ["1,800 euros", "39.4 %"]


def test_the_goal_is_what_was_wished_for_at_the_beginning() -> None:
    """In the first messages of the user only."""
    later = user("I want to have lunch now.")
    found = find_commitments([context(1, user("I need help planning a trip."), user("Sure."), later)])

    assert [one.text for one in found if one.kind == "goal"] == ["I need help planning a trip."]


def test_side_calls_and_tool_results_make_no_rules() -> None:
    """What a page or a summariser's instructions say binds nobody here."""
    page = result("You must never do that.", "c")
    found = find_commitments([context(1, page), context(2, user("Never mention names."), purpose="summary")])

    assert found == ()


def test_each_rule_is_found_once() -> None:
    """However many messages repeat it."""
    found = find_commitments([context(1, user("Never at night.")), context(2, user("Never at night. "), user("Hi"))])

    assert [one.copies for one in found] == [2]
