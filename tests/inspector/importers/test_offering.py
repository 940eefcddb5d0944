"""Facts about what is found in a folder that somebody wants to look at."""

from __future__ import annotations

import gzip
import json
import shlex
from collections.abc import Callable
from pathlib import Path

from inspector.importers import import_paths
from inspector.importers.offering import Offer, look_at

BODY = {"model": "m", "messages": [{"role": "user", "content": "x"}]}
PI = {"type": "session", "id": "s", "cwd": "/"}
CODEX = {"timestamp": "2026-01-01T00:00:00Z", "type": "session_meta", "payload": {"id": "x"}}


def test_logs_are_counted_by_format(write_json: Callable[..., Path], write_lines: Callable[..., Path]) -> None:
    """A folder of logs of several tools says how many of each; what is none of them does not count."""
    write_lines("one.jsonl", PI, PI)
    write_lines("two.jsonl", PI)
    write_lines("deep/rollout.jsonl", CODEX)
    folder = write_json("other.json", {"a": 1}).parent
    found = look_at(folder)

    assert (found.traces, found.logs, found.more) == (False, {"pi": 2, "codex": 1}, False)
    assert found.words == "3 files: 2 pi, 1 codex"


def test_traces_and_logs_are_told_apart(write_json: Callable[..., Path], tmp_path: Path) -> None:
    """Traces beside logs are seen, and count as no logs."""
    log = write_json("body.json", BODY)
    import_paths([log], log.parent / "traces")

    both = look_at(log.parent)
    assert (both.traces, both.logs) == (True, {"bodies": 1})
    only = look_at(log.parent / "traces")
    assert (only.traces, only.logs) == (True, {})


def test_nothing_is_found_in_an_empty_folder(tmp_path: Path) -> None:
    """Neither traces nor logs, and no reason to give."""
    assert look_at(tmp_path) == Offer(tmp_path, traces=False, logs={}, more=False, reason=None)


def test_unknown_file_gives_its_reason(write_json: Callable[..., Path]) -> None:
    """A file that is no log says why not."""
    found = look_at(write_json("x.json", {"a": 1}))

    assert found.reason is not None
    assert found.reason.startswith("not recognised: JSON, 8 bytes: an object with `a`")


def test_large_folder_is_not_read_to_its_end(write_json: Callable[..., Path]) -> None:
    """After so many files it is said that there are more."""
    paths = [write_json(f"{n}.json", BODY) for n in range(5)]
    found = look_at(paths[0].parent, most=3)

    assert (found.more, found.words) == (True, "at least 3 files: 3 bodies")


def test_command_can_be_pasted(write_json: Callable[..., Path]) -> None:
    """Names with blanks and quotes are quoted, and the traces are named for the log."""
    path = write_json("my run's.v2.json", BODY)
    found = look_at(path)

    assert str(found.out) == "my run's-traces"
    assert shlex.split(found.command()) == [
        "context-inspector", "import", "auto", str(path), "--out", "my run's-traces",
    ]  # fmt: skip


def test_packed_logs_are_logs(tmp_path: Path) -> None:
    """A log packed with gzip is offered as one."""
    (tmp_path / "a.json.gz").write_bytes(gzip.compress(json.dumps(BODY).encode()))

    assert look_at(tmp_path).logs == {"bodies": 1}
