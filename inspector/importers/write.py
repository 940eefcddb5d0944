"""Writes imported sessions as ordinary trace files, through the SDK."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any, Final, Literal

from inspector.errors import CannotWriteError
from inspector.importers.base import ImportedAnswer, ImportedCall, ImportedCompaction, ImportedRecord, ImportedSession
from inspector.importers.reading.documents import digest_of
from inspector.importers.reading.layout import as_sent
from inspector.importers.reading.values import spaced
from inspector.importers.resume import MAIN, Resumed
from inspector.importers.seam import STEP, LogSeam
from snapshot_sdk import Recorder

STAGING_PREFIX: Final = ".importing-"
"""Begin of the name of the folder a session is written in before it is moved into place; readers pass over it."""

UNDECODED: Final = "undecodable bytes"
"""Missing where bytes of a request are no UTF-8, and U+FFFD stands in their place."""

Outcome = Literal["imported", "replaced", "extended", "already imported"]


@dataclass(frozen=True)
class WrittenSession:
    """What became of an imported session."""

    session: str
    """Its name in the traces: the log's own, with a piece of the digest where another has that name."""
    format: str
    """Name of the importer."""
    source: str
    """Name of the file or folder it came from."""
    outcome: Outcome
    """``already imported``: nothing was written, the traces hold this very log. ``extended``: its log has grown,
    and what is new was added."""
    calls: int
    """Calls written; 0 where nothing was."""
    answers: int
    """Of these, with an answer."""
    exact: tuple[str, ...]
    """How far they are proved: ``imported``, ``rebuilt`` or both."""
    missing: tuple[str, ...]
    """Parts that the log lacked in any call."""
    repairs: tuple[str, ...]
    """What had to be mended to read the log."""
    files: tuple[Path, ...]
    """Trace files written."""


@dataclass(frozen=True)
class _Held:
    """A trace file that is there already."""

    path: Path
    session: str
    imported: Mapping[str, Any]
    """What its header says of the log it was imported from; empty: it was recorded."""

    @property
    def digest(self) -> str | None:
        """Of the log; None: it was recorded."""
        digest = self.imported.get("digest")
        return digest if isinstance(digest, str) else None

    @property
    def sizes(self) -> dict[str, int]:
        """How many bytes of which file were read, where the log may grow."""
        sizes = self.imported.get("bytes")
        return sizes if isinstance(sizes, dict) and all(isinstance(size, int) for size in sizes.values()) else {}


class TraceDirectory:
    """The directory imported sessions go to; knows what it holds, and never overwrites what it does not replace."""

    def __init__(self, directory: Path, *, force: bool = False) -> None:
        """Look at what is there; the directory is made when the first session is written.

        Args:
            directory: Where the trace files go.
            force: Replace sessions that were imported under the same name from another state of their log.
        """
        self._directory = directory
        self._force = force
        self._names: dict[str, list[_Held]] = {}
        """The trace files there are, by session: data sets bring thousands of sessions."""
        self._digests: dict[str, str] = {}
        """Session that a log with this digest was imported as."""
        for held in _held(directory):
            self._hold(held)

    def write(self, session: ImportedSession, on_call: Callable[[], None] = lambda: None) -> WrittenSession:
        """Write a session, whole or not at all.

        Args:
            session: What to write.
            on_call: Told after every call.

        Raises:
            CannotWriteError: The directory cannot be written, or the recorder lost a record.
        """
        if session.digest in self._digests:
            return _result(session, self._digests[session.digest], "already imported", _Tally(), ())
        grown = self._names.get(session.session, [])
        resumed = Resumed.of(held.path for held in grown) if self._has_grown(session, grown) else None
        name, replaced = (session.session, []) if resumed is not None else self._place(session)
        try:
            self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            staging = Path(tempfile.mkdtemp(prefix=STAGING_PREFIX, dir=self._directory))
        except OSError as error:
            raise CannotWriteError(self._directory, error.strerror or str(error)) from error
        try:
            tally = _record(session, name, staging, on_call, resumed)
            files = self._move_all(staging, replaced)
        finally:
            shutil.rmtree(staging, ignore_errors=True)
        for held in replaced:
            if held.path not in files:
                held.path.unlink(missing_ok=True)
            self._let_go(held)
        for file in files:
            self._hold(_Held(file, name, _imported(session)))
        outcome: Outcome = "replaced" if replaced else "imported"
        if resumed is not None:
            outcome = "extended" if files else "already imported"
        return _result(session, name, outcome, tally, files)

    def _hold(self, held: _Held) -> None:
        self._names.setdefault(held.session, []).append(held)
        if held.digest is not None:
            self._digests.setdefault(held.digest, held.session)

    def _let_go(self, held: _Held) -> None:
        self._names[held.session] = [one for one in self._names[held.session] if one is not held]
        if held.digest is not None:
            self._digests.pop(held.digest, None)

    def _has_grown(self, session: ImportedSession, namesakes: Sequence[_Held]) -> bool:
        """Say whether the session's log is one that is there already, with something appended."""
        logs = {log.path.name: log for log in session.logs}
        if not namesakes or any(held.imported.get("format") != session.format for held in namesakes):
            return False
        latest = max(namesakes, key=lambda held: sum(held.sizes.values()))
        if not latest.sizes or not latest.sizes.keys() <= logs.keys():
            return False
        digests = [logs[name].digest_to(size) for name, size in latest.sizes.items()]
        return latest.digest == (digests[0] if len(digests) == 1 else digest_of(digests))

    def _place(self, session: ImportedSession) -> tuple[str, list[_Held]]:
        """Choose the name in the traces, and the files the session takes the place of."""
        namesakes = self._names.get(session.session, [])
        if not namesakes:
            return session.session, []
        if self._force and all(held.digest is not None for held in namesakes):
            return session.session, list(namesakes)
        return f"{session.session}@{session.digest.removeprefix('sha256:')[:8]}", []

    def _move_all(self, staging: Path, replaced: list[_Held]) -> tuple[Path, ...]:
        """Move what was written into place: the whole folder of a session at once, where there is none yet."""
        files: list[Path] = []
        for folder in sorted(staging.iterdir()):
            place = self._directory / folder.name
            try:
                if not place.exists():
                    files += sorted(folder.rename(place).glob("*.jsonl"))
                    continue
                for file in sorted(folder.glob("*.jsonl")):
                    target = place / file.name
                    if target.exists() and all(held.path != target for held in replaced):
                        raise CannotWriteError(target, "it is there already, and is no import of this log")
                    files.append(file.replace(target))
            except OSError as error:
                raise CannotWriteError(place, error.strerror or str(error)) from error
        return tuple(files)


@dataclass
class _Tally:
    calls: int = 0
    answers: int = 0
    exact: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    def add(self, call: ImportedCall) -> None:
        self.calls += 1
        self.answers += call.answer is not None
        self.exact = tuple(dict.fromkeys((*self.exact, call.exact)))
        self.missing = tuple(dict.fromkeys((*self.missing, *call.missing)))


def _record(
    session: ImportedSession, name: str, directory: Path, on_call: Callable[[], None], resumed: Resumed | None
) -> _Tally:
    """Write the calls of a session, or those that are new, through a recorder whose clock and ids are the log's."""
    tally = _Tally()
    seam: LogSeam | None = None
    recorder: Recorder | None = None
    try:
        for record in map(_doubted, session.calls()) if session.replaced else session.calls():
            known = resumed.known(record) if resumed is not None else None
            if known is not None and not known.answer_changed:
                continue
            if recorder is None or seam is None:
                start = record.time if resumed is None else resumed.not_before(record.time)
                seam = LogSeam(session.digest, start, part=0 if resumed is None else resumed.parts)
                recorder = _recorder(session, name, directory, seam, timed=record.time is not None)
            else:
                seam.move(record.time, STEP)
            if isinstance(record, ImportedCompaction):
                _compaction(recorder, record)
                continue
            if known is not None:
                _answer(recorder, seam, known.snapshot, record.answer)
                continue
            snapshot = recorder.snapshot(
                as_sent(record.request) if isinstance(record.request, str) else record.request,
                api=record.api,
                endpoint=record.endpoint,
                model=record.model,
                exact=record.exact,
                missing=list(record.missing),
                lane=record.lane or (MAIN if session.one_lane else None),
                turn=record.turn,
                purpose=record.purpose,
                previous=resumed.last(record.lane) if resumed is not None else None,
            )
            for attempt in record.attempts:
                recorder.attempt(snapshot, status=attempt.status, error=attempt.error)
            if record.attempts and record.answer is not None:
                recorder.attempt(snapshot, status=record.answer.status, error=record.answer.error)
            _answer(recorder, seam, snapshot, record.answer)
            tally.add(record)
            on_call()
    finally:
        if recorder is not None:
            recorder.close()
    if recorder is not None and recorder.losses:
        raise CannotWriteError(directory, f"{recorder.losses} record(s) of session {name!r} were lost")
    return tally


def _doubted(record: ImportedRecord) -> ImportedRecord:
    """Take back that a call is as it was sent, where bytes of it may be lost: its text holds U+FFFD."""
    if not isinstance(record, ImportedCall) or record.exact != "imported":
        return record
    text = record.request if isinstance(record.request, str) else spaced(record.request)
    if "\ufffd" not in text:
        return record
    return replace(record, exact="rebuilt", missing=(*record.missing, UNDECODED))


def _recorder(session: ImportedSession, name: str, directory: Path, seam: LogSeam, *, timed: bool) -> Recorder:
    imported = {**_imported(session), "times": "log" if timed else "none"}
    if session.repairs:
        imported["repairs"] = list(session.repairs)
    try:
        return Recorder(
            directory,
            session=name,
            agent=session.agent,
            window=session.window,
            meta=dict(session.meta),
            imported=imported,
            caller=False,
            _seam=seam,
        )
    except OSError as error:
        raise CannotWriteError(directory, error.strerror or str(error)) from error


def _imported(session: ImportedSession) -> dict[str, Any]:
    """Say where a session comes from, and how far its logs were read if they may grow."""
    found = {"format": session.format, "source": session.source, "digest": session.digest}
    if session.logs:
        return {**found, "bytes": {log.path.name: log.size for log in session.logs}}
    return found


def _answer(recorder: Recorder, seam: LogSeam, snapshot: str, answer: ImportedAnswer | None) -> None:
    """Write an answer at its time: the log's, else after its duration, else at the call's."""
    if answer is None:
        return
    seam.move(answer.time, timedelta(milliseconds=answer.duration_ms or 0.0))
    recorder.response(
        snapshot,
        body=answer.body,
        messages=list(answer.messages) or None,
        status=answer.status,
        duration_ms=answer.duration_ms,
        complete=answer.error is None,
        error=answer.error,
    )


def _compaction(recorder: Recorder, record: ImportedCompaction) -> None:
    """Write a compaction in its own lane and turn."""
    with ExitStack() as scopes:
        if record.lane is not None:
            scopes.enter_context(recorder.lane(record.lane))
        if record.turn is not None:
            scopes.enter_context(recorder.turn(record.turn))
        recorder.compaction(
            None if record.before is None else list(record.before),
            None if record.after is None else list(record.after),
            strategy=record.strategy,
            policy=record.policy,
            reason=record.reason,
            tokens_before=record.tokens_before,
            tokens_after=record.tokens_after,
            duration_ms=record.duration_ms,
        )


def _result(
    session: ImportedSession, name: str, outcome: Outcome, tally: _Tally, files: tuple[Path, ...]
) -> WrittenSession:
    return WrittenSession(
        session=name,
        format=session.format,
        source=session.source,
        outcome=outcome,
        calls=tally.calls,
        answers=tally.answers,
        exact=tally.exact,
        missing=tally.missing,
        repairs=session.repairs,
        files=files,
    )


def _held(directory: Path) -> Iterator[_Held]:
    """Read the headers of the trace files that are there; files that are none are left alone."""
    for path in sorted(directory.glob("*/*.jsonl")):
        if path.parent.name.startswith("."):
            continue
        try:
            with path.open("rb") as file:
                header = json.loads(file.readline())
        except (OSError, ValueError):
            continue
        if isinstance(header, dict) and isinstance(header.get("session"), str):
            imported = header.get("imported")
            yield _Held(path, header["session"], imported if isinstance(imported, dict) else {})
