"""Arrays of values that nobody changes: what is found again, what is written anew, and that the trace is the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from snapshot_sdk import Recorder, read_requests
from snapshot_sdk._final import FinalArrays
from snapshot_sdk._seam import Seam

FIRST, SECOND, THIRD = ({"role": "user", "content": text} for text in ("one", "two", "three"))
LONG = 600
"""Characters of a message that is stored as a delta of the one in whose place it stands."""


def bodies() -> list[dict[str, Any]]:
    """Requests that grow, change in the middle, lose their beginning, repeat themselves and hold odd values."""
    messages = [{"role": "user", "content": f"{n} 订单 {'x' * LONG}"} for n in range(8)]
    tools = [{"name": f"tool-{n}", "description": "d" * LONG} for n in range(3)]
    edited = {"role": "user", "content": f"2 订单 {'x' * LONG} and more"}
    odd = {"role": "user", "content": "odd", "score": float("nan"), "digits": 10**5000, 1: "a key"}
    lists = [
        *(messages[: n + 1] for n in range(8)),
        [*messages[:2], edited, *messages[3:]],
        messages[3:],
        [*messages[3:], messages[3]],
        [*messages[3:], odd],
        [*messages[3:], odd, messages[0]],
        [],
        messages,
    ]
    return [{"model": "m", "tools": tools, "messages": list(one)} for one in lists]


def test_elements_of_the_snapshot_before_are_counted() -> None:
    """The very objects that stood first in it are the same; their keys come from it."""
    arrays = FinalArrays()
    first = arrays.keys("a", [FIRST, SECOND], 1, None)
    second = arrays.keys("a", [FIRST, SECOND, THIRD], 2, 1)

    assert (first.same, second.same) == (0, 2)
    assert second.keys[0] is first.keys[0]


def test_equal_objects_are_not_the_same() -> None:
    """One and true are equal to Python and not in JSON: only the object itself counts."""
    arrays = FinalArrays()
    arrays.keys("a", [{"n": 1}], 1, None)
    found = arrays.keys("a", [{"n": True}], 2, 1)

    assert found == (['{"n":true}'], 0)


def test_another_snapshot_in_between_has_nothing_in_common() -> None:
    """Where the lane's last record is not the one remembered (it was lost), nothing can be referred to."""
    arrays = FinalArrays()
    arrays.keys("a", [FIRST], 1, None)

    assert arrays.keys("a", [FIRST, SECOND], 3, 2).same == 0
    assert arrays.keys("a", [FIRST, SECOND], 4, None).same == 0


def test_a_window_that_slides_is_not_written_anew() -> None:
    """An element that moved to another place keeps its key."""
    arrays = FinalArrays()
    first = arrays.keys("a", [FIRST, SECOND, THIRD], 1, None)
    second = arrays.keys("a", [SECOND, THIRD], 2, 1)

    assert second.same == 0
    assert second.keys[0] is first.keys[1]


def test_few_arrays_are_remembered() -> None:
    """Of many lanes the ones used last are known; a forgotten one is written anew, and right."""
    arrays = FinalArrays()
    arrays.keys("old", [FIRST], 0, None)
    for lane in range(100):
        arrays.keys(lane, [SECOND], lane + 1, None)

    assert arrays.keys("old", [FIRST], 200, 0) == (['{"role":"user","content":"one"}'], 0)


def test_trace_says_the_same_as_of_values_that_may_change(tmp_path: Path, seam: Seam) -> None:
    """Every body is given back alike, and what was replaced in it is noted alike."""

    def record(folder: str, *, final: bool) -> list[tuple[Any, Any]]:
        seam.values_are_final = final
        with Recorder(tmp_path / folder, session="s", _seam=seam) as recorder:
            for number, body in enumerate(bodies()):
                recorder.snapshot(body, lane=("main", "side")[number % 5 == 4])
        [file] = (tmp_path / folder).rglob("*.jsonl")
        return [(request.body_bytes(), record.get("replaced")) for record, request in read_requests(file)]

    assert record("final", final=True) == record("plain", final=False)


def test_redacted_messages_are_noted_in_every_request(tmp_path: Path, seam: Seam) -> None:
    """What was removed from a message that goes on is said of each request that holds it."""
    seam.values_are_final = True
    secret = {"role": "user", "content": "the key is sk-ant-api03-" + "a1B2" * 20}
    with Recorder(tmp_path, session="s", _seam=seam) as recorder:
        recorder.snapshot({"messages": [secret]})
        recorder.snapshot({"messages": [secret, SECOND]})
    [file] = tmp_path.rglob("*.jsonl")

    noted = [record["redactions"] for record, _ in read_requests(file)]
    assert noted[0]
    assert noted[0] == noted[1]
