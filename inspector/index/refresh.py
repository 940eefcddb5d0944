"""Bringing the index up to the trace files: what is new is read, what changed is read anew, what went is dropped."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any, Final

import duckdb

from inspector.index.connect import is_shipped, transaction
from inspector.index.contents import Catalog
from inspector.index.derive import SessionState
from inspector.index.files import FileState, Found, is_same_file
from inspector.index.finish import find_waiting, finish_sessions
from inspector.index.ingest import Ingester, Prepared, Section
from inspector.index.pending import Progress, find_pending, known_files
from inspector.index.reader import Line, read_lines
from inspector.index.reading import Complaint, FileReading
from inspector.index.schema import FILES, LINE_ERRORS
from inspector.index.store import Batch, clean, write_all
from inspector.index.units import UnitStore
from inspector.model.settings import Settings

BATCH_BYTES: Final = 16 << 20
"""Bytes of lines per transaction: large enough for bulk inserts, small enough to stay in memory, and a cancelled
run loses no more than this."""

BATCH_LINES: Final = 2000
BATCH_FILES: Final = 100
"""Files per transaction: one costs a twentieth of a second whatever is in it, and traces may be many small files."""

STATES_KEPT: Final = 32
"""Sessions whose state stays in memory; others are computed again from their records when they grow."""

SECTIONS_KEPT: Final = 32
"""Files whose blobs stay in memory; others are fetched from the database when they grow."""


class CancelledError(Exception):
    """The caller wants no more; what was read stands."""


class Refresher:
    """Reads trace files into the database. Not thread-safe: the index runs one at a time."""

    def __init__(
        self, directory: Path, cursor: duckdb.DuckDBPyConnection, settings: Settings, sessions: Collection[str] | None
    ) -> None:
        self.directory = directory
        self._cursor = cursor
        self._settings = settings
        self._sample = is_shipped(directory)
        self._only = None if sessions is None else frozenset(clean(session) for session in sessions)
        self._batch = Batch(cursor)
        self._catalog = Catalog(cursor, self._batch)
        self._units = UnitStore(cursor, self._batch, self._catalog, settings)
        self._ingester = Ingester(cursor, self._batch, self._catalog)
        self._states: dict[str, SessionState] = {}
        self._sections: dict[int, Section] = {}
        self._next_file = 0
        self._prepared: list[Prepared] = []
        self._complaints: list[Complaint] = []
        self._files: dict[int, FileState] = {}
        """Files read in this batch."""
        self._size = 0
        self._headers: list[tuple[FileState, str, dict[str, Any]]] = []
        """Sections begun in this batch: file, session, header."""
        self._met: set[str] = set()
        """Sessions that some section belongs to, gone ones too: others need not be looked for."""

    def run(
        self, report: Callable[[Progress], None], cancelled: Callable[[], bool], committed: Callable[[], None]
    ) -> None:
        """Bring the index up to date.

        Args:
            report: Told of progress.
            cancelled: Asked between batches; True ends the run early.
            committed: Told after each transaction that changed something.

        Raises:
            CancelledError: It was cancelled.
        """
        try:
            self._run(report, cancelled, committed, one_by_one=False)
        except (CancelledError, duckdb.Error):
            raise
        except Exception:
            # Records no check foresaw: whatever they are, they must cost their own file and no other.
            self._run(report, cancelled, committed, one_by_one=True)

    def _run(
        self,
        report: Callable[[Progress], None],
        cancelled: Callable[[], bool],
        committed: Callable[[], None],
        *,
        one_by_one: bool,
    ) -> None:
        pending = find_pending(self._cursor, self.directory)
        progress = pending.progress()
        report(progress)
        self._met.update(
            session for (session,) in self._cursor.execute("SELECT session FROM store.sections").fetchall()
        )
        self._next_file = 1 + max((state.file for state in pending.known.values()), default=-1)
        try:
            for path in pending.gone:
                self._drop(pending.known[path])
                committed()
            for one, state in pending.work:
                before = progress.bytes_done
                try:
                    for done in self._read(one, state):
                        progress.bytes_done = before + done
                        if self._commit_if(full=True):
                            committed()
                            report(progress)
                        if cancelled():
                            raise CancelledError
                    if one_by_one and self._commit_if(full=False):
                        committed()
                except (CancelledError, duckdb.Error):
                    raise
                except Exception as error:
                    if not one_by_one:
                        raise
                    self._refuse(one, error)
                    committed()
                progress.bytes_done = before + one.size
                progress.files_done += 1
            if self._commit_if(full=False):
                committed()
            report(progress)
        except CancelledError:
            if self._commit_if(full=False):
                committed()
            raise
        except BaseException:
            # Numbers given out in a batch that was not written must not be used again by what is in memory.
            self._start_over()
            raise

    def _refuse(self, found: Found, error: Exception) -> None:
        """Leave a file out, and say why."""
        self._start_over()
        state = known_files(self._cursor).get(found.path)
        if state is not None:
            self._drop(state)
        state = self._add_file(found.path)
        state.refused, state.size, state.mtime_ns = True, found.size, found.mtime_ns
        reason = f"left out, nothing of it was read: {type(error).__name__}: {error}"
        self.put(state, [], [(state.file, 1, 0, reason, 0)], 0)
        self._commit_if(full=False)

    def _start_over(self) -> None:
        self._batch = Batch(self._cursor)
        self._catalog = Catalog(self._cursor, self._batch)
        self._units = UnitStore(self._cursor, self._batch, self._catalog, self._settings)
        self._ingester = Ingester(self._cursor, self._batch, self._catalog)
        self._states.clear()
        self._sections.clear()
        self._forget_batch()

    def _forget_batch(self) -> None:
        self._prepared, self._complaints, self._size = [], [], 0
        self._files.clear()
        self._headers.clear()
        while len(self._sections) > SECTIONS_KEPT:
            self._sections.pop(next(iter(self._sections)))
        while len(self._states) > STATES_KEPT:
            self._states.pop(next(iter(self._states)))

    def _read(self, found: Found, state: FileState | None) -> Iterator[int]:
        """Read what is new in a file; yields the bytes done after each batch of lines, and at the end."""
        path = self.directory / found.path
        try:
            if state is not None and not is_same_file(state, found, path):
                self._commit_if(full=False)
                self._drop(state)
                state = None
            if state is None:
                state = self._add_file(found.path)
            if not state.refused:
                with path.open("rb") as file:
                    reading = FileReading(self, self.directory, state, found)
                    for lines in _batches(read_lines(file, state.read_to, state.lines + 1)):
                        reading.take(lines)
                        yield state.read_to
                        if state.refused or reading.skipped:
                            break
                    reading.finish()
        except FileNotFoundError:
            return  # removed since it was listed: the next run drops it
        except OSError as error:
            state = state or self._add_file(found.path)
            self.put(state, [], [(state.file, 0, 0, f"cannot be read: {error.strerror or error}", 0)], 0)
        yield found.size

    def _add_file(self, path: str) -> FileState:
        self._next_file += 1
        return FileState(self._next_file - 1, path)

    def put(self, state: FileState, prepared: list[Prepared], complaints: list[Complaint], size: int) -> None:
        """Take over what was read of a file."""
        self._files[state.file] = state
        self._prepared += prepared
        self._complaints += complaints
        self._size += size

    def _commit_if(self, *, full: bool) -> bool:
        """Write what was read, with everything computed from it, in one transaction.

        Args:
            full: Only if there is enough of it.

        Returns:
            Whether the data changed.
        """
        enough = self._size >= BATCH_BYTES or len(self._prepared) >= BATCH_LINES or len(self._files) >= BATCH_FILES
        if not self._files or (full and not enough):
            return False
        changed = bool(self._prepared or self._complaints or self._headers)
        with transaction(self._cursor):
            sessions = self._ingester.take(self._prepared)
            for complaint in self._complaints:
                self._batch.add(LINE_ERRORS, *complaint)
            self._batch.write(self._cursor)
            self._cursor.execute("DELETE FROM store.files WHERE file IN (SELECT unnest(?))", [list(self._files)])
            write_all(self._cursor, FILES, [tuple(vars(state).values()) for state in self._files.values()])
            self._derive(sessions)
            self._batch.write(self._cursor)
        self._catalog.forget()
        self._units.forget_messages()
        if self._units.full:
            # States name units by number: they go together.
            self._units.forget()
            self._states.clear()
        self._forget_batch()
        return changed

    def _drop(self, state: FileState) -> None:
        """Take a file's records out, and its sessions down to what their other files say."""
        with transaction(self._cursor):
            rows = self._cursor.execute("SELECT section, session FROM store.sections WHERE file = ?", [state.file])
            sections = rows.fetchall()
            numbers = [section for section, _ in sections]
            for table in ("blobs", "records", "sections"):
                self._cursor.execute(
                    f"DELETE FROM store.{table} WHERE section IN (SELECT unnest(?::INTEGER[]))", [numbers]
                )
            self._cursor.execute("DELETE FROM store.line_errors WHERE file = ?", [state.file])
            self._cursor.execute("DELETE FROM store.files WHERE file = ?", [state.file])
            for number in numbers:
                self._sections.pop(number, None)
            names = {session for _, session in sections}
            for session in names:
                self._states.pop(session, None)
            self._derive(names)
            self._batch.write(self._cursor)
        self._catalog.forget()

    def _derive(self, sessions: Collection[str]) -> None:
        """Bring what is computed of sessions up to their records; part of a transaction."""
        if sessions:
            self._finish(sessions)
            waiting = find_waiting(self._cursor, sessions)
            for session in waiting:
                if session in self._states:
                    self._states[session].others += 1
            if waiting:
                self._finish(waiting)

    def _finish(self, sessions: Collection[str]) -> None:
        states = {session: self._states.pop(session, None) for session in sorted(sessions)}
        self._states.update(
            finish_sessions(self._cursor, states, self._settings, self._catalog, self._units, sample=self._sample)
        )

    def wants(self, session: str) -> bool:
        """Say whether a session is among those asked for."""
        return self._only is None or session in self._only

    def section(self, state: FileState) -> Section | None:
        """Return the section a file stopped in."""
        if state.section is None:
            return None
        if state.section not in self._sections:
            self._sections[state.section] = self._ingester.reopen_section(state.file, state.path, state.section)
        return self._sections[state.section]

    def open_section(self, state: FileState, session: str, header: dict[str, Any]) -> Section:
        """Begin a section in a file."""
        section = self._ingester.open_section(state.file, state.path, session, header)
        self._sections[section.number] = section
        state.section = section.number
        self._headers.append((state, session, header))
        self._met.add(session)
        return section

    def copy_of(self, session: str, header: dict[str, Any]) -> tuple[str, list[int]] | None:
        """Find the file that has this header already: a copy's records count once."""
        identity = _identity(header)
        for state, _, known in self._headers:
            if _identity(known) == identity:
                return state.path, state.seen
        if session not in self._met:
            return None
        rows = self._cursor.execute(
            "SELECT path, seen, header FROM store.sections JOIN store.files USING (file, section) WHERE session = ?",
            [session],
        ).fetchall()
        return next(((path, seen) for path, seen, stored in rows if _identity(json.loads(stored)) == identity), None)

    def session_of_folder(self, path: str) -> str:
        """Name the session of a file without a header: what its neighbours say, else the folder's name."""
        folder = path.rpartition("/")[0]
        if not folder:
            return path
        for state, session, _ in self._headers:
            if state.path.startswith(folder + "/"):
                return session
        row = self._cursor.execute(
            "SELECT session FROM store.sections JOIN store.files USING (file) WHERE starts_with(path, ?) LIMIT 1",
            [folder + "/"],
        ).fetchone()
        return str(row[0]) if row else folder.rpartition("/")[2]


def _identity(header: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(header.get(name) for name in ("session", "writer", "part", "time"))


def _batches(lines: Iterator[Line]) -> Iterator[list[Line]]:
    batch: list[Line] = []
    size = 0
    for line in lines:
        batch.append(line)
        size += line.end - line.start
        if size >= BATCH_BYTES or len(batch) >= BATCH_LINES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
