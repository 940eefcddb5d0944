"""The committed samples are what the generator makes."""

from __future__ import annotations

from pathlib import Path

import pytest

from sample_data import TRACES
from sample_data.generate import SCENARIOS, generate, main


def contents(directory: Path) -> dict[str, bytes]:
    """Return every trace file below a directory, by its path."""
    return {path.relative_to(directory).as_posix(): path.read_bytes() for path in directory.rglob("*.jsonl")}


def test_the_committed_traces_are_generated_byte_for_byte(tmp_path: Path) -> None:
    """Generating anew gives the committed files: same names, same bytes."""
    generate(tmp_path / "traces")
    made, committed = contents(tmp_path / "traces"), contents(TRACES)

    assert sorted(made) == sorted(committed)
    assert [name for name in made if made[name] != committed[name]] == []
    assert len(made) == len(SCENARIOS)


def test_it_does_not_add_to_traces_that_are_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A second run into the same directory is refused and changes nothing."""
    assert main([str(tmp_path)]) == 0
    before = contents(tmp_path)

    assert main([str(tmp_path)]) == 1
    assert "nothing was written" in capsys.readouterr().err
    assert contents(tmp_path) == before
