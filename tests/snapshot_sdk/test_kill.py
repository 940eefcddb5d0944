"""A process killed with SIGKILL loses no record whose call had returned."""

from __future__ import annotations

import itertools
import os
import random
import select
import signal
import time
from pathlib import Path

from snapshot_sdk import Recorder, iter_records, read_requests

KILLS = 200
MAX_DELAY = 0.03
"""Seconds a child may live; it needs about a millisecond to write its first records."""


def child(directory: Path, session: str, acknowledge: int) -> None:
    """Records until killed; acknowledges each call after it returned."""
    recorder = Recorder(directory, session=session)
    messages = []
    for number in itertools.count():
        messages.append({"role": "user", "content": f"{number} " + "x" * (number % 7) * 3000})
        call = recorder.snapshot({"messages": messages})
        os.write(acknowledge, f"{call}\n".encode())
        recorder.response(response_id=str(number))
        os.write(acknowledge, f"{number}\n".encode())


def kill_one(directory: Path, session: str, delay: float) -> list[str]:
    """Starts a child, kills it after its first record and a while; returns what it acknowledged."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.close(reading)
            child(directory, session, writing)
        finally:
            os._exit(1)
    os.close(writing)
    try:
        acknowledged = b""
        deadline = None
        while deadline is None or time.monotonic() < deadline:
            # The pipe is drained meanwhile, so that the child never waits for its reader.
            wait = 10 if deadline is None else max(0.0, deadline - time.monotonic())
            if select.select([reading], [], [], wait)[0]:
                acknowledged += os.read(reading, 65536)
            elif deadline is None:
                raise AssertionError("the child wrote nothing")
            deadline = deadline or time.monotonic() + delay
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    while chunk := os.read(reading, 65536):
        acknowledged += chunk
    os.close(reading)
    return acknowledged.decode().split("\n")[:-1]


def test_a_killed_writer_loses_nothing_it_had_written(tmp_path: Path) -> None:
    """200 kills at random moments: every acknowledged record is on disk, every file can be read."""
    moments = random.Random(42)
    total = 0
    for number in range(KILLS):
        session = f"s{number}"
        acknowledged = kill_one(tmp_path, session, moments.random() * MAX_DELAY)
        (path,) = tmp_path.glob(f"{session}-*/*.jsonl")
        found = set()
        for record in iter_records(path):
            found |= {record.get("id"), record.get("response_id")}
        assert set(acknowledged) <= found, f"kill {number}"
        assert all(not request.holes for _, request in read_requests(path))
        total += len(acknowledged)
        path.unlink()
    assert total > KILLS
