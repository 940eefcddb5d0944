"""Labels, pins, compactions and events."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from snapshot_sdk import Recorder, TraceFile, content_hash

Records = Callable[..., list[dict[str, Any]]]

MESSAGE = {"role": "user", "content": "remember me"}


def test_labels(recorder: Recorder, records: Records) -> None:
    """A label holds its target and what was said; texts may be long."""
    recorder.label("x" * 100_000, layer="memory", source="profile:1", score=0.5, task="t", turn_id=3, occurrence=2)
    recorder.label(MESSAGE, layer="state", within=MESSAGE)
    one, two = records("label")
    assert one["target"] == {"text": "x" * 100_000, "occurrence": 2}
    assert (one["layer"], one["source"], one["score"], one["task"], one["turn_id"]) == (
        "memory",
        "profile:1",
        0.5,
        "t",
        3,
    )
    assert (one["until_turn_ends"], one["turn"]) == (False, None)
    assert two["target"] == {"message": content_hash(MESSAGE), "within": content_hash(MESSAGE)}


def test_a_label_in_force_is_not_written_again(recorder: Recorder, records: Records) -> None:
    """Said again it changes nothing; said otherwise, or on another target, it is written."""
    for layer in ("memory", "memory", "state", "state", "memory"):
        recorder.label("a", layer=layer)
    recorder.label("b", layer="memory")
    recorder.label("a", layer="memory", occurrence=1)
    assert [record["layer"] for record in records("label")] == ["memory", "state", "memory", "memory", "memory"]


def test_labels_of_a_turn_end_with_it(recorder: Recorder, records: Records) -> None:
    """Inside turn() a label holds for that turn; the next one says it again."""
    for _ in range(2):
        with recorder.turn():
            recorder.label("a", layer="memory")
            recorder.label("a", layer="memory")
    recorder.label("a", layer="memory")
    with recorder.turn():
        recorder.label("a", layer="memory")
    said = [(record["until_turn_ends"], record["turn"]) for record in records("label")]
    assert said == [(True, 1), (True, 2), (False, None)]


def test_pins(recorder: Recorder, records: Records) -> None:
    """Texts, messages and patterns can be pinned; the record tells what, why and by which line."""
    recorder.pin("only Chinese", reason="user said so", scope="main")
    recorder.pin(MESSAGE)
    recorder.pin(re.compile("order [0-9]+", re.IGNORECASE))
    targets = [record["target"] for record in records("pin")]
    assert targets == [{"text": "only Chinese"}, {"message": content_hash(MESSAGE)}, {"regex": "(?i)order [0-9]+"}]
    assert [record["excerpt"] for record in records("pin")] == ["only Chinese", "remember me", "order [0-9]+"]
    first = records("pin")[0]
    assert (first["reason"], first["scope"]) == ("user said so", "main")
    assert first["caller"].startswith("snapshot_sdk/test_marks.py:")


@pytest.mark.parametrize("scope", [uuid.UUID(int=1), b"sub", {1: 2, "a": 3}, float("nan"), 5], ids=repr)
def test_an_odd_scope_is_kept_as_text(scope: Any, recorder: Recorder, records: Records) -> None:
    """A scope that is no string is its text; with the same one the pin is found again."""
    first = recorder.pin("a", scope=scope)
    recorder.unpin("a", scope=scope)
    assert [(record["pin"], record["scope"]) for record in records("pin")] == [(first, str(scope))]
    assert [record["pin"] for record in records("unpin")] == [first]


@pytest.mark.parametrize("occurrence", ["x", 0, -1, float("inf"), 10**5000, object()], ids=range(6))
def test_a_wrong_occurrence_is_left_out(occurrence: Any, recorder: Recorder, records: Records) -> None:
    """A label for what is no number of a place is kept, for every place."""
    recorder.label("a", layer="memory", occurrence=occurrence)
    assert [record["target"] for record in records("label")] == [{"text": "a"}]


def test_a_pattern_of_bytes_is_pinned_as_text(recorder: Recorder, records: Records) -> None:
    """It becomes the pattern of the same text."""
    recorder.pin(re.compile(b"order [0-9]+"))  # type: ignore[arg-type]
    assert [record["target"] for record in records("pin")] == [{"regex": "order [0-9]+"}]


def test_a_turn_of_a_huge_number_is_kept_as_text(recorder: Recorder, records: Records) -> None:
    """Labels of such a turn are kept."""
    with recorder.turn(2**60):
        recorder.label("a", layer="memory")
    assert [record["turn"] for record in records("label")] == [str(2**60)]


def test_a_pin_in_force_is_not_written_again(recorder: Recorder, records: Records) -> None:
    """Pinning twice gives the same id and one record; after a release it is a new pin."""
    first, again = recorder.pin("a"), recorder.pin("a")
    recorder.unpin("a")
    recorder.unpin("a")
    second = recorder.pin("a")
    recorder.unpin(second, reason="done")
    assert first == again != second
    assert [record["pin"] for record in records("pin")] == [first, second]
    assert [(record["pin"], record["reason"]) for record in records("unpin")] == [(first, None), (second, "done")]


def test_pins_survive_a_restart(tmp_path: Path, records: Records) -> None:
    """A new run of the session names the same pin alike, and can release it."""
    with Recorder(tmp_path, session="s") as recorder:
        first = recorder.pin("a")
    with Recorder(tmp_path, session="s") as recorder:
        recorder.unpin("a")
    assert records("unpin")[0]["pin"] == first


def test_a_pinned_label_pins(recorder: Recorder, records: Records) -> None:
    """label(pinned=True) also writes a pin, pinned=False releases it."""
    recorder.label("a", pinned=True)
    recorder.label("a", pinned=True)
    recorder.label("a", pinned=False)
    kinds = [record["type"] for record in records()]
    assert kinds == ["header", "label", "pin", "label", "unpin"]


def test_compactions(recorder: Recorder, records: Records) -> None:
    """Both sides are stored as messages, once; a change of state repeats the id."""
    messages = [{"role": "user", "content": f"{n}" * 300} for n in range(5)]
    recorder.snapshot({"messages": messages})
    with recorder.turn(4):
        first = recorder.compaction(messages, state="running", strategy="summary", reason="over 70 %", tokens_before=9)
        recorder.compaction({"messages": messages}, [*messages[3:], MESSAGE], id=first, duration_ms=2.5)
    running, done = records("compaction")
    assert running["compaction"] == done["compaction"] == first
    assert (running["state"], done["state"], done["turn"], running["after"]) == ("running", "done", 4, None)
    assert running["before"] == done["before"] == [[0, 5]]
    assert running["blobs"] == []
    trace = TraceFile()
    for record in records():
        trace.feed(record)
    assert [element.value for element in trace.messages(done, "after")] == [*messages[3:], MESSAGE]


def test_events(recorder: Recorder, records: Records) -> None:
    """An event keeps its data, odd values in their documented form."""
    with recorder.lane("sub"):
        recorder.event("retrieval", candidates=[{"id": "d1", "score": 0.5}], seen={1}, nan=float("nan"), kind="k")
    (event,) = records("event")
    assert (event["kind"], event["lane"]) == ("retrieval", "sub")
    assert event["data"] == {"candidates": [{"id": "d1", "score": 0.5}], "seen": [1], "nan": "NaN", "kind": "k"}
