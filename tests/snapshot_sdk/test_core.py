"""The boundary to the host: losses, faults, forks."""

from __future__ import annotations

import errno
import logging
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from snapshot_sdk import Recorder
from snapshot_sdk._seam import Seam

Records = Callable[..., list[dict[str, Any]]]
Files = Callable[[], list[Path]]

BODY = {"model": "m", "messages": [{"role": "user", "content": "hello"}]}


def test_an_answer_without_a_call_is_a_loss(recorder: Recorder, swallowing: None) -> None:
    """response() before any snapshot is counted."""
    recorder.response(body={})
    assert recorder.losses == 1


def test_the_variable_lets_faults_through(recorder: Recorder) -> None:
    """With SNAPSHOT_SDK_RAISE set, as in these tests, a fault of the recorder reaches the caller, and is counted."""
    with pytest.raises(LookupError):
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


class _Interrupting(Seam):
    """A world in which a signal comes in the middle of a record, or while the traces are looked through."""

    armed = False

    def _come(self) -> None:
        if self.armed:
            self.armed = False
            signal.raise_signal(signal.SIGUSR1)

    def now(self) -> datetime:
        self._come()
        return super().now()

    def token(self) -> str:
        self._come()
        return super().token()


@contextmanager
def _handling(handler: Callable[..., None]) -> Iterator[None]:
    before = signal.signal(signal.SIGUSR1, handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGUSR1, before)


@pytest.mark.skipif(not hasattr(signal, "SIGUSR1"), reason="this system has no signals of the user's own")
def test_a_signal_handler_that_records(tmp_path: Path, requests: Callable[[], list[Any]], records: Records) -> None:
    """What a handler records in the middle of a record stands in a file of its own, and harms no later reference."""
    seam = _Interrupting()
    given: dict[str, bytes] = {}
    messages = [f'"{number}"' for number in range(8)]
    with Recorder(tmp_path, session="s", redact=(), _seam=seam) as recorder, _handling(lambda *_: recorder.event("x")):
        for number in range(20):
            messages[number % 8] = f'"edited {number}"'  # so that runs point into the snapshot before
            body = f'{{"messages":[{",".join(messages)}]}}'.encode()
            seam.armed = number % 2 == 1
            given[recorder.snapshot(body)] = body
    assert {one.record["id"]: one.request.body_bytes() for one in requests()} == given
    assert len(records("event")) == 10
    assert len(records("header")) == 2
    assert recorder.losses == 0


@pytest.mark.skipif(not hasattr(signal, "SIGUSR1"), reason="this system has no signals of the user's own")
def test_a_signal_handler_while_a_session_begins(tmp_path: Path, records: Records) -> None:
    """A handler that comes while the recorder looks through its sessions does not wait for itself."""
    seam = _Interrupting()
    recorder = Recorder(tmp_path, session="s", _seam=seam)
    seam.armed = True
    with _handling(lambda *_: recorder.session("other").__enter__()):
        recorder.snapshot(BODY)
    recorder.close()
    assert len(records("snapshot")) == 1


def test_a_rule_that_records(tmp_path: Path, requests: Callable[[], list[Any]]) -> None:
    """A redaction function may itself make calls that are recorded: neither body harms the other."""
    inner: list[str] = []

    def ask(value: Any) -> Any:
        if value == "secret":
            inner.append(recorder.snapshot(b'{"model":"judge","messages":["is it one?"]}'))
        return value

    with Recorder(tmp_path, session="s", redact=ask) as recorder:
        outer = [recorder.snapshot(f'{{"messages":["{n}","secret","b"]}}'.encode()) for n in range(3)]
    bodies = {one.record["id"]: one.request.body_bytes() for one in requests()}
    assert [bodies[one] for one in outer] == [f'{{"messages":["{n}","secret","b"]}}'.encode() for n in range(3)]
    assert inner
    assert {bodies[one] for one in inner} == {b'{"model":"judge","messages":["is it one?"]}'}
