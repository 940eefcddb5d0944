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
