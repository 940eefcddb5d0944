"""Records whose fields are not what their type says."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest

from inspector.index import Index, open_index
from inspector.index.refresh import Refresher
from inspector.index.shapes import find_fault
from snapshot_sdk import Recorder
from snapshot_sdk.reading import iter_records

HOSTILE = [
    ("label", "seq", 10**30),
    ("snapshot", "seq", 2**31),
    ("snapshot", "blobs", [{"n": float("nan"), "wire": "x", "value": 1}]),
    ("snapshot", "blobs", [{"n": 2**40, "wire": "x", "value": 1}]),
    ("response", "status", 10**12),
    ("snapshot", "body", ""),
    ("response", "messages", ["claude"]),
    ("response", "messages", [[{}, 1]]),
    ("response", "messages", [[["a"], 1]]),
    ("response", "messages", [[0, 10**10]]),
    ("snapshot", "style", ["compact"]),
    ("snapshot", "style", 1e308),
    ("snapshot", "turn", {"n": 1}),
    ("snapshot", "model", 7),
    ("snapshot", "model", {"name": "gpt"}),
    ("snapshot", "body", {"messages": {"items": [[0, 40_000_000], [0, -40_000_000]]}}),
    ("snapshot", "body", {"messages": {"items": [[-1, 10**18, 1]]}}),
    ("pin", "reason", {"why": 1}),
    ("compaction", "before", [[0, 10**10]]),
    ("event", "data", []),
]
"""Type of the record, field, value: each once made a whole directory unreadable, or could."""


def record_all(directory: Path, session: str) -> Path:
    """Record one of each kind of record; returns the file."""
    with Recorder(directory, session=session) as recorder:
        message = {"role": "user", "content": "订单号是 ORD-2024-001"}
        recorder.label("ORD-2024-001", layer="state")
        recorder.pin("ORD-2024-001", reason="id")
        recorder.snapshot({"model": "gpt-4.1", "messages": [message]}, api="openai.chat")
        recorder.response(messages=[{"role": "assistant", "content": "Good."}])
        recorder.compaction(before=[message], after=[], strategy="trim")
        recorder.event("state", before={}, after={})
        recorder.snapshot({"model": "gpt-4.1", "messages": [message, message]}, api="openai.chat")
    (path,) = (path for path in directory.rglob("*.jsonl") if session in path.parent.name)
    return path


def change(path: Path, kind: str, field: str, value: Any) -> None:
    """Set a field of the first record of a kind."""
    lines = path.read_text("utf-8").splitlines()
    at = next(n for n, line in enumerate(lines) if json.loads(line)["type"] == kind)
    lines[at] = json.dumps(json.loads(lines[at]) | {field: value})
    path.write_text("\n".join(lines) + "\n", "utf-8")


@pytest.mark.parametrize(("kind", "field", "value"), HOSTILE)
def test_a_field_of_the_wrong_kind_costs_its_line_only(tmp_path: Path, kind: str, field: str, value: Any) -> None:
    """The rest of the file and every other session are read; the line is listed."""
    record_all(tmp_path, "sound")
    change(record_all(tmp_path, "hurt"), kind, field, value)
    with open_index(tmp_path) as index:
        index.refresh()
        calls = {session: len(index.calls(session)) for session in ("sound", "hurt")}
        errors = index.line_errors()

    assert calls == {"sound": 2, "hurt": 1 if kind == "snapshot" else 2}
    assert ["hurt" in error.file for error in errors] == [True]


def test_what_the_recorder_writes_is_sound(tmp_path: Path) -> None:
    """The check and the writer share one definition, so it never refuses a real record."""
    records = list(iter_records(record_all(tmp_path, "s")))

    assert [find_fault(record) for record in records] == [None] * len(records)


def test_a_bad_field_of_the_header_is_left_out(tmp_path: Path) -> None:
    """The session keeps its name; the field is unknown, and named among the damaged lines."""
    change(record_all(tmp_path, "s"), "header", "budgets", "many")
    with open_index(tmp_path) as index:
        index.refresh()

        assert [row.session for row in index.sessions()] == ["s"]
        assert "budgets" in index.line_errors()[0].reason


def test_a_fault_no_check_foresaw_costs_its_file_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file is left out with the reason; the others are read."""
    record_all(tmp_path, "sound")
    record_all(tmp_path, "hurt")
    put = Refresher.put

    def fail(self: Refresher, state: Any, *rest: Any) -> None:
        if "hurt" in state.path and not state.refused:
            raise KeyError("unforeseen")
        put(self, state, *rest)

    monkeypatch.setattr(Refresher, "put", fail)
    with open_index(tmp_path) as index:
        index.refresh()

        assert [row.session for row in index.sessions()] == ["sound"]
        assert "unforeseen" in index.line_errors()[0].reason


def test_a_refresh_in_the_background_says_why_it_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever ends the thread stands in the note of the index."""
    record_all(tmp_path, "s")
    index: Index = open_index(tmp_path)
    monkeypatch.setattr(Refresher, "run", lambda *_: (_ for _ in ()).throw(ValueError("no such luck")))
    index.refresh_in_background()
    for thread in threading.enumerate():
        if thread.name == "inspector-refresh":
            thread.join()
    index.close()

    assert "no such luck" in (index.state().note or "")
