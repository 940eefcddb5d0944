"""The host is never hurt: whatever happens to the recorder, the call goes through."""

from __future__ import annotations

import errno
import logging
import os
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from snapshot_sdk import Recorder, _writer

httpx = pytest.importorskip("httpx", reason="httpx is not installed")

Records = Callable[..., list[dict[str, Any]]]

ASK: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "q"}]}
CALLS = 200


def _post(client: Any, server: Any, body: Any = ASK) -> Any:
    return client.post(f"{server.url}/v1/chat/completions", json=body)


def _full(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """Every write of the recorder fails."""

    def write(fd: int, data: Any) -> int:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(_writer.os, "write", write)


@pytest.mark.usefixtures("swallowing")
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EDQUOT])
def test_disk_full(
    number: int, recorder: Recorder, server: Any, records: Records, caplog: pytest.LogCaptureFixture
) -> None:
    """The calls go through, one warning is logged, and the loss is written down when writing works again."""
    with recorder.attach(httpx.Client()) as client:
        with pytest.MonkeyPatch.context() as patch, caplog.at_level(logging.WARNING, "snapshot_sdk"):
            _full(patch, number)
            assert [_post(client, server).status_code for _ in range(3)] == [200] * 3
        assert _post(client, server).json()["choices"]
    assert len([one for one in caplog.records if one.name == "snapshot_sdk"]) == 1
    assert recorder.losses == 9
    (loss,) = records("loss")
    assert (loss["lost"], os.strerror(number) in loss["reason"]) == (9, True)
    assert len(records("snapshot")) == 1


@pytest.mark.usefixtures("swallowing")
def test_directory_removed(recorder: Recorder, server: Any, records: Records, tmp_path: Path) -> None:
    """When the traces are deleted under a running agent, it goes on, in a new file."""
    with recorder.attach(httpx.Client()) as client:
        _post(client, server)
        shutil.rmtree(tmp_path / "traces")
        assert _post(client, server).status_code == 200
    assert [record["type"] for record in records()] == ["header", "snapshot", "attempt", "response"]


@pytest.mark.usefixtures("swallowing")
def test_permission_lost(recorder: Recorder, server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """When no file can be opened any more, the calls go through and the losses are counted."""

    def refuse(*args: Any, **kwargs: Any) -> int:
        raise PermissionError(errno.EACCES, "Permission denied")

    with recorder.attach(httpx.Client()) as client:
        monkeypatch.setattr(_writer.os, "open", refuse)
        assert _post(client, server).status_code == 200
    assert recorder.losses == 3


@pytest.mark.usefixtures("swallowing")
def test_permission_that_comes_back(
    recorder: Recorder, server: Any, records: Records, caplog: pytest.LogCaptureFixture
) -> None:
    """Of what was lost meanwhile one warning tells, and the file when it can be written again."""

    def refuse(*args: Any, **kwargs: Any) -> int:
        raise PermissionError(errno.EACCES, "Permission denied")

    with recorder.attach(httpx.Client()) as client:
        with pytest.MonkeyPatch.context() as patch, caplog.at_level(logging.WARNING, "snapshot_sdk"):
            patch.setattr(_writer.os, "open", refuse)
            assert [_post(client, server).status_code for _ in range(2)] == [200, 200]
        _post(client, server)
    assert len([one for one in caplog.records if one.name == "snapshot_sdk"]) == 1
    (loss,) = records("loss")
    assert (loss["lost"], "Permission denied" in loss["reason"]) == (6, True)
    assert len(records("snapshot")) == len(records("response")) == 1


def test_an_answer_that_was_read_is_one_write(
    recorder: Recorder, server: Any, records: Records, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The request is one write before it leaves; try and answer are another, two lines of it."""
    lines: list[int] = []
    write = os.write

    def counting(fd: int, data: bytes) -> int:
        lines.append(bytes(data).count(b"\n"))
        return write(fd, data)

    with recorder.attach(httpx.Client()) as client:
        _post(client, server)
        monkeypatch.setattr(_writer.os, "write", counting)
        _post(client, server)
    assert lines == [1, 2]
    assert [record["type"] for record in records()][1:] == ["snapshot", "attempt", "response"] * 2
    assert [record["seq"] for record in records()] == list(range(7))


@pytest.mark.usefixtures("swallowing")
def test_an_answer_that_cannot_be_written_with_its_try(
    recorder: Recorder, server: Any, records: Records, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where both at once fail, the try is written by itself."""
    monkeypatch.setattr(
        "snapshot_sdk._recorder.Recorder._clean", lambda self, value: 1 / 0 if value == "stop" else value
    )
    with recorder.attach(httpx.Client()) as client:
        assert _post(client, server).status_code == 200
    assert recorder.losses == 1
    assert [record["type"] for record in records()] == ["header", "snapshot", "loss", "attempt"]


@pytest.mark.usefixtures("swallowing")
@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "full"), KeyboardInterrupt()], ids=["full", "interrupt"])
@pytest.mark.parametrize("taken", [0, 40, -40], ids=["nothing", "a part of the try", "the try and a part"])
def test_a_write_that_stops_half_way(
    taken: int,
    error: BaseException,
    recorder: Recorder,
    server: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Wherever the one write of try and answer stops, and for whatever reason, the try is on disk once."""
    write = os.write
    steps = ["take", "stop"] if taken else ["stop"]

    def half(fd: int, data: Any) -> int:
        if not steps or (steps[0] == "take" and bytes(data).count(b"\n") < 2):
            return write(fd, data)
        if not taken and bytes(data).count(b"\n") < 2:
            return write(fd, data)
        if steps.pop(0) == "take":
            return write(fd, data[:taken])
        raise error

    monkeypatch.setattr(_writer.os, "write", half)
    with recorder.attach(httpx.Client()) as client, suppress(KeyboardInterrupt):
        _post(client, server)
    recorder.close()
    assert steps == []
    lines = [line for path in tmp_path.rglob("*.jsonl") for line in path.read_bytes().split(b"\n")]
    assert len([line for line in lines if b'"type":"attempt"' in line and line.endswith(b"}")]) == 1


@pytest.mark.usefixtures("swallowing")
def test_a_fault_of_ours(recorder: Recorder, server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error inside the adapter is counted, not raised, before and after the call."""
    from snapshot_sdk.adapters import _exchange, _httpx

    def broken(*args: Any, **kwargs: Any) -> Any:
        raise ZeroDivisionError

    with recorder.attach(httpx.Client()) as client:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(_httpx, "outgoing", broken)
            assert _post(client, server).status_code == 200
        monkeypatch.setattr(_exchange, "read_body", broken)
        assert _post(client, server).status_code == 200
    assert recorder.losses == 2


@pytest.mark.usefixtures("swallowing")
def test_a_body_that_can_be_read_once(recorder: Recorder, server: Any, records: Records) -> None:
    """A body that is an iterator is left to the client; that it was not recorded is counted."""
    with recorder.attach(httpx.Client()) as client:
        answer = client.post(f"{server.url}/v1/chat/completions", content=iter([b'{"a":', b"1}"]))
    assert (answer.status_code, server.bodies()) == (200, [b'{"a":1}'])
    assert recorder.losses == 1


@pytest.mark.parametrize(
    "body", [b"", b"no json", b"\xff\xfe\x00", b"[1]", b"null", b'{"a": NaN}', b"[" * 3000 + b"]" * 3000]
)
def test_bodies_that_are_no_json(body: bytes, recorder: Recorder, server: Any, stored: Any) -> None:
    """Whatever is sent is stored as it is."""
    with recorder.attach(httpx.Client()) as client:
        client.post(f"{server.url}/v1/chat/completions", content=body)
    assert stored() == server.bodies() == [body]


@pytest.mark.parametrize(
    "answer", [b"", b"no json", b"\xff\xfe", b"[" * 3000, b"null", b"[]", b'{"choices": 5}', b'{"usage": []}']
)
@pytest.mark.parametrize("kind", ["application/json", "text/event-stream", "application/vnd.amazon.eventstream", ""])
def test_answers_that_are_no_json(
    answer: bytes, kind: str, recorder: Recorder, server: Any, records: Records, loopback: Any
) -> None:
    """Whatever comes back reaches the caller, and is no fault of the recorder."""
    server.replies = [loopback.Reply(answer, content_type=kind)]
    with recorder.attach(httpx.Client()) as client:
        assert _post(client, server).content == answer
    assert len(records("response")) == 1


def test_recursion_in_user_objects(tmp_path: Path, server: Any, records: Records) -> None:
    """A call deep in the host's own recursion is recorded or lost, but goes through."""
    recorder = Recorder(tmp_path, session="s")
    client = recorder.attach(httpx.Client())

    def dive(depth: int) -> int:
        return dive(depth - 1) if depth else _post(client, server).status_code

    with recorder, client:
        assert dive(500) == 200
    assert len(records("response")) == 1


def test_many_threads(recorder: Recorder, server: Any, records: Records, stored: Any) -> None:
    """200 calls at once from as many threads: every one is whole, in its own snapshot."""
    limits = httpx.Limits(max_connections=None)
    bodies = [{"model": "m", "messages": [{"role": "user", "content": f"{n} " * 50}]} for n in range(CALLS)]
    barrier = threading.Barrier(CALLS)

    def call(body: Any) -> int:
        barrier.wait()
        return _post(client, server, body).status_code

    with recorder.attach(httpx.Client(limits=limits, timeout=60)) as client, ThreadPoolExecutor(CALLS) as pool:
        assert list(pool.map(call, bodies)) == [200] * CALLS
    assert sorted(stored()) == sorted(server.bodies())
    assert len({record["id"] for record in records("snapshot")}) == CALLS
    assert sum(record["complete"] for record in records("response")) == CALLS
    assert recorder.losses == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_fork(recorder: Recorder, server: Any, records: Records) -> None:
    """A forked child records in a file of its own, with the client it inherited."""
    client = recorder.attach(httpx.Client(headers={"connection": "close"}))
    _post(client, server)
    child = os.fork()
    if not child:
        try:
            status = _post(client, server).status_code
            os._exit(0 if status == 200 else 1)
        finally:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    _post(client, server)
    assert len({record["writer"] for record in records("header")}) == 2
    assert len(records("response")) == 3


def _run(code: str, *args: str) -> subprocess.Popen[str]:
    """Runs Python code in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), *args],
        env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        # A shell starts background jobs with the interrupt ignored, and so would ours inherit it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip


_STREAM = """
    import sys, httpx
    from snapshot_sdk import Recorder
    client = Recorder(sys.argv[1], session="s").attach(httpx.Client(timeout=60))
    stream = client.stream("POST", sys.argv[2] + "/v1/chat/completions", json={"messages": ["q"]})
    answer = stream.__enter__()
    lines = answer.iter_lines()
    next(lines)
    print("first", flush=True)
"""


def test_interpreter_shutdown(server: Any, loopback: Any, tmp_path: Path, records: Records) -> None:
    """A stream that is open when the interpreter ends has a record that says so, and nothing is printed."""
    release = threading.Event()

    def chunks() -> Any:
        yield loopback.sse(loopback.CHAT_EVENTS[0])[0]
        release.wait(loopback.TIMEOUT)

    server.replies = [loopback.stream(chunks())]
    process = _run(_STREAM, str(tmp_path), server.url)
    out, err = process.communicate(timeout=60)
    release.set()
    assert (process.returncode, out, err) == (0, "first\n", "")
    (response,) = records("response")
    assert (response["complete"], response["blobs"][0]["value"]["content"]) == (False, "h")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_fork_while_a_stream_is_open(server: Any, loopback: Any, tmp_path: Path, records: Records) -> None:
    """A child that ends with a copy of an open stream says nothing about the answer: it is the parent's."""
    release = threading.Event()

    def chunks() -> Any:
        first, *rest = loopback.sse(*loopback.CHAT_EVENTS, done=True)
        yield first
        if release.wait(loopback.TIMEOUT):
            yield from rest

    server.replies = [loopback.stream(chunks())]
    fork = """
    import os
    if not os.fork():
        sys.exit()
    os.wait()
    print("second", flush=True)
    list(lines)
    """
    process = _run(_STREAM + fork.rstrip(" ").removeprefix("\n"), str(tmp_path), server.url)
    assert process.stdout is not None
    assert [process.stdout.readline() for _ in range(2)] == ["first\n", "second\n"]
    release.set()
    _, err = process.communicate(timeout=60)
    assert err == ""
    assert [record["complete"] for record in records("response")] == [True]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_signal(number: signal.Signals, server: Any, loopback: Any, tmp_path: Path, records: Records) -> None:
    """A process that is interrupted or killed while it reads leaves its request; interrupted, also what came."""
    release = threading.Event()

    def chunks() -> Any:
        yield loopback.sse(loopback.CHAT_EVENTS[0])[0]
        release.wait(loopback.TIMEOUT)

    server.replies = [loopback.stream(chunks())]
    process = _run(_STREAM + "    list(lines)\n", str(tmp_path), server.url)
    assert process.stdout is not None
    assert process.stdout.readline() == "first\n"
    process.send_signal(number)
    _, err = process.communicate(timeout=60)
    release.set()
    assert len(records("snapshot")) == 1
    if number == signal.SIGINT:
        assert "KeyboardInterrupt" in err
        (response,) = records("response")
        assert (response["complete"], response["blobs"][0]["value"]["content"]) == (False, "h")
    else:
        assert records("response") == []
