"""Rules that can be checked by counting."""

from __future__ import annotations

import pytest

from inspector.analysis.limits import check_answer


@pytest.mark.parametrize(
    "rule",
    [
        "never more than 5 words",
        "At most 5 words, please",
        "5 words or less",
        "no more than 5 words",
        "limit of 5 words",
    ],
)
def test_a_cap_on_words_is_counted(rule: str) -> None:
    """However it is said."""
    assert check_answer(rule, "one two three four five") is None
    found = check_answer(rule, "one two three four five six")
    assert found is not None
    assert found.measured == "has 6 words"


@pytest.mark.parametrize("rule", ["不要超过 5 个字", "5 字以内", "控制在5字"])
def test_a_cap_on_characters_is_counted(rule: str) -> None:
    """Chinese characters only."""
    assert check_answer(rule, "一二三四五。") is None
    found = check_answer(rule, "一二三四五六。")
    assert found is not None
    assert found.measured == "has 6 characters"


def test_thousands_are_read() -> None:
    """With a comma."""
    assert check_answer("at most 1,800 words", "word " * 1_800) is None
    assert check_answer("at most 1,800 words", "word " * 1_801) is not None


def test_a_language_is_checked() -> None:
    """Names in another script do not count against it, short answers neither."""
    english = (
        "This is a long answer in English with more than twenty words in it so that it can be judged at all, is it not."
    )

    assert check_answer("以后请只用中文回答我", english) is not None
    assert (
        check_answer("以后请只用中文回答我", "好的，您的订单 ORD-2024-001 已经改到周六上午，请留意短信通知。") is None
    )
    assert check_answer("以后请只用中文回答我", "OK") is None
    assert (
        check_answer("Answer only in English", "好的，已经为您改到周六上午，请留意短信通知，谢谢您的理解。") is not None
    )


@pytest.mark.parametrize("rule", ["at most 1,800 euros per person", "Never call me", "ORD-2024-001", "用 800 字节"])
def test_other_rules_are_not_judged(rule: str) -> None:
    """They cannot be decided by counting."""
    assert check_answer(rule, "word " * 3_000) is None


@pytest.mark.parametrize("rule", ["一个感叹号都不要用", "不要用感叹号", "No exclamation marks, please"])
def test_a_forbidden_mark_is_seen(rule: str) -> None:
    """Also where Chinese says what is forbidden before the denial."""
    found = check_answer(rule, "国庆好礼来啦！快来坐坐。")

    assert found is not None
    assert found.measured == "has an exclamation mark"
    assert check_answer(rule, "国庆五天，店照常开。") is None


def test_a_mark_in_a_tool_call_is_no_answer() -> None:
    """The user does not read it."""
    assert check_answer("一个感叹号都不要用", 'save_copy({"text": "好！"})') is None


@pytest.mark.parametrize(
    "rule", ["Answer in Chinese or English", "用中文或英文回答", "The tool does not accept exclamation, use words"]
)
def test_a_rule_that_leaves_a_choice_is_not_broken(rule: str) -> None:
    """Nothing is demanded."""
    assert check_answer(rule, "This is an answer in English with many words in it! Is it not?") is None
    assert check_answer(rule, "好的，已经为您改到周六上午，请留意短信通知，谢谢！") is None


def test_every_breach_is_a_predicate() -> None:
    """It follows "The answer of call 3"."""
    long = "This is an answer in English with more than a few words in it. And a second sentence."

    assert [
        found.measured if found else None
        for found in (
            check_answer("以后请只用中文回答我", long),
            check_answer("Never say “second sentence”", long),
            check_answer("at most 1 sentence", long),
        )
    ] == ["is not in Chinese", "says “second sentence”", "has 2 sentences"]


def test_thousands_are_not_read_as_hundreds() -> None:
    """Behind the number."""
    assert check_answer("1,800 words or less", "word " * 900) is None
