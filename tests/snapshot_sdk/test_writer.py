"""Lines in a file: private, whole, and none harmed by another."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from snapshot_sdk import Recorder, TraceFormatError, iter_records, read_requests

Files = Callable[[], list[Path]]

BODY = {"model": "m", "messages": [{"role": "user", "content": "hello"}]}


def test_files_are_private(recorder: Recorder, files: Files, tmp_path: Path) -> None:
    """Only the user can read what was recorded, whatever the umask."""
    before = os.umask(0)
    try:
        recorder.snapshot(BODY)
    finally:
        os.umask(before)
    (path,) = files()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_torn_line_harms_only_itself(
    recorder: Recorder, swallowing: None, files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a write that stopped half-way the next record begins on its own line."""
    recorder.snapshot(BODY)
    real = os.write
    calls: list[int] = []

    def tearing(fd: int, data: Any) -> int:
        calls.append(len(data))
        if len(calls) > 1:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(fd, data[:10])

    monkeypatch.setattr(os, "write", tearing)
    recorder.snapshot({"messages": ["lost"]})
    monkeypatch.setattr(os, "write", real)
    recorder.snapshot({"messages": ["kept"]})
    (path,) = files()
    assert [request.body() for _, request in read_requests(path, strict=False)] == [BODY, {"messages": ["kept"]}]
    assert recorder.losses == 1
    with pytest.raises(TraceFormatError, match="line 3"):
        list(iter_records(path))


def test_short_writes_are_completed(
    recorder: Recorder, requests: Callable[[], list[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A system that takes a few bytes at a time gets the rest after."""
    real = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: real(fd, data[:7]))
    recorder.snapshot(BODY)
    assert requests()[0].request.body() == BODY
