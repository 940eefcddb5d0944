"""Answers kept as records beside the traces: ``<dir>/probes/<session>-<hash>.answers.jsonl``.

One line an answer, appended and flushed to the disk before the next question goes out; ``docs/probes.md`` describes
it. A probe never writes into a trace file. Whoever reads a line that is cut in the middle passes over it.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from inspector.errors import CannotWriteError
from inspector.probes.holding import held_file

FOLDER: Final = "probes"
"""Folder of the answers, in the directory of the traces."""
SUFFIX: Final = ".answers.jsonl"
"""Of their files; the index reads no such file as a trace."""
LOCK: Final = ".lock"
"""Added to the name of the empty file that is locked while a run asks."""
VERSION: Final = 1
"""Of a record: ``v``. A record of a newer version is passed over, and counted."""

Arm = Literal["as sent", "without the fact", "fact last", "repair", "judge"]
"""What was asked: the context as it was sent, or a control of it; ``judge``: no context, but a judge of an answer."""
ARMS: Final[tuple[Arm, ...]] = ("as sent", "without the fact", "fact last", "repair")
"""The ways a context is asked."""


@dataclass(frozen=True)
class AnswerRecord:
    """One answer to one question, or one failure to get one."""

    session: str
    call: int
    """Number of the call when it was asked; ``snapshot`` names the call for good."""
    snapshot: str
    probe: str
    """Id of the probe in its suite."""
    arm: Arm
    replicate: int
    """From 1."""
    request: str
    """Tagged hash of what was asked where."""
    question: str
    api: str
    endpoint: str
    """URL without query."""
    model: str | None
    time: str
    """ISO UTC, when the answer came."""
    answer: str | None
    """Text of the answer; None: there is none."""
    error: str | None = None
    """Why there is none. A failure is asked again by the next run."""
    usage: dict[str, Any] | None = None
    """As the provider gave it."""
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    """By the user's prices at that time; None: unknown."""
    duration_ms: float | None = None
    attempts: int = 1
    notes: tuple[str, ...] = field(default=())
    """What differed from the stored request beside the question."""
    judged: str | None = None
    """Of what a judge said: tagged hash of question, expectation and answer; None: it is no judgement."""


def answers_file(directory: Path, session: str) -> Path:
    """Return where the answers of a session are kept.

    Args:
        directory: Of the traces.
        session: Its id.
    """
    readable = re.sub(r"[^A-Za-z0-9._-]+", "-", session).strip("-.")[:60] or "session"
    digest = hashlib.sha256(session.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return directory / FOLDER / f"{readable}-{digest}{SUFFIX}"


def read_answers(file: Path) -> Iterator[AnswerRecord]:
    """Read the answers of a file in their order; a file that is not there has none.

    Args:
        file: As :func:`answers_file` names it.
    """
    try:
        data = file.read_bytes()
    except FileNotFoundError:
        return
    for line in data.split(b"\n"):
        record = _record(line)
        if record is not None:
            yield record


def _record(line: bytes) -> AnswerRecord | None:
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(data, dict) or data.get("type") != "answer" or data.get("v") != VERSION:
        return None
    names = AnswerRecord.__dataclass_fields__
    known = {key: value for key, value in data.items() if key in names}
    try:
        return AnswerRecord(**{**known, "notes": tuple(known.get("notes") or ())})
    except TypeError:
        return None  # a field that must be there is not


class AnswerStore:
    """The answers of one session: what is at hand, and where new ones go. Thread-safe."""

    def __init__(self, file: Path) -> None:
        """Read what is there.

        Args:
            file: As :func:`answers_file` names it; made at the first answer.
        """
        self.file = file
        self._lock = threading.Lock()
        self._known: dict[tuple[str, int], AnswerRecord] = {}
        self._read()

    def _read(self) -> None:
        for record in read_answers(self.file):
            if _is_answer(record):
                self._known[record.request, record.replicate] = record

    @contextmanager
    def held(self, give_up: Callable[[], bool], waiting: Callable[[], None] = lambda: None) -> Iterator[bool]:
        """Hold the answers while something is asked: of two runs at once the second waits, and asks nothing anew.

        Args:
            give_up: Asked while it waits; True: it waits no longer.
            waiting: Told once where another run holds them.

        Yields:
            Whether they are held, or cannot be held here (a file system without locks); False: it was given up.
        """
        with held_file(self.file.with_name(self.file.name + LOCK), give_up, waiting) as held:
            if held:
                with self._lock:
                    self._read()  # what the other run was told meanwhile
            yield held

    def find(self, request: str, replicate: int) -> AnswerRecord | None:
        """Return the answer that is at hand; None: it must be asked for.

        Args:
            request: Tagged hash of the request.
            replicate: From 1.
        """
        with self._lock:
            return self._known.get((request, replicate))

    def add(self, record: AnswerRecord) -> None:
        """Write an answer down; when this returns it is on the disk.

        Args:
            record: The answer, or the failure.

        Raises:
            CannotWriteError: It cannot be written.
        """
        text = json.dumps({"v": VERSION, "type": "answer", **asdict(record)}, ensure_ascii=False, separators=(",", ":"))
        line = text.encode("utf-8", "backslashreplace") + b"\n"
        with self._lock:
            try:
                _append(self.file, line)
            except OSError as error:
                raise CannotWriteError(self.file, error.strerror or str(error)) from error
            if _is_answer(record):
                self._known[record.request, record.replicate] = record


def _is_answer(record: AnswerRecord) -> bool:
    """An empty answer is none: earlier versions kept such, they are asked again."""
    return record.answer is not None and bool(record.answer.strip())


def _append(file: Path, line: bytes) -> None:
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle = os.open(file, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        size = os.fstat(handle).st_size
        if size and os.pread(handle, 1, size - 1) != b"\n":
            line = b"\n" + line  # a killed run left a torn line: it harms only itself
        left = memoryview(line)
        while left:
            left = left[os.write(handle, left) :]  # a full disk may take a part of it and refuse the rest
        with suppress(OSError):  # some file systems cannot
            os.fsync(handle)
    finally:
        os.close(handle)


def latest(records: Iterator[AnswerRecord]) -> Mapping[tuple[str, int, Arm], tuple[AnswerRecord, ...]]:
    """Group answers by question, call and arm: of each replicate the latest, of the latest request.

    By the question's words and not by the probe's id: what a probe expects may change without asking again.

    Args:
        records: In the order of the file.
    """
    grouped: dict[tuple[str, int, Arm], dict[int, AnswerRecord]] = {}
    for record in records:
        group = grouped.setdefault((record.question, record.call, record.arm), {})
        if any(one.request != record.request for one in group.values()):
            group.clear()  # the question or the server is another now
        before = group.get(record.replicate)
        if record.answer is not None or before is None or before.answer is None:
            group[record.replicate] = record
    return {key: tuple(group[n] for n in sorted(group)) for key, group in grouped.items()}
