"""The trace of one session in this process: its file, what it holds so far, and the header it began with."""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from snapshot_sdk._blobs import Batch
from snapshot_sdk._encoder import Encoder
from snapshot_sdk._header import HeaderFields
from snapshot_sdk._json import dumps
from snapshot_sdk._redact import Redaction
from snapshot_sdk._seam import Seam
from snapshot_sdk._version import __version__
from snapshot_sdk._writer import LineWriter
from snapshot_sdk.schema import FORMAT_VERSION

_PREFIX_LENGTH: Final = 40
"""Characters of the session id that stand in the name of its folder."""

_NAME_TRIES: Final = 8
"""File names tried: a later part in the same second needs another one."""

_UNSAFE: Final = re.compile(r"[^\w.-]+")


def session_directory(directory: Path, session: str) -> Path:
    """Names the folder of a session: readable, and never the same for two sessions.

    Args:
        directory: The traces directory.
        session: Its id.
    """
    prefix = _UNSAFE.sub("-", session)[:_PREFIX_LENGTH].strip("-.") or "session"
    digest = hashlib.sha256(session.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return directory / f"{prefix}-{digest}"


@dataclass
class Tried:
    """A try that is written down together with the answer to it."""

    n: int
    """Number of the try, from 1."""
    error: str | None
    """What went wrong; None: nothing."""
    written: bool = False
    """It is on disk, whatever became of the answer."""


class SessionTrace:
    """Writes the records of one session. Every method is called with ``lock`` held."""

    def __init__(
        self, directory: Path, session: str, header: HeaderFields, seam: Seam, redact: Redaction | None, rotate: int
    ) -> None:
        self.lock = threading.RLock()
        self.busy = False
        """A record is in the middle of being written, by whoever holds the lock."""
        self.session = session
        self.header = header
        self.encoder = Encoder(redact, final=seam.values_are_final)
        self.last: str | None = None
        """Id of the last snapshot."""
        self.previous: dict[str, str] = {}
        """Id of the last snapshot of each lane."""
        self.labels: dict[str, tuple[str, Any]] = {}
        """Label in force by target: its fields, and the turn it ends with."""
        self.pins: dict[str, str] = {}
        """Id of the pin in force by target."""
        self.released: dict[str, int] = {}
        """How often the pin of a target was released."""
        self.turns = 0
        """Turns numbered here."""
        self._root = directory
        self._directory = session_directory(directory, session)
        self._redact = redact
        self._aside: SessionTrace | None = None
        self._seam = seam
        self._rotate = rotate
        self._writer = LineWriter()
        self._pid = seam.pid()
        self._token = seam.token()
        self._path: Path | None = None
        self._part = -1
        self._seq = 0
        self._lost = 0
        self._lost_reason = ""

    def ready(self) -> int:
        """Makes sure that a file is open, with its header, and returns the ``seq`` of the next record.

        Raises:
            OSError: There is none, and none can be made.
        """
        if self._seam.pid() != self._pid:
            self._after_fork()
        if self._writer.is_open and self._writer.size < self._rotate:
            return self._flush_loss() if self._lost else self._seq
        if self._path is not None and self._writer.size < self._rotate and self._path.exists():
            self._writer.open(self._path)  # closed to save descriptors
        else:
            self._start_file()
        return self._flush_loss()

    def write(
        self,
        kind: str,
        fields: Mapping[str, Any],
        *,
        raw: Mapping[str, str | Sequence[bytes]] | None = None,
        batch: Batch | None = None,
        first: tuple[Tried, Mapping[str, Any]] | None = None,
    ) -> None:
        """Appends a record; what it stores may be referred to from then on.

        Args:
            kind: Its type.
            fields: Its fields, JSON values.
            raw: Further fields, as JSON text; an array as the texts of its elements.
            batch: What it stores.
            first: An attempt that goes before it, in the same write, and its fields. Where that write stops half-way,
                it may be on disk all the same.

        Raises:
            OSError: It is not on disk.
        """
        if batch is None:
            self.ready()  # else the batch was encoded for this very file and seq
        when = self._when()
        if first is None:
            self._writer.append(*self._line(kind, when, fields, raw))
        else:
            before = [*self._line("attempt", when, first[1]), b"\n"]
            size = self._writer.size + sum(map(len, before)) + self._writer.torn
            try:
                self._writer.append(*before, *self._line(kind, when, fields, raw))
            finally:
                first[0].written = self._writer.size >= size
        if batch is not None:
            self.encoder.commit(batch)

    def change_header(self, header: HeaderFields) -> None:
        """Starts a new file if the header differs from the one in force."""
        if header != self.header:
            self.header = header
            self._writer.close()
            self._path = None

    def lost(self, reason: str) -> None:
        """Counts a record that could not be written; what it would have stored is stored again."""
        self._lost += 1
        self._lost_reason = reason

    def rest(self) -> None:
        """Gives back the file descriptor and the memory; the next record opens the file again."""
        self._writer.close()
        self.encoder.forget()
        if self._aside is not None and not self._aside.busy:
            self._aside.rest()

    def aside(self) -> SessionTrace:
        """Gives the trace, with a file of its own, for what is recorded in the middle of a record of this one.

        A signal handler does that, and a redaction rule that asks a model. The record that was interrupted refers to
        what the file held when it began; so nothing may come into that file before it.
        """
        if self._aside is None:
            one = SessionTrace(self._root, self.session, self.header, self._seam, self._redact, self._rotate)
            one.previous, one.labels, one.pins, one.released = self.previous, self.labels, self.pins, self.released
            self._aside = one
        self._aside.change_header(self.header)
        self._aside.turns = max(self.turns, self._aside.turns)
        return self._aside

    def lock_idle(self) -> bool:
        """Takes the lock, unless a record is being written; tells whether it did."""
        if not self.lock.acquire(blocking=False):
            return False
        if self.busy:  # by the very thread that asks
            self.lock.release()
            return False
        return True

    @property
    def is_open(self) -> bool:
        """A file is open."""
        return self._writer.is_open

    def renew_lock(self) -> None:
        """After a fork: the lock may be held by a thread that is not here."""
        self.lock = threading.RLock()
        self.busy = False
        self._aside = None

    def _after_fork(self) -> None:
        """The file belongs to the parent: this process begins its own."""
        self._writer.close()
        self._pid, self._token = self._seam.pid(), self._seam.token()
        self._path, self._part, self._lost = None, -1, 0
        self.previous.clear()

    def _start_file(self) -> None:
        started = f"{self._seam.now():%Y%m%dT%H%M%SZ}-{self._pid}"
        token = self._token
        for _ in range(_NAME_TRIES):
            path = self._directory / f"{started}-{token}.jsonl"
            try:
                self._writer.open(path, new=True)
                break
            except FileExistsError:
                token = self._seam.token()
        else:
            raise FileExistsError(f"no free name for a trace file: {path}")
        self._path, self._part, self._seq = path, self._part + 1, 0
        self.encoder.start_file()
        header = {
            "session": self.session,
            "writer": f"{self._pid}-{self._token}",
            "part": self._part,
            "sdk": __version__,
            **self.header.json_fields(),
        }
        try:
            self._writer.append(*self._line("header", self._when(), header))
        except BaseException:
            self._path = None
            self._writer.discard()
            raise

    def _flush_loss(self) -> int:
        if self._lost:
            lost, self._lost = self._lost, 0
            try:
                self._writer.append(*self._line("loss", self._when(), {"lost": lost, "reason": self._lost_reason}))
            except BaseException:
                self._lost = lost
                raise
        return self._seq

    def _when(self) -> str:
        """The time of a record, as its fields."""
        return f'"time":"{stamp(self._seam.now())}","mono_ns":{self._seam.mono_ns()}'

    def _line(
        self, kind: str, when: str, fields: Mapping[str, Any], raw: Mapping[str, str | Sequence[bytes]] | None = None
    ) -> list[bytes]:
        """A record in pieces, which are joined once: one of them may be long."""
        head = f'{{"v":{FORMAT_VERSION},"type":"{kind}","seq":{self._seq},{when},{dumps(fields)[1:-1]}'
        self._seq += 1
        pieces = [head.encode()]
        for name, value in (raw or {}).items():
            if isinstance(value, str):
                pieces.append(f',"{name}":{value}'.encode())
                continue
            gap = f',"{name}":['.encode()
            for element in value:
                pieces += (gap, element)
                gap = b","
            pieces.append(b"]" if value else gap + b"]")
        pieces.append(b"}")
        return pieces


def stamp(moment: datetime) -> str:
    """Writes a UTC time: ISO 8601, microseconds, ``Z``."""
    # Many times faster than strftime, and where the processor has other things in mind, than isoformat.
    day = f"{moment.year:04}-{moment.month:02}-{moment.day:02}"
    return f"{day}T{moment.hour:02}:{moment.minute:02}:{moment.second:02}.{moment.microsecond:06}Z"
