"""A clock or a random id in the instructions, and the prompt cache that cannot work."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from inspector.analysis.story_cache import VOLATILE, tell_broken_cache
from inspector.model.context import Block, CallContext
from inspector.model.layers import Layer
from inspector.model.request import Usage

UUIDS = [f"0f3a7c52-91d4-4b7e-8a10-{n:012x}" for n in range(10)]
CLOCKS = [f"2026-11-26T08:14:{n:02}Z" for n in range(10)]


def prompts(instructions: Sequence[str], layer: Layer = Layer.SYSTEM) -> list[CallContext]:
    """A call for each text of the instructions, the dialogue growing."""
    dialogue = [Block(f"u{n}", "user", Layer.HISTORY, f"message {n}") for n in range(len(instructions))]
    return [
        CallContext(
            n,
            f"id-{n}",
            f"id-{n - 1}" if n > 1 else None,
            "main",
            (Block(f"s:{text}", "system", layer, text), *dialogue[:n]),
        )
        for n, text in enumerate(instructions, 1)
    ]


@pytest.fixture
def tell(call_row: Callable[..., Any], told: Callable[..., Any]) -> Callable[..., list[str]]:
    """What is said of prompts of 1,000 tokens each, of which so many were read from the cache."""

    def tell_of(contexts: Sequence[CallContext], cached: int | None = 0, size: int | None = 1_000) -> list[str]:
        usage = Usage(size, cached, None, 10, None)
        rows = [call_row(context.call, usage=usage) for context in contexts]
        return [sentence.text for sentence in tell_broken_cache(told(rows, contexts))]

    return tell_of


@pytest.mark.parametrize("values", [CLOCKS, UUIDS], ids=["clock", "uuid"])
def test_a_value_that_changes_at_each_call_is_told(tell: Callable[..., list[str]], values: list[str]) -> None:
    """With its place in bytes, before which everything is the same."""
    texts = [f"Café desk.\nNow or id: {value}\nBe brief." for value in values[:5]]

    assert tell(prompts(texts)) == [
        f"The prompt cache is never hit: “{values[1]}” (m1, from byte 23) is another one at 4 of 4 calls, "
        "4,000 tokens in all."
    ]


def test_the_little_that_was_read_is_told(tell: Callable[..., list[str]]) -> None:
    """Tool definitions before the instructions, as Anthropic caches them."""
    contexts = prompts([f"Now: {clock}" for clock in CLOCKS])

    assert tell(contexts, cached=100)[0].startswith("The prompt cache is hardly hit: ")
    assert tell(contexts, cached=100)[0].endswith("; 900 of their 9,000 tokens were read from it.")


def test_what_the_provider_does_not_say_is_not_called_nothing(tell: Callable[..., list[str]]) -> None:
    """Gemini leaves the figure out where it is 0; a log may lack it."""
    contexts = prompts([f"Now: {clock}" for clock in CLOCKS])

    assert tell(contexts, cached=None)[0].startswith("No cache hit is reported: ")
    assert tell(contexts, cached=None, size=None)[0].startswith("The prompt cache cannot work: ")


def test_it_points_to_the_first_such_call(call_row: Callable[..., Any], told: Callable[..., Any]) -> None:
    """And to the message the value stands in."""
    contexts = prompts([f"Now: {clock}" for clock in CLOCKS])
    (sentence,) = tell_broken_cache(told([call_row(c.call) for c in contexts], contexts))

    assert (sentence.severity, sentence.kind, sentence.call, sentence.message) == ("warning", "cache_broken", 2, 1)
    assert sentence.page == "compare"


@pytest.mark.parametrize(
    ("texts", "layer"),
    [
        pytest.param(["Be brief."] * 6, Layer.SYSTEM, id="the same instructions"),
        pytest.param([f"Be brief. Now: {CLOCKS[0]}"] * 6, Layer.SYSTEM, id="a time that stands still"),
        pytest.param([f"Step {n}." for n in range(6)], Layer.SYSTEM, id="a number that is no clock"),
        pytest.param([f"Today is 2026-11-{n:02}." for n in range(10, 16)], Layer.SYSTEM, id="a date"),
        pytest.param([f"updated: {clock}" for clock in CLOCKS], Layer.STATE, id="a task state, which is meant to move"),
        pytest.param([f"Now: {c}" for c in [CLOCKS[0]] * 9 + CLOCKS[1:7]], Layer.SYSTEM, id="now and then"),
        pytest.param([f"Now: {clock}" for clock in CLOCKS[:3]], Layer.SYSTEM, id="too few calls"),
        pytest.param([f"{n} {clock}" for n, clock in enumerate(CLOCKS)], Layer.SYSTEM, id="something before it moves"),
    ],
)
def test_nothing_is_said_of(tell: Callable[..., list[str]], texts: list[str], layer: Layer) -> None:
    """Prompts that begin alike, or differ for another reason."""
    assert tell(prompts(texts, layer)) == []


def test_nothing_is_said_where_the_cache_works_all_the_same(tell: Callable[..., list[str]]) -> None:
    """The value stands behind most of the prompt."""
    assert tell(prompts([f"Now: {clock}" for clock in CLOCKS]), cached=900) == []


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-26 08:14",
        "2026-11-26T08:14:07.123+01:00",
        "2026年11月26日 08:14",
        "23:59:58",
        "1764144847",
        "1764144847123",
    ],
)
def test_times_in_many_writings_are_known(text: str) -> None:
    """With minutes at least."""
    match = VOLATILE.search(f"now {text}.")

    assert match is not None
    assert match[0] == text


@pytest.mark.parametrize("text", ["2026-11-26", "ORD-2024-001", "13:45", "+31 50 555 0142", "4711", "99999999999999"])
def test_dates_and_numbers_are_no_clocks(text: str) -> None:
    """They stay the same for a day, or for ever."""
    assert VOLATILE.search(text) is None
