"""A rule lost in a chain of summaries: it is in the bytes of ``tea-house-posts``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from sample_data.scenarios.tea_house import SPACES

RULE = "一个感叹号都不要用"


@pytest.fixture
def shown(sample: Callable[[str], Any]) -> Any:
    """The session."""
    return sample("tea-house-posts")


def summary_of(call: Any) -> str:
    """The summary in a prompt of the main lane; empty: there is none."""
    texts = [message["content"] for message in call.messages if message["role"] == "system"]
    return next((text for text in texts if text.startswith("<summary>")), "")


def test_the_summaries_shrink(shown: Any) -> None:
    """Three summaries, of more than 1,000, more than 500 and about 300 characters, each within its space."""
    lengths = [len(call.answer) for call in shown.lane("summariser")]

    assert SPACES == (1_200, 600, 300)
    assert all(0.8 * space < length <= space for length, space in zip(lengths, SPACES, strict=True))


def test_each_summary_is_made_of_the_one_before(shown: Any) -> None:
    """The second and third summariser call are given the summary before theirs, and are told their space."""
    first, second, third = shown.lane("summariser")

    assert second.says(first.answer[:40])
    assert third.says(second.answer[:40])
    assert [call.says(f"不超过 {space} 个字") for call, space in zip((first, second, third), SPACES, strict=True)] == [
        True
    ] * 3


def test_the_summaries_are_made_in_separate_calls(shown: Any) -> None:
    """The summariser has a lane of its own and a purpose, and no other call has one."""
    assert {(call.lane, call.purpose) for call in shown.calls} == {("main", None), ("summariser", "summary")}


def test_the_rule_is_there_until_the_second_summary(shown: Any) -> None:
    """Every prompt of turns 1 to 7 holds the rule word for word, from turn 5 on only in the first summary."""
    calls = [call for turn in range(1, 8) for call in shown.main(turn)]

    assert all(call.says(RULE) for call in calls)
    assert all(RULE in summary_of(call) for call in calls if call.turn >= 5)


def test_the_second_summary_keeps_a_shadow_and_the_third_nothing(shown: Any) -> None:
    """Turns 8 to 10 have “语气克制” in place of the rule, turns 11 and 12 not even that."""
    second = [call for turn in range(8, 11) for call in shown.main(turn)]
    third = [call for turn in (11, 12) for call in shown.main(turn)]

    assert not any(call.says(RULE) or call.says("感叹号") for call in second + third)
    assert all("语气克制" in summary_of(call) for call in second)
    assert not any("克制" in summary_of(call) for call in third)


def test_the_answers_break_the_rule_when_nothing_is_left_of_it(shown: Any) -> None:
    """The answers of turns 11 and 12 are full of exclamation marks; no answer before them has one."""
    marks = {call.turn: 0 for call in shown.main()}
    for call in shown.main():
        marks[call.turn] += call.answer.count("！")

    assert {turn for turn, count in marks.items() if count} == {11, 12}
    assert marks[11] > 5


def test_the_rule_is_pinned(shown: Any) -> None:
    """The rule is the session's one pin, set in turn 1."""
    ((before, pin),) = [(before, record) for before, record in shown.events if record["type"] == "pin"]

    assert (before, pin["target"]["text"], pin["scope"]) == (0, RULE, "main")


def test_it_is_openai_and_chinese(shown: Any) -> None:
    """All calls are chat completions, and the user writes Chinese."""
    assert {call.api for call in shown.calls} == {"openai.chat"}
    assert shown.calls[0].says("你好，我是沈知白。")
