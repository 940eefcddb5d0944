"""A recorder in a temporary directory, its files read back, and a seam whose clock and ids are fixed."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from snapshot_sdk import Recorder, iter_records, read_requests
from snapshot_sdk._seam import Seam
from snapshot_sdk.reading import ReadRequest


class FixedSeam(Seam):
    """Clock that ticks a second per look, one process, counted ids."""

    def __init__(self) -> None:
        self._ticks = itertools.count()
        self._ids = itertools.count(1)
        self._tokens = itertools.count(0xA0000001)

    def now(self) -> datetime:
        return datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC) + timedelta(seconds=next(self._ticks))

    def mono_ns(self) -> int:
        return next(self._ticks) * 1000

    def token(self) -> str:
        return f"{next(self._tokens):08x}"

    def pid(self) -> int:
        return 4711

    def uuid7(self) -> str:
        return f"01900000-0000-7000-8000-{next(self._ids):012d}"


@pytest.fixture(autouse=True)
def _faults_are_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    """The recorder's own faults fail a test instead of being counted."""
    monkeypatch.setenv("SNAPSHOT_SDK_RAISE", "1")


@pytest.fixture
def swallowing(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in production: faults are counted."""
    monkeypatch.delenv("SNAPSHOT_SDK_RAISE")


@pytest.fixture
def seam() -> FixedSeam:
    """Fixed clock and ids."""
    return FixedSeam()


@pytest.fixture
def recorder(tmp_path: Path) -> Iterator[Recorder]:
    """A recorder of the session ``s``."""
    with Recorder(tmp_path, session="s") as recorder:
        yield recorder


@pytest.fixture
def files(tmp_path: Path) -> Callable[[], list[Path]]:
    """The trace files, by name."""
    return lambda: sorted(tmp_path.rglob("*.jsonl"))


@pytest.fixture
def records(files: Callable[[], list[Path]]) -> Callable[..., list[dict[str, Any]]]:
    """The records of all files, of one type if given."""

    def read(kind: str | None = None) -> list[dict[str, Any]]:
        found = [record for path in files() for record in iter_records(path)]
        return [record for record in found if kind in (None, record["type"])]

    return read


@pytest.fixture
def requests(files: Callable[[], list[Path]]) -> Callable[[], list[ReadRequest]]:
    """The snapshots of all files with their requests."""
    return lambda: [found for path in files() for found in read_requests(path)]
