"""Logs as agents leave them: written, imported and indexed for a test."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from inspector.analysis.change_asking import trace_changes
from inspector.importers import ImportSummary, import_paths
from inspector.index import Index, open_index
from inspector.model.fates import Fate
from inspector.model.views import CallView


class Brought:
    """A log, imported and indexed."""

    def __init__(self, summary: ImportSummary, index: Index) -> None:
        self.summary = summary
        self.index = index
        self.session = summary.sessions[0].session if summary.sessions else ""

    def call(self, number: int = 1) -> CallView:
        """Open a call."""
        return self.index.call(self.session, number)

    def numbers(self) -> list[int]:
        """Numbers of the calls."""
        return [call.number for call in self.index.calls(self.session)]

    def text(self, number: int = 1) -> str:
        """All text of a call's prompt."""
        return "\n".join(part.text for row in self.call(number).messages for part in row.message.parts)

    def fates(self, call: int) -> list[Fate]:
        """What became, up to a call, of each message of the one before."""
        before = trace_changes(self.index, self.session).life.alignments[call].of_before()
        return [before[place].fate for place in sorted(before)]


Bring = Callable[..., Brought]


@pytest.fixture
def bring(tmp_path: Path) -> Iterator[Bring]:
    """Write values (or raw bytes) as the lines of a log, import and index it."""
    indexes: list[Index] = []

    def read(*lines: Any, end: bytes = b"\n") -> Brought:
        path = tmp_path / "run.jsonl"
        path.write_bytes(b"\n".join(one if isinstance(one, bytes) else json.dumps(one).encode() for one in lines) + end)
        summary = import_paths([path], tmp_path / "traces")
        index = open_index(tmp_path / "traces")
        index.refresh()
        indexes.append(index)
        assert index.line_errors() == ()
        return Brought(summary, index)

    yield read
    for index in indexes:
        index.close()
