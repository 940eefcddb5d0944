"""What is stored once, what refers to what, and how far damage reaches."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from snapshot_sdk import Hole, Recorder, TraceFile, iter_records, read_requests
from snapshot_sdk._body import ABSOLUTE_EVERY
from snapshot_sdk._encoder import MIN_KEYFRAME
from snapshot_sdk._store import MAX_DELTA_DEPTH

Records = Callable[..., list[dict[str, Any]]]
Requests = Callable[[], list[Any]]
Files = Callable[[], list[Path]]


def growing(calls: int, width: int = 300) -> list[dict[str, Any]]:
    """Bodies that grow by a message per call."""
    messages = [{"role": "user", "content": f"{n} " + "x" * width} for n in range(calls)]
    return [{"model": "m", "messages": messages[: n + 1]} for n in range(calls)]


def thinned() -> list[dict[str, Any]]:
    """A long context, then every other message of it and one of four more in turn: no two neighbours by number."""
    messages = [{"n": n} for n in range(108)]
    return [{"messages": messages}] + [{"messages": [*messages[:100:2], messages[100 + k % 4 * 2]]} for k in range(59)]


def drop_line(path: Path, line: int) -> None:
    """Cuts a line of a file in half."""
    lines = path.read_bytes().split(b"\n")
    lines[line] = lines[line][: len(lines[line]) // 2]
    path.write_bytes(b"\n".join(lines))


def test_each_message_is_stored_once(recorder: Recorder, records: Records) -> None:
    """A context that only grows adds one blob per call and needs one run."""
    for body in growing(50):
        recorder.snapshot(body)
    snapshots = records("snapshot")
    assert [len(record["blobs"]) for record in snapshots] == [1] * 50
    assert snapshots[-1]["body"]["messages"] == {"items": [[0, 50]]}
    assert "base" not in snapshots[-1]


def test_small_members_stand_inline_and_large_ones_are_stored_once(recorder: Recorder, records: Records) -> None:
    """Under 256 characters of JSON a member is in the record; above it is a blob."""
    for _ in range(2):
        recorder.snapshot({"a": "x" * 253, "b": "x" * 254, "c": {"d": ["y" * 300]}, "e": []})
    one, two = records("snapshot")
    assert one["body"] == two["body"]
    assert one["body"] == {"a": {"value": "x" * 253}, "b": {"blob": 0}, "c": {"blob": 1}, "e": {"value": []}}
    assert [len(one["blobs"]), len(two["blobs"])] == [2, 0]


def test_equal_messages_are_kept_in_order_and_number(recorder: Recorder, requests: Requests, records: Records) -> None:
    """Equal messages are one blob and as many elements."""
    body = {"messages": [{"a": 1}, {"b": 2}, {"a": 1}, {"a": 1}, {"b": 2}]}
    recorder.snapshot(body)
    assert requests()[0].request.body() == body
    assert len(records("snapshot")[0]["blobs"]) == 2


def test_numbers_that_python_takes_for_equal_are_told_apart(recorder: Recorder, requests: Requests) -> None:
    """1, 1.0, true and -0.0, 0 are five different elements."""
    for values in ([1, 1.0, True, 0, -0.0, False], [True, 1, 1.0, -0.0, 0.0]):
        recorder.snapshot({"messages": values})
    texts = [json.dumps(request.body()["messages"]) for _, request in requests()]
    assert texts == ["[1, 1.0, true, 0, -0.0, false]", "[true, 1, 1.0, -0.0, 0.0]"]


def test_a_sliding_window_refers_to_the_snapshot_before(
    recorder: Recorder, records: Records, requests: Requests
) -> None:
    """Runs point into the snapshot before, except every 16th time."""
    bodies = thinned()
    for body in bodies:
        recorder.snapshot(body)
    assert [request.body() for _, request in requests()] == bodies
    snapshots = records("snapshot")
    based = ["base" in record for record in snapshots]
    assert any(based)
    longest = max(len(run) for run in "".join("b" if one else " " for one in based).split())
    assert longest < ABSOLUTE_EVERY


def test_a_changed_line_in_a_long_text_is_a_delta(recorder: Recorder, records: Records, requests: Requests) -> None:
    """A joined prompt costs what is new in it, and is stored anew from its root after so many steps."""
    bodies = []
    for n in range(MAX_DELTA_DEPTH * 2 + 5):
        text = "rules " * 2000 + f"<state>step {n}</state>" + "".join(f"[turn {k}] said {k * k}\n" for k in range(n))
        bodies.append({"messages": [{"role": "user", "content": text}], "prompt": text})
        recorder.snapshot(bodies[-1])
    blobs = [blob for record in records("snapshot") for blob in record["blobs"]]
    assert sum("delta" not in blob for blob in blobs) == 2
    assert max(len(json.dumps(blob)) for blob in blobs if "delta" in blob) < 1500
    depth: dict[int, int] = {}
    for blob in blobs:
        depth[blob["n"]] = depth[blob["base"]] + 1 if "delta" in blob else 0
    assert max(depth.values()) == MAX_DELTA_DEPTH
    assert [request.body() for _, request in requests()] == bodies


def test_a_moving_cache_marker_costs_little(recorder: Recorder, records: Records) -> None:
    """Only the two messages whose marker moved are new, and they are deltas."""
    texts = ["word " * 400 + str(n) for n in range(12)]
    for n in range(12):
        blocks = [{"role": "user", "content": [{"type": "text", "text": text}]} for text in texts[: n + 1]]
        blocks[-1]["content"][0]["cache_control"] = {"type": "ephemeral"}  # type: ignore[index]
        recorder.snapshot({"messages": blocks})
    assert all(len(record["blobs"]) <= 2 for record in records("snapshot"))
    assert sum("delta" in blob for record in records("snapshot") for blob in record["blobs"]) >= 11


def test_keyframes(recorder: Recorder, records: Records, requests: Requests, files: Files) -> None:
    """When as much is new as the last keyframe held, all is stored again, and later records need nothing older."""
    bodies = growing(300, width=1000)
    for body in bodies:
        recorder.snapshot(body)
    snapshots = records("snapshot")
    keyframes = [record for record in snapshots if record.get("keyframe")]
    assert 2 <= len(keyframes) <= 5
    assert [request.body() for _, request in requests()] == bodies
    last = keyframes[-1]["seq"]
    trace = TraceFile()
    for record in iter_records(files()[0]):
        if record["seq"] >= last:
            trace.feed(record)
            if record["type"] == "snapshot":
                assert not trace.request(record).holes


def test_lanes_that_alternate_do_not_store_each_other_again(recorder: Recorder, records: Records) -> None:
    """Keyframes of a small lane beside a large one do not make the file many times what is new."""
    large = [{"content": "x" * 500 + str(n)} for n in range(600)]
    new = 0
    for n in range(300):
        recorder.snapshot({"messages": large[: 300 + n]}, lane="main")
        recorder.snapshot({"messages": [{"content": "y" * 500 + str(n)}]}, lane=f"side {n % 3}")
        new += 1100
    written = sum(len(json.dumps(record["blobs"])) for record in records("snapshot"))
    assert written < 4 * (new + 300 * 550) + MIN_KEYFRAME


def test_a_lost_line_is_a_hole_in_what_it_held(recorder: Recorder, files: Files) -> None:
    """The other messages of later snapshots are there; the next keyframe ends the damage."""
    bodies = growing(120, width=1000)
    for body in bodies:
        recorder.snapshot(body)
    path = files()[0]
    drop_line(path, 4)  # the snapshot of four messages
    read = list(read_requests(path, strict=False))
    assert len(read) == 119
    _, request = read[10]
    assert [element.place for element in request.holes] == ["messages[3]"]
    body = request.body()
    assert isinstance(body["messages"][3], Hole)
    assert body["messages"][:3] == bodies[11]["messages"][:3]
    first_keyframe = next(i for i, (found, _) in enumerate(read) if found.get("keyframe"))
    assert all(request.holes for _, request in read[3:first_keyframe])
    assert not any(request.holes for _, request in read[first_keyframe:])


def test_a_lost_base_harms_fewer_than_sixteen(recorder: Recorder, files: Files) -> None:
    """Snapshots whose runs point into a lost one show holes in their place; an absolute one ends it."""
    for body in thinned():
        recorder.snapshot(body)
    drop_line(files()[0], 20)
    damaged = [bool(request.holes) for _, request in read_requests(files()[0], strict=False)]
    assert 0 < sum(damaged) < ABSOLUTE_EVERY


def test_a_file_can_be_read_on_from_stored_state(recorder: Recorder, files: Files) -> None:
    """A reader that kept sources and items elsewhere resolves the rest with them."""
    for body in growing(10):
        recorder.snapshot(body)
        recorder.snapshot({"messages": [{"x": "y" * 500 + str(len(body["messages"]))}]}, lane="b")
    records = list(iter_records(files()[0]))
    first = TraceFile()
    sources: dict[int, str | None] = {}
    items: dict[int, dict[str, list[int]]] = {}
    for record in records[:12]:
        first.feed(record)
        sources |= {blob["n"]: first.source(blob["n"]) for blob in record.get("blobs", ())}
        if record["type"] == "snapshot":
            items[record["seq"]] = first.items(record)
    later = TraceFile(sources.get, items.get)
    whole = list(read_requests(files()[0]))
    for record in records[12:]:
        later.feed(record)
        assert later.request(record).body_bytes() == whole[record["seq"] - 1].request.body_bytes()


@pytest.mark.parametrize("redact", [None, ()])
def test_an_indented_body_names_its_model(redact: Any, tmp_path: Path) -> None:
    """A body that is stored as one text is exact, and its record says which model it asks."""
    body = json.dumps({"model": "gpt-4.1", "messages": [{"role": "user", "content": "茶"}]}, indent=2).encode()
    with Recorder(tmp_path, session="s", redact=redact) as recorder:
        recorder.snapshot(body)
    ((record, request),) = [one for path in tmp_path.rglob("*.jsonl") for one in read_requests(path)]
    assert (record["model"], record["body"], record["exact"]) == ("gpt-4.1", None, "bytes")
    assert request.body_bytes() == body
