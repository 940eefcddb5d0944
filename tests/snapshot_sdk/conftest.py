"""A recorder in a temporary directory, its files read back, and a seam whose clock and ids are fixed."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from snapshot_sdk import Recorder, iter_records, read_requests
from snapshot_sdk._fixture_values import Check, Fixture, HistoryMessage, Origin, TokenRule
from snapshot_sdk._seam import Seam
from snapshot_sdk.canonical import content_hash
from snapshot_sdk.facts import Fact
from snapshot_sdk.reading import ReadRequest


class FixedSeam(Seam):
    """Clock that ticks a second per look, one process, counted ids."""

    def __init__(self) -> None:
        self._ticks = itertools.count()
        self._ids = itertools.count(1)
        self._tokens = itertools.count(0xA0000001)

    def now(self) -> datetime:
        return datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC) + timedelta(seconds=next(self._ticks))

    def mono_ns(self) -> int:
        return next(self._ticks) * 1000

    def token(self) -> str:
        return f"{next(self._tokens):08x}"

    def pid(self) -> int:
        return 4711

    def uuid7(self) -> str:
        return f"01900000-0000-7000-8000-{next(self._ids):012d}"


@pytest.fixture(autouse=True)
def _faults_are_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    """The recorder's own faults fail a test instead of being counted."""
    monkeypatch.setenv("SNAPSHOT_SDK_RAISE", "1")


@pytest.fixture
def swallowing(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in production: faults are counted."""
    monkeypatch.delenv("SNAPSHOT_SDK_RAISE")


@pytest.fixture
def seam() -> FixedSeam:
    """Fixed clock and ids."""
    return FixedSeam()


@pytest.fixture
def recorder(tmp_path: Path) -> Iterator[Recorder]:
    """A recorder of the session ``s``."""
    with Recorder(tmp_path, session="s") as recorder:
        yield recorder


@pytest.fixture
def files(tmp_path: Path) -> Callable[[], list[Path]]:
    """The trace files, by name."""
    return lambda: sorted(tmp_path.rglob("*.jsonl"))


@pytest.fixture
def records(files: Callable[[], list[Path]]) -> Callable[..., list[dict[str, Any]]]:
    """The records of all files, of one type if given."""

    def read(kind: str | None = None) -> list[dict[str, Any]]:
        found = [record for path in files() for record in iter_records(path)]
        return [record for record in found if kind in (None, record["type"])]

    return read


@pytest.fixture
def requests(files: Callable[[], list[Path]]) -> Callable[[], list[ReadRequest]]:
    """The snapshots of all files with their requests."""
    return lambda: [found for path in files() for found in read_requests(path)]


SYSTEM = {"role": "system", "content": "You are a travel desk.\nToday is 2026-03-04.\nNever book without a yes."}
RULE = {"role": "user", "content": "Answer in Chinese only. My budget is 8500元."}
FIND = {"id": "c1", "type": "function", "function": {"name": "find", "arguments": '{"city": "Sanya"}'}}
HOTELS = '{"hotels": [{"name": "Blue Bay", "price": 900}, {"name": "Palm Court", "price": 700}]}'
SUMMARY = {"role": "user", "content": "[对话摘要]\nThe user wants a hotel; budget 8000元."}
NEWEST = {"role": "user", "content": "Which of them did I ask you to book?"}


def _told(message: dict[str, Any], layer: str, call: int, **more: Any) -> HistoryMessage:
    tokens = len(str(message)) // 4
    return HistoryMessage(
        message, "messages", content_hash(message), layer, call, 1 if call < 3 else 2, tokens,
        answer=more.get("answer", False), summary=more.get("summary", False),
    )  # fmt: skip


@pytest.fixture
def trip() -> Fixture:
    """A call whose prompt lost a rule to a summary that also got an amount wrong."""
    history = (
        _told(SYSTEM, "system", 1),
        _told(RULE, "input", 1),
        _told({"role": "assistant", "content": None, "tool_calls": [FIND]}, "tool_calls", 1, answer=True),
        _told({"role": "tool", "tool_call_id": "c1", "content": HOTELS}, "tool_results", 2),
        _told({"role": "assistant", "content": "Blue Bay costs 900元 a night."}, "history", 2, answer=True),
        _told(SUMMARY, "summary", 3, summary=True),
        _told(NEWEST, "input", 3),
    )
    reason = "the summary at call 3 took message 2 and did not keep it"
    checks = (
        Check(
            "pin_1", "pin", "the rule stands in the prompt", text="Answer in Chinese only", failed=True, reason=reason
        ),
        Check("fact_1", "fact", "the budget is there", facts=(Fact("money", "8500元", ("budget",)),), failed=True),
        Check("protected", "protected", "what the user said is not retold", layer="input"),
        Check("pairing", "pairing", "every call has its result"),
        Check("system", "system", "the system prompt is whole", text=SYSTEM["content"]),
        Check("cut", "cut", "no message is cut"),
        Check("budget", "budget", "at most 400 tokens", limit=400),
        Check("reserve", "reserve", "500 tokens are left", limit=500),
        Check("summaries", "summaries", "one summary at most"),
        Check("head", "head", "the cached prefix holds", failed=False),
    )
    return Fixture(
        name="trip_call3",
        title="The rule went with a summary",
        origin=Origin("trip", 3, 2, "main", "snap-3", "trip/a.jsonl", 7),
        api="openai.chat",
        model="gpt-4.1",
        window=1000,
        budget=400,
        request={
            "model": "gpt-4.1",
            "messages": [SYSTEM, SUMMARY, NEWEST],
            "tools": [{"type": "function", "function": {"name": "find", "parameters": {}}}],
        },
        history=history,
        checks=checks,
        tokens=TokenRule(0.8, 0.25, "fitted on 7 messages"),
        previous_head={
            "messages": [SYSTEM],
            "tools": [{"type": "function", "function": {"name": "find", "parameters": {}}}],
        },
    )
