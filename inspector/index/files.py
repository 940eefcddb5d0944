"""Finding trace files and telling whether they grew, were rewritten, or are others now."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from inspector.index.connect import FOLDER_NAME

SUFFIX: Final = ".jsonl"
ANSWERS: Final = ".answers.jsonl"
"""Answers to probes, which are kept beside the traces and are none."""
PROBES: Final = "probes/"
"""Folder beside the sessions where suites of probes are kept; one with a probe a line is named as traces are."""
EDGE: Final = 4096
"""Bytes hashed at the head of a file and before the place read to. Growth leaves both as they are."""
_HEADER: Final = re.compile(rb'\s*\{[^\n]*?"type"\s*:\s*"header"')
"""The first record of every trace file, and no line of a suite: a quote within a string has a backslash before it."""


@dataclass
class FileState:
    """A trace file and how far it was read."""

    file: int
    path: str
    """Below the traces directory, with ``/``."""
    size: int = 0
    mtime_ns: int = 0
    read_to: int = 0
    lines: int = 0
    head: str = ""
    tail: str = ""
    refused: bool = False
    section: int | None = None
    seen: list[int] = field(default_factory=list)
    """Sequence numbers seen in the section, as pairs of first and last."""


@dataclass(frozen=True)
class Found:
    """A trace file on disk."""

    path: str
    """Below the traces directory, with ``/``."""
    size: int
    mtime_ns: int


def find_files(directory: Path) -> list[Found]:
    """List the trace files below a directory, the most recently written session first.

    Inside a folder files come by name, which is by time: a session grows at its end. Hidden folders are
    left out, the index's own among them.
    """
    folders: dict[str, list[Found]] = {}
    for found in _walk(directory, ""):
        folders.setdefault(found.path.rpartition("/")[0], []).append(found)
    for files in folders.values():
        files.sort(key=lambda found: found.path)
    newest_first = sorted(folders.values(), key=lambda files: max(found.mtime_ns for found in files), reverse=True)
    return [found for files in newest_first for found in files]


def _walk(folder: Path, prefix: str) -> Iterator[Found]:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return  # gone or closed to us since its parent was listed
    for entry in entries:
        name = prefix + entry.name.encode("utf-8", "replace").decode("utf-8")
        try:
            if entry.is_dir(follow_symlinks=False):
                if not entry.name.startswith(".") and entry.name != FOLDER_NAME:
                    yield from _walk(Path(entry.path), name + "/")
            elif entry.name.endswith(SUFFIX) and not entry.name.endswith(ANSWERS) and entry.is_file():
                if prefix == PROBES and not _begins_as_trace(Path(entry.path)):
                    continue
                status = entry.stat()
                yield Found(name, status.st_size, status.st_mtime_ns)
        except OSError:
            continue  # removed between listing and looking


def _begins_as_trace(path: Path) -> bool:
    """Tell a trace that lies in the folder of suites from a suite: by what it begins with, a name says nothing."""
    with path.open("rb") as file:
        return _HEADER.match(file.read(EDGE)) is not None


def digest_edges(path: Path, read_to: int) -> tuple[str, str]:
    """Hash the head of a file and the bytes before the place it was read to."""
    with path.open("rb") as file:
        head = file.read(min(EDGE, read_to))
        file.seek(max(0, read_to - EDGE))
        tail = file.read(min(EDGE, read_to))
    return _digest(head), _digest(tail)


def is_same_file(state: FileState, found: Found, path: Path) -> bool:
    """Say whether what was read of a file still stands: it did not shrink, and its edges are the same."""
    if found.size < state.read_to:
        return False
    return digest_edges(path, state.read_to) == (state.head, state.tail)


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


class SeenNumbers:
    """The sequence numbers a section holds, kept as runs: a sound file is one run."""

    def __init__(self, pairs: list[int]) -> None:
        self._runs: list[tuple[int, int]] = list(zip(pairs[::2], pairs[1::2], strict=True))

    def add(self, number: int) -> bool:
        """Add a number; False if it was there."""
        if self._runs and number == self._runs[-1][1] + 1:
            self._runs[-1] = (self._runs[-1][0], number)
            return True
        if any(first <= number <= last for first, last in self._runs):
            return False
        self._runs.append((number, number))
        return True

    @property
    def pairs(self) -> list[int]:
        """The runs as a flat list, to be stored."""
        return [number for run in self._runs for number in run]
