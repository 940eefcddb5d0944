"""Facts about logs that are packed with gzip."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inspector.importers import import_paths
from inspector.importers.offering import look_at
from inspector.importers.reading import limits
from inspector.importers.reading.unpacking import Unpacked

BODY = {"model": "m", "messages": [{"role": "user", "content": "x"}]}


def packed(path: Path, *values: Any) -> Path:
    """Write values as lines of a packed file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress("".join(json.dumps(value) + "\n" for value in values).encode()))
    return path


def test_packed_log_is_the_log(tmp_path: Path, write_lines: Callable[..., Path]) -> None:
    """It is read, named without its ending, and is the same log as its unpacked copy."""
    first = import_paths([packed(tmp_path / "logs" / "run.jsonl.gz", BODY, BODY)], tmp_path / "out")
    again = import_paths([write_lines("run.jsonl", BODY, BODY)], tmp_path / "out")

    assert [(session.session, session.calls, session.source) for session in first.sessions] == [("run", 2, "run.jsonl")]
    assert [session.outcome for session in again.sessions] == ["already imported"]


def test_packed_logs_of_a_folder_are_found_and_are_one_session(tmp_path: Path) -> None:
    """Files of one body each are named for the folder they lie in, packed as well."""
    packed(tmp_path / "night" / "a.json.gz", BODY)
    packed(tmp_path / "night" / "b.json.gz", BODY)
    summary = import_paths([tmp_path / "night"], tmp_path / "out")

    assert [(session.session, session.calls) for session in summary.sessions] == [("night", 2)]


def test_what_was_unpacked_of_a_damaged_file_is_read(tmp_path: Path) -> None:
    """A packed file that breaks off costs its end, and is said under its own name."""
    path = packed(tmp_path / "run.jsonl.gz", *({**BODY, "user": f"{n * 7919:x}"} for n in range(5_000)))
    path.write_bytes(path.read_bytes()[:-4_000])
    summary = import_paths([path], tmp_path / "out")

    assert 1_000 < summary.calls < 5_000
    assert summary.problems[0].source == str(path)
    assert "damaged" in summary.problems[0].reason
    assert {problem.source for problem in summary.problems} == {str(path)}


def test_unpacked_files_are_gone_afterwards(tmp_path: Path) -> None:
    """They live as long as the import."""
    with Unpacked() as unpacked:
        opened = unpacked.open(packed(tmp_path / "a.gz", BODY))
        assert opened.path.is_file()
        assert unpacked.packed(str(opened.path)) == str(tmp_path / "a.gz")

    assert not opened.path.exists()


def test_other_files_stay_where_they_are(tmp_path: Path) -> None:
    """What is not packed is read in place, whatever its name."""
    path = tmp_path / "plain.gz"
    path.write_text("{}")
    with Unpacked() as unpacked:
        assert unpacked.open(path) == (path, None)


def test_bomb_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A packed file that unpacks to what no log does is refused by its name, and costs no other file."""
    monkeypatch.setattr(limits, "RATIO_FROM", 20_000)
    bomb = packed(tmp_path / "a.jsonl.gz", {**BODY, "user": "x" * 500_000})
    summary = import_paths([bomb, packed(tmp_path / "b.jsonl.gz", BODY)], tmp_path / "out")

    [problem] = summary.problems
    assert (problem.source, "200 times its size" in problem.reason) == (str(bomb), True)
    assert (summary.calls, look_at(bomb).reason) == (1, problem.reason)


def test_text_that_repeats_itself_is_no_bomb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A log whose lines repeat a long prompt word for word stays below the ratio."""
    monkeypatch.setattr(limits, "RATIO_FROM", 0)
    prompt = "".join(f"{number * 7919:x} " for number in range(2_000))
    values = [{**BODY, "user": f"{number} {prompt}"} for number in range(200)]

    assert import_paths([packed(tmp_path / "a.jsonl.gz", *values)], tmp_path / "out").calls == 200


def test_bytes_unpacked_have_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However little a file is packed, no more than the most is written to disk; what stands before is read."""
    monkeypatch.setattr(limits, "MOST_UNPACKED", 200_000)
    values = [{**BODY, "user": f"{number * 7919:x}"} for number in range(5_000)]
    summary = import_paths([packed(tmp_path / "a.jsonl.gz", *values)], tmp_path / "out")

    assert 500 < summary.calls < 5_000
    assert "more than the 0 MiB that are read: only what stands before" in summary.problems[0].reason
