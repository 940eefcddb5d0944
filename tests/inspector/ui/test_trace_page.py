"""Watches set from the Trace page."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.index.watchlist import Watchlist
from inspector.ui.trace_page import change_watch


@pytest.fixture
def watchlist(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Watchlist:
    """Of an empty directory."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "traces").mkdir()
    return Watchlist(tmp_path / "traces")


def test_a_watch_is_written_and_can_be_undone(watchlist: Watchlist) -> None:
    """The note names the file; undo takes it out again."""
    note = change_watch(watchlist, "order", {"text": "ORD-1001"}, {"watch": True})
    [watch] = watchlist.of("order")

    assert (watch.target, watch.session, watch.lane) == ({"text": "ORD-1001"}, "order", None)
    assert "inspector.toml" in note["text"]
    change_watch(watchlist, "order", None, {"remove": note["undo"]})
    assert watchlist.of("order") == ()


def test_a_watch_set_twice_is_one(watchlist: Watchlist) -> None:
    """The second time says so."""
    for _ in range(2):
        note = change_watch(watchlist, "order", {"text": "ORD-1001"}, {"watch": True})

    assert note["text"].startswith("Watched already")
    assert len(watchlist.of("order")) == 1


def test_nothing_to_watch_is_said(watchlist: Watchlist) -> None:
    """An error in the field leaves nothing that could be watched."""
    assert change_watch(watchlist, "order", None, {"watch": True})["tone"] == "error"
