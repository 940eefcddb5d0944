"""A clock in the instructions: it is in the bytes of ``group-visit``."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from sample_data.provider_gemini import GeminiModel
from sample_data.world import World

CLOCK = re.compile(r"Current time: (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)\n")


@pytest.fixture
def shown(sample: Callable[[str], Any]) -> Any:
    """The session."""
    return sample("group-visit")


def instructions(call: Any) -> str:
    """The first part of the instructions."""
    text: str = call.body["systemInstruction"]["parts"][0]["text"]
    return text


def test_the_second_line_is_another_time_at_each_call(shown: Any) -> None:
    """All times differ; without them all instructions are the same."""
    texts = [instructions(call) for call in shown.calls]

    assert len({CLOCK.findall(text)[0] for text in texts}) == len(texts) > 10
    assert all(text.splitlines()[1].startswith("Current time: ") for text in texts)
    assert len({CLOCK.sub("", text) for text in texts}) == 1


def test_the_provider_reports_no_cached_token(shown: Any) -> None:
    """Gemini leaves the member out where nothing was read from the cache."""
    assert not any("cachedContentTokenCount" in call.usage for call in shown.calls)


def test_without_the_clock_most_of_it_would_be_cached(shown: Any) -> None:
    """The same prompts with one and the same time: more than four fifths of all tokens are read from the cache."""
    world = World(datetime(2026, 1, 1, tzinfo=UTC), seed=1)
    model = GeminiModel("gemini-2.5-flash", world)
    cached = whole = 0
    for call in shown.calls:
        first, *rest = call.body["systemInstruction"]["parts"]
        still = {"text": CLOCK.sub("Current time: 2026-11-26T08:00:00Z\n", first["text"])}
        usage = model.answer({**call.body, "systemInstruction": {"parts": [still, *rest]}}, "x", ()).body[
            "usageMetadata"
        ]
        cached, whole = cached + usage.get("cachedContentTokenCount", 0), whole + usage["promptTokenCount"]

    assert cached > 0.8 * whole


def test_nothing_is_forgotten(shown: Any) -> None:
    """No compaction, and what is pinned stays."""
    (pin,) = shown.of("pin")

    assert shown.of("compaction") == []
    assert all(call.says(pin["target"]["text"]) for call in shown.calls)
