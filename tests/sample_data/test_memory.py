"""The memory policies of the scripted agent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from sample_data.memory import RollingSummary, ShrinkingSummary, SlidingWindow, TokenWindow, estimate
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
            *WIRE.results([(Wanted(f"call_{n}", "look", {"n": n}), "{}")]),
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
    assert not wire.starts_turn(wire.results([(Wanted("id", "look", {}), "text")])[0])
    assert wire.starts_turn(wire.user("text"))


def test_the_token_window_keeps_what_fits(recorder: Recorder) -> None:
    """The newest messages within the limit stay; a history within it is left alone."""
    history = conversation(4)
    limit = estimate(history) - 1
    window = TokenWindow(recorder, WIRE, limit, "(removed)")

    assert window.fit(history[2:]) == history[2:]
    assert window.fit(history)[-10:] == history[-10:]
    assert estimate(window.fit(history)[1:]) <= limit


@pytest.mark.parametrize("limit", range(1, 60, 3))
def test_the_token_window_never_parts_a_call_from_its_result(recorder: Recorder, limit: int) -> None:
    """Whatever the limit: what is left begins with the user, by a note if need be, and no result lacks its call."""
    kept = TokenWindow(recorder, WIRE, limit, "(removed)").fit(conversation(4))

    assert WIRE.starts_turn(kept[0])
    assert all(kept[n - 1].get("tool_calls") for n, message in enumerate(kept) if WIRE.holds_results(message))


def test_the_token_window_drops_the_running_turns_message(recorder: Recorder) -> None:
    """A long result pushes out the message of the user who wanted it; the call with its result stays."""
    call = WIRE.assistant(None, [Wanted("c", "look", {})])
    result = WIRE.results([(Wanted("c", "look", {}), "line " * 200)])

    kept = TokenWindow(recorder, WIRE, 50, "(removed)").fit([WIRE.user("never delete anything"), call, *result])

    assert kept == [WIRE.user("(removed)"), call, *result]


def test_the_space_of_the_summaries_shrinks(recorder: Recorder) -> None:
    """Each summary is given the next space, later ones the last; it takes the summary before it."""
    asked: list[tuple[int, int]] = []

    def summarise(messages: Sequence[Message], space: int) -> str:
        asked.append((len(messages), space))
        return f"summary {len(asked)}"

    memory = ShrinkingSummary(recorder, WIRE, summarise, characters=(300, 100), at_most=2, keep=1)
    history: list[Message] = []
    for turn in range(9):
        history = memory.fit([*history, WIRE.user(f"question {turn}")])
        history.append(WIRE.assistant("answer", ()))

    assert [space for _, space in asked] == [300, 100, 100, 100]
    assert [count for count, _ in asked] == [4, 5, 5, 5]
    assert history[0] == WIRE.summary("summary 4")
