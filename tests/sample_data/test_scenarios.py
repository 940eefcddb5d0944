"""What the samples claim to show is in their bytes, read with the SDK alone."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import pytest

from sample_data import TRACES
from sample_data.scenarios import offsite, order_number, word_cap
from snapshot_sdk import TraceFile, iter_records


@dataclass
class Call:
    """One call of a sample."""

    turn: int
    lane: str
    caller: str
    body: dict[str, Any]
    answer: str = ""
    usage: dict[str, int] = field(default_factory=dict)
    statuses: list[int] = field(default_factory=list)

    def says(self, text: str) -> bool:
        """Tell whether a text stands in the prompt."""
        return text in json.dumps(self.body, ensure_ascii=False)


@dataclass
class Sample:
    """One sample session."""

    header: dict[str, Any]
    calls: list[Call]
    records: list[dict[str, Any]]

    def of(self, kind: str) -> list[dict[str, Any]]:
        """Return the records of one type."""
        return [record for record in self.records if record["type"] == kind]

    def main(self, turn: int | None = None) -> list[Call]:
        """Return the calls of the main lane, of one turn or of all."""
        return [call for call in self.calls if call.lane == "main" and turn in (None, call.turn)]


def text_of(value: Any) -> str:
    """Return the text of an answer's content, in either dialect."""
    return "".join(part.get("text", "") for part in value) if isinstance(value, list) else value or ""


@cache
def load(session: str) -> Sample:
    """Read a committed sample."""
    (file,) = TRACES.glob(f"{session}-*/*.jsonl")
    records, calls, trace = list(iter_records(file)), {}, TraceFile()
    for record in records:
        trace.feed(record)
        if record["type"] == "snapshot":
            body = trace.request(record).body()
            calls[record["id"]] = Call(record["turn"], record["lane"], record["caller"], body)
        elif record["type"] == "response":
            (message,) = (element.value for element in trace.messages(record))
            calls[record["snapshot"]].answer = text_of(message["content"])
            calls[record["snapshot"]].usage = record["usage"]
        elif record["type"] == "attempt":
            calls[record["snapshot"]].statuses.append(record["status"])
    return Sample(records[0], list(calls.values()), records)


@pytest.mark.parametrize("scenario", [order_number, word_cap, offsite])
def test_a_sample_says_what_it_shows(scenario: Any) -> None:
    """Each header names the incident in a sentence, and marks the session as a sample."""
    sample = load(scenario.SESSION)

    assert sample.header["meta"] == {"about": scenario.ABOUT, "origin": "sample"}
    assert all(call.caller.startswith("sample_data/agent.py:") for call in sample.calls)
    assert sample.of("loss") == []


def test_the_order_number_is_known_until_turn_6() -> None:
    """From turn 2 to turn 6 every prompt holds the order number, and the agent confirmed it at turn 2."""
    sample = load("order-4711")
    known = [call for turn in range(2, 7) for call in sample.main(turn)]

    assert len(known) == 11
    assert all(call.says("ORD-2024-001") for call in known)
    assert any("ORD-2024-001" in call.answer for call in sample.main(2))


def test_the_order_number_is_in_no_prompt_of_turns_7_and_8() -> None:
    """The trim at turn 7 takes the order number out, and nothing of it is left, in no layer."""
    sample = load("order-4711")
    first = sample.of("compaction")[0]

    assert (first["turn"], first["strategy"]) == (7, "trim")
    assert not any(call.says("ORD-2024-001") for call in sample.main(7) + sample.main(8))


def test_the_agent_asks_for_the_order_number_at_turn_8() -> None:
    """At turn 8 the agent asks for what was confirmed; at turn 9 the user gives it again and it is looked up again."""
    sample = load("order-4711")

    assert "请" in sample.main(8)[-1].answer
    assert "提供一下订单号" in sample.main(8)[-1].answer
    assert all(call.says("ORD-2024-001") for call in sample.main(9))


def test_the_cap_is_quoted_by_the_first_summary_and_lost_by_the_second() -> None:
    """The rule stands word for word in every prompt up to turn 13 and in none after the second summary."""
    sample, rule = load("returns-desk"), "never more than 800 words"

    assert [record["turn"] for record in sample.of("compaction")] == [8, 14]
    assert all(call.says(rule) for turn in range(2, 14) for call in sample.main(turn))
    assert not any(call.says(rule) or call.says("800") for turn in (14, 15) for call in sample.main(turn))


def test_the_article_of_turn_15_breaks_the_cap() -> None:
    """The last answer has some 2,000 words; no draft before it had more than 800."""
    sample = load("returns-desk")

    assert 1_900 < len(sample.calls[-1].answer.split()) < 2_200
    assert max(len(call.answer.split()) for call in sample.calls[:-1]) < 800


def test_the_cache_marker_moves() -> None:
    """Each Anthropic prompt marks its last message, and only that, for the cache."""
    for call in load("returns-desk").calls:
        marked = [n for n, m in enumerate(call.body["messages"]) if "cache_control" in json.dumps(m)]

        assert marked == [len(call.body["messages"]) - 1]


def test_the_healthy_session_keeps_every_rule() -> None:
    """Through two summaries the user's rules stand word for word in every prompt of the main lane."""
    sample = load("lisbon-offsite")
    rules = [pin["target"]["text"] for pin in sample.of("pin")]

    assert len(rules) == 3
    assert [record["strategy"] for record in sample.of("compaction")] == ["summary", "summary"]
    assert all(call.says(rule) for call in sample.main() if call.turn > 1 for rule in rules)


def test_the_healthy_session_stays_below_half_its_budget() -> None:
    """No prompt of the healthy session needs half of what is allowed."""
    sample = load("lisbon-offsite")

    assert max(call.usage["prompt_tokens"] for call in sample.calls) < sample.header["budget"] / 2


def test_the_healthy_session_has_lanes_a_retrieval_and_a_retry() -> None:
    """A sub-agent, a title and summaries have lanes of their own; one call was refused once and then answered."""
    sample = load("lisbon-offsite")
    (retrieval,) = [event for event in sample.of("event") if event["kind"] == "retrieval"]

    assert {call.lane for call in sample.calls} == {"main", "researcher", "title", "summary"}
    assert [call.statuses for call in sample.calls if call.statuses] == [[429, 200]]
    assert [one["sent"] for one in retrieval["data"]["candidates"]] == [True, True, False, False]
