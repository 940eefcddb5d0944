"""Two contradicting “latest” summaries in one prompt: they are in the bytes of ``freezer-move``."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

CHANGE = "Everything goes to Bristol, not Leeds"


@pytest.fixture
def shown(sample: Callable[[str], Any]) -> Any:
    """The session."""
    return sample("freezer-move")


def summaries_of(call: Any) -> list[str]:
    """The summaries in a prompt, in order."""
    texts = [message["content"] for message in call.messages if message["role"] == "system"]
    return [text for text in texts if "Latest summary of the conversation" in text]


def test_there_are_two_latest_summaries_from_turn_8_on(shown: Any) -> None:
    """No prompt up to turn 6 has a summary, those of turn 7 have one, those of turns 8 to 10 have two."""
    count = {call.turn: len(summaries_of(call)) for call in shown.main()}

    assert count == {1: 0, 2: 0, 3: 0, 4: 0, 5: 0, 6: 0, 7: 1, 8: 2, 9: 2, 10: 2}


def test_they_contradict_each_other(shown: Any) -> None:
    """The first has the customer's change to Bristol; the second, which stands last, knows only Leeds."""
    newer, older = summaries_of(shown.main(8)[0])

    assert CHANGE in newer
    assert "Q-780" in newer
    assert "Bristol" not in older
    assert "Leeds, Discovery Way 4" in older


def test_the_same_work_was_delivered_twice(shown: Any) -> None:
    """Two compactions went to running, the second before the first was done; both got done, the first one last."""
    states = [(record["compaction"], record["state"]) for record in shown.of("compaction")]
    (first, _), (second, _) = states[:2]

    assert states == [(first, "running"), (second, "running"), (second, "done"), (first, "done")]
    assert [call.lane for call in shown.calls].count("summariser") == 2


def test_the_second_delivery_took_what_the_first_had_taken(shown: Any) -> None:
    """Both summariser calls hold the conversation up to turn 4, the second one also turn 5 with the change."""
    first, second = shown.lane("summariser")

    assert second.messages[: len(first.messages) - 1] == first.messages[:-1]
    assert (first.turn, second.turn) == (5, 6)
    assert not first.says(CHANGE)
    assert second.says(CHANGE)


def test_the_slow_answer_took_minutes(shown: Any) -> None:
    """The first summary was under way for more than seven minutes, the second for less than three."""
    first, second = shown.lane("summariser")

    assert first.duration_ms > 420_000
    assert second.duration_ms < 180_000


def test_the_context_grew_by_the_last_compaction(shown: Any) -> None:
    """The record of the late one says itself that it took nothing: more tokens after than before."""
    last = shown.of("compaction")[-1]

    assert last["state"] == "done"
    assert last["tokens_after"] > last["tokens_before"]


def test_the_agent_books_by_the_stale_one(shown: Any) -> None:
    """At turn 9 it books Leeds, quote Q-771, although the prompt quotes the change."""
    call = shown.main(9)[0]

    assert call.says(CHANGE)
    assert "Leeds, Discovery Way 4" in json.dumps(shown.main(9)[1].messages[-2])
    assert "to Leeds" in shown.main(9)[-1].answer


def test_what_matters_is_pinned_and_labelled(shown: Any) -> None:
    """The customer's rule and the change are pinned; they stand in a summary in the end."""
    assert [pin["target"]["text"] for pin in shown.of("pin")] == ["Nothing over the weekend", CHANGE]
    assert {label["layer"] for label in shown.of("label")} == {"system", "memory", "state"}


def test_it_is_openai(shown: Any) -> None:
    """All calls are chat completions, and from the second on most tokens of a prompt come from the cache."""
    cached = [call.usage["prompt_tokens_details"]["cached_tokens"] for call in shown.main(5)]

    assert {call.api for call in shown.calls} == {"openai.chat"}
    assert cached[-1] >= 1_024
