"""What a trace holds of a log that has grown since: where to go on."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from inspector.importers.base import ImportedAnswer, ImportedCall, ImportedCompaction
from inspector.importers.reading.moments import moment

MAIN: Final = "main"
"""Lane of records that name none."""


@dataclass(frozen=True)
class Known:
    """A record of the log that is in the trace already."""

    snapshot: str
    """Id of its call."""
    answer_changed: bool
    """The log says more of its answer now than when it was imported: it was still coming then."""


class Resumed:
    """The calls and compactions of a trace, lane by lane.

    A log that is only appended to gives, read again, the same calls first: as many as the trace has of
    a lane are known. Only of the last of a lane the answer may have been incomplete.
    """

    def __init__(self) -> None:
        self._calls: dict[str, list[str]] = {}
        """Ids of the calls, by lane."""
        self._compactions: Counter[str] = Counter()
        self._answers: dict[str, tuple[Any, ...]] = {}
        self._seen: Counter[tuple[str, str]] = Counter()
        self._end: datetime | None = None
        self.parts = 0
        """Files of the trace."""

    @classmethod
    def of(cls, files: Iterable[Path]) -> Resumed:
        """Read what trace files hold, oldest first.

        Raises:
            OSError: One cannot be read.
            ValueError: One holds what is no record.
        """
        resumed = cls()
        for path in files:
            resumed.parts += 1
            with path.open("rb") as file:
                for line in file:
                    resumed._take(json.loads(line))
        return resumed

    def known(self, record: ImportedCall | ImportedCompaction) -> Known | None:
        """Say whether the trace has a record of the log; they are asked for in the order of the log."""
        lane = record.lane or MAIN
        kind = type(record).__name__
        place = self._seen[kind, lane]
        self._seen[kind, lane] += 1
        if isinstance(record, ImportedCompaction):
            return Known("", answer_changed=False) if place < self._compactions[lane] else None
        calls = self._calls.get(lane, [])
        if place >= len(calls):
            return None
        snapshot = calls[place]
        last = place == len(calls) - 1
        return Known(snapshot, answer_changed=last and _outline(record.answer) != self._answers.get(snapshot))

    def last(self, lane: str | None) -> str | None:
        """Give the id of the last call of a lane, once: the first new one follows it."""
        calls = self._calls.pop(lane or MAIN, None)
        return calls[-1] if calls else None

    def not_before(self, time: datetime | None) -> datetime | None:
        """Give a time for the first new record: its own, but none before what is there, so that files sort."""
        return max((one for one in (time, self._end) if one is not None), default=None)

    def _take(self, record: Mapping[str, Any]) -> None:
        self._end = self.not_before(moment(record["time"]))
        if record["type"] == "snapshot":
            self._calls.setdefault(record["lane"], []).append(record["id"])
        elif record["type"] == "compaction":
            self._compactions[record["lane"]] += 1
        elif record["type"] == "response":
            self._answers[record["snapshot"]] = (record["usage"], record["duration_ms"], record["complete"])


def _outline(answer: ImportedAnswer | None) -> tuple[Any, ...] | None:
    """Give what changes as an answer goes on: its tokens, how long it took, whether it is whole."""
    if answer is None:
        return None
    usage = (answer.body or {}).get("usage")
    return usage, answer.duration_ms, answer.error is None
