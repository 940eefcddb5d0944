"""The payload of the Session page, judged as the values the browser gets."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from inspector.model.layers import Layer
from inspector.model.request import Usage
from inspector.model.views import CallRow, EventRow, Sentence, SessionRow, TokenCount
from inspector.ui.session_payload import EVENTS_PER_CALL, STORY_LINES, session_payload

UNKNOWN = TokenCount(None, "unknown")
HOSTILE = "<img src=x onerror=alert(1)> **b** $x$ [x](http://y)"


def make_call(number: int, **changes: Any) -> CallRow:
    """Return the n-th call of a session whose prompt grows by ten tokens a call."""
    history = 10 * number
    call = CallRow(
        id=f"id{number}",
        number=number,
        turn=number,
        turn_label=f"t{number}",
        turn_inferred=False,
        lane="main",
        lane_origin="given",
        purpose=None,
        previous=f"id{number - 1}" if number > 1 else None,
        api="openai.chat",
        model="gpt-4.1",
        time="2026-11-28T14:02:00Z",
        duration_ms=None,
        status="answered",
        http_status=200,
        error=None,
        attempts=1,
        stop_reason="stop",
        usage=Usage(None, None, None, None, None),
        usage_raw=None,
        composition={Layer.SYSTEM: 100, Layer.HISTORY: history},
        origins={Layer.SYSTEM: "tokenizer:o200k_base", Layer.HISTORY: "tokenizer:o200k_base"},
        counted=TokenCount(100 + history, "tokenizer:o200k_base"),
        provider=UNKNOWN,
        calibrated=UNKNOWN,
        unattributed=None,
        tokens=TokenCount(100 + history, "tokenizer:o200k_base"),
        window=16_000,
        budget=8_000,
        threshold=5_600,
        messages=1 + number,
        exact="bytes",
        missing=(),
        caller=None,
        file="a.jsonl",
        line=number,
    )
    return replace(call, **changes)


def make_session(calls: list[CallRow], story: tuple[Sentence, ...] = ()) -> SessionRow:
    """Return the row of a session of these calls."""
    return SessionRow(
        session=HOSTILE,
        agent=None,
        models=("gpt-4.1",),
        calls=len(calls),
        turns=len(calls),
        started="2026-11-28T14:02:00Z",
        ended="2026-11-28T14:03:00Z",
        peak=TokenCount(200, "tokenizer:o200k_base"),
        window=16_000,
        budget=8_000,
        threshold=5_600,
        compactions=0,
        pins=0,
        pins_gone=0,
        failed_calls=0,
        fill=(),
        lanes=(("main", len(calls)),),
        origin="recorded",
        exact=("bytes",),
        story=story,
    )


def payload(calls: list[CallRow], story: tuple[Sentence, ...] = (), **marks: Any) -> dict[str, Any]:
    """Return the payload as it comes out of JSON at the other side."""
    built = session_payload(
        make_session(calls, story),
        calls,
        marks.get("events", ()),
        opens_at=len(calls),
    )
    decoded: dict[str, Any] = json.loads(json.dumps(built, allow_nan=False))
    return decoded


def test_layers_stand_in_stack_order_and_only_if_they_occur() -> None:
    """The legend has a fixed row for each layer of the session, none for the others."""
    calls = [make_call(1), make_call(2, composition={Layer.SYSTEM: 1, Layer.SUMMARY: 5}, unattributed=3)]
    assert [layer["code"] for layer in payload(calls)["layers"]] == ["SY", "SU", "HI", "UN"]


def test_a_column_that_never_changes_is_sent_once() -> None:
    """1,000 equal values are one value."""
    columns = payload([make_call(n) for n in range(1, 5)])["calls"]
    assert columns["model"] == "gpt-4.1"
    assert columns["budget"] == 8_000


def test_a_column_of_long_runs_is_sent_as_runs() -> None:
    """A status that changes once costs two pairs."""
    calls = [make_call(n, status="failed" if n > 5 else "answered") for n in range(1, 11)]
    assert payload(calls)["calls"]["status"] == {"runs": [["answered", 5], ["failed", 5]]}


def test_unknown_tokens_are_null_not_zero() -> None:
    """A call nobody could count is no call of 0 tokens."""
    calls = [make_call(1), make_call(2, composition={}, origins={}, counted=UNKNOWN, tokens=UNKNOWN)]
    columns = payload(calls)["calls"]
    assert columns["tokens"] == [110, None]
    assert columns["counted"] == [110, None]


def test_previous_is_the_call_the_lane_continues() -> None:
    """A side call between two calls of the main lane is not what the second is compared with."""
    calls = [make_call(1), make_call(2, lane="summariser", previous=None), make_call(3, previous="id1")]
    assert payload(calls)["calls"]["previous"] == [None, None, 1]


def test_a_previous_call_outside_the_session_is_none() -> None:
    """A dangling id is no number."""
    assert payload([make_call(1, previous="elsewhere")])["calls"]["previous"] == [None]


def test_only_calls_that_did_not_simply_answer_have_a_note() -> None:
    """Notes are sparse, by call number."""
    calls = [make_call(1), make_call(2, status="no answer")]
    assert payload(calls)["calls"]["note"] == {"2": "no answer recorded"}


def test_a_story_has_at_most_six_lines_each_with_its_turn() -> None:
    """The story is cut, not the picture."""
    story = tuple(Sentence("error", "failed_call", f"{HOSTILE} {n}", n) for n in range(1, 9))
    sent = payload([make_call(n) for n in range(1, 9)], story)
    assert len(sent["story"]) == STORY_LINES
    assert sent["story"][1] == {
        "severity": "error",
        "kind": "failed_call",
        "text": f"{HOSTILE} 2",
        "call": 2,
        "turn": "t2",
        "message": None,
        "compaction": None,
        "page": "call",
        "fact": None,
    }


def test_a_sentence_carries_its_evidence() -> None:
    """The message, the compaction and the page that shows it best are the link of the line."""
    sentence = Sentence("error", "pin_gone", "gone", 2, message=5, compaction=1, page="compare")
    (line,) = payload([make_call(1), make_call(2)], (sentence,))["story"]
    assert (line["message"], line["compaction"], line["page"]) == (5, 1, "compare")


def test_texts_of_the_user_arrive_as_they_are() -> None:
    """Nothing is escaped or cut in the payload: the browser makes text nodes."""
    assert payload([make_call(1)])["session"] == HOSTILE


def test_events_of_a_call_are_one_entry_with_the_first_texts() -> None:
    """A call with a thousand events costs a dozen texts and a count."""
    events = [EventRow("tool" if n % 2 else "state", "main", "", {"n": n}, None, 1) for n in range(1_000)]
    (entry,) = payload([make_call(1)], events=events)["events"]
    assert entry["kinds"] == ["state", "tool"]
    assert entry["count"] == 1_000
    assert len(entry["texts"]) == EVENTS_PER_CALL


def test_a_thousand_calls_stay_small() -> None:
    """One session of 1,000 calls is sent in some tens of kilobytes."""
    assert len(json.dumps(payload([make_call(n) for n in range(1, 1_001)]))) < 60_000
