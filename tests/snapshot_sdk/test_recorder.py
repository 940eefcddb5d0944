"""The recorder: snapshots and answers."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from snapshot_sdk import Recorder
from snapshot_sdk._seam import Seam

Records = Callable[..., list[dict[str, Any]]]

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


def test_caller_can_be_left_out(tmp_path: Path, records: Records) -> None:
    """caller=False records no line of the user's code."""
    with Recorder(tmp_path, session="s", caller=False) as recorder:
        recorder.snapshot(BODY)
    assert records("snapshot")[0]["caller"] is None
