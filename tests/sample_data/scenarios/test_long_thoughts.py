"""Thoughts that are sent back and copied on: they are in the bytes of ``october-margin``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

GUESS = "gmv 已经是净额"


@pytest.fixture
def shown(sample: Callable[[str], Any]) -> Any:
    """The session."""
    return sample("october-margin")


def thoughts(call: Any) -> list[str]:
    """The thinking in a prompt, in order."""
    return [
        block["thinking"]
        for message in call.messages
        if isinstance(message["content"], list)
        for block in message["content"]
        if block["type"] == "thinking"
    ]


def size(call: Any) -> int:
    """Tokens of a prompt, by the provider."""
    names = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    return sum(call.usage[name] for name in names)


def test_every_thought_is_sent_back(shown: Any) -> None:
    """Each prompt holds as many thoughts as calls came before it."""
    assert [len(thoughts(call)) for call in shown.calls] == list(range(len(shown.calls)))


def test_the_prompt_grows_threefold_by_step_4_and_fourfold_in_5_steps(shown: Any) -> None:
    """Most of what is added are thoughts."""
    calls = shown.main(1)

    assert size(calls[3]) / size(calls[0]) >= 2.95
    assert 3 <= size(calls[5]) / size(calls[0]) <= 5
    thinking = sum(len(text) for text in thoughts(calls[5]))
    results = sum(
        len(block["content"])
        for message in calls[5].messages
        if isinstance(message["content"], list)
        for block in message["content"]
        if block["type"] == "tool_result"
    )
    assert thinking > results


def test_the_first_thought_guesses_and_every_later_one_copies_it(shown: Any) -> None:
    """The guess stands in each thought of turns 1 and 2, and in no message of the user and no result."""
    last = shown.main(3)[0]

    assert len(thoughts(last)) == 8
    assert all(GUESS in thought for thought in thoughts(last))
    rest = [block for m in last.messages for block in m["content"] if isinstance(block, dict)]
    assert not any(GUESS in str(block.get("content", "")) for block in rest)
    assert not shown.calls[0].says(GUESS)


def test_the_notes_that_say_the_opposite_are_in_the_prompt(shown: Any) -> None:
    """From call 5 on the prompt says that refunds are not taken off; the answers of calls 6 and 8 say they are."""
    assert [call.says("退款不冲减本列") for call in shown.calls[:6]] == [False] * 4 + [True] * 2
    assert "城西店升到 42.0%" in shown.calls[5].answer
    assert "gmv 是扣除退款后的净额" in shown.calls[7].answer


def test_the_rule_of_the_user_is_never_lost(shown: Any) -> None:
    """It is pinned and stands in every prompt: what goes wrong here is no forgetting."""
    (pin,) = shown.of("pin")

    assert all(call.says(pin["target"]["text"]) for call in shown.calls)
