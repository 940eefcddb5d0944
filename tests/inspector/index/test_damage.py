"""Damaged, growing, replaced, copied and foreign trace files."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inspector.index import Index, open_index
from snapshot_sdk import HoleError, Recorder

Agent = Callable[..., Any]
Open = Callable[..., Index]


def only_file(traces: Path) -> Path:
    """The one trace file of a directory."""
    (path,) = traces.rglob("*.jsonl")
    return path


def lines_of(path: Path) -> list[bytes]:
    """Lines with their newlines."""
    return path.read_bytes().splitlines(keepends=True)


def record_chat(traces: Path, agent: Agent, turns: int, session: str = "s") -> None:
    """A growing chat of so many turns."""
    with Recorder(traces, session=session) as recorder:
        chat = agent(recorder)
        for turn in range(turns):
            chat.ask(f"question {turn}", f"answer {turn}")


def test_a_file_read_line_by_line_gives_the_same_as_read_at_once(traces: Path, agent: Agent, opened: Open) -> None:
    """Every place to stop is a place to go on."""
    record_chat(traces, agent, 5)
    path = only_file(traces)
    whole = path.read_bytes()
    at_once = opened(rebuild=True)
    expected = [(call.id, call.composition, call.messages, call.previous, call.status) for call in at_once.calls("s")]
    at_once.close()

    path.write_bytes(b"")
    index = opened(rebuild=True)
    for end in (*range(1, len(whole), 397), len(whole)):
        path.write_bytes(whole[:end])
        index.refresh()

    found = [(call.id, call.composition, call.messages, call.previous, call.status) for call in index.calls("s")]
    assert found == expected
    assert index.line_errors() == ()


def test_an_index_opened_again_reads_only_what_is_new(traces: Path, agent: Agent, opened: Open) -> None:
    """A restart in the middle of a file goes on where it stopped, runs into older snapshots included."""
    record_chat(traces, agent, 6)
    path = only_file(traces)
    lines = lines_of(path)
    whole = [call.composition for call in opened().calls("s")]
    contents = [row.content for row in opened().call("s", 6).messages]
    for _ in range(2):
        path.unlink()
        opened().refresh()
        path.write_bytes(b"".join(lines[:5]))
        first = opened()
        first.close()
        path.write_bytes(b"".join(lines))
    index = opened()

    assert [call.composition for call in index.calls("s")] == whole
    assert [row.content for row in index.call("s", 6).messages] == contents
    assert json.loads(index.request_bytes("s", 6))["messages"][-1]["content"] == "question 5"


def test_nothing_new_changes_nothing(traces: Path, agent: Agent, opened: Open) -> None:
    """The version, by which pages cache, stays."""
    record_chat(traces, agent, 2)
    index = opened()
    version = index.version
    index.refresh()

    assert index.version == version


def test_a_torn_last_line_is_no_error(traces: Path, agent: Agent, opened: Open) -> None:
    """Its writer may still be at it."""
    record_chat(traces, agent, 2)
    path = only_file(traces)
    path.write_bytes(path.read_bytes()[:-30])
    index = opened()

    assert index.line_errors() == ()
    assert [call.status for call in index.calls("s")] == ["answered", "no answer"]


def test_a_lost_line_is_a_hole_in_the_messages_it_stored(traces: Path, agent: Agent, opened: Open) -> None:
    """Everything else of the later calls is shown; their bytes are not made up."""
    record_chat(traces, agent, 3)
    path = only_file(traces)
    lines = lines_of(path)
    (second,) = [n for n, line in enumerate(lines) if b"question 1" in line]
    lines[second] = lines[second][:40] + b"\n"
    path.write_bytes(b"".join(lines))
    index = opened()
    view = index.call("s", 2)

    assert len(index.calls("s")) == 2
    assert any(row.hole is not None for row in view.messages)
    assert view.messages[-1].message.text == "question 2"
    with pytest.raises(HoleError):
        index.request_bytes("s", 2)
    (error,) = index.line_errors()
    assert (error.line, error.recovered) == (second + 1, 0)
    assert error.byte >= len(b"".join(lines[:second]))


def test_a_duplicate_line_counts_once_and_is_said(traces: Path, agent: Agent, opened: Open) -> None:
    """A retried copy, for instance."""
    record_chat(traces, agent, 2)
    path = only_file(traces)
    lines = lines_of(path)
    path.write_bytes(b"".join([*lines[:3], *lines[1:]]))
    index = opened()

    assert len(index.calls("s")) == 2
    assert [error.reason for error in index.line_errors()] == [
        "a second record number 1: counted once",
        "a second record number 2: counted once",
    ]


def test_a_copied_file_counts_once(traces: Path, agent: Agent, opened: Open) -> None:
    """A backup beside the original brings no second history."""
    record_chat(traces, agent, 2)
    path = only_file(traces)
    shutil.copy(path, path.with_name("zz-backup.jsonl"))
    index = opened()

    assert len(index.calls("s")) == 2
    assert [error.file for error in index.line_errors()] == [f"{path.parent.name}/zz-backup.jsonl"]


def test_two_files_joined_into_one_are_two_sessions(traces: Path, agent: Agent, opened: Open) -> None:
    """Each header begins its own numbering."""
    record_chat(traces, agent, 2, "a")
    first = only_file(traces)
    record_chat(traces, agent, 3, "b")
    (second,) = [path for path in traces.rglob("*.jsonl") if path != first]
    first.write_bytes(first.read_bytes() + second.read_bytes())
    second.unlink()
    index = opened()

    assert {row.session: row.calls for row in index.sessions()} == {"a": 2, "b": 3}
    assert json.loads(index.request_bytes("b", 3))["messages"][-1]["content"] == "question 2"


def test_a_file_of_a_newer_format_is_refused_and_others_are_read(traces: Path, agent: Agent, opened: Open) -> None:
    """Both numbers are named; the refusal is not repeated when the file grows."""
    record_chat(traces, agent, 1)
    newer = traces / "new.jsonl"
    newer.write_text('{"v":7,"type":"header","seq":0}\n')
    index = opened()
    newer.write_text('{"v":7,"type":"header","seq":0}\n{"v":7,"type":"event","seq":1}\n')
    index.refresh()

    assert [(error.file, error.reason) for error in index.line_errors()] == [
        ("new.jsonl", "format 7, this reads up to 1: update context-inspector")
    ]
    assert len(index.calls("s")) == 1


def test_a_file_that_shrank_is_read_anew(traces: Path, agent: Agent, opened: Open) -> None:
    """What it no longer says is gone."""
    record_chat(traces, agent, 3)
    path = only_file(traces)
    index = opened()
    path.write_bytes(b"".join(lines_of(path)[:3]))
    index.refresh()

    assert len(index.calls("s")) == 1


def test_a_file_with_another_head_is_read_anew(traces: Path, agent: Agent, opened: Open) -> None:
    """Even if it is longer: another file under the old name."""
    record_chat(traces, agent, 1)
    path = only_file(traces)
    index = opened()
    record_chat(traces, agent, 4, "other")
    (longer,) = [one for one in traces.rglob("*.jsonl") if one != path]
    longer.replace(path)
    index.refresh()

    assert {row.session: row.calls for row in index.sessions()} == {"other": 4}


def test_a_file_that_went_takes_its_calls_along(traces: Path, agent: Agent, opened: Open) -> None:
    """The trace files are the truth."""
    record_chat(traces, agent, 1)
    record_chat(traces, agent, 2, "t")
    index = opened()
    shutil.rmtree(next(path.parent for path in traces.rglob("*.jsonl") if path.parent.name.startswith("t-")))
    index.refresh()

    assert {row.session: row.calls for row in index.sessions()} == {"s": 1}
    assert index.calls("t") == ()


def test_files_of_one_session_are_ordered_by_time(traces: Path, agent: Agent, opened: Open) -> None:
    """An older file found later takes its place, and the numbers with it."""
    record_chat(traces, agent, 2)
    path = only_file(traces)
    aside = traces.parent / "aside.jsonl"
    path.rename(aside)
    record_chat(traces, agent, 1)
    index = opened()
    (late,) = index.calls("s")
    aside.rename(path)
    index.refresh()
    calls = index.calls("s")

    assert len(calls) == 3
    assert calls[-1].id == late.id
    assert [call.time for call in calls] == sorted(call.time for call in calls)


def test_a_file_without_header_belongs_to_its_folder(traces: Path, agent: Agent, opened: Open) -> None:
    """Its neighbours say which session that is."""
    record_chat(traces, agent, 1)
    path = only_file(traces)
    orphan = path.with_name("zz.jsonl")
    lines = lines_of(path)
    record_chat(traces, agent, 2)
    (other,) = [one for one in path.parent.glob("*.jsonl") if one != path]
    orphan.write_bytes(b"".join(lines_of(other)[1:]))
    other.unlink()
    path.write_bytes(b"".join(lines))
    index = opened()

    assert {row.session: row.calls for row in index.sessions()} == {"s": 3}
    assert any("no header" in error.reason for error in index.line_errors())


@pytest.mark.parametrize(
    "line",
    [
        '{"v":1,"type":"snapshot","seq":1}',
        '{"v":1,"type":"snapshot","seq":1,"time":"t","id":"i","lane":"m","exact":"values","body":[]}',
        '{"v":1,"type":"snapshot","seq":1,"time":"t","id":"i","lane":"m","exact":"values","style":"compact",'
        '"body":{"messages":{"items":[["a",2]]}},"blobs":[]}',
        '{"v":1,"type":"snapshot","seq":1,"time":"t","id":"i","lane":"m","exact":"values","style":"compact",'
        '"body":{"messages":{"items":[[0,99999999999]]}},"blobs":[]}',
        '{"v":1,"type":"snapshot","seq":1,"time":"t","id":"i","lane":"m","exact":"values","style":"odd",'
        '"body":{"messages":{"items":[[0,1]]}},"blobs":[{"n":0,"value":1}]}',
        '{"v":1,"type":"event","seq":"x","time":"t","kind":"k","lane":"m","data":{}}',
        '{"v":1,"type":"label","seq":1,"time":"t","target":"x"}',
        '{"v":1,"type":"pin","seq":1,"time":"t","pin":7,"target":{}}',
        '{"v":1,"type":"response","seq":1,"time":"t","snapshot":null}',
        '{"v":1,"type":"nothing we know","seq":1,"time":"t"}',
        '{"v":0,"type":"event","seq":1,"time":"t"}',
    ],
)
def test_a_record_of_the_wrong_shape_is_an_error_of_its_line(line: str, traces: Path, opened: Open) -> None:
    """JSON that lies about its type hurts nothing else."""
    header = '{"v":1,"type":"header","seq":0,"time":"2026-01-01T00:00:00.000000Z","session":"s","writer":"w","part":0}'
    event = '{"v":1,"type":"event","seq":9,"time":"t","kind":"k","lane":"main","data":{}}'
    (traces / "t.jsonl").write_text(f"{header}\n{line}\n{event}\n")
    index = opened()

    assert [error.line for error in index.line_errors()] == [2]
    assert len(index.events("s")) == 1


def test_a_cancelled_reading_goes_on_later(traces: Path, agent: Agent) -> None:
    """What was read stays."""
    record_chat(traces, agent, 1, "a")
    record_chat(traces, agent, 1, "b")
    with open_index(traces) as index:
        state = index.refresh(cancelled=lambda: True)
        partly = len(index.sessions())
        index.refresh()
        whole = len(index.sessions())

    assert not state.running
    assert partly == 1
    assert whole == 2


def test_progress_is_told_to_the_end(traces: Path, agent: Agent, opened: Open) -> None:
    """Files and bytes done reach their totals."""
    record_chat(traces, agent, 2, "a")
    record_chat(traces, agent, 2, "b")
    index = opened()
    told: list[Any] = []
    (traces / "new.jsonl").write_text("x\n")
    last = index.refresh(progress=told.append)

    assert told
    assert any(state.running for state in told)
    assert (last.files_done, last.bytes_done) == (last.files, last.bytes)
    assert not last.running
    assert last.calls == 4


def test_a_log_of_another_tool_among_the_traces_is_one_line(traces: Path, agent: Agent, opened: Open) -> None:
    """It is said once, with the way to read it, and not once for each of its lines."""
    record_chat(traces, agent, 2)
    (traces / "session.jsonl").write_text('{"type": "session", "id": "s"}\n' * 50)
    index = opened()

    [error] = index.line_errors()
    assert (error.file, error.line) == ("session.jsonl", 1)
    assert "context-inspector import" in error.reason
    assert len(index.calls("s")) == 2
