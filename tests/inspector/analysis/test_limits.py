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
