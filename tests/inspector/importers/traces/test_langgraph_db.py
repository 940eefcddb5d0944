"""Checkpoint databases, opened without a trace."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from inspector.importers.reading.unreadable import UnreadableError
from inspector.importers.traces.langgraph_db import Checkpoint, may_hold_checkpoints, open_database

TABLES = (
    "CREATE TABLE checkpoints (thread_id TEXT, checkpoint_ns TEXT, checkpoint_id TEXT, parent_checkpoint_id TEXT, "
    "type TEXT, checkpoint BLOB, metadata BLOB)",
    "CREATE TABLE writes (thread_id TEXT, checkpoint_ns TEXT, checkpoint_id TEXT, task_id TEXT, idx INTEGER, "
    "channel TEXT, type TEXT, value BLOB, task_path TEXT)",
)


def put(connection: sqlite3.Connection, thread: str, identity: str, **values: Any) -> None:
    """Store a checkpoint of the outermost graph."""
    stored = json.dumps({"ts": "2026-01-01T00:00:00+00:00", "channel_values": values})
    row = (thread, "", identity, None, "json", stored, b'{"source": "loop"}')
    connection.execute("INSERT INTO checkpoints VALUES (?, ?, ?, ?, ?, ?, ?)", row)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[tuple[Path, sqlite3.Connection]]:
    """A database with one thread, and the connection of its writer."""
    path = tmp_path / "checks.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        for table in TABLES:
            connection.execute(table)
        put(connection, "t", "1", messages=[])
        connection.commit()
        yield path, connection


def files(path: Path) -> dict[str, bytes]:
    """Everything in the folder of a file."""
    return {one.name: one.read_bytes() for one in path.parent.iterdir()}


def threads(path: Path) -> list[str]:
    """The threads of a database."""
    with open_database(path) as found:
        return found.threads()


def test_in_place(database: tuple[Path, sqlite3.Connection]) -> None:
    """A database at rest is read where it is, and nothing is written beside it."""
    path, connection = database
    connection.close()
    before = files(path)

    assert threads(path) == ["t"]
    assert files(path) == before


def test_write_ahead_log(database: tuple[Path, sqlite3.Connection]) -> None:
    """What stands in the write-ahead log of a running program is read, and neither file changes."""
    path, connection = database
    connection.execute("PRAGMA journal_mode=WAL")
    put(connection, "newer", "2", messages=[])
    connection.commit()
    before = files(path)
    assert before["checks.sqlite-wal"]

    assert threads(path) == ["t", "newer"]
    assert files(path) == before


def test_closed_in_wal_mode(database: tuple[Path, sqlite3.Connection]) -> None:
    """A database in WAL mode without a log needs none to be read."""
    path, connection = database
    connection.execute("PRAGMA journal_mode=WAL")
    connection.close()
    before = files(path)

    assert threads(path) == ["t"]
    assert files(path) == before


def test_locked(database: tuple[Path, sqlite3.Connection], monkeypatch: pytest.MonkeyPatch) -> None:
    """A writer that holds the database does not keep its reader waiting for long."""
    path, connection = database
    monkeypatch.setattr("inspector.importers.traces.langgraph_db._PATIENCE", 0.01)
    connection.execute("BEGIN EXCLUSIVE")

    assert threads(path) == ["t"]


def test_another_database(tmp_path: Path) -> None:
    """A database without checkpoints is refused with the reason."""
    path = tmp_path / "other.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE moz_places (id INTEGER)")

    with pytest.raises(UnreadableError, match="not LangGraph's"):
        threads(path)


def test_recognised(database: tuple[Path, sqlite3.Connection], tmp_path: Path) -> None:
    """The definitions of the tables tell; where they cannot be seen yet it may be one."""
    path, _ = database
    other, empty = tmp_path / "other.sqlite", tmp_path / "empty.sqlite"
    with closing(sqlite3.connect(other)) as connection:
        connection.execute("CREATE TABLE moz_places (id INTEGER)")
    with closing(sqlite3.connect(empty)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("CREATE TABLE checkpoints (thread_id TEXT)")
        assert may_hold_checkpoints(empty.read_bytes()[:4096])  # all of it stands in the log

    assert may_hold_checkpoints(path.read_bytes()[:4096])
    assert not may_hold_checkpoints(other.read_bytes()[:4096])
    assert not may_hold_checkpoints(b"{}")


def test_a_checkpoint_that_cannot_be_read(database: tuple[Path, sqlite3.Connection]) -> None:
    """One that is damaged is an error in its place; the others are read."""
    path, connection = database
    connection.execute("INSERT INTO checkpoints VALUES ('t', '', '0', NULL, 'pickle', x'80', NULL)")
    put(connection, "t", "2", messages=[])
    connection.commit()

    with open_database(path) as found:
        kinds = [isinstance(one, Checkpoint) for one in found.checkpoints("t")]

    assert kinds == [False, True, True]


def test_a_damaged_file(database: tuple[Path, sqlite3.Connection]) -> None:
    """A database whose pages are overwritten is an error in words."""
    path, connection = database
    connection.close()
    path.write_bytes(path.read_bytes()[:100] + b"\xff" * 5000)

    with pytest.raises(UnreadableError, match="cannot be read"):
        threads(path)


def test_tables_of_2024(tmp_path: Path) -> None:
    """Before LangGraph 0.2 a checkpoint had a time for an id, and no kind, metadata or namespace."""
    path = tmp_path / "old.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE checkpoints (thread_id TEXT, thread_ts TEXT, parent_ts TEXT, checkpoint BLOB)")
        connection.execute("INSERT INTO checkpoints VALUES ('t', 'a', NULL, ?)", (b'{"channel_values": {"x": 1}}',))
        connection.commit()

    with open_database(path) as found:
        [checkpoint] = found.checkpoints("t")
        writes = found.writes("t", "", "a")

    assert isinstance(checkpoint, Checkpoint)
    assert (checkpoint.checkpoint, checkpoint.values, writes) == ("a", {"x": 1}, [])
