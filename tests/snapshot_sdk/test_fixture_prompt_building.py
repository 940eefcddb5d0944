"""Running a context builder: what it is given, what it may return, and how its faults are told."""

from __future__ import annotations

import asyncio
import functools
from dataclasses import replace
from typing import Any

import pytest

from snapshot_sdk._fixture_prompt import Prompt
from snapshot_sdk._fixture_prompt_building import build_previous, build_prompt, previous_recorded
from snapshot_sdk._fixture_values import Fixture


def whole(history: list[Any], window: int | None) -> list[Any]:
    """Takes nothing out."""
    return history


def test_history_without_summaries(trip: Fixture) -> None:
    """What a compaction wrote is the builder's own job."""
    texts = [message.text for message in build_prompt(trip, whole).messages]
    assert len(texts) == 6
    assert not any("对话摘要" in text for text in texts)


def test_history_is_a_copy(trip: Fixture) -> None:
    """A builder that changes what it is given harms no other check."""

    def spoil(history: list[Any], window: int | None) -> list[Any]:
        for message in history:
            message["content"] = "gone"
        return history

    build_prompt(trip, spoil)
    assert trip.history[1].message["content"].startswith("Answer in Chinese")


def test_window_and_what_is_asked_for_by_name(trip: Fixture) -> None:
    """Only parameters that the signature names are given."""
    given: dict[str, Any] = {}

    def build(history: list[Any], window: int, *, pins: list[str], system: str, tools: Any, budget: int) -> list[Any]:
        given.update(window=window, pins=pins, system=system, tools=tools, budget=budget)
        return history

    build_prompt(trip, build)
    assert given["window"] == 1000
    assert given["budget"] == 400
    assert given["pins"] == ["Answer in Chinese only"]
    assert given["system"].startswith("You are a travel desk.")
    assert given["tools"][0]["function"]["name"] == "find"


class Memory:
    """Builders are often methods."""

    def build(self, history: list[Any], window: int | None) -> list[Any]:
        """Take nothing out."""
        return history

    def __call__(self, history: list[Any], window: int | None, strict: bool = True) -> list[Any]:
        """Take nothing out."""
        return history


def _last(count: int, history: list[Any], window: int | None) -> list[Any]:
    return history[-count:]


async def _later(history: list[Any], window: int | None) -> list[Any]:
    await asyncio.sleep(0)
    return history


@pytest.mark.parametrize(
    "builder",
    [
        whole,
        Memory().build,
        Memory(),
        functools.partial(_last, 3),
        _later,
        lambda history: history,
        lambda *both: both[0],
        lambda window, history: window,
        lambda history, window, **more: history,
    ],
    ids=["function", "method", "object", "partial", "async", "one", "star", "other names", "keywords"],
)
def test_callables(trip: Fixture, builder: Any) -> None:
    """History and window go by place, whatever they are called."""
    assert isinstance(build_prompt(trip, builder), Prompt)


def test_async_within_a_loop(trip: Fixture) -> None:
    """In an async test a loop is running already."""

    async def test() -> Prompt:
        return build_prompt(trip, _later)

    assert len(asyncio.run(test()).messages) == 6


def _raise(history: list[Any], window: int | None) -> list[Any]:
    raise KeyError("turn")


def _nothing() -> list[Any]:
    return []


FAULTS = {
    "raises": (_raise, AssertionError, "_raise failed on 6 messages of history: KeyError: 'turn'"),
    "None": (lambda history, window: None, AssertionError, "returned None: every message is lost"),
    "nothing": (lambda history, window: [], AssertionError, "returned nothing: all 6 messages .* the budget is 400"),
    "instructions": (lambda history, window: history[:1], AssertionError, "returned only instructions"),
    "text": (lambda history, window: "prompt", TypeError, "made no prompt: .* not a text"),
    "pairs": (lambda history, window: [("user", "x")], TypeError, "message 1 is a tuple"),
    "parameters": (lambda history, window, store: history, TypeError, "needs store; it is given"),
    "no parameters": (_nothing, TypeError, "takes no history"),
}


@pytest.mark.parametrize(("builder", "kind", "reason"), FAULTS.values(), ids=FAULTS.keys())
def test_faults(trip: Fixture, builder: Any, kind: type[Exception], reason: str) -> None:
    """Each says what the builder did, in words."""
    with pytest.raises(kind, match=reason):
        build_prompt(trip, builder)


def test_nothing_names_the_newest_turn(trip: Fixture) -> None:
    """A trim by turns leaves nothing where the newest turn alone is too large: all of its messages count."""
    told = [replace(one, tokens=100) for one in trip.history]
    told.append(replace(told[-1], tokens=300, hash="sha256:other"))
    with pytest.raises(
        AssertionError, match=r"the newest turn, t2, has 400 tokens in 2 messages, and the budget is 400"
    ):
        build_prompt(replace(trip, history=tuple(told)), lambda history, window: [])


def test_instructions_that_are_all_there_was(trip: Fixture) -> None:
    """An agent whose whole prompt is one system message has lost nothing."""
    single = replace(trip, history=trip.history[:1])
    assert build_prompt(single, whole).system is not None


def test_one_call_earlier(trip: Fixture) -> None:
    """The history up to that call, without its answer."""
    seen: list[int] = []

    def build(history: list[Any], window: int | None) -> list[Any]:
        seen.append(len(history))
        return history

    assert build_previous(trip, build) is not None
    assert seen == [4]


def test_what_a_builder_leaves_out_is_as_it_was_one_call_earlier(trip: Fixture) -> None:
    """A builder that does not write the tools has those of that call, not of this one."""
    other = {"messages": [], "tools": [{"type": "function", "function": {"name": "book", "parameters": {}}}]}
    earlier = build_previous(replace(trip, previous_head=other), whole)
    assert earlier is not None
    assert ["book" in one.text for one in earlier.tools] == [True]
    assert ["find" in one.text for one in build_prompt(trip, whole).tools] == [True]


def test_no_call_earlier(trip: Fixture) -> None:
    """The first call has no head to compare with."""
    first = replace(trip, origin=replace(trip.origin, call=1))
    assert build_previous(first, whole) is None


def test_recorded_head(trip: Fixture) -> None:
    """What the fixture knows of the call before."""
    head = previous_recorded(trip)
    assert head is not None
    assert len(head.tools) == 1
    assert previous_recorded(replace(trip, previous_head=None)) is None


def test_a_builder_that_starts_its_own_loop_within_a_loop(trip: Fixture) -> None:
    """A test may be async itself: the builder gets a thread without a loop."""

    def build(history: list[Any], window: int | None) -> list[Any]:
        kept: list[Any] = asyncio.run(_later(history, window))
        return kept

    async def test() -> Prompt:
        return build_prompt(trip, build)

    assert asyncio.run(test()).messages


def test_a_builder_that_is_cancelled(trip: Fixture) -> None:
    """The message names the builder; no bare CancelledError."""

    async def build(history: list[Any], window: int | None) -> list[Any]:
        raise asyncio.CancelledError

    with pytest.raises(AssertionError, match=r"the context builder .*build failed .*CancelledError"):
        build_prompt(trip, build)
