"""The recorder: contexts, answers, faults, threads, tasks and forks."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import shutil
import stat
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from snapshot_sdk import Recorder, TraceFormatError, iter_records, read_requests
from snapshot_sdk._seam import Seam

Records = Callable[..., list[dict[str, Any]]]
Files = Callable[[], list[Path]]

BODY = {"model": "m", "messages": [{"role": "user", "content": "hello"}]}


def test_snapshot_fields(tmp_path: Path, seam: Seam, records: Records) -> None:
    """A snapshot carries its id, context, dialect, endpoint without query, model and caller."""
    with Recorder(tmp_path, session="s", _seam=seam) as recorder, recorder.turn(7), recorder.lane("judge", "judge"):
        first = recorder.snapshot(BODY, api="openai.chat", endpoint="https://x/v1/chat?key=secret#f")
        recorder.snapshot(BODY)
    one, two = records("snapshot")
    assert one["id"] == first == two["previous"]
    assert (one["turn"], one["lane"], one["lane_origin"], one["purpose"]) == (7, "judge", "given", "judge")
    assert (one["api"], one["endpoint"], one["model"], one["exact"]) == (
        "openai.chat",
        "https://x/v1/chat",
        "m",
        "values",
    )
    assert one["caller"].startswith("snapshot_sdk/test_recorder.py:")
    assert one["time"] == "2026-01-02T03:04:08.000000Z"
    assert two["blobs"] == []


def test_arguments_go_before_the_context(recorder: Recorder, records: Records) -> None:
    """Lane, turn, purpose and previous may be given per snapshot."""
    with recorder.turn(1), recorder.lane("a"):
        recorder.snapshot(BODY, lane="b", turn="t", purpose="p", previous="x", exact="rebuilt", missing=["tools"])
    (record,) = records("snapshot")
    given = {"lane": "b", "turn": "t", "purpose": "p", "previous": "x", "exact": "rebuilt", "missing": ["tools"]}
    assert {name: record[name] for name in given} == given


def test_default_lane_is_told(recorder: Recorder, records: Records) -> None:
    """A snapshot outside lane() says that its lane is the default."""
    recorder.snapshot(BODY)
    assert (records("snapshot")[0]["lane"], records("snapshot")[0]["lane_origin"]) == ("main", "default")


def test_turns_number_themselves(recorder: Recorder, records: Records) -> None:
    """turn() without a number takes the next one of the session."""
    for number in (None, None, 10, None):
        with recorder.turn(number):
            recorder.snapshot(BODY)
    recorder.snapshot(BODY)
    assert [record["turn"] for record in records("snapshot")] == [1, 2, 10, 11, None]


def test_header(tmp_path: Path, records: Records) -> None:
    """The header holds what was said about the session; session() overrides it."""
    with Recorder(tmp_path, session="s", agent="shop", window=1000, budget=800, threshold=0.7) as recorder:
        recorder.snapshot(BODY)
        with recorder.session("other", window=50, meta={"k": 1}):
            recorder.snapshot(BODY)
    headers = {record["session"]: record for record in records("header")}
    assert (headers["s"]["agent"], headers["s"]["window"], headers["s"]["threshold"]) == ("shop", 1000, 0.7)
    assert (headers["other"]["agent"], headers["other"]["window"], headers["other"]["meta"]) == ("shop", 50, {"k": 1})


def test_a_changed_header_begins_a_new_file(recorder: Recorder, records: Records) -> None:
    """Overrides on a session already open begin its next part; the same ones again do not."""
    for window in (10, 20, 20):
        with recorder.session("s", window=window):
            recorder.snapshot(BODY)
    assert sorted((record["part"], record["window"]) for record in records("header")) == [(0, 10), (1, 20)]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"window": 0}, ValueError),
        ({"window": "big"}, TypeError),
        ({"budget": True}, TypeError),
        ({"threshold": -0.5}, ValueError),
        ({"threshold": 1.5}, ValueError),
        ({"budgets": {"memory": -1}}, ValueError),
        ({"budgets": 5}, TypeError),
        ({"meta": 5}, TypeError),
        ({"redact": 5}, TypeError),
        ({"session": 5}, TypeError),
        ({"rotate_bytes": 0}, ValueError),
        ({"nonsense": 1}, TypeError),
    ],
)
def test_bad_arguments_raise(tmp_path: Path, arguments: dict[str, Any], error: type[Exception]) -> None:
    """Construction is the one place that raises."""
    with pytest.raises(error):
        Recorder(tmp_path, **arguments)


def test_a_directory_that_cannot_be_made_raises(tmp_path: Path) -> None:
    """So does a path through a file."""
    (tmp_path / "file").touch()
    with pytest.raises(OSError):  # noqa: PT011 - which one differs between systems
        Recorder(tmp_path / "file" / "traces")


def test_answers(recorder: Recorder, records: Records) -> None:
    """An OpenAI completion and an Anthropic message are taken apart; arguments go before them."""
    recorder.snapshot(BODY)
    message = {"role": "assistant", "content": "hi"}
    usage = {"prompt_tokens": 9, "completion_tokens": 1}
    recorder.response(
        body={"id": "c1", "choices": [{"message": message, "finish_reason": "stop"}], "usage": usage}, duration_ms=5.5
    )
    blocks = [{"type": "text", "text": "hi"}]
    recorder.response(
        body={"id": "m1", "role": "assistant", "content": blocks, "stop_reason": "end_turn", "usage": {}},
        response_id="mine",
        status=201,
    )
    one, two = records("response")
    assert (one["response_id"], one["stop_reason"], one["usage"], one["complete"]) == ("c1", "stop", usage, True)
    assert (one["duration_ms"], one["status"]) == (5.5, 200)
    assert [blob["value"] for blob in one["blobs"]] == [message]
    assert (two["response_id"], two["stop_reason"], two["status"]) == ("mine", "end_turn", 201)
    assert two["blobs"][0]["value"] == {"role": "assistant", "content": blocks}


def test_an_answer_that_is_sent_back_is_stored_once(recorder: Recorder, records: Records) -> None:
    """The answer's message is the next request's."""
    answer = {"role": "assistant", "content": "x" * 500}
    recorder.snapshot(BODY)
    recorder.response(messages=[answer])
    recorder.snapshot({**BODY, "messages": [*BODY["messages"], answer]})
    assert records("snapshot")[1]["blobs"] == []


def test_errors_and_attempts(recorder: Recorder, records: Records) -> None:
    """Tries count up by themselves; an error means that the answer is not complete."""
    call = recorder.snapshot(BODY)
    recorder.attempt(status=429, error="slow down")
    recorder.attempt(call, status=200)
    recorder.response(error=TimeoutError("late"), status=None)
    assert [(a["n"], a["status"], a["error"]) for a in records("attempt")] == [(1, 429, "slow down"), (2, 200, None)]
    (response,) = records("response")
    assert (response["error"], response["complete"], response["status"]) == ("TimeoutError: late", False, None)


def test_an_answer_goes_to_the_session_of_its_call(recorder: Recorder, records: Records) -> None:
    """An answer given later, outside the session or in a bare thread, finds its call."""
    with recorder.session("other"):
        call = recorder.snapshot(BODY)
    recorder.response()
    thread = threading.Thread(target=recorder.response, args=(call,))
    thread.start()
    thread.join()
    assert [record["snapshot"] for record in records("response")] == [call, call]
    assert [record["session"] for record in records("header")] == ["other"]


def test_an_answer_without_a_call_is_a_loss(recorder: Recorder, swallowing: None) -> None:
    """response() before any snapshot is counted."""
    recorder.response(body={})
    assert recorder.losses == 1


def test_hostile_arguments_do_not_raise(recorder: Recorder, swallowing: None, records: Records) -> None:
    """Whatever is passed where, the host goes on."""

    class Broken:
        def __str__(self) -> str:
            raise RuntimeError("no")

        __repr__ = __str__
        __hash__ = None  # type: ignore[assignment]

    bad: Any = Broken()
    with recorder.session(bad), recorder.lane(bad), recorder.turn(bad):
        recorder.snapshot(bad, api=bad, endpoint=bad, exact=bad, missing=bad, purpose=bad, previous=bad)
        recorder.snapshot({bad.__class__: bad, "messages": bad}, api=bad)
        recorder.response(bad, bad, usage=bad, error=bad)
        recorder.attempt(bad, n=bad, error=bad)
        recorder.label(bad, layer=bad, score=bad)
        recorder.pin(bad)
        recorder.unpin(bad)
        recorder.compaction(bad, bad, reason=bad)
        recorder.event(bad, x=bad)
    assert len(records("snapshot")) == 2
    assert len(records("response")) == len(records("attempt")) == len(records("compaction")) == 1


def test_threads_do_not_interleave(recorder: Recorder, files: Files, requests: Callable[[], list[Any]]) -> None:
    """Twenty threads on two sessions: every line is whole, and each session has its own."""

    def work(number: int) -> None:
        with recorder.session(f"session {number % 2}"), recorder.lane(f"lane {number}"):
            for call in range(20):
                recorder.snapshot({"messages": [{"n": number}, {"c": call}, {"x": "y" * 400}]})

    threads = [threading.Thread(target=work, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(files()) == 2
    for path in files():
        assert [record["seq"] for record in iter_records(path)] == list(range(201))
        (session,) = {record["session"] for record in iter_records(path) if record["type"] == "header"}
        for record, request in read_requests(path):
            number = request.body()["messages"][0]["n"]
            assert (record["lane"], f"session {number % 2}") == (f"lane {number}", session)


def test_tasks_have_their_own_context(recorder: Recorder, records: Records) -> None:
    """Session, turn, lane and last call of one asyncio task are not another's."""

    async def work(number: int) -> None:
        with recorder.session(f"s{number}"), recorder.turn(number), recorder.lane(f"l{number}"):
            for _ in range(3):
                call = recorder.snapshot({"messages": [number]})
                await asyncio.sleep(0)
                recorder.response(response_id=call)

    async def main() -> None:
        await asyncio.gather(*(work(number) for number in range(10)))

    asyncio.run(main())
    assert len(records("header")) == 10
    assert all(record["lane"] == f"l{record['turn']}" for record in records("snapshot"))
    assert all(record["snapshot"] == record["response_id"] for record in records("response"))


def test_wrap_carries_the_context(recorder: Recorder, records: Records) -> None:
    """An executor sees the caller's session, turn and lane through wrap(), and the default lane without."""

    def work(body: dict[str, Any]) -> str:
        return recorder.snapshot(body)

    with ThreadPoolExecutor(1) as pool, recorder.session("other"), recorder.turn(3), recorder.lane("sub"):
        wrapped = recorder.wrap(work)
        pool.submit(wrapped, BODY).result()
        pool.submit(wrapped, BODY).result()
        pool.submit(work, BODY).result()
    seen = [(record["turn"], record["lane"], record["lane_origin"]) for record in records("snapshot")]
    assert sorted(seen, key=str) == sorted(
        [(3, "sub", "given"), (3, "sub", "given"), (None, "main", "default")], key=str
    )
    assert wrapped.__name__ == "work"


def test_two_recorders_do_not_share_context(tmp_path: Path, records: Records) -> None:
    """A session of one recorder says nothing to another."""
    one, two = Recorder(tmp_path, session="1"), Recorder(tmp_path, session="2")
    with one.session("other"), one.lane("x"):
        two.snapshot(BODY)
    assert [record["session"] for record in records("header")] == ["2"]
    one.close()
    two.close()


def test_a_fork_writes_its_own_file(recorder: Recorder, files: Files, records: Records) -> None:
    """A child process begins a file, even if the fork happened while another thread held the locks."""
    recorder.snapshot(BODY)
    trace = recorder._trace("s")
    held, release = threading.Event(), threading.Event()

    def hold() -> None:
        with trace.lock, recorder._lock:
            held.set()
            release.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            recorder.snapshot(BODY)
            code = recorder.losses
        finally:
            os._exit(code)
    release.set()
    thread.join()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    recorder.snapshot(BODY)
    assert len(files()) == 2
    assert len({record["writer"] for record in records("header")}) == 2
    assert sorted(len(record["blobs"]) for record in records("snapshot")) == [0, 1, 1]
    assert [record["session"] for record in records("header")] == ["s", "s"]


def test_files_are_private(recorder: Recorder, files: Files, tmp_path: Path) -> None:
    """Only the user can read what was recorded, whatever the umask."""
    before = os.umask(0)
    try:
        recorder.snapshot(BODY)
    finally:
        os.umask(before)
    (path,) = files()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_removed_directory_is_made_again(recorder: Recorder, tmp_path: Path, records: Records) -> None:
    """Removing the traces under a running agent loses only what was in them."""
    recorder.snapshot(BODY)
    shutil.rmtree(tmp_path)
    recorder.snapshot(BODY)
    assert [record["type"] for record in records()] == ["header", "snapshot"]
    assert len(records("snapshot")[0]["blobs"]) == 1


def test_a_full_disk_is_counted_warned_of_once_and_noted(
    recorder: Recorder,
    swallowing: None,
    records: Records,
    requests: Callable[[], list[Any]],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Nothing reaches the host; when writing works again the loss is on record and nothing refers to what is lost."""
    recorder.snapshot(BODY)
    real = os.write

    def full(fd: int, data: Any) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    changed = {"messages": [*BODY["messages"], {"role": "user", "content": "more"}]}
    with caplog.at_level(logging.WARNING, "snapshot_sdk"):
        monkeypatch.setattr(os, "write", full)
        for _ in range(3):
            recorder.snapshot(changed)
        monkeypatch.setattr(os, "write", real)
    recorder.snapshot(changed)
    assert recorder.losses == 3
    assert len(caplog.records) == 1
    (loss,) = records("loss")
    assert loss["lost"] == 3
    assert "No space left" in loss["reason"]
    assert requests()[-1].request.body() == changed


def test_a_torn_line_harms_only_itself(
    recorder: Recorder, swallowing: None, files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a write that stopped half-way the next record begins on its own line."""
    recorder.snapshot(BODY)
    real = os.write
    calls: list[int] = []

    def tearing(fd: int, data: Any) -> int:
        calls.append(len(data))
        if len(calls) > 1:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(fd, data[:10])

    monkeypatch.setattr(os, "write", tearing)
    recorder.snapshot({"messages": ["lost"]})
    monkeypatch.setattr(os, "write", real)
    recorder.snapshot({"messages": ["kept"]})
    (path,) = files()
    assert [request.body() for _, request in read_requests(path, strict=False)] == [BODY, {"messages": ["kept"]}]
    assert recorder.losses == 1
    with pytest.raises(TraceFormatError, match="line 3"):
        list(iter_records(path))


def test_short_writes_are_completed(
    recorder: Recorder, requests: Callable[[], list[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A system that takes a few bytes at a time gets the rest after."""
    real = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: real(fd, data[:7]))
    recorder.snapshot(BODY)
    assert requests()[0].request.body() == BODY


def test_rotation(tmp_path: Path, files: Files, requests: Callable[[], list[Any]], records: Records) -> None:
    """A file that has grown over the limit is followed by another that stands on its own."""
    bodies = [{"messages": [{"n": n, "x": "y" * 300} for n in range(k)]} for k in range(1, 12)]
    with Recorder(tmp_path, session="s", rotate_bytes=3000) as recorder:
        for body in bodies:
            recorder.snapshot(body)
    headers = records("header")
    assert len(headers) == len(files()) > 2
    assert sorted(header["part"] for header in headers) == list(range(len(headers)))
    assert len({header["writer"] for header in headers}) == 1
    assert sorted((request.body() for _, request in requests()), key=str) == sorted(bodies, key=str)
    for path in files():
        assert next(iter_records(path))["type"] == "header"


def test_many_sessions_take_few_descriptors(tmp_path: Path, requests: Callable[[], list[Any]], files: Files) -> None:
    """Sessions used long ago give their file back, and go on in the same one."""
    descriptors = Path("/proc/self/fd")
    before = len(list(descriptors.iterdir())) if descriptors.exists() else None
    with Recorder(tmp_path, session="s") as recorder:
        for _ in range(2):
            for number in range(100):
                with recorder.session(f"s{number}"):
                    recorder.snapshot(BODY)
        if before is not None:
            assert len(list(descriptors.iterdir())) <= before + 66
    assert len(files()) == 100
    assert len(requests()) == 200


def test_records_after_close_are_kept(tmp_path: Path, records: Records, files: Files) -> None:
    """A late answer opens the file again."""
    recorder = Recorder(tmp_path, session="s")
    recorder.snapshot(BODY)
    recorder.close()
    recorder.response(response_id="late")
    recorder.close()
    assert [record["type"] for record in records()] == ["header", "snapshot", "response"]
    assert len(files()) == 1


def test_session_folders_are_readable_and_distinct(tmp_path: Path, files: Files) -> None:
    """Hostile session ids stay inside the directory, and two that look alike get two folders."""
    with Recorder(tmp_path, session="s") as recorder:
        for session in ("../../etc", "a/b", "a b", "订单 4711", "\ud800", "x" * 500, "..", "CON\x00"):
            with recorder.session(session):
                recorder.snapshot(BODY)
    assert len({path.parent for path in files()}) == 8
    assert all(path.parent.parent == tmp_path for path in files())
    assert any(path.parent.name.startswith("订单-4711-") for path in files())


def test_redaction(tmp_path: Path, requests: Callable[[], list[Any]], files: Files) -> None:
    """What the redactor changed is stored changed and told by place; the secret is nowhere on disk."""

    def redact(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: redact(item) for key, item in value.items()}
        if isinstance(value, list):
            return [redact(item) for item in value]
        return value.replace("SECRET", "***") if isinstance(value, str) else value

    body = {"model": "m", "user": "SECRET", "messages": [{"content": "a"}, {"content": "my SECRET"}]}
    with Recorder(tmp_path, session="s", meta={"key": "SECRET"}, redact=redact) as recorder:
        recorder.snapshot(body)
        recorder.snapshot(str(body).replace("'", '"').encode())
        recorder.response(messages=["SECRET"], usage={"x": "SECRET"}, error="SECRET", stop_reason="SECRET")
        recorder.label("SECRET", source="SECRET")
        recorder.pin({"content": "SECRET"}, reason="SECRET")
        recorder.compaction(["SECRET"], reason="SECRET", policy="SECRET")
        recorder.event("state", x="SECRET")
        recorder.snapshot({"messages": []})
    one, two, three = requests()
    clean = {"model": "m", "user": "***", "messages": [{"content": "a"}, {"content": "my ***"}]}
    assert one.request.body() == two.request.body() == clean
    assert one.record["exact"] == two.record["exact"] == "redacted"
    assert sorted(one.record["redactions"]) == sorted(two.record["redactions"]) == [["/messages/1", 1], ["/user", 1]]
    assert three.record["exact"] == "values"
    assert b"SECRET" not in b"".join(path.read_bytes() for path in files())


def test_a_redactor_that_fails_drops_the_value(tmp_path: Path, requests: Callable[[], list[Any]], files: Files) -> None:
    """Its value is dropped, not the mask; not even the message of its error is stored."""

    def redact(value: Any) -> Any:
        if "SECRET" in str(value):
            raise ValueError(f"cannot mask {value}")
        return value

    with Recorder(tmp_path, session="s", redact=redact) as recorder:
        recorder.snapshot({"messages": [{"a": 1}, {"a": "SECRET"}]})
    ((record, request),) = requests()
    assert request.body()["messages"] == [{"a": 1}, "[dropped: the redactor failed with ValueError]"]
    assert record["redactions"] == [["/messages/1", 1]]
    assert b"SECRET" not in files()[0].read_bytes()


def test_caller_can_be_left_out(tmp_path: Path, records: Records) -> None:
    """caller=False records no line of the user's code."""
    with Recorder(tmp_path, session="s", caller=False) as recorder:
        recorder.snapshot(BODY)
    assert records("snapshot")[0]["caller"] is None
