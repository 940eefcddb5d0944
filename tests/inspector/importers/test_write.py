"""Facts about imported sessions as trace files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from inspector.errors import CannotWriteError
from inspector.importers.base import ImportedAnswer, ImportedCall, ImportedCompaction, ImportedSession
from inspector.importers.write import TraceDirectory
from snapshot_sdk import Recorder

SENT = datetime(2025, 1, 2, 3, 4, 5, tzinfo=UTC)
ANSWERED = datetime(2025, 1, 2, 3, 4, 7, tzinfo=UTC)
BODY = {"model": "m", "messages": [{"role": "user", "content": "x" * 300}], "temperature": 0.5}
ANSWER = ImportedAnswer({"id": "r1", "choices": [{"message": {"role": "assistant", "content": "y"}}]}, time=ANSWERED)
CALLS = (
    ImportedCall(BODY, time=SENT, answer=ANSWER),
    ImportedCall('{"messages": [ {"role":"user","content":"1.0"} ],"n":1.0}', "rebuilt", ("tools",)),
)


def session(name: str = "run", digest: str = "sha256:" + "a" * 32, calls: Any = CALLS) -> ImportedSession:
    """A session of two calls."""
    return ImportedSession(name, "bodies", "run.jsonl", digest, lambda: iter(calls), window=1000, meta={"k": 1})


def contents(directory: Path) -> dict[str, bytes]:
    """Give every file of a directory."""
    return {str(path.relative_to(directory)): path.read_bytes() for path in directory.rglob("*") if path.is_file()}


def test_bodies_come_back_whole(tmp_path: Path, requests_in: Callable[..., Any]) -> None:
    """What was imported is restored with its keys in their order, marked, with what is missing."""
    TraceDirectory(tmp_path).write(session())
    (first, body), (second, text) = requests_in(tmp_path)

    assert list(body.items()) == list(BODY.items())
    assert (first["exact"], first.get("missing")) == ("imported", None)
    assert text == {"messages": [{"role": "user", "content": "1.0"}], "n": 1.0}
    assert (second["exact"], second["missing"]) == ("rebuilt", ["tools"])


def test_header_says_where_it_comes_from(tmp_path: Path, records_in: Callable[..., Any]) -> None:
    """The header names format, source and digest, never a path."""
    TraceDirectory(tmp_path).write(replace(session(), repairs=("mended",)))
    [header] = records_in(tmp_path, "header")

    assert header["imported"] == {
        "format": "bodies", "source": "run.jsonl", "digest": "sha256:" + "a" * 32,
        "times": "log", "repairs": ["mended"],
    }  # fmt: skip
    assert (header["session"], header["window"], header["meta"]) == ("run", 1000, {"k": 1})


def test_times_are_those_of_the_log(tmp_path: Path, records_in: Callable[..., Any]) -> None:
    """Calls and answers have the log's own times; without one the clock moves on by a second."""
    TraceDirectory(tmp_path).write(session())

    assert [record["time"] for record in records_in(tmp_path, "snapshot")] == [
        "2025-01-02T03:04:05.000000Z",
        "2025-01-02T03:04:08.000000Z",
    ]
    assert [record["time"] for record in records_in(tmp_path, "response")] == ["2025-01-02T03:04:07.000000Z"]


def test_unknown_http_status_stays_unknown(tmp_path: Path, records_in: Callable[..., Any]) -> None:
    """No status is made up for an answer whose log names none."""
    TraceDirectory(tmp_path).write(session())
    [response] = records_in(tmp_path, "response")

    assert (response["status"], response["complete"], response["response_id"]) == (None, True, "r1")


def test_error_is_an_answer_that_is_not_complete(tmp_path: Path, records_in: Callable[..., Any]) -> None:
    """A failed call has its status and error."""
    failed = ImportedCall(BODY, answer=ImportedAnswer(None, status=429, error="rate_limit: slow"))
    TraceDirectory(tmp_path).write(session(calls=(failed,)))
    [response] = records_in(tmp_path, "response")

    assert (response["status"], response["error"], response["complete"]) == (429, "rate_limit: slow", False)
    assert response["messages"] == []


def test_same_log_gives_the_same_bytes(tmp_path: Path) -> None:
    """Two imports into two directories are identical, names and bytes."""
    for name in ("one", "two"):
        TraceDirectory(tmp_path / name).write(session())

    assert contents(tmp_path / "one") == contents(tmp_path / "two")
    assert len(contents(tmp_path / "one")) == 1


def test_log_that_is_there_is_not_written_again(tmp_path: Path) -> None:
    """A digest that the directory holds is said, also by a later run."""
    TraceDirectory(tmp_path).write(session())
    before = contents(tmp_path)
    written = TraceDirectory(tmp_path).write(session("another name"))

    assert (written.outcome, written.session, written.calls) == ("already imported", "run", 0)
    assert contents(tmp_path) == before


def test_other_log_of_that_name_gets_a_name_of_its_own(tmp_path: Path) -> None:
    """A log that changed is written beside the earlier import."""
    traces = TraceDirectory(tmp_path)
    traces.write(session())
    before = contents(tmp_path)
    written = traces.write(session(digest="sha256:" + "b" * 32))

    assert (written.session, written.outcome) == ("run@bbbbbbbb", "imported")
    assert before.items() <= contents(tmp_path).items()


def test_force_replaces_an_import(tmp_path: Path, records_in: Callable[..., Any]) -> None:
    """With force the changed log takes the place of the earlier import."""
    TraceDirectory(tmp_path).write(session())
    later = session(digest="sha256:" + "b" * 32, calls=(*CALLS, ImportedCall(BODY)))
    written = TraceDirectory(tmp_path, force=True).write(later)

    assert (written.session, written.outcome) == ("run", "replaced")
    assert len(records_in(tmp_path, "snapshot")) == 3
    assert len(contents(tmp_path)) == 1


def test_force_never_replaces_a_recording(tmp_path: Path) -> None:
    """A session that was recorded is the user's: it stays."""
    with Recorder(tmp_path, session="run") as recorder:
        recorder.snapshot(BODY)
    before = contents(tmp_path)
    written = TraceDirectory(tmp_path, force=True).write(session())

    assert written.session == "run@aaaaaaaa"
    assert before.items() <= contents(tmp_path).items()


def test_broken_log_leaves_nothing_behind(tmp_path: Path) -> None:
    """When reading fails in the middle, no half session and no staging folder is left."""

    def calls() -> Iterator[ImportedCall]:
        yield CALLS[0]
        raise KeyError("messages")

    with pytest.raises(KeyError):
        TraceDirectory(tmp_path).write(replace(session(), calls=calls))
    assert list(tmp_path.iterdir()) == []


def test_interrupt_leaves_nothing_behind(tmp_path: Path) -> None:
    """Ctrl-C in the middle leaves no half session."""

    def stop() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        TraceDirectory(tmp_path).write(session(), stop)
    assert list(tmp_path.iterdir()) == []


def test_directory_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    """A file in the way is an error with its path."""
    (tmp_path / "file").write_text("")
    with pytest.raises(CannotWriteError) as caught:
        TraceDirectory(tmp_path / "file" / "traces").write(session())
    assert caught.value.path == tmp_path / "file" / "traces"


def test_lanes_and_turns_of_the_log_are_kept(tmp_path: Path, records_in: Callable[..., Any]) -> None:
    """A lane and a turn the log names are recorded; without, there is no turn."""
    calls = (ImportedCall(BODY, lane="judge", turn=7), ImportedCall(BODY))
    TraceDirectory(tmp_path).write(session(calls=calls))

    assert [(r["lane"], r["turn"]) for r in records_in(tmp_path, "snapshot")] == [("judge", 7), ("main", None)]


def test_compaction_of_the_log_is_recorded(tmp_path: Path, records_in: Callable[..., Any]) -> None:
    """A compaction stands between its calls, in its lane and turn, with both sides and the log's figures."""
    messages = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]
    compaction = ImportedCompaction(
        "summary", messages, messages[1:], "compact", "auto", lane="sub", turn=3, time=ANSWERED, tokens_before=900
    )
    written = TraceDirectory(tmp_path).write(session(calls=(CALLS[0], compaction, CALLS[1])))
    [record] = records_in(tmp_path, "compaction")

    assert (record["lane"], record["turn"], record["strategy"], record["policy"]) == ("sub", 3, "summary", "compact")
    assert (record["tokens_before"], record["reason"], record["time"]) == (900, "auto", "2025-01-02T03:04:07.000000Z")
    assert [sum(count for _, count in record[side]) for side in ("before", "after")] == [2, 1]
    assert written.calls == 2
