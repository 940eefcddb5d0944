"""Facts about finding a body, its answer and its time in a value."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from inspector.importers.exchanges.exchange import answer_of, body_of, call_of, error_text, session_of
from inspector.importers.reading.line_values import Entry

BODY = {"model": "m", "messages": [{"role": "user", "content": "x"}]}


@pytest.mark.parametrize(
    ("value", "body"),
    [
        (BODY, BODY),
        ({"model": "m", "input": "x"}, {"model": "m", "input": "x"}),
        ({"messages": [], "tools": []}, {"messages": [], "tools": []}),
        ({"contents": [{"parts": []}]}, {"contents": [{"parts": []}]}),
        ({"instruction": "do", "input": "x"}, None),
        ({"messages": [], "info": {}, "trajectory_format": "mini-swe-agent-1.1"}, None),
        ({"messages": [{"type": "user", "content": "x"}]}, None),
        ({"request": BODY}, BODY),
        ({"request": {"url": "/v1", "body": BODY}}, BODY),
        ({"messages": "no list", "choices": []}, None),
        ({"request": {"url": "/v1"}}, None),
        ({"request": "GET /", **BODY}, {"request": "GET /", **BODY}),
        ([BODY], None),
        ("text", None),
        ({}, None),
    ],
)
def test_body_is_found(value: Any, body: Any) -> None:
    """A body is the value or stands in its ``request``; an answer is none."""
    assert body_of(value) == body


def test_bare_body_keeps_its_text() -> None:
    """A body that is the whole entry is given as source text."""
    assert call_of(Entry({"messages": []}, '{"messages": [ ]}')).request == '{"messages": [ ]}'


def test_bare_body_names_no_session() -> None:
    """What stands in a body is the provider's: ``session_id`` there is no name of ours."""
    assert session_of({**BODY, "session_id": "x"}) is None
    assert session_of({"request": BODY, "conversation_id": 7}) == "7"


def test_what_stands_beside_a_request_is_read() -> None:
    """Time, turn, lane and duration are taken from beside the request."""
    call = call_of(
        Entry(
            {
                "request": {"url": "https://x/v1", "body": BODY},
                "response": {"status_code": 200, "body": {"choices": []}},
                "timestamp": "2025-01-02T03:04:05+01:00",
                "turn": 3,
                "lane": "judge",
                "duration_ms": 12,
            }
        )
    )

    assert (call.turn, call.lane, call.endpoint) == (3, "judge", "https://x/v1")
    assert call.time == datetime(2025, 1, 2, 2, 4, 5, tzinfo=UTC)
    assert call.answer is not None
    assert (call.answer.status, call.answer.duration_ms, call.answer.body) == (200, 12.0, {"choices": []})


@pytest.mark.parametrize(
    "value",
    [
        {"response": {"status_code": 429, "body": {"error": {"type": "rate_limit", "message": "slow"}}}},
        {"response": {"error": {"type": "rate_limit", "message": "slow"}}, "status": 429},
        {"error": {"code": "rate_limit", "message": "slow"}, "status": 429},
    ],
)
def test_errors_are_read(value: Any) -> None:
    """An error is found wherever the log puts it, and there is no body then."""
    answer = answer_of(value)

    assert answer is not None
    assert (answer.status, answer.error, answer.body) == (429, "rate_limit: slow", None)


def test_no_response_is_no_answer() -> None:
    """A request alone has no answer; a null one neither."""
    assert answer_of({"response": None, "error": None}) is None


def test_odd_error_is_worded() -> None:
    """An error of an unknown shape is its text."""
    assert error_text([1]) == "[1]"
