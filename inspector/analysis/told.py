"""What a teller of the story may look at, and the words tellers share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from inspector.analysis.changes import SessionChanges
from inspector.model.views import CallRow, LineErrorRow, Sentence, SessionRow

QUOTED: Final = 60
"""Characters of the user's text in a sentence: enough to know it again."""


@dataclass(frozen=True)
class Told:
    """All a teller may look at."""

    session: SessionRow
    calls: Sequence[CallRow]
    changes: SessionChanges
    damages: Sequence[LineErrorRow] = ()
    """Lines of this session's files that could not be read as they stand."""
    answers: Mapping[int, str] = field(default_factory=dict)
    """Text of the answer of each call that has one."""

    @property
    def main(self) -> Sequence[CallRow]:
        """Calls of the main lane, which alone has the session's budget."""
        lane = self.session.lanes[0][0] if self.session.lanes else None
        return [call for call in self.calls if call.lane == lane]


Teller = Callable[[Told], Iterator[Sentence]]


def told_at(calls: Sequence[CallRow]) -> str:
    """Name the first of some calls."""
    return f"Call {calls[0].number}"


def and_more(things: Sequence[object]) -> str:
    """Say how many others have the same cause."""
    others = len(things) - 1
    return f" (and {others:,} more)" if others else ""


def count_messages(count: int) -> str:
    """Write a number of messages."""
    return f"{count:,} {'message' if count == 1 else 'messages'}"


def quote(text: str | None) -> str:
    """Cut a text to what a sentence can hold, on one line."""
    line = " ⏎ ".join(part.strip() for part in (text or "").splitlines() if part.strip())
    return line if len(line) <= QUOTED else line[: QUOTED - 1].rstrip() + "…"
