"""Where the index lies, when it is made anew, and what happens when another holds it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest

from inspector.errors import IndexLockedError, SettingsError
from inspector.index import Index, open_index, opening
from inspector.index.connect import database_path, quote_identifier
from inspector.model.layers import Layer
from snapshot_sdk import Recorder

Agent = Callable[..., Any]
Open = Callable[..., Index]

HOLD = """
import sys
from pathlib import Path
from inspector.index import open_index
index = open_index(Path(sys.argv[1]))
index.refresh()
print("holding", flush=True)
sys.stdin.read()
index.close()
"""


@pytest.fixture
def recorded(traces: Path, agent: Agent) -> Path:
    """Traces of two sessions."""
    for session in ("a", "b"):
        with Recorder(traces, session=session) as recorder:
            agent(recorder).ask("hello <memory>likes red</memory>")
    return traces


def test_the_index_lies_beside_the_traces(recorded: Path, opened: Open) -> None:
    """In a hidden folder, which is not read as traces."""
    index = opened()

    assert index.database == recorded / ".inspector" / "index.duckdb"
    assert index.database.is_file()
    assert index.state().files == 2


def test_the_index_may_be_deleted(recorded: Path, opened: Open) -> None:
    """It is a cache: everything comes back."""
    first = opened()
    calls = first.calls("a")
    first.close()
    shutil.rmtree(recorded / ".inspector")

    assert opened().calls("a") == calls


def test_an_index_opened_again_is_not_built_again(recorded: Path, opened: Open) -> None:
    """What was read is there before anything is read."""
    opened().close()
    with open_index(recorded) as index:
        assert len(index.sessions()) == 2


@pytest.mark.parametrize("damage", ["version", "garbage"])
def test_an_index_that_does_not_fit_is_made_anew(
    damage: str, recorded: Path, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another version of the schema, or a damaged file: nobody is asked."""
    first = opened()
    assert first.database is not None
    first.close()
    if damage == "version":
        monkeypatch.setattr(opening, "INDEX_VERSION", 10_000)
    else:
        first.database.write_bytes(b"no database" * 1000)
    with open_index(recorded) as index:
        assert index.sessions() == ()
        index.refresh()
        assert len(index.sessions()) == 2


def test_changed_rules_are_applied_to_everything(recorded: Path, opened: Open) -> None:
    """Layers depend on the user's settings, so the index is made anew with them."""
    first = opened()
    assert Layer.MEMORY in first.calls("a")[0].composition
    first.close()
    (recorded / "inspector.toml").write_text('[[layers]]\ntag = "memory"\nlayer = "state"\n[windows]\n"gpt-4*" = 500\n')
    (call,) = opened().calls("a")

    assert Layer.STATE in call.composition
    assert Layer.MEMORY not in call.composition
    assert call.window == 500


def test_rules_by_position_hold_at_their_place(recorded: Path, opened: Open) -> None:
    """The first message is what the rule says, wherever else its content may stand."""
    (recorded / "inspector.toml").write_text('[[layers]]\nposition = "first"\nrole = "system"\nlayer = "summary"\n')
    rows = opened().call("a", 1).messages

    assert rows[0].layer is Layer.SUMMARY


def test_settings_that_cannot_be_used_are_said(recorded: Path) -> None:
    """Before anything is read."""
    (recorded / "inspector.toml").write_text("[[layers]]\n")
    with pytest.raises(SettingsError):
        open_index(recorded)


def test_where_nothing_can_be_written_the_cache_directory_is_used(
    recorded: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A read-only mount; asked of the system, as root may write anywhere."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(os, "access", lambda *_: False)
    with open_index(recorded) as index:
        index.refresh()
        assert index.database is not None
        assert index.database.is_relative_to(tmp_path / "cache")
        assert len(index.sessions()) == 2
    assert not (recorded / ".inspector").exists()


def test_the_shipped_samples_are_not_written_into(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A package is no place for a cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    samples = Path(__file__).parents[3] / "sample_data"

    assert database_path(samples).is_relative_to(tmp_path)


def test_where_nothing_can_be_written_at_all_memory_is_used(recorded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And the state says so."""
    blocked = recorded / "blocked"
    blocked.write_text("a file where a folder would have to be")
    monkeypatch.setattr(opening, "database_path", lambda _: blocked / "index.duckdb")
    with open_index(recorded) as index:
        index.refresh()
        assert index.database is None
        assert "memory" in (index.state().note or "")
        assert len(index.sessions()) == 2


def test_a_second_process_is_told_who_holds_the_index(recorded: Path) -> None:
    """It may read its own copy, of the sessions it needs."""
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(recorded)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "holding\n"
        with pytest.raises(IndexLockedError) as caught:
            open_index(recorded)
        assert f"PID {holder.pid}" in (caught.value.holder or "")
        with open_index(recorded, own_copy=True) as copy:
            copy.refresh()
            assert copy.database is None
            assert f"PID {holder.pid}" in (copy.state().note or "")
            assert len(copy.sessions()) == 2
        with open_index(recorded, sessions=["b"]) as one:
            one.refresh()
            assert [row.session for row in one.sessions()] == ["b"]
            assert one.call("b", 1).messages
    finally:
        holder.communicate("")
    with open_index(recorded) as index:
        assert index.database is not None


def test_many_threads_ask_while_files_are_read(traces: Path, agent: Agent, opened: Open) -> None:
    """Every answer is whole and from one state of the data."""
    with Recorder(traces, session="s") as recorder:
        chat = agent(recorder)
        chat.ask("question 0")
        index = opened()
        done = threading.Event()
        wrong: list[object] = []

        def ask() -> None:
            while not done.is_set():
                try:
                    calls = index.calls("s")
                    if [call.number for call in calls] != list(range(1, len(calls) + 1)):
                        wrong.append(calls)
                    view = index.call("s", len(calls))
                    if len(view.messages) != view.call.messages or view.messages[-1].message.role != "user":
                        wrong.append(view)
                    result = index.search("question")
                    if result.places != sum(hit.places for s in result.sessions for hit in s.hits):
                        wrong.append(result)
                except duckdb.Error as error:
                    wrong.append(error)

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        for turn in range(1, 12):
            chat.ask(f"question {turn}")
            index.refresh()
        done.set()
        for thread in threads:
            thread.join()

    assert wrong == []
    assert len(index.calls("s")) == 12


def test_a_reading_in_the_background_can_be_closed(recorded: Path) -> None:
    """Without waiting for ever, and without a traceback."""
    index = open_index(recorded)
    index.refresh_in_background()
    index.refresh_in_background()
    index.close()


def test_names_are_quoted() -> None:
    """A quote in a name ends nothing."""
    name = 'a"b; drop table x'
    value = duckdb.connect().execute(f"SELECT 1 AS {quote_identifier(name)}").description

    assert value is not None
    assert value[0][0] == name
