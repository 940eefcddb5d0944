"""Facts about the budgets of layers."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.errors import SessionNotFoundError
from inspector.index import open_index
from inspector.model.layers import Layer
from snapshot_sdk import Recorder

BODY = {"model": "gpt-4.1", "messages": [{"role": "user", "content": "hi"}]}


def _budgets(directory: Path, session: str = "s") -> dict[Layer, int]:
    with open_index(directory) as index:
        index.refresh()
        return index.layer_budgets(session)


def test_what_the_agent_recorded_is_returned(tmp_path: Path) -> None:
    """Budgets of the header are those of its session."""
    with Recorder(tmp_path, session="s", budgets={"history": 400, "tool_results": 300}) as recorder:
        recorder.snapshot(BODY, api="openai.chat")
    assert _budgets(tmp_path) == {Layer.HISTORY: 400, Layer.TOOL_RESULTS: 300}


def test_settings_fill_what_the_agent_did_not_say(tmp_path: Path) -> None:
    """The agent's own figure goes before that of inspector.toml; the whole prompt's budget is no layer's."""
    (tmp_path / "inspector.toml").write_text("[budgets]\ntotal = 9\nhistory = 1\nsystem = 2\n", "utf-8")
    with Recorder(tmp_path, session="s", budgets={"history": 400}) as recorder:
        recorder.snapshot(BODY, api="openai.chat")
    assert _budgets(tmp_path) == {Layer.HISTORY: 400, Layer.SYSTEM: 2}


def test_a_layer_nobody_knows_is_left_out(tmp_path: Path) -> None:
    """A header of another program cannot bring a layer of its own."""
    with Recorder(tmp_path, session="s", budgets={"vibes": 4}) as recorder:
        recorder.snapshot(BODY, api="openai.chat")
    assert _budgets(tmp_path) == {}


def test_an_unknown_session_is_refused(tmp_path: Path) -> None:
    """There are no budgets of a session that is not there."""
    with Recorder(tmp_path, session="s") as recorder:
        recorder.snapshot(BODY, api="openai.chat")
    with pytest.raises(SessionNotFoundError):
        _budgets(tmp_path, "other")
