"""Two messages at once and a lost update: they are in the bytes of ``team-dinner``."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

CHANGE = "人数改成 22 人"
ALLERGY = "我对花生过敏"


@pytest.fixture
def shown(sample: Callable[[str], Any]) -> Any:
    """The session."""
    return sample("team-dinner")


def spans(shown: Any) -> list[tuple[datetime, datetime]]:
    """When each call was sent and answered."""
    sent = [datetime.fromisoformat(record["time"]) for record in shown.of("snapshot")]
    return [(at, at + timedelta(milliseconds=call.duration_ms)) for at, call in zip(sent, shown.calls, strict=True)]


def test_the_calls_of_turns_4_and_5_overlap_and_no_others(shown: Any) -> None:
    """Each was sent before the other one's answer was there."""
    found = {
        (one.turn, other.turn)
        for one, (_, answered) in zip(shown.calls, spans(shown), strict=True)
        for other, (sent, _) in zip(shown.calls, spans(shown), strict=True)
        if shown.calls.index(one) < shown.calls.index(other) and sent < answered
    }

    assert found == {(4, 5), (5, 4)}


def test_neither_knows_of_the_other(shown: Any) -> None:
    """Both start from the same session: the same prompt but for the last message."""
    first, second = shown.main(4)[0], shown.main(5)[0]

    assert first.messages[:-1] == second.messages[:-1]
    assert all(call.says(CHANGE) and not call.says(ALLERGY) for call in shown.main(4))
    assert all(call.says(ALLERGY) and not call.says(CHANGE) for call in shown.main(5))


def test_both_changes_were_accepted(shown: Any) -> None:
    """Two events of the state have the same state before, and each holds its own change alone."""
    states = {event["turn"]: event["data"] for event in shown.of("event") if event["kind"] == "state"}

    assert states[4]["before"] == states[5]["before"]
    assert (states[4]["after"]["people"], states[5]["after"]["people"]) == (22, 18)
    assert "花生" not in states[4]["after"]["note"]
    assert "花生" in states[5]["after"]["note"]


def test_the_last_write_wins(shown: Any) -> None:
    """From turn 6 on the message of turn 4 and its state are in no prompt; those of turn 5 are in all."""
    later = [call for turn in (6, 7) for call in shown.main(turn)]

    assert len(later) == 3
    assert not any(call.says(CHANGE) for call in later)
    assert all(call.says(ALLERGY) and call.says("people: 18") for call in later)
    assert "18 人" in shown.main(6)[0].answer


def test_the_order_at_the_restaurant_is_overwritten_too(shown: Any) -> None:
    """The second order is filled in from the old state."""
    orders = [
        json.loads(use["function"]["arguments"])["people"]
        for turn in (4, 5)
        for message in shown.main(turn)[1].messages[-2:-1]
        for use in message["tool_calls"]
    ]

    assert orders == [22, 18]
