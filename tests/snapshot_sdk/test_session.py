"""The files of a session: folder, parts, descriptors."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from snapshot_sdk import Recorder, iter_records

Records = Callable[..., list[dict[str, Any]]]
Files = Callable[[], list[Path]]

BODY = {"model": "m", "messages": [{"role": "user", "content": "hello"}]}


def test_a_removed_directory_is_made_again(recorder: Recorder, tmp_path: Path, records: Records) -> None:
    """Removing the traces under a running agent loses only what was in them."""
    recorder.snapshot(BODY)
    shutil.rmtree(tmp_path)
    recorder.snapshot(BODY)
    assert [record["type"] for record in records()] == ["header", "snapshot"]
    assert len(records("snapshot")[0]["blobs"]) == 1


def test_rotation(tmp_path: Path, files: Files, requests: Callable[[], list[Any]], records: Records) -> None:
    """A file that has grown over the limit is followed by another that stands on its own."""
    bodies = [{"messages": [{"n": n, "x": "y" * 300} for n in range(k)]} for k in range(1, 12)]
    with Recorder(tmp_path, session="s", rotate_bytes=3000) as recorder:
        for body in bodies:
            recorder.snapshot(body)
    headers = records("header")
    assert len(headers) == len(files()) > 2
    assert sorted(header["part"] for header in headers) == list(range(len(headers)))
    assert len({header["writer"] for header in headers}) == 1
    assert sorted((request.body() for _, request in requests()), key=str) == sorted(bodies, key=str)
    for path in files():
        assert next(iter_records(path))["type"] == "header"


def test_many_sessions_take_few_descriptors(tmp_path: Path, requests: Callable[[], list[Any]], files: Files) -> None:
    """Sessions used long ago give their file back, and go on in the same one."""
    descriptors = Path("/proc/self/fd")
    before = len(list(descriptors.iterdir())) if descriptors.exists() else None
    with Recorder(tmp_path, session="s") as recorder:
        for _ in range(2):
            for number in range(100):
                with recorder.session(f"s{number}"):
                    recorder.snapshot(BODY)
        if before is not None:
            assert len(list(descriptors.iterdir())) <= before + 66
    assert len(files()) == 100
    assert len(requests()) == 200


def test_records_after_close_are_kept(tmp_path: Path, records: Records, files: Files) -> None:
    """A late answer opens the file again."""
    recorder = Recorder(tmp_path, session="s")
    recorder.snapshot(BODY)
    recorder.close()
    recorder.response(response_id="late")
    recorder.close()
    assert [record["type"] for record in records()] == ["header", "snapshot", "response"]
    assert len(files()) == 1


def test_session_folders_are_readable_and_distinct(tmp_path: Path, files: Files) -> None:
    """Hostile session ids stay inside the directory, and two that look alike get two folders."""
    with Recorder(tmp_path, session="s") as recorder:
        for session in ("../../etc", "a/b", "a b", "订单 4711", "\ud800", "x" * 500, "..", "CON\x00"):
            with recorder.session(session):
                recorder.snapshot(BODY)
    assert len({path.parent for path in files()}) == 8
    assert all(path.parent.parent == tmp_path for path in files())
    assert any(path.parent.name.startswith("订单-4711-") for path in files())
