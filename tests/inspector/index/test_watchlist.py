"""Watches of a directory: where they are kept, and how they follow the files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from inspector.index import open_index
from inspector.index.watchlist import Watchlist
from inspector.model.watches import Watch, make_watch
from sample_data import TRACES
from snapshot_sdk import Recorder

RULE = make_watch({"text": "只用中文"}, session="order")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache directory of the test's own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """A directory of traces."""
    made = tmp_path / "traces"
    with Recorder(made, session="order") as recorder:
        recorder.snapshot({"model": "gpt-4.1", "messages": [{"role": "user", "content": "只用中文回答"}]})
    return made


def test_they_lie_beside_the_traces(directory: Path) -> None:
    """In the file the user can commit."""
    watchlist = Watchlist(directory)
    assert watchlist.add(RULE)
    assert watchlist.file == directory / "inspector.toml"
    assert watchlist.of("order") == (RULE,)
    assert watchlist.of("other") == ()


def test_of_the_samples_they_lie_in_the_cache(cache: Path) -> None:
    """An installed package is nobody's to write to."""
    watchlist = Watchlist(TRACES)
    watchlist.add(RULE)
    assert watchlist.file.is_relative_to(cache)
    assert not (TRACES / "inspector.toml").exists()
    assert Watchlist(TRACES).of("order") == (RULE,)


def test_where_nothing_can_be_written_they_lie_in_the_cache(
    directory: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What stands beside the traces still counts."""
    other = make_watch({"text": "ORD-1"})
    Watchlist(directory).add(other)
    monkeypatch.setattr(os, "access", lambda path, mode: not Path(path).is_relative_to(directory))
    watchlist = Watchlist(directory)
    watchlist.add(RULE)
    assert watchlist.file.is_relative_to(cache)
    assert watchlist.of("order") == (other, RULE)


def test_removing_finds_the_file(directory: Path) -> None:
    """And says whether there was one."""
    watchlist = Watchlist(directory)
    watchlist.add(RULE)
    assert watchlist.remove(RULE.id)
    assert not watchlist.remove(RULE.id)
    assert watchlist.of("order") == ()


def test_an_edit_by_hand_is_seen(directory: Path) -> None:
    """The revision grows, and only then."""
    watchlist = Watchlist(directory)
    before = watchlist.revision
    assert watchlist.revision == before
    (directory / "inspector.toml").write_text('[[watches]]\ntext = "只用中文"\nsession = "order"\n', "utf-8")
    assert watchlist.revision == before + 1
    assert watchlist.of("order") == (RULE,)


def test_a_broken_file_keeps_the_watches_of_before(directory: Path) -> None:
    """And says what is wrong, until it is mended."""
    watchlist = Watchlist(directory)
    watchlist.add(RULE)
    assert watchlist.of("order") == (RULE,)
    (directory / "inspector.toml").write_text("[[watches]\n", "utf-8")
    assert watchlist.of("order") == (RULE,)
    assert "no valid TOML" in (watchlist.trouble or "")
    (directory / "inspector.toml").write_text("", "utf-8")
    assert (watchlist.of("order"), watchlist.trouble) == ((), None)


def test_a_watch_reads_no_trace_again(directory: Path) -> None:
    """The version grows, so that pages look again; the database is the same one."""
    with open_index(directory) as index:
        index.refresh()
        version = index.version
        index.watchlist.add(RULE)
        assert index.version > version
        assert index.watches("order") == (RULE,)
    with open_index(directory) as again:
        assert again.state().calls == 1  # before any refresh: nothing was thrown away


def two_files(directory: Path, monkeypatch: pytest.MonkeyPatch) -> Watchlist:
    """Make a watchlist with a file beside the traces and one in the cache, which is written."""
    monkeypatch.setattr(os, "access", lambda path, mode: not Path(path).is_relative_to(directory))
    watchlist = Watchlist(directory)
    watchlist.files[1].parent.mkdir(parents=True, exist_ok=True)
    return watchlist


def test_a_sound_file_does_not_hide_the_trouble_of_the_other(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is wrong with the first file is said although the second is read well after it."""
    watchlist = two_files(directory, monkeypatch)
    beside, elsewhere = watchlist.files
    beside.write_text("[[watches]\n", "utf-8")
    elsewhere.write_text('[[watches]]\ntext = "ORD-1"\n', "utf-8")

    assert [watch.excerpt for watch in watchlist.of("order")] == ["ORD-1"]
    assert str(beside) in (watchlist.trouble or "")


def test_a_watch_written_meanwhile_is_not_added_again(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other file is read before a watch is written, not from memory."""
    watchlist = two_files(directory, monkeypatch)
    watchlist.files[0].write_text('[[watches]]\ntext = "只用中文"\nsession = "order"\n', "utf-8")

    assert not watchlist.add(RULE)
    assert not watchlist.files[1].exists()


def test_whether_a_watch_is_there_is_asked_under_the_lock(directory: Path) -> None:
    """Two who add the same watch at the same time do not both find it missing."""
    watchlist = Watchlist(directory)
    held: list[bool] = []

    class Watched(list[tuple[Watch, ...]]):
        def __iter__(self) -> Iterator[tuple[Watch, ...]]:
            held.append(watchlist._lock.locked())
            return super().__iter__()

    watchlist._watches = Watched(watchlist._watches)
    watchlist.add(RULE)

    assert held == [True]
