"""The policy that cuts tool results."""

from __future__ import annotations

from sample_data.trimming import MARK, NewestResultWhole
from sample_data.wire import Message, OpenAIChat, Wanted

WIRE = OpenAIChat()
POLICY = NewestResultWhole(at_most=100)


def read(name: str, text: str) -> list[Message]:
    """A tool call and its result."""
    wanted = Wanted(name, "read", {"path": name})
    return [WIRE.assistant(None, [wanted]), *WIRE.results([(wanted, text)])]


def test_the_newest_result_is_whole_and_the_older_ones_are_cut() -> None:
    """To the number of characters, the mark included."""
    history = [WIRE.user("compare"), *read("a", "a" * 300), *read("b", "b" * 300)]
    first, second = (message["content"] for message in POLICY.fit(history) if message["role"] == "tool")

    assert first == "a" * (100 - len(MARK)) + MARK
    assert second == "b" * 300


def test_results_of_one_step_are_all_newest() -> None:
    """Two calls in one answer: the model has seen neither result yet."""
    both = [Wanted(name, "read", {"path": name}) for name in "ab"]
    history = [WIRE.user("compare"), WIRE.assistant(None, both), *WIRE.results([(one, "x" * 300) for one in both])]

    assert POLICY.fit(history) == history


def test_short_results_and_what_people_say_are_left_alone() -> None:
    """Only results lose anything, and a result that was cut is not cut again."""
    history = [WIRE.user("u" * 300), *read("a", "a" * 100), WIRE.assistant("s" * 300, ()), *read("b", "b" * 300)]
    once = POLICY.fit([*history, WIRE.assistant("done", ()), WIRE.user("next")])

    assert once[:4] == history[:4]
    assert POLICY.fit(once) == once
