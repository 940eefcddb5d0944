"""The entry script runs, with and without what it needs. What it looks like is tested in tests/browser."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

import inspector.ui
from inspector.ui import state
from snapshot_sdk import Recorder

ENTRY = Path(inspector.ui.__file__).parents[1] / "app.py"


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[AppTest]:
    """The app on an empty directory, before its first run."""
    monkeypatch.setattr(sys, "argv", [str(ENTRY), str(tmp_path), "--allow-remote"])
    yield AppTest.from_file(str(ENTRY), default_timeout=60)
    st.cache_resource.clear()


def shown(app: AppTest) -> list[str]:
    """Run the app and return the components on the page, in order; no exception may be among them."""
    app.run()
    assert not app.exception
    names = [element.proto.component_name for element in app.main if element.type == "bidi_component"]
    return [name.removeprefix("context_inspector.") for name in names]


def test_the_app_opens_an_empty_directory(app: AppTest) -> None:
    """No trace yet is no error."""
    assert shown(app) == ["strip", "live", "welcome"]


def test_logs_where_traces_were_expected_are_named(app: AppTest, tmp_path: Path) -> None:
    """An empty start on a folder of another tool's logs says what they are and the command that imports them."""
    (tmp_path / "s.jsonl").write_text('{"type": "session", "id": "pi-1", "cwd": "/"}\n')
    assert "welcome" in shown(app)

    [data] = [element.proto.json for element in app.main if element.type == "bidi_component"][-1:]
    found = json.loads(data)["found"]
    assert found["words"] == "1 file: 1 pi"
    assert found["command"].startswith(f"context-inspector import auto {tmp_path} --out ")


def test_the_app_opens_recorded_traces(app: AppTest, tmp_path: Path) -> None:
    """One recorded call is enough."""
    with Recorder(tmp_path, session="order-4711") as recorder:
        recorder.snapshot({"model": "gpt-4.1", "messages": [{"role": "user", "content": "你好"}]}, api="openai.chat")

    assert shown(app) == ["strip", "live", "sessions"]


def test_a_missing_directory_is_said(app: AppTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The app shows a message and no page."""
    monkeypatch.setattr(sys, "argv", [str(ENTRY), str(tmp_path / "nowhere"), "--allow-remote"])

    assert shown(app) == ["message"]


def test_another_machine_would_see_nothing(app: AppTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the option, and bound to who knows what, the index is not even opened."""
    monkeypatch.setattr(sys, "argv", [str(ENTRY), str(tmp_path)])

    assert shown(app) == ["message"]
    assert list(tmp_path.iterdir()) == []


def test_the_session_and_the_search_of_the_address_are_read(app: AppTest) -> None:
    """Parameters of any shape are no error."""
    app.query_params["q"] = "x"
    app.query_params["kind"] = "nonsense"
    app.query_params["call"] = "１２"
    app.query_params["session"] = "nobody"

    assert shown(app) == ["strip", "live", "welcome"]


def test_removed_traces_are_not_a_first_start(app: AppTest, tmp_path: Path) -> None:
    """When the last trace file went the list of sessions says so; it does not explain how to begin."""
    traces = tmp_path / "order"
    with Recorder(traces, session="order-4711") as recorder:
        recorder.snapshot({"model": "gpt-4.1", "messages": [{"role": "user", "content": "你好"}]}, api="openai.chat")
    assert shown(app) == ["strip", "live", "sessions"]
    shutil.rmtree(traces)
    state._open(str(tmp_path)).refresh()

    assert shown(app) == ["strip", "live", "message"]
