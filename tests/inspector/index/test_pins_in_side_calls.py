"""Pins and the side calls of a session."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.analysis.change_asking import trace_changes
from inspector.index import open_index
from snapshot_sdk import Recorder

RULE = "Answer in Chinese only."


@pytest.fixture
def traces(tmp_path: Path) -> Path:
    """A session with a pinned rule, and a summariser's call that does not have it."""
    with Recorder(tmp_path, session="s") as recorder:
        recorder.pin(RULE)
        chat = {"model": "gpt-4.1", "messages": [{"role": "user", "content": RULE}]}
        recorder.snapshot(chat, api="openai.chat")
        with recorder.lane("summary", purpose="summary"):
            side = {"model": "gpt-4.1-mini", "messages": [{"role": "user", "content": "Summarise: …"}]}
            recorder.snapshot(side, api="openai.chat")
        recorder.snapshot(chat, api="openai.chat")
    return tmp_path


def test_a_side_call_need_not_have_a_pin(traces: Path) -> None:
    """A pin without a scope is not gone because a summariser was sent something else."""
    with open_index(traces) as index:
        index.refresh()

        assert [call.pins_gone for call in index.calls("s")] == [(), (), ()]


def test_the_life_of_a_pin_leaves_side_calls_out(traces: Path) -> None:
    """The analysis judges the same calls as the index."""
    with open_index(traces) as index:
        index.refresh()
        (pin,) = trace_changes(index, "s").pins

    assert pin.verdicts == {1: "verbatim", 3: "verbatim"}
    assert pin.first_broken_call is None
