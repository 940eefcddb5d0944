"""Three tool results push out the user's message: it is in the bytes of ``night-shift``."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from sample_data.memory import estimate

ORDER = "Do not roll anything back"
TASK = "Read the logs of checkout-api, stock-service and payments-gateway"


@pytest.fixture
def shown(sample: Callable[[str], Any]) -> Any:
    """The session."""
    return sample("night-shift")


def test_it_is_anthropic(shown: Any) -> None:
    """All calls are of one dialect and one lane, and mark their last message for the cache."""
    assert {(call.api, call.lane) for call in shown.calls} == {("anthropic.messages", "main")}
    assert all("cache_control" in call.body["messages"][-1]["content"][-1] for call in shown.calls)


def test_the_message_is_there_until_the_third_result(shown: Any) -> None:
    """The first three calls of turn 3 hold the user's message, task and order; the fourth and all later ones do not."""
    calls = shown.main(3)

    assert [call.says(ORDER) and call.says(TASK) for call in calls] == [True, True, True, False, False]
    assert not any(call.says(ORDER) or call.says(TASK) for turn in (4, 5) for call in shown.main(turn))


def test_three_results_of_a_thousand_tokens_did_it(shown: Any) -> None:
    """What came between the message and its loss are three tool results of more than 1,000 tokens each."""
    after = shown.main(3)[2].messages[-3:] + shown.main(3)[3].messages[-1:]
    results = [message for message in after if message["content"][0]["type"] == "tool_result"]

    assert len(results) == 3
    assert min(estimate([message]) for message in results) > 1_000


def test_the_recorded_trim_names_the_message(shown: Any) -> None:
    """One compaction is recorded, a trim in the middle of turn 3; the prompt after it begins with the note."""
    (trim,) = shown.of("compaction")

    assert (trim["turn"], trim["strategy"], trim["state"]) == (3, "trim", "done")
    assert trim["tokens_before"] > 3_400 >= trim["tokens_after"]
    assert shown.main(3)[3].messages[0]["content"] == "(Earlier messages were removed to save space.)"


def test_the_agent_does_what_it_was_told_to_leave(shown: Any) -> None:
    """The call that lacks the message answers with a rollback; none before it does."""
    rolled = [n for n, call in enumerate(shown.calls) if "roll it back" in call.answer]

    assert rolled == [shown.calls.index(shown.main(3)[3])]
    assert "rollback_deploy" in json.dumps(shown.main(3)[4].messages[-2])


def test_what_matters_is_pinned_and_labelled(shown: Any) -> None:
    """Both orders of the user are pinned for the main lane; system, memory and state have labels."""
    assert [pin["target"]["text"] for pin in shown.of("pin")] == [ORDER, "Touch nothing else."]
    assert {pin["scope"] for pin in shown.of("pin")} == {"main"}
    assert {label["layer"] for label in shown.of("label")} == {"system", "memory", "state"}


def test_the_usage_has_the_cache(shown: Any) -> None:
    """Growing prompts read from the cache what the call before wrote; after the trim nothing is read."""
    read = [call.usage["cache_read_input_tokens"] for call in shown.main(3)]

    assert read[1] > 0
    assert read[2] > read[1]
    assert read[3] == 0
