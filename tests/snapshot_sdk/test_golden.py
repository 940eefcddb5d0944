"""The format on disk: the committed file of version 1 is what is written and what can be read."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from snapshot_sdk import (
    FORMAT_VERSION,
    NewerVersionError,
    Recorder,
    TraceFile,
    TraceFormatError,
    iter_records,
    read_requests,
    upgrade,
)
from snapshot_sdk._seam import Seam
from snapshot_sdk.schema import RECORD_TYPES

DATA = Path(__file__).parent.parent / "data"
GOLDEN = DATA / "v1" / "session.jsonl"

LONG = "You are a careful agent. " * 20
FIRST: dict[str, Any] = {
    "model": "gpt-4.1",
    "temperature": 0.2,
    "messages": [{"role": "system", "content": LONG}, {"role": "user", "content": "订单 4711 在哪里？"}],
}
ANSWER = {"role": "assistant", "content": "I will look."}
SECOND: dict[str, Any] = {
    **FIRST,
    "messages": [*FIRST["messages"], ANSWER, {"role": "user", "content": "Thanks \ud83d"}],
}
THIRD = {"model": "m", "messages": [{"role": "system", "content": LONG + "Now."}, {"odd": math.inf}, {1: b"x"}]}
WIRE = b'{"model": "m", "messages": [{"role": "user", "content": "as sent"}, {"n":1e400}]}'


def script(directory: Path, seam: Seam) -> None:
    """A session that writes every type of record but a loss."""
    with Recorder(
        directory,
        session="golden",
        agent="shop",
        window=128_000,
        budget=90_000,
        threshold=0.7,
        budgets={"memory": 2000},
        meta={"tag": "v1"},
        caller=False,
        _seam=seam,
    ) as recorder:
        with recorder.turn(1):
            recorder.label(LONG, layer="system", source="prompts/agent.txt")
            recorder.pin("订单 4711", reason="order number")
            recorder.snapshot(FIRST, api="openai.chat", endpoint="/v1/chat/completions?x=1")
            recorder.attempt(status=200)
            recorder.response(
                body={
                    "id": "chatcmpl-1",
                    "choices": [{"message": ANSWER, "finish_reason": "stop"}],
                    "usage": {"prompt_tokens": 99, "completion_tokens": 4},
                },
                duration_ms=812.5,
            )
        with recorder.turn(2):
            recorder.snapshot(SECOND, api="openai.chat")
            recorder.compaction(SECOND["messages"], SECOND["messages"][2:], strategy="trim", reason="> 70 %")
            recorder.event("state", before={"step": 1}, after={"step": 2}, accepted=True)
            recorder.snapshot(THIRD)
            with recorder.lane("judge", purpose="judge"):
                recorder.snapshot(WIRE)
            recorder.unpin("订单 4711", reason="delivered")


def test_the_writer_writes_the_golden_file(tmp_path: Path, seam: Seam, files: Callable[[], list[Path]]) -> None:
    """The same session gives the same bytes."""
    script(tmp_path, seam)
    assert files()[0].read_bytes() == GOLDEN.read_bytes()


def test_the_golden_file_reads_back() -> None:
    """Each request of it is what was recorded."""
    requests = [request for _, request in read_requests(GOLDEN)]
    assert [request.body() for request in requests[:2]] == [FIRST, SECOND]
    assert requests[2].body()["messages"] == [THIRD["messages"][0], {"odd": math.inf}, {"1": "eA=="}]
    assert requests[3].body_bytes() == WIRE
    assert {record["type"] for record in iter_records(GOLDEN)} == RECORD_TYPES - {"loss"}


def test_ten_lines_of_python_read_it() -> None:
    """What docs/format.md tells one to do by hand gives the same messages, deltas aside."""
    blobs: dict[int, Any] = {}
    for line in GOLDEN.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        for blob in record.get("blobs", []):
            blobs[blob["n"]] = blob.get("value")
        if record["type"] == "snapshot":
            runs = record["body"]["messages"]["items"]
            messages = [blobs[n] for first, count in runs for n in range(first, first + count)]
            assert len(messages) in (2, 3, 4)


def test_a_newer_version_is_refused() -> None:
    """The message names both numbers; the error carries them with file and line."""
    path = DATA / "v2" / "session.jsonl"
    message = r"session\.jsonl, line 1: format version 2 is newer than version 1"
    with pytest.raises(NewerVersionError, match=message) as caught:
        list(iter_records(path))
    assert (caught.value.found, caught.value.supported, caught.value.line) == (2, FORMAT_VERSION, 1)
    with pytest.raises(NewerVersionError):
        list(read_requests(path, strict=False))


@pytest.mark.parametrize("version", [None, "1", True, 0, -1, 1.0])
def test_what_was_never_a_version_is_refused(version: Any) -> None:
    """A record without a version, or with a wrong one, is no record."""
    with pytest.raises(TraceFormatError, match="no format version"):
        upgrade({"v": version})


def test_one_broken_byte_is_told_with_its_line(tmp_path: Path) -> None:
    """Strict reading names file and line; lenient reading passes over it."""
    data = bytearray(GOLDEN.read_bytes())
    place = data.index(b'"type":"response"') - 1
    data[place : place + 1] = b"!"
    broken = tmp_path / "broken.jsonl"
    broken.write_bytes(data)
    line = data[:place].count(b"\n") + 1
    with pytest.raises(TraceFormatError, match=rf"broken\.jsonl, line {line}: Expecting"):
        list(iter_records(broken))
    assert len(list(iter_records(broken, strict=False))) == GOLDEN.read_bytes().count(b"\n") - 1


@pytest.mark.parametrize("line", [b"[1]\n", b"\xff\n", b"[" * 100_000 + b"\n", b'{"v":1,"n":' + b"9" * 5000 + b"}\n"])
def test_lines_that_are_no_records(tmp_path: Path, line: bytes) -> None:
    """Whatever is on the line, the error is the format's own."""
    path = tmp_path / "x.jsonl"
    path.write_bytes(line)
    with pytest.raises(TraceFormatError, match="line 1"):
        list(iter_records(path))


def test_a_line_still_being_written_is_left_out(tmp_path: Path) -> None:
    """The last line counts when its newline is there."""
    path = tmp_path / "x.jsonl"
    path.write_bytes(GOLDEN.read_bytes()[:-30])
    assert len(list(iter_records(path))) == GOLDEN.read_bytes().count(b"\n") - 1


def test_a_delta_that_refers_forward_is_lost(tmp_path: Path) -> None:
    """A file made by another hand cannot send the reader in circles."""
    trace = TraceFile()
    trace.feed({"blobs": [{"n": 0, "delta": [[0, 1]], "base": 1}, {"n": 1, "delta": [[0, 1]], "base": 0}]})
    assert trace.source(0) is None
    assert trace.source(1) is None
