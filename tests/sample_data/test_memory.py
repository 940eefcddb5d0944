"""The memory policies of the scripted agent."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sample_data.memory import RollingSummary, SlidingWindow
from sample_data.wire import AnthropicMessages, Message, OpenAIChat, Wanted
from snapshot_sdk import Recorder

WIRE = OpenAIChat()


@pytest.fixture
def recorder(tmp_path: Path) -> Iterator[Recorder]:
    """Return a recorder into a temporary directory."""
    with Recorder(tmp_path) as recorder:
        yield recorder


def conversation(turns: int) -> list[Message]:
    """Return turns of four messages: question, tool call, tool result, answer."""
    return [
        message
        for n in range(turns)
        for message in (
            WIRE.user(f"question {n}"),
            WIRE.assistant(None, [Wanted(f"call_{n}", "look", {"n": n})]),
            *WIRE.results([(f"call_{n}", "{}")]),
            WIRE.assistant(f"answer {n}", ()),
        )
    ]


def test_the_window_leaves_a_short_history_alone(recorder: Recorder) -> None:
    """Up to the limit nothing is dropped."""
    history = conversation(2)

    assert SlidingWindow(recorder, WIRE, at_most=8, keep=4).fit(history) is history


@pytest.mark.parametrize("keep", [4, 5, 6, 7])
def test_the_window_never_parts_a_call_from_its_result(recorder: Recorder, keep: int) -> None:
    """Wherever the cut would fall, it falls before a user's message."""
    kept = SlidingWindow(recorder, WIRE, at_most=8, keep=keep).fit(conversation(3))

    assert kept == conversation(3)[8:]


def test_the_summary_takes_all_but_the_last_turns(recorder: Recorder) -> None:
    """The last turns stay as they are; everything before becomes one message."""
    taken: list[int] = []

    def summarise(messages: object) -> str:
        assert isinstance(messages, list)
        taken.append(len(messages))
        return "short"

    kept = RollingSummary(recorder, WIRE, summarise, at_most=3, keep=2).fit(conversation(4))

    assert kept == [WIRE.summary("short"), *conversation(4)[8:]]
    assert taken == [8]


def test_a_summary_starts_no_turn() -> None:
    """A summary in the place of a user message is not counted as a turn."""
    wire = AnthropicMessages()

    assert not wire.starts_turn(wire.summary("text"))
    assert not wire.starts_turn(wire.results([("id", "text")])[0])
    assert wire.starts_turn(wire.user("text"))
