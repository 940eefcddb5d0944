"""Facts about the language of a drafted question: that of what was said around, not that of an id."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from inspector.index import Index
from inspector.probes.draft import draft_probes
from inspector.probes.draft_language import language_is_chinese
from inspector.probes.draft_questions import ask_about_rule, ask_about_value
from inspector.probes.look import SessionFacts
from snapshot_sdk.facts import Fact

FactsOf = Callable[..., SessionFacts]


@pytest.mark.parametrize(
    ("text", "chinese"),
    [
        ("请把订单改到周五，谢谢。", True),
        ("帮我查 MacBook Pro M3 Max 的订单 ORD-2024-001，还有 iPhone 的", True),
        ("Please move the order to Friday.", False),
        ("Please ship it to 王敏 as agreed.", False),
        ("ORD-2024-001", None),
        ("src/app/main.py https://example.com/a/b user_id=3", None),
        ("好的", None),
        ("", None),
    ],
)
def test_ids_paths_and_keys_have_no_language(text: str, chinese: bool | None) -> None:
    """Too little running text tells nothing."""
    assert language_is_chinese(text) is chinese


def chat(*texts: str) -> dict[str, Any]:
    """A request of some messages of the user."""
    return {"model": "m", "messages": [{"role": "user", "content": text} for text in texts]}


def test_an_id_of_a_chinese_talk_is_asked_for_in_chinese(recorded: Callable[..., Index], facts_of: FactsOf) -> None:
    """Though the message that says it holds no Chinese word."""
    body = chat("你好，我想问一下我的订单什么时候能到，已经等了很久了。", "Order number: ORD-2024-001")
    body["messages"].append({"role": "assistant", "content": "好的，请稍等。"})
    facts = facts_of(recorded([body, body]))
    drafts = [one for one in draft_probes(facts) if "ORD-2024-001" in one.probe.expected.facts[0].text]

    assert drafts
    assert all("是多少" in one.probe.question or "空白处" in one.probe.question for one in drafts)


def test_an_id_of_an_english_talk_is_asked_for_in_english(recorded: Callable[..., Index], facts_of: FactsOf) -> None:
    """Though a Chinese name stands beside it."""
    body = chat("Please move the delivery of my order number ORD-2024-001 for 王敏 to Friday afternoon.")
    drafts = draft_probes(facts_of(recorded([body, body])))

    assert drafts
    assert all(one.probe.question.isascii() or "“" in one.probe.question for one in drafts)
    assert not any("是多少" in one.probe.question for one in drafts)


def test_the_language_of_the_source_decides() -> None:
    """A word of the other language is quoted."""
    fact = Fact("id", "ORD-1")

    assert ask_about_value(fact, "order id: ORD-1", chinese=True).endswith("是多少？")
    assert ask_about_value(fact, "订单号是ORD-1", chinese=False) == "What is “订单号”?"
    assert ask_about_rule("Never use emojis", chinese=True)[0].startswith("有哪些必须遵守")
