"""A checkpoint database of LangGraph, opened so that neither it nor who writes it notices."""

from __future__ import annotations

import hashlib
import json
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from inspector.importers.reading.unreadable import UnreadableError
from inspector.importers.traces.langgraph_serde import read_value

_MAGIC: Final = b"SQLite format 3\x00"
"""How every SQLite database begins (its file format, 1.3.1)."""

_ROOT: Final = 100
"""Byte at which the first page of the list of tables begins, behind the file's header (1.6)."""

_LEAF: Final = 0x0D
"""First byte of a page that holds its rows itself."""

_WAL_FORMAT: Final = 2
"""Byte 18 of a database in WAL mode (file format, 1.3.3)."""

_PATIENCE: Final = 2.0
"""Seconds a lock is waited for before a copy is read."""

_NAMES: Final[Mapping[str, tuple[str, str]]] = {
    "checkpoint_id": ("parent_checkpoint_id", "checkpoint_id"),
    "thread_ts": ("parent_ts", "thread_ts"),
}
"""Column of a checkpoint's id, of now and of LangGraph before 0.2 → columns of its parent and of itself."""


@dataclass(frozen=True)
class Checkpoint:
    """The state of a graph after a step."""

    namespace: str
    """Empty: the outermost graph; else ``node:task`` of each graph around, with ``|`` between."""
    checkpoint: str
    parent: str | None
    values: Mapping[str, Any]
    """Channels, by name."""
    time: Any
    """As it is written, ISO 8601."""
    source: str | None
    """What made it: ``input``, ``loop``, ``update``, ``fork``."""
    outer: str | None = None
    """Id of the checkpoint of the graph around."""
    deltas: bool = False
    """Some of its channels are stored as changes (``DeltaChannel``), which only the graph's own code puts together."""
    writers: tuple[str, ...] = ()
    """Nodes that made it, where the metadata say so (before 2025)."""


@dataclass(frozen=True)
class Write:
    """What one task wrote into one channel."""

    task: str
    node: str | None
    channel: str
    value: Any


class Database:
    """Reads threads, one checkpoint at a time."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        """Look at what the tables are like.

        Raises:
            UnreadableError: They are not LangGraph's.
        """
        self._connection = connection
        columns = self._columns("checkpoints")
        self._id = next((name for name in _NAMES if name in columns), "")
        if not self._id or not {"thread_id", "checkpoint"} <= columns:
            raise UnreadableError("a SQLite database, but not LangGraph's: it has no table of `checkpoints` by thread")
        self._parent = _NAMES[self._id][0]
        self._has = columns
        self._writes = self._columns("writes")

    def threads(self) -> list[str]:
        """Name the threads, in the order in which they began."""
        rows = self._connection.execute(
            f"SELECT thread_id FROM checkpoints GROUP BY thread_id ORDER BY min({self._id})"
        )
        return [str(row[0]) for row in rows]

    def digests(self, thread: str) -> Iterator[str]:
        """Digest each checkpoint of a thread, oldest first."""
        namespace = self._or_empty("checkpoint_ns", self._has)
        rows = self._connection.execute(
            f"SELECT {namespace}, {self._id}, checkpoint FROM checkpoints WHERE thread_id = ? ORDER BY {self._id}, 1",
            (thread,),
        )
        for row in rows:
            found = hashlib.sha256(thread.encode(errors="replace"))
            for part in row:
                found.update(b"\x00")
                found.update(part if isinstance(part, bytes) else str(part).encode(errors="replace"))
            yield found.hexdigest()

    def checkpoints(self, thread: str) -> Iterator[Checkpoint | Exception]:
        """Give the checkpoints of a thread, oldest first: ids grow with time. One that cannot be read is an error."""
        return map(_read, self._rows(thread))

    def checkpoint(self, thread: str, namespace: str, identity: str) -> Checkpoint | None:
        """Give one checkpoint; None where it is not there, or cannot be read."""
        for row in self._rows(thread, identity):
            if row[0] == namespace:
                found = _read(row)
                return found if isinstance(found, Checkpoint) else None
        return None

    def writes(self, thread: str, namespace: str, identity: str) -> list[Write]:
        """Give what the tasks that began at a checkpoint wrote, task by task."""
        if not {"task_id", "channel", "value", "type"} <= self._writes:
            return []
        path = self._or_empty("task_path", self._writes)
        rows = self._connection.execute(
            f"SELECT task_id, {path}, channel, type, value FROM writes "
            "WHERE thread_id = ? AND checkpoint_ns = ? AND checkpoint_id = ? ORDER BY task_id, idx",
            (thread, namespace, identity),
        )
        found = []
        for task, task_path, channel, kind, value in rows:
            try:
                read = read_value(kind, value)
            except (ValueError, RecursionError):
                continue  # the checkpoint after it holds the same messages
            found.append(Write(str(task), _node(task_path), str(channel), read))
        return found

    def _rows(self, thread: str, identity: str | None = None) -> Iterator[tuple[Any, ...]]:
        columns = (
            self._or_empty("checkpoint_ns", self._has),
            self._id,
            self._parent if self._parent in self._has else "NULL",
            "type" if "type" in self._has else "NULL",
            "checkpoint",
            "metadata" if "metadata" in self._has else "NULL",
        )
        chosen = "" if identity is None else f"AND {self._id} = ?"
        query = f"SELECT {', '.join(columns)} FROM checkpoints WHERE thread_id = ? {chosen} ORDER BY {self._id}, 1"
        return iter(self._connection.execute(query, (thread,) if identity is None else (thread, identity)))

    def _columns(self, table: str) -> set[str]:
        return {str(row[1]) for row in self._connection.execute(f"PRAGMA table_info({table})")}

    @staticmethod
    def _or_empty(column: str, columns: set[str]) -> str:
        return column if column in columns else "''"


def may_hold_checkpoints(head: bytes) -> bool:
    """Say whether a file may be a checkpoint database.

    The definitions of the tables stand at the beginning. They cannot be seen where there are many, or while all of
    it stands in the write-ahead log.

    Args:
        head: Its first bytes, a page of them if it has so many.
    """
    if not head.startswith(_MAGIC):
        return False
    page = head[_ROOT:]
    seen_whole = page[:1] == bytes([_LEAF]) and page[3:5] != b"\x00\x00"
    return not seen_whole or b"checkpoint" in page


@contextmanager
def open_database(path: Path) -> Iterator[Database]:
    """Open a checkpoint database for reading.

    What stands in a write-ahead log belongs to it, but reading it in place would write beside it: then, and where
    a writer holds it, a copy is read.

    Args:
        path: The file.

    Raises:
        UnreadableError: It is no database of LangGraph, or damaged.
        OSError: It cannot be read.
    """
    with path.open("rb") as file:
        header = file.read(20)
    log = path.with_name(f"{path.name}-wal")
    try:
        if log.is_file() and log.stat().st_size:
            with _copy(path) as connection:
                yield Database(connection)
        elif len(header) == 20 and header[18] == _WAL_FORMAT:
            with closing(_connect(path, "immutable=1")) as connection:
                yield Database(connection)
        else:
            with _unlocked(path) as connection:
                yield Database(connection)
    except sqlite3.Error as error:
        raise UnreadableError(f"the SQLite database cannot be read: {error}") from error


@contextmanager
def _unlocked(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a database in place, or a copy where a writer does not let go of it."""
    with closing(_connect(path, "mode=ro")) as connection:
        try:
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except sqlite3.OperationalError as error:
            if "locked" not in str(error):
                raise
        else:
            yield connection
            return
    with _copy(path) as connection:
        yield connection


@contextmanager
def _copy(path: Path) -> Iterator[sqlite3.Connection]:
    with tempfile.TemporaryDirectory(prefix="context-inspector-") as folder:
        copy = Path(folder) / path.name
        shutil.copyfile(path, copy)
        for suffix in ("-wal", "-journal"):
            beside = path.with_name(path.name + suffix)
            if beside.is_file():
                shutil.copyfile(beside, copy.with_name(copy.name + suffix))
        with closing(_connect(copy, "mode=rw")) as connection:
            yield connection


def _connect(path: Path, how: str) -> sqlite3.Connection:
    return sqlite3.connect(f"file:{quote(str(path.resolve()))}?{how}", uri=True, timeout=_PATIENCE)


def _read(row: tuple[Any, ...]) -> Checkpoint | Exception:
    namespace, identity, parent, kind, data, told = row
    try:
        stored = read_value(kind, data)
        metadata = _metadata(told)
        values = stored["channel_values"]
        if not isinstance(values, dict):
            raise UnreadableError("a checkpoint without `channel_values`")
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        return error
    parents = metadata.get("parents")
    writes = metadata.get("writes")
    return Checkpoint(
        str(namespace),
        str(identity),
        None if parent is None else str(parent),
        values,
        stored.get("ts"),
        metadata.get("source") if isinstance(metadata.get("source"), str) else None,
        outer=next(reversed(parents.values()), None) if isinstance(parents, dict) else None,
        deltas="counters_since_delta_snapshot" in metadata,
        writers=tuple(map(str, writes)) if isinstance(writes, dict) else (),
    )


def _metadata(told: Any) -> dict[str, Any]:
    try:
        found = json.loads(told) if told else {}
    except (ValueError, TypeError):
        return {}
    return found if isinstance(found, dict) else {}


def _node(path: Any) -> str | None:
    """Read the node out of ``~__pregel_pull, model``."""
    name = str(path or "").rpartition(",")[2].strip()
    return name or None
