"""Reads the committed samples with the SDK alone, whatever their dialect."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import pytest

from sample_data import TRACES
from snapshot_sdk import TraceFile, iter_records


@dataclass
class Call:
    """One call of a sample."""

    turn: int
    lane: str
    purpose: str | None
    api: str
    model: str
    caller: str
    body: dict[str, Any]
    answer: str = ""
    usage: dict[str, Any] = field(default_factory=dict)
    duration_ms: float = 0
    statuses: list[int] = field(default_factory=list)

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The dialogue of the prompt."""
        found: list[dict[str, Any]] = self.body["contents" if "contents" in self.body else "messages"]
        return found

    def says(self, text: str) -> bool:
        """Tell whether a text stands in the prompt."""
        return text in json.dumps(self.body, ensure_ascii=False)


@dataclass
class Sample:
    """One sample session."""

    header: dict[str, Any]
    calls: list[Call]
    records: list[dict[str, Any]]
    events: list[tuple[int, dict[str, Any]]]
    """Every record that is no call, with the number of calls before it."""

    def of(self, kind: str) -> list[dict[str, Any]]:
        """Return the records of one type."""
        return [record for record in self.records if record["type"] == kind]

    def lane(self, name: str, turn: int | None = None) -> list[Call]:
        """Return the calls of a lane, of one turn or of all."""
        return [call for call in self.calls if call.lane == name and turn in (None, call.turn)]

    def main(self, turn: int | None = None) -> list[Call]:
        """Return the calls of the main lane, of one turn or of all."""
        return self.lane("main", turn)


def text_of(message: dict[str, Any]) -> str:
    """Return the text of an answer, in any dialect."""
    content = message.get("parts", message.get("content"))
    return "".join(part.get("text", "") for part in content) if isinstance(content, list) else content or ""


@cache
def load(session: str) -> Sample:
    """Read a committed sample."""
    (file,) = TRACES.glob(f"{session}-????????/*.jsonl")
    records, calls, events, trace = list(iter_records(file)), {}, [], TraceFile()
    for record in records:
        trace.feed(record)
        call = calls.get(record.get("snapshot", ""))
        if record["type"] == "snapshot":
            named = (record[name] for name in ("turn", "lane", "purpose", "api", "model", "caller"))
            calls[record["id"]] = Call(*named, trace.request(record).body())
        elif record["type"] == "response" and call is not None:
            call.answer = "".join(text_of(element.value) for element in trace.messages(record))
            call.usage, call.duration_ms = record["usage"], record["duration_ms"]
        elif record["type"] == "attempt" and call is not None:
            call.statuses.append(record["status"])
        else:
            events.append((len(calls), record))
    return Sample(records[0], list(calls.values()), records, events)


@pytest.fixture
def sample() -> Callable[[str], Sample]:
    """Read a sample by the name of its session."""
    return load
