"""Whether an answer breaks a rule, for the rules that can be checked by looking."""

from __future__ import annotations

import pytest

from inspector.analysis.obedience import can_check, find_breach


@pytest.mark.parametrize(
    ("rule", "answer", "breach"),
    [
        ("以后请只用中文回答我", "Your order is on its way to you.", "not in Chinese"),
        ("Always answer in English", "您的订单已经发货，请耐心等待。", "not in English"),
        ("回复不要用感叹号", "好的！", "it has an exclamation mark"),
        ("Never use emojis", "Done 🎉", "it has an emoji"),
        ("no bullet points please", "- one\n- two", "it has a list"),
        ("不要使用表格", "| a | b |", "it has a table"),
        ("不要说“亲爱的”", "亲爱的用户，您好", "it says “亲爱的”"),
        ("never say 'sorry' or use \"guys\"", "Hi guys, all done", "it says “guys”"),
        ("at most 5 words", "this answer has six words indeed", "6 words, 5 are allowed"),
        ("回答不超过5个字", "您的订单已经发货", "8 characters, 5 are allowed"),
        ("不超过1句", "第一句。第二句。", "2 sentences, 1 are allowed"),
        ("一个感叹号都不要用", "好的！", "it has an exclamation mark"),
        ("感叹号不要用", "好的！", "it has an exclamation mark"),
        ("Emojis are not allowed.", "Done 🎉", "it has an emoji"),
        ("Tables should be avoided", "| a | b |", "it has a table"),
        ("Never more than 5 words", "this answer has six words indeed", "6 words, 5 are allowed"),
        ("1,800 words or less", "word " * 1_801, "1,801 words, 1,800 are allowed"),
        ("不要超过5个字", "您的订单已经发货", "8 characters, 5 are allowed"),
        ("use at most two lines. Answer in English", "您的订单已经发货，请耐心等待。", "not in English"),
    ],
)
def test_a_breach_is_said_in_words(rule: str, answer: str, breach: str) -> None:
    """What is wrong with the answer."""
    assert find_breach(rule, answer) == breach


@pytest.mark.parametrize(
    ("rule", "answer"),
    [
        ("以后请只用中文回答我", "订单ORD-2024-001已由SF Express发出。"),
        ("以后请只用中文回答我", "```python\nprint('all of this is code')\n```"),
        ("不要用中文回答", "Your order is on its way to you."),
        ("Never use emojis", "Done."),
        ("use emojis", "Done 🎉"),
        ("不要使用表格", "`a | b`"),
        ("at most 5 words", "five words are just enough"),
        ("客户对花生过敏", "好的！"),
        ("以后请只用中文回答我", "  "),
        ("Answer in Chinese or English", "Your order is on its way to you."),
        ("Answer in Chinese or in English", "您的订单已经发货，请耐心等待。"),
        ("用中文或英文回答", "Your order is on its way to you."),
        ("1,800 words or less", "word " * 900),
        ("1,800 words or less", "word " * 1_800),
        ("at most 3 words", "- as well-known - agreed"),
        ("不要超过三个感叹号", "好的！"),
        ("Don't forget the table", "| a | b |"),
        ("不仅要用列表，还要有小结", "- one"),
        ("不超过 8 字节", "您的订单已经发货，请耐心等待"),
    ],
)
def test_what_cannot_be_seen_is_no_breach(rule: str, answer: str) -> None:
    """Names, code and rules that looking cannot check."""
    assert find_breach(rule, answer) is None


@pytest.mark.parametrize(
    ("rule", "checked"),
    [
        ("只用中文", True),
        ("at most 5 words", True),
        ("不要说“嗨”", True),
        ("感叹号不要用", True),
        ("never more than 800 words", True),
        ("Answer in Chinese or English", False),
        ("be kind", False),
    ],
)
def test_which_rules_can_be_checked(rule: str, *, checked: bool) -> None:
    """Language, length, marks and words; most rules cannot."""
    assert can_check(rule) is checked
