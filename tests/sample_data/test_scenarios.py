"""What the samples claim to show is in their bytes, read with the SDK alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from sample_data.generate import SCENARIOS

LoadSample = Callable[[str], Any]


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.SESSION)
def test_a_sample_says_what_it_shows(sample: LoadSample, scenario: Any) -> None:
    """Each header names the incident on one line and tells it, and marks the session as a sample."""
    shown = sample(scenario.SESSION)

    assert shown.header["meta"] == {"about": scenario.ABOUT, "sample": scenario.INCIDENT, "origin": "sample"}
    assert all(call.caller.startswith("sample_data/") for call in shown.calls)
    assert shown.of("loss") == []


def test_the_order_number_is_known_until_turn_6(sample: LoadSample) -> None:
    """From turn 2 to turn 6 every prompt holds the order number, and the agent confirmed it at turn 2."""
    shown = sample("order-4711")
    known = [call for turn in range(2, 7) for call in shown.main(turn)]

    assert len(known) == 11
    assert all(call.says("ORD-2024-001") for call in known)
    assert any("ORD-2024-001" in call.answer for call in shown.main(2))


def test_the_order_number_is_in_no_prompt_of_turns_7_and_8(sample: LoadSample) -> None:
    """The trim at turn 7 takes the order number out, and nothing of it is left, in no layer."""
    shown = sample("order-4711")
    first = shown.of("compaction")[0]

    assert (first["turn"], first["strategy"]) == (7, "trim")
    assert not any(call.says("ORD-2024-001") for call in shown.main(7) + shown.main(8))


def test_the_agent_asks_for_the_order_number_at_turn_8(sample: LoadSample) -> None:
    """At turn 8 the agent asks for what was confirmed; at turn 9 the user gives it again and it is looked up again."""
    shown = sample("order-4711")

    assert "请" in shown.main(8)[-1].answer
    assert "提供一下订单号" in shown.main(8)[-1].answer
    assert all(call.says("ORD-2024-001") for call in shown.main(9))


def test_the_cap_is_quoted_by_the_first_summary_and_lost_by_the_second(sample: LoadSample) -> None:
    """The rule stands word for word in every prompt up to turn 13 and in none after the second summary."""
    shown, rule = sample("returns-desk"), "never more than 800 words"

    assert [record["turn"] for record in shown.of("compaction")] == [8, 14]
    assert all(call.says(rule) for turn in range(2, 14) for call in shown.main(turn))
    assert not any(call.says(rule) or call.says("800") for turn in (14, 15) for call in shown.main(turn))


def test_the_article_of_turn_15_breaks_the_cap(sample: LoadSample) -> None:
    """The last answer has some 2,000 words; no draft before it had more than 800."""
    shown = sample("returns-desk")

    assert 1_900 < len(shown.calls[-1].answer.split()) < 2_200
    assert max(len(call.answer.split()) for call in shown.calls[:-1]) < 800


def test_the_cache_marker_moves(sample: LoadSample) -> None:
    """Each Anthropic prompt marks its last message, and only that, for the cache."""
    for call in sample("returns-desk").calls:
        marked = [n for n, m in enumerate(call.body["messages"]) if "cache_control" in json.dumps(m)]

        assert marked == [len(call.body["messages"]) - 1]


def test_the_healthy_session_keeps_every_rule(sample: LoadSample) -> None:
    """Through two summaries the user's rules stand word for word in every prompt of the main lane."""
    shown = sample("lisbon-offsite")
    rules = [pin["target"]["text"] for pin in shown.of("pin")]

    assert len(rules) == 3
    assert [record["strategy"] for record in shown.of("compaction")] == ["summary", "summary"]
    assert all(call.says(rule) for call in shown.main() if call.turn > 1 for rule in rules)


def test_the_healthy_session_stays_below_half_its_budget(sample: LoadSample) -> None:
    """No prompt of the healthy session needs half of what is allowed."""
    shown = sample("lisbon-offsite")

    assert max(call.usage["prompt_tokens"] for call in shown.calls) < shown.header["budget"] / 2


def test_the_healthy_session_has_lanes_a_retrieval_and_a_retry(sample: LoadSample) -> None:
    """A sub-agent, a title and summaries have lanes of their own; one call was refused once and then answered."""
    shown = sample("lisbon-offsite")
    (retrieval,) = [event for event in shown.of("event") if event["kind"] == "retrieval"]

    assert {call.lane for call in shown.calls} == {"main", "researcher", "title", "summary"}
    assert [call.statuses for call in shown.calls if call.statuses] == [[429, 200]]
    assert [one["sent"] for one in retrieval["data"]["candidates"]] == [True, True, False, False]
