"""Facts about scorers: what an answer must say, and how it may say it."""

from __future__ import annotations

import pytest

from inspector.probes.probe import Expected, Probe, ScorerName
from inspector.probes.scorers import f1, score, score_answer
from inspector.probes.verdict import AnswerState
from snapshot_sdk.facts import Fact, FactKind

ORDER = Fact("id", "ORD-2024-001")


@pytest.mark.parametrize(
    ("kind", "text", "answer", "state"),
    [
        ("id", "ORD-2024-001", "It is ORD-2024-001.", "right"),
        ("id", "ORD-2024-001", "订单号是ORD-2024-001，对吗", "right"),
        ("id", "ORD-2024-001", "It is ORD-2024-0012.", "repeats another value"),
        ("id", "ORD-2024-001", "I don't know.", "abstains"),
        ("id", "ORD-2024-001", "请提供您的订单号。", "abstains"),
        ("id", "ORD-2024-001", "It is on the invoice.", "wrong"),
        ("id", "ORD-2024-001", "  ", "no answer"),
        ("money", "8500元", "预算是￥8,500。", "right"),
        ("money", "8500元", "八千五百元", "right"),
        ("money", "8500元", "预算是 9000 元", "repeats another value"),
        ("number", "42", "There are 42 of them.", "right"),
        ("text", "Seattle", "You live in Seattle.", "right"),
        ("text", "Seattle", "You live in Boston.", "wrong"),
    ],
)
def test_a_value_is_right_however_it_is_written(kind: FactKind, text: str, answer: str, state: AnswerState) -> None:
    """And a look-alike is another value."""
    assert score(Expected((Fact(kind, text),)), answer).state == state


@pytest.mark.parametrize(
    ("scorer", "expected", "answer", "state"),
    [
        ("exact", "Paris", "paris.", "right"),
        ("exact", "Paris", "It is Paris", "wrong"),
        ("includes", "Paris", "It is Paris, I think", "right"),
        ("match", "Paris", "The answer is Paris.", "right"),
        ("match", "Paris", "Paris is the answer", "wrong"),
        ("f1", "黄金", "您的会员等级是黄金。", "wrong"),
        ("f1", "会员等级是黄金", "您的会员等级是黄金。", "right"),
    ],
)
def test_scorers_of_the_field_do_what_they_do_there(
    scorer: ScorerName, expected: str, answer: str, state: AnswerState
) -> None:
    """With inspect_ai's names."""
    assert score(Expected((Fact("text", expected),), scorer=scorer), answer).state == state


def test_f1_counts_chinese_characters() -> None:
    """By white space it would be 0."""
    assert f1("黄金", "您的会员等级是黄金。") == pytest.approx(4 / 9)
    assert f1("", "") == 1.0
    assert f1("a cat", "dogs") == 0.0


def test_a_list_wants_all_of_it() -> None:
    """What is missing is named."""
    both = Expected((ORDER, Fact("id", "REF-77812")))

    assert score(both, "ORD-2024-001 and REF-77812").state == "right"
    partly = score(both, "ORD-2024-001")
    assert partly.state == "wrong"
    assert "REF-77812" in partly.why


def test_a_pattern_is_a_pattern() -> None:
    """Of Python's syntax."""
    expected = Expected((Fact("regex", r"Chinese|中文"),))

    assert score(expected, "请用中文").state == "right"
    assert score(expected, "in English").state == "wrong"


def test_a_json_value_is_found_by_its_path() -> None:
    """Elsewhere the same value does not count."""
    expected = Expected((Fact("json", "42", (), "order.total"),))

    assert score(expected, '{"order": {"total": 42}}').state == "right"
    assert score(expected, '{"order": {"items": 42}}').state != "right"


def test_what_must_not_be_said_makes_any_answer_wrong() -> None:
    """Whatever else it says."""
    expected = Expected((ORDER,), must_not_say=(Fact("text", "refund"),))

    assert score(expected, "ORD-2024-001, for a refund").state == "wrong"
    assert score(Expected(must_not_say=(Fact("text", "refund"),)), "Hello").state == "right"


def test_to_abstain_is_right_where_it_is_expected() -> None:
    """An answer made up is wrong."""
    assert score(Expected(must_abstain=True), "I don't know your card number.").state == "right"
    assert score(Expected(must_abstain=True), "It is 4929.").state == "wrong"


def test_a_judge_is_asked_only_where_there_is_one() -> None:
    """Without one, or without a grade of it, nothing is known of the answer: never a guess."""
    expected = Expected((Fact("text", "the harbour"),), scorer="model_graded_fact")
    probe = Probe("place", "Where is the shop?", expected, "recall")

    assert score_answer(probe, "by the sea", lambda *_: True).state == "right"
    assert score_answer(probe, "inland", lambda *_: False).state == "wrong"
    assert score_answer(probe, "by the sea").unjudged
    assert score_answer(probe, "by the sea", lambda *_: None).unjudged
    with pytest.raises(ValueError, match="judge"):
        score(expected, "by the sea")


@pytest.mark.parametrize(
    ("question", "answer", "state"),
    [
        ("What is the PIN?", "The PIN is 4711. Could you confirm?", "wrong"),
        ("预算是多少？", "预算是9000元。请告诉我是否继续", "wrong"),
        ("What is the PIN?", "I'm not sure, but it is 4711.", "wrong"),
        ("What is the PIN?", "I don't know. Maybe 4711?", "wrong"),
        ("订单号是多少？", "我不确定，可能是 ORD-2024-001。", "wrong"),
        ("What is their name?", "The name is Smith. Could you tell me whether to go on?", "wrong"),
        ("What is their name?", "It is Smith.", "wrong"),
        ("What is the PIN?", "", "no answer"),
        ("What is the PIN of card 4929?", "I do not know the PIN of card 4929.", "right"),
        ("What is the PIN of card 4929?", "Sorry. Card 4929 is there, but its PIN was not mentioned.", "right"),
        ("预算是多少？", "对话里没有提到预算。请告诉我预算是多少。", "right"),
        ("订单号是多少？", "好的，为了查询，我需要您的订单号。请提供订单号。", "right"),
        ("What is the PIN?", "Could you please provide your PIN?", "right"),
        ("What is the PIN?", "I don't have that information.", "right"),
    ],
)
def test_only_who_says_nothing_of_it_abstains(question: str, answer: str, state: AnswerState) -> None:
    """Who asks or doubts and says a value all the same has made it up."""
    assert score(Expected(must_abstain=True), answer, question).state == state


@pytest.mark.parametrize(
    ("answer", "state"),
    [
        ("maybe ORD-2024-001 or -009 or -077", "wrong"),
        ("ORD-2024-009 or ORD-2024-001", "wrong"),
        ("ORD-2024-001 或者 ORD-2024-009", "wrong"),
        ("ORD-2024-001, not ORD-2024-009", "right"),
        ("It is ORD-2024-001 or nothing.", "right"),
        ("ORD-2024-001 or ORD-2024-009? It is ORD-2024-001.", "right"),
    ],
)
def test_a_guess_among_several_is_no_answer(answer: str, state: AnswerState) -> None:
    """The right one is among them by luck."""
    assert score(Expected((ORDER,)), answer, "Which order?").state == state


@pytest.mark.parametrize(
    ("answer", "state"),
    [
        ("不要用中文，请用英文回答", "wrong"),
        ("Never in Chinese.", "wrong"),
        ("用中文，不要用英文", "right"),
        ("不要用英文，用中文", "right"),
        ("不是英文而是中文", "right"),
        ("Not in English but in Chinese.", "right"),
        ("不要用中文以外的语言", "right"),
        ("Do not answer in any language other than Chinese.", "right"),
        ("中文。", "right"),
        ("请特别注意用中文回答", "right"),
        ("别用中文", "wrong"),
    ],
)
def test_what_an_answer_denies_it_does_not_say(answer: str, state: AnswerState) -> None:
    """Of a pattern, whose words stand in the denial, too."""
    expected = Expected((Fact("regex", "中文|汉语|(?i:chinese)"),))

    assert score(expected, answer, "应该用哪种语言回答用户？").state == state


def test_a_question_after_what_must_not_be_may_be_answered_so() -> None:
    """There the denial is the answer."""
    expected = Expected((Fact("regex", "英文|(?i:english)"),))

    assert score(expected, "不能用英文", "哪种语言不能用？").state == "right"


def test_a_value_beside_a_question_is_no_abstention() -> None:
    """Where another one was expected it is that other value."""
    assert score(Expected((ORDER,)), "It is ORD-2024-009. Could you confirm?", "Which order?").state == (
        "repeats another value"
    )
