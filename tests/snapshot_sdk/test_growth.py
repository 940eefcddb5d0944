"""A body that only grows takes the short way, and whatever is unusual about it the long one; both read back alike."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from snapshot_sdk import Recorder, _encoder, _growth, read_requests
from snapshot_sdk._growth import MAX_FRAME_RUNS

Records = Callable[..., list[dict[str, Any]]]

KEY = "sk-proj-0123456789abcdefABCDEF"


def _body(messages: list[Any], **members: Any) -> bytes:
    return json.dumps({"messages": messages, **members}, separators=(",", ":"), ensure_ascii=False).encode()


def _bodies(path: Path) -> list[bytes]:
    return [one.request.body_bytes() for file in sorted(path.rglob("*.jsonl")) for one in read_requests(file)]


@pytest.fixture
def long_ways(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Numbers of members of the bodies that took the long way."""
    written: list[int] = []
    write_body = _encoder.write_body

    def counting(members: Any, *rest: Any) -> Any:
        written.append(len(members))
        return write_body(members, *rest)

    monkeypatch.setattr(_encoder, "write_body", counting)
    return written


@pytest.mark.parametrize("redact", [None, (), ["keys", "tools[*].secret"]], ids=["keys", "nothing", "a path elsewhere"])
def test_a_session_that_grows_takes_the_short_way(redact: Any, tmp_path: Path, long_ways: list[int]) -> None:
    """Of 30 bodies of which each appends to the one before, the first alone is looked at member by member."""
    messages: list[Any] = []
    sent = []
    with Recorder(tmp_path, session="s", redact=redact) as recorder:
        for number in range(30):
            messages += [{"role": "user", "content": f"茶 {number}"}, number, "equal", "equal"]
            sent.append(_body(messages, model="m", tools=[{"name": "t"}]))
            recorder.snapshot(sent[-1])
    assert _bodies(tmp_path) == sent
    assert len(long_ways) == 1


@pytest.mark.parametrize(
    "odd",
    [KEY, '"\\u0041"', '{"a": 1}', "1e400", "NaN", "[" * 300 + "]" * 300, '{"a":1,"a":2}', '"\ud800"'],
    ids=["a key", "an escaped letter", "a space", "no number", "NaN", "deep", "twice", "a surrogate"],
)
def test_what_is_unusual_takes_the_long_way(odd: str, tmp_path: Path, long_ways: list[int]) -> None:
    """An element that needs more than its source text is left to the encoder, and the next body grows again."""
    source = json.dumps(odd) if odd == KEY else odd
    elements = ['"a"', '"b"', source, '"c"', '"d"']
    sent = [
        f'{{"m":[{",".join(elements[:count])}]}}'.encode("utf-8", "surrogatepass")
        for count in range(1, len(elements) + 1)
    ]
    with Recorder(tmp_path, session="s") as recorder:
        for body in sent:
            recorder.snapshot(body)
    assert [body.replace(b"[redacted:keys]", KEY.encode()) for body in _bodies(tmp_path)] == sent
    assert len(long_ways) < len(sent)
    assert len(long_ways) > 1


def test_redactions_before_are_told_by_the_short_way(tmp_path: Path, records: Records, long_ways: list[int]) -> None:
    """What was removed from the part that repeats is named in the records of the bodies that only grow."""
    messages: list[Any] = [KEY]
    with Recorder(tmp_path, session="s") as recorder:
        for number in range(3):
            messages.append(number)
            recorder.snapshot(_body(messages))
    assert [record["redactions"] for record in records("snapshot")] == [[["/messages/0", 1]]] * 3
    assert {record["exact"] for record in records("snapshot")} == {"redacted"}
    assert len(long_ways) == 1


@pytest.mark.parametrize("count", [2, MAX_FRAME_RUNS, MAX_FRAME_RUNS + 1])
def test_another_array_in_several_runs(count: int, tmp_path: Path, long_ways: list[int]) -> None:
    """An array beside the one that grows is written as it was; where that takes many runs, it is looked at again."""
    tools = [{"name": number} for number in range(2 * count)]
    messages: list[Any] = ["x" * 2_000]
    sent = [_body(messages, tools=tools)]
    for number in range(4):
        messages.append(number)
        sent.append(_body(messages, tools=tools[::2]))
    with Recorder(tmp_path, session="s") as recorder:
        for body in sent:
            recorder.snapshot(body)
    assert _bodies(tmp_path) == sent
    assert len(long_ways) == (2 if count <= MAX_FRAME_RUNS else 5)


def test_an_interrupt_while_it_is_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A signal handler that raises when a body was written, but is not yet remembered, harms no later body."""

    def interrupted(data: bytes) -> memoryview:
        monkeypatch.undo()
        raise KeyboardInterrupt

    messages: list[Any] = [0]
    sent = []
    with Recorder(tmp_path, session="s") as recorder:
        for number in range(1, 6):
            messages.append(number)
            sent.append(_body(messages))
            if number == 3:
                monkeypatch.setattr(_growth, "memoryview", interrupted, raising=False)
                with pytest.raises(KeyboardInterrupt):
                    recorder.snapshot(sent[-1])
            else:
                recorder.snapshot(sent[-1])
    assert _bodies(tmp_path) == sent


def test_the_other_lanes_are_their_own(tmp_path: Path, long_ways: list[int]) -> None:
    """Two lanes that grow by turns each take the short way."""
    sent = []
    with Recorder(tmp_path, session="s") as recorder:
        for count in range(1, 6):
            for lane in ("main", "judge"):
                sent.append(_body([f"{lane} {number}" for number in range(count)]))
                recorder.snapshot(sent[-1], lane=lane)
    assert _bodies(tmp_path) == sent
    assert len(long_ways) == 2
