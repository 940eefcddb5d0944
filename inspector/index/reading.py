"""One pass over a trace file: sections, duplicates, refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

from inspector.index.files import FileState, Found, SeenNumbers, digest_edges
from inspector.index.ingest import Prepared, Section, ShapeError, prepare
from inspector.index.reader import Line
from inspector.index.shapes import find_fault, find_misfits
from inspector.index.store import clean
from snapshot_sdk.errors import NewerVersionError, TraceError
from snapshot_sdk.reading import upgrade
from snapshot_sdk.schema import RECORD_TYPES

Complaint = tuple[int, int, int, str, int]
"""A row of line errors: file, line, byte, reason, records recovered."""


class Shelf(Protocol):
    """What a pass over a file needs to know of the others."""

    def wants(self, session: str) -> bool:
        """Say whether a session is among those asked for."""

    def section(self, state: FileState) -> Section | None:
        """Return the section a file stopped in."""

    def open_section(self, state: FileState, session: str, header: dict[str, Any]) -> Section:
        """Begin a section in a file."""

    def copy_of(self, session: str, header: dict[str, Any]) -> tuple[str, list[int]] | None:
        """Find the file that has this header already, and the numbers of the records it holds."""

    def session_of_folder(self, path: str) -> str:
        """Name the session of a file without a header."""

    def put(self, state: FileState, prepared: list[Prepared], complaints: list[Complaint], size: int) -> None:
        """Take over what was read."""


class FileReading:
    """One pass over a file: sections, duplicates, refusals."""

    def __init__(self, shelf: Shelf, directory: Path, state: FileState, found: Found) -> None:
        self._shelf = shelf
        self._state = state
        self._found = found
        self._section = shelf.section(state)
        self._seen = SeenNumbers(state.seen)
        self._path = directory / state.path
        self._errors: list[Complaint] = []
        self._copied = False
        self.skipped = False
        """The file belongs to a session nobody asked for."""

    def take(self, lines: list[Line]) -> None:
        """Take in some lines and commit them."""
        prepared: list[Prepared] = []
        state = self._state
        for line in lines:
            if line.foreign and line.number == 1:
                state.refused = True
                self._complain(1, 0, "no trace file; logs of other tools are read by `context-inspector import auto`")
                break
            if line.reason is not None:
                self._complain(line.number, line.byte, line.reason, len(line.records))
            for place, record in enumerate(line.records):
                try:
                    one = self._record(record, line, place)
                except NewerVersionError as error:
                    state.refused = True
                    reason = f"format {error.found}, this reads up to {error.supported}: update context-inspector"
                    self._complain(line.number, line.start, reason)
                except (ShapeError, TraceError) as error:
                    self._complain(line.number, line.start, str(error))
                else:
                    prepared += [] if one is None else [one]
                if state.refused or self.skipped:
                    break
            if state.refused or self.skipped:
                break
            state.read_to, state.lines = line.end, line.number
        state.seen = self._seen.pairs
        self._look()
        errors, self._errors = self._errors, []
        self._shelf.put(state, prepared, errors, sum(line.end - line.start for line in lines))

    def _complain(self, line: int, byte: int, reason: str, recovered: int = 0) -> None:
        self._errors.append((self._state.file, line, byte, reason, recovered))

    def _look(self) -> None:
        state = self._state
        state.size, state.mtime_ns = self._found.size, self._found.mtime_ns
        state.head, state.tail = digest_edges(self._path, state.read_to)

    def finish(self) -> None:
        """Remember how the file looked, though nothing new was in it."""
        self._look()
        self._shelf.put(self._state, [], [], 0)

    def _record(self, record: dict[str, Any], line: Line, place: int) -> Prepared | None:
        record = upgrade(record)
        kind = record["type"]
        if kind not in RECORD_TYPES:
            raise ShapeError(f"no type of record: {kind!r}")
        if kind == "header":
            record = self._sound_header(record, line)
        fault = find_fault(record)
        if fault is not None:
            raise ShapeError(f"not a {kind} record: {fault}")
        if kind == "header":
            self._header(record, line)
        elif self._section is None:
            session = self._shelf.session_of_folder(self._state.path)
            self.skipped = not self._shelf.wants(session)
            if not self.skipped:
                self._section = self._shelf.open_section(self._state, session, {})
                self._complain(line.number, line.start, "no header before it: taken for its folder's session", 1)
        if self.skipped or self._section is None:
            return None
        if not self._seen.add(record["seq"]):
            if kind == "header" or self._copied:
                return None
            raise ShapeError(f"a second record number {record['seq']}: counted once")
        return prepare(self._section, record, line.number, place)

    def _sound_header(self, record: dict[str, Any], line: Line) -> dict[str, Any]:
        """Leave out what is wrong in a header: a bad budget must not cost the name of the session."""
        misfits = [name for name in find_misfits(record) if name != "session"]
        for name in misfits:
            self._complain(line.number, line.start, f"{name} of the header is of the wrong kind: left out", 1)
        return {name: value for name, value in record.items() if name not in misfits}

    def _header(self, record: dict[str, Any], line: Line) -> None:
        session = clean(record["session"])
        if not self._shelf.wants(session):
            self.skipped = True
            return
        copied = self._shelf.copy_of(session, record)
        self._section = self._shelf.open_section(self._state, session, record)
        self._seen = SeenNumbers([] if copied is None else copied[1])
        self._copied = copied is not None
        if copied is not None:
            self._complain(line.number, line.start, f"a copy of {copied[0]}: what is there already counts once")
