"""What a gateway records with, without any HTTP library."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from snapshot_sdk import Recorder, gateway, iter_records
from snapshot_sdk.gateway import Endpoints, Exchange, Outcome, Outgoing, begin

URL = "https://api.openai.com/v1/chat/completions"
BODY = b'{"model":"m","messages":[]}'
ANSWER = {"choices": [{"message": {"role": "assistant", "content": "hi"}}], "usage": {"prompt_tokens": 1}}


@pytest.fixture
def recorder(tmp_path: Path) -> Recorder:
    """A recorder of the session ``s``."""
    return Recorder(tmp_path, session="s")


@pytest.fixture
def records(tmp_path: Path) -> Callable[[str], list[dict[str, Any]]]:
    """The records of one type."""
    return lambda kind: [
        record for path in tmp_path.rglob("*.jsonl") for record in iter_records(path) if record["type"] == kind
    ]


def _begin(recorder: Recorder, url: str = URL, body: bytes = BODY) -> Exchange | None:
    return begin(recorder, Endpoints(any_host=False), lambda: Outgoing("POST", url, body, None))


def test_what_is_exported() -> None:
    """The names are sorted, and each is there."""
    assert gateway.__all__ == sorted(gateway.__all__, key=lambda name: (not name.isupper(), name.islower(), name))
    assert [name for name in gateway.__all__ if not hasattr(gateway, name)] == []


def test_what_is_no_call(recorder: Recorder, records: Callable[[str], list[dict[str, Any]]]) -> None:
    """It is not begun, and nothing is written."""
    assert _begin(recorder, "https://api.openai.com/v1/embeddings") is None
    assert _begin(recorder, "https://example.com/v1/chat/completions") is None
    assert records("header") == []


def test_what_became_of_it_is_told_once(recorder: Recorder, records: Callable[[str], list[dict[str, Any]]]) -> None:
    """Status, answer and duration, after they are on disk."""
    told: list[tuple[Outcome, int]] = []
    exchange = _begin(recorder)
    assert exchange is not None
    exchange.on_end = lambda outcome: told.append((outcome, len(records("response"))))
    exchange.answering(200, "application/json")
    exchange.chunk(json.dumps(ANSWER).encode())
    exchange.ended()
    exchange.closed()

    ((outcome, written),) = told
    assert (outcome.status, outcome.body, outcome.error, written) == (200, ANSWER, None, 1)
    assert outcome.duration_ms >= 0
    assert records("snapshot")[0]["id"] == exchange.snapshot


def test_a_failure_is_told(recorder: Recorder) -> None:
    """Without an answer there is no status, and the error is in words."""
    told: list[Outcome] = []
    exchange = _begin(recorder)
    assert exchange is not None
    exchange.on_end = told.append
    exchange.failed(TimeoutError("no answer"))

    assert [(one.status, one.body, one.error) for one in told] == [(None, None, "TimeoutError: no answer")]


def test_further_tries_share_a_snapshot(recorder: Recorder) -> None:
    """Equal bytes right after a failure are the same call."""
    first = _begin(recorder)
    assert first is not None
    first.failed(TimeoutError())
    second = _begin(recorder)
    third = _begin(recorder, body=BODY + b" ")

    assert second is not None
    assert third is not None
    assert second.snapshot == first.snapshot != third.snapshot
