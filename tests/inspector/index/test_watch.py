"""Watching a directory: what wakes it, and what does not."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inspector.index import open_index
from inspector.index import watch as module
from inspector.index.refresh import Refresher
from inspector.index.watch import Watch
from snapshot_sdk import Recorder

Agent = Callable[..., Any]
LONG = 20.0
"""Seconds no machine needs for one event."""


@pytest.mark.parametrize("events", [True, False])
def test_a_new_record_is_noticed(events: bool, traces: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By an event of the system, or by looking where there are none."""
    if not events:
        monkeypatch.setattr(module.Watch, "_observe", lambda _: None)
    changed = threading.Event()
    watch = Watch(traces, changed.set, poll=LONG if events else 0.05, quiet=0.01)
    try:
        (traces / "new").mkdir()
        (traces / "new" / "t.jsonl").write_text("x\n")
        assert changed.wait(LONG)
    finally:
        watch.close()


def test_the_index_s_own_files_wake_nobody(traces: Path) -> None:
    """Else every refresh would call for the next."""
    calls: list[int] = []
    watch = Watch(traces, lambda: calls.append(1), poll=0.05, quiet=0.01)
    try:
        (traces / ".inspector").mkdir()
        for n in range(20):
            (traces / ".inspector" / "index.duckdb").write_text(str(n))
            (traces / ".inspector" / "t.jsonl").write_text(str(n))
        (traces / "notes.txt").write_text("x")
        woken = threading.Event()
        (traces / "t.jsonl").write_text("x\n")
        while not calls and not woken.wait(0.02):
            pass
    finally:
        watch.close()

    assert len(calls) == 1


def test_a_watched_index_follows_the_agent(traces: Path, agent: Agent) -> None:
    """New calls appear while it is open."""
    with Recorder(traces, session="s") as recorder, open_index(traces) as index:
        index.refresh()
        index.watch()
        before = index.version
        agent(recorder).ask("hello")
        pause = threading.Event()
        for _ in range(400):
            if index.version > before and index.calls("s"):
                break
            pause.wait(0.05)
        assert len(index.calls("s")) == 1


def test_what_is_removed_during_a_reading_is_noticed_after_it(
    traces: Path, agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A change that is told while files are being read brings another reading, which misses nothing."""
    with Recorder(traces, session="s") as recorder:
        agent(recorder).ask("hello")
    listed, removed = threading.Event(), threading.Event()
    with open_index(traces) as index:
        run = Refresher.run

        def run_slowly(self: Refresher, *arguments: Any) -> None:
            run(self, *arguments)
            listed.set()
            assert removed.wait(LONG)

        monkeypatch.setattr(Refresher, "run", run_slowly)
        index.refresh_in_background()
        assert listed.wait(LONG)
        assert [row.session for row in index.sessions()] == ["s"]
        for folder in traces.glob("s-*"):
            shutil.rmtree(folder)
        index.refresh_in_background()
        removed.set()
        assert index._background is not None
        index._background.join(LONG)

        assert index.sessions() == ()
