"""A result that is cut and the call that is made again: it is in the bytes of ``checkout-504``."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from sample_data.trimming import MARK

TIMEOUT = "timeout_ms: 4500"
DEADLINE = "deadline_ms: 2600"


@pytest.fixture
def shown(sample: Callable[[str], Any]) -> Any:
    """The session."""
    return sample("checkout-504")


def asked_for(shown: Any, number: int) -> list[str]:
    """The tool calls that the answer of a call asks for, as the next prompt holds them."""
    message = shown.calls[number].messages[-2]
    return [use["function"]["arguments"] for use in message.get("tool_calls", ())]


def test_the_needed_value_is_there_once_and_then_cut(shown: Any) -> None:
    """Call 3 holds the gateway's timeout; in call 4 the mark of the cut stands in its place."""
    third, fourth = shown.calls[2], shown.calls[3]

    assert third.says(TIMEOUT)
    assert not third.says(MARK)
    assert not fourth.says(TIMEOUT)
    assert [m["content"].endswith(MARK) for m in fourth.messages if m["role"] == "tool"] == [False, True, False]


def test_the_two_values_never_stand_in_one_prompt_as_read(shown: Any) -> None:
    """In turn 1 whichever file is read, the other one's value is gone, until the model wrote one down itself."""
    both = [call.says(TIMEOUT) and call.says(DEADLINE) for call in shown.main(1)]

    assert not any(both)
    assert "deadline_ms 2600" in shown.calls[5].answer
    assert shown.calls[6].says(TIMEOUT)
    assert shown.calls[6].says("deadline_ms 2600")


def test_the_same_call_is_made_again_at_the_call_that_lacks_its_result(shown: Any) -> None:
    """Call 4 reads the gateway's file again; in all it is read four times and the other one twice."""
    assert [json.loads(text)["path"] for text in asked_for(shown, 4)] == ["gateway.yaml"]
    reads = Counter(
        json.loads(use["function"]["arguments"]).get("path")
        for message in shown.calls[-1].messages
        for use in message.get("tool_calls", ())
        if use["function"]["name"] == "read_file"
    )
    assert reads == {"gateway.yaml": 4, "settings.yaml": 2}


def test_nothing_records_the_cut(shown: Any) -> None:
    """The agent writes no compaction down; the rule of the person on call is pinned and stays."""
    (pin,) = shown.of("pin")

    assert shown.of("compaction") == []
    assert all(call.says(pin["target"]["text"]) for call in shown.calls)
