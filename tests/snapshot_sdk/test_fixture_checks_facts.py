"""The check of facts: kept, restated, absent, distorted, contradicted; and what is no contradiction."""

from __future__ import annotations

import pytest

from snapshot_sdk._fixture_checks_facts import judge_facts
from snapshot_sdk._fixture_prompt import Prompt, prompt_of
from snapshot_sdk.facts import Fact

BUDGET = Fact("money", "8500元", ("budget", "预算"))
SAID_FIRST = "My budget is 8000元."
SAID_THEN = "No, make the budget 8500元."


def say(*texts: str) -> Prompt:
    """A prompt of user messages."""
    return prompt_of([{"role": "user", "content": text} for text in texts])


@pytest.mark.parametrize(
    "text", ["budget 8500元", "预算八千五百元", "a budget of ￥8,500"], ids=["same", "words", "sign"]
)
def test_kept_by_meaning(text: str) -> None:
    """One amount, however it is written."""
    assert judge_facts(say(text), [BUDGET]).ok


def test_absent() -> None:
    """Nothing says it."""
    verdict = judge_facts(say("We go to the lake."), [BUDGET])
    assert verdict.what == "“8500元” (money) is absent"
    assert verdict.instead == (
        "nothing like it; 1 message, of which the conversation begins with message 1 (user): “We go to the lake.”"
    )


def test_distorted() -> None:
    """Another amount stands in its place, and the message shows it."""
    verdict = judge_facts(say("<state>budget: 8000元</state>"), [BUDGET])
    assert "is distorted" in verdict.what
    assert "“8000元”" in (verdict.instead or "")


@pytest.mark.parametrize("tag", ["state", "memory", "summary"])
def test_contradicted_where_the_agent_says_what_holds(tag: str) -> None:
    """A stale value in state, memory or summary contradicts, though the user once said it."""
    prompt = say(SAID_THEN, f"<{tag}>budget: 8000元</{tag}>")
    verdict = judge_facts(prompt, [BUDGET], (SAID_FIRST, SAID_THEN))
    assert verdict.ok is False
    assert "and something else in its place too" in verdict.what


def test_replaced_value_is_no_contradiction() -> None:
    """The whole dialogue says both, in order: that is how it was."""
    assert judge_facts(say(SAID_FIRST, SAID_THEN), [BUDGET], (SAID_FIRST, SAID_THEN)).ok


def test_value_that_nobody_said_is_one() -> None:
    """A message of the builder's own with another value contradicts."""
    assert judge_facts(say(SAID_THEN, "Note: budget 9999元"), [BUDGET], (SAID_THEN,)).ok is False


def test_every_fact_is_asked_for() -> None:
    """Of several facts each one that is lost is named."""
    verdict = judge_facts(say("order ORD-17"), [Fact("id", "ORD-17"), Fact("id", "ORD-18"), Fact("id", "ORD-19")])
    assert verdict.ok is False
    assert "ORD-17” (id) is" not in verdict.what
    assert "ORD-18" in verdict.what
    assert "ORD-19" in verdict.what


def test_look_alike_is_not_kept() -> None:
    """A longer id is another id."""
    assert judge_facts(say("order ORD-2024-0012"), [Fact("id", "ORD-2024-001")]).ok is False


def test_value_in_a_tool_call() -> None:
    """Arguments are a part of the prompt."""
    call = {"function": {"name": "book", "arguments": '{"order": "ORD-17"}'}}
    assert judge_facts(prompt_of([{"role": "assistant", "tool_calls": [call]}]), [Fact("id", "ORD-17")]).ok
