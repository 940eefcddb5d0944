"""What is said about a session: kept in the header, checked when the recorder is built."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from snapshot_sdk import Recorder

Records = Callable[..., list[dict[str, Any]]]

BODY = {"model": "m", "messages": [{"role": "user", "content": "hello"}]}


def test_header(tmp_path: Path, records: Records) -> None:
    """The header holds what was said about the session; session() overrides it."""
    with Recorder(tmp_path, session="s", agent="shop", window=1000, budget=800, threshold=0.7) as recorder:
        recorder.snapshot(BODY)
        with recorder.session("other", window=50, meta={"k": 1}):
            recorder.snapshot(BODY)
    headers = {record["session"]: record for record in records("header")}
    assert (headers["s"]["agent"], headers["s"]["window"], headers["s"]["threshold"]) == ("shop", 1000, 0.7)
    assert (headers["other"]["agent"], headers["other"]["window"], headers["other"]["meta"]) == ("shop", 50, {"k": 1})


def test_a_changed_header_begins_a_new_file(recorder: Recorder, records: Records) -> None:
    """Overrides on a session already open begin its next part; the same ones again do not."""
    for window in (10, 20, 20):
        with recorder.session("s", window=window):
            recorder.snapshot(BODY)
    assert sorted((record["part"], record["window"]) for record in records("header")) == [(0, 10), (1, 20)]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"window": 0}, ValueError),
        ({"window": "big"}, TypeError),
        ({"budget": True}, TypeError),
        ({"threshold": -0.5}, ValueError),
        ({"threshold": 1.5}, ValueError),
        ({"budgets": {"memory": -1}}, ValueError),
        ({"threshold": 10**400}, ValueError),
        ({"threshold": float("inf")}, ValueError),
        ({"threshold": float("nan")}, ValueError),
        ({"window": 2**53 + 1}, ValueError),
        ({"budget": 10**5000}, ValueError),
        ({"agent": 5}, TypeError),
        ({"budgets": 5}, TypeError),
        ({"meta": 5}, TypeError),
        ({"redact": 5}, TypeError),
        ({"session": 5}, TypeError),
        ({"rotate_bytes": 0}, ValueError),
        ({"nonsense": 1}, TypeError),
    ],
)
def test_bad_arguments_raise(tmp_path: Path, arguments: dict[str, Any], error: type[Exception]) -> None:
    """Construction is the one place that raises."""
    with pytest.raises(error):
        Recorder(tmp_path, **arguments)


def test_a_directory_that_cannot_be_made_raises(tmp_path: Path) -> None:
    """So does a path through a file."""
    (tmp_path / "file").touch()
    with pytest.raises(OSError):  # noqa: PT011 - which one differs between systems
        Recorder(tmp_path / "file" / "traces")
