"""A session that several handlers share without a lock."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from sample_data.event_loop import Onlooker, run
from sample_data.provider import OpenAIModel
from sample_data.script import Script, Step, Turn
from sample_data.shared_session import SharedDesk
from sample_data.wire import Block, OpenAIChat
from sample_data.world import World
from snapshot_sdk import Recorder, read_requests

Serve = Callable[[float], list[dict[str, Any]]]


def turn(after_s: float, text: str, **state: Any) -> Turn:
    """A message, one answer, what it changes in the state."""
    return Turn(after_s, text, (), None, (Step(f"done: {text}", (), 0),), state)


@pytest.fixture
def serve(tmp_path: Path) -> Serve:
    """Take three messages, the second so many seconds after the first; return the last prompt's messages."""

    def serve_three(pause: float) -> list[dict[str, Any]]:
        world = World(datetime(2026, 1, 1, tzinfo=UTC), seed=1)
        turns = (turn(0, "22 guests", guests=22), turn(pause, "no peanuts", note="peanuts"), turn(60, "check"))
        script = Script("", "", "", None, turns, ())
        with Recorder(tmp_path, session="s", _seam=world) as recorder:
            model = OpenAIModel("gpt-4.1", Onlooker(world))
            desk = SharedDesk(recorder, model, OpenAIChat(), (), [Block("system", "You book tables.")])
            run(world, lambda: desk.run(script))
        (file,) = tmp_path.rglob("*.jsonl")
        *_, (_, last) = read_requests(file)
        messages: list[dict[str, Any]] = last.body()["messages"]
        return messages

    return serve_three


def texts(messages: list[dict[str, Any]]) -> list[str]:
    """What the people said."""
    return [message["content"] for message in messages if message["role"] == "user"]


def test_one_after_the_other_nothing_is_lost(serve: Serve) -> None:
    """A minute apart each handler sees what the one before wrote."""
    messages = serve(60)

    assert texts(messages) == ["22 guests", "no peanuts", "check"]
    assert "guests: 22\nnote: peanuts" in messages[1]["content"]


def test_side_by_side_the_first_one_is_lost(serve: Serve) -> None:
    """Half a second apart both load the same session; the second one's copy is what stays."""
    messages = serve(0.5)

    assert texts(messages) == ["no peanuts", "check"]
    assert "guests" not in messages[1]["content"]
    assert "note: peanuts" in messages[1]["content"]
