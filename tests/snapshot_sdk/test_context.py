"""Which session, turn and lane a call belongs to, in threads, tasks and executors."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from snapshot_sdk import Recorder, iter_records, read_requests

Records = Callable[..., list[dict[str, Any]]]
Files = Callable[[], list[Path]]

BODY = {"model": "m", "messages": [{"role": "user", "content": "hello"}]}


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
