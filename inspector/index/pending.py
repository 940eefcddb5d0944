"""What a refresh would have to do: trace files that are new, that changed and that are gone."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import duckdb

from inspector.index.files import FileState, Found, find_files


@dataclass
class Progress:
    """How far a refresh is."""

    files: int = 0
    files_done: int = 0
    bytes: int = 0
    bytes_done: int = 0


@dataclass(frozen=True)
class Pending:
    """The trace files on disk against those that were read."""

    found: tuple[Found, ...]
    """All files on disk."""
    known: dict[str, FileState]
    """How far each file was read, by path."""
    work: tuple[tuple[Found, FileState | None], ...]
    """Files to look at, each with how far it was read; None: it is new."""
    gone: tuple[str, ...]
    """Files that were read and are no longer there, by name."""

    def __bool__(self) -> bool:
        """Whether there is anything to do."""
        return bool(self.work or self.gone)

    def progress(self) -> Progress:
        """Say how far a refresh is that has not begun."""
        size = sum(one.size for one in self.found)
        todo = sum(one.size for one, _ in self.work)
        return Progress(len(self.found), len(self.found) - len(self.work), size, size - todo)


def find_pending(cursor: duckdb.DuckDBPyConnection, directory: Path) -> Pending:
    """Compare the trace files below a directory with what was read of them.

    Args:
        cursor: A cursor of the index.
        directory: The traces.
    """
    known = known_files(cursor)
    found = find_files(directory)
    work = [(one, known.get(one.path)) for one in found if _needs_look(one, known.get(one.path))]
    gone = known.keys() - {one.path for one in found}
    return Pending(tuple(found), known, tuple(work), tuple(sorted(gone)))


def known_files(cursor: duckdb.DuckDBPyConnection) -> dict[str, FileState]:
    """Return how far each trace file was read, by path.

    Args:
        cursor: A cursor of the index.
    """
    rows = cursor.execute(
        "SELECT file, path, size, mtime_ns, read_to, lines, head, tail, refused, section, seen FROM store.files"
    ).fetchall()
    return {row[1]: FileState(*row) for row in rows}


def _needs_look(found: Found, state: FileState | None) -> bool:
    if state is None:
        return True
    return (found.size, found.mtime_ns) != (state.size, state.mtime_ns)
