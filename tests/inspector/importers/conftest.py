"""Logs of other tools in small, and the way back from trace files to requests."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from snapshot_sdk.reading import read_requests

ROOT = Path(__file__).parents[3]

sys.path.append(str(Path(__file__).with_name("support")))  # what several test files are made of


@pytest.fixture
def realdata() -> Path:
    """The shared real files, which are not part of the repository."""
    folder = Path(os.environ.get("CONTEXT_INSPECTOR_REALDATA") or ROOT.parent / "shared" / "realdata")
    if not folder.is_dir():
        pytest.skip(f"the shared real files are not at {folder} (set CONTEXT_INSPECTOR_REALDATA)")
    return folder


@pytest.fixture
def write_json(tmp_path: Path) -> Callable[..., Path]:
    """Write a value as a JSON file below ``logs`` and give its path."""

    def write(name: str, value: Any) -> Path:
        path = tmp_path / "logs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
        return path

    return write


@pytest.fixture
def write_lines(tmp_path: Path) -> Callable[..., Path]:
    """Write values, or raw lines, as a JSONL file below ``logs`` and give its path."""

    def write(name: str, *lines: Any) -> Path:
        path = tmp_path / "logs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.fixture
def requests_in() -> Callable[[Path], list[tuple[dict[str, Any], Any]]]:
    """Give each snapshot record of a directory, in order of files and lines, with its restored body."""

    def read(directory: Path) -> list[tuple[dict[str, Any], Any]]:
        found = []
        for file in sorted(directory.glob("*/*.jsonl")):
            found += [(record, request.body()) for record, request in read_requests(file)]
        return found

    return read


@pytest.fixture
def records_in() -> Callable[..., list[dict[str, Any]]]:
    """Give the records of one type in a directory."""

    def read(directory: Path, kind: str) -> list[dict[str, Any]]:
        lines = [line for file in sorted(directory.glob("*/*.jsonl")) for line in file.read_bytes().splitlines()]
        return [record for record in map(json.loads, lines) if record["type"] == kind]

    return read
