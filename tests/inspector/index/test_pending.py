"""What a refresh would have to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.index import Index, open_index
from inspector.index.pending import Pending, find_pending
from snapshot_sdk import Recorder


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    """A directory with one session of one call."""
    traces = tmp_path / "traces"
    record(traces, "a")
    return traces


def record(traces: Path, session: str) -> None:
    """Record a call of a session."""
    with Recorder(traces, session=session) as recorder:
        recorder.snapshot({"model": "m", "messages": [{"role": "user", "content": "hello"}]}, api="openai.chat")


def pending(index: Index) -> Pending:
    """Ask an index what is to be done."""
    with index._cursor() as cursor:
        return find_pending(cursor, index.directory)


def test_a_new_file_is_to_be_read(recorded: Path) -> None:
    """All of it."""
    with open_index(recorded) as index:
        found = pending(index)

    assert [(state, one.size > 0) for one, state in found.work] == [(None, True)]
    assert found.progress().bytes_done == 0


def test_what_was_read_is_not_to_be_read_again(recorded: Path) -> None:
    """Nothing is to be done, and nothing that reads was made for the second look."""
    with open_index(recorded) as index:
        index.refresh()
    with open_index(recorded) as index:
        state = index.refresh()

        assert not pending(index)
        assert index._refresher is None
        assert (state.files, state.files_done, state.calls, state.running) == (1, 1, 1, False)


def test_a_file_that_went_is_to_be_dropped(recorded: Path) -> None:
    """And one that came is read, each once."""
    with open_index(recorded) as index:
        index.refresh()
        [old] = recorded.glob("*/*.jsonl")
        old.unlink()
        record(recorded, "b")

        found = pending(index)
        assert found.gone == (old.relative_to(recorded).as_posix(),)
        assert len(found.work) == 1

        index.refresh()
        assert [row.session for row in index.sessions()] == ["b"]
        assert not pending(index)
