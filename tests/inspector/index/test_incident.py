"""The line in the header of a sample that says what went wrong in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inspector.index import open_index
from snapshot_sdk import Recorder

BODY = {"model": "gpt-4.1", "messages": [{"role": "user", "content": "Hello"}]}


@pytest.mark.parametrize(
    ("meta", "incident"),
    [
        ({"origin": "sample", "sample": "a rule is lost"}, "a rule is lost"),
        ({"origin": "sample"}, None),
        ({"origin": "sample", "sample": 7}, None),
        ({"sample": "of tea"}, None),
        ({"origin": ["sample"], "sample": "of tea"}, None),
        (None, None),
    ],
)
def test_only_a_sample_has_an_incident(tmp_path: Path, meta: dict[str, Any] | None, incident: str | None) -> None:
    """Only a header that calls itself a sample is asked for the line, and only a text is one."""
    with Recorder(tmp_path, session="s", meta=meta) as recorder:
        recorder.snapshot(BODY, api="openai.chat")
    with open_index(tmp_path) as index:
        index.refresh()
        (row,) = index.sessions()

    assert row.incident == incident
