"""Stories of many sessions: each told once as long as its session stays the same, in the background."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from inspector.analysis.changes import SessionChanges
from inspector.analysis.story import Asked, add_stories, worst_first
from inspector.model.context import CallContext, CompactedContexts
from inspector.model.views import CallRow, CompactionRow, LineErrorRow, PinRow, SessionRow
from inspector.model.watches import Watch

_REVISION_SECONDS: Final = 2.0
"""While many stories are told, views are told to look again this often and not after each one."""


@dataclass(frozen=True)
class _Source:
    """The index, its damaged lines asked for once and not once a session."""

    index: Asked
    damages: tuple[LineErrorRow, ...]

    def calls(self, session: str) -> tuple[CallRow, ...]:
        return self.index.calls(session)

    def compactions(self, session: str) -> tuple[CompactionRow, ...]:
        return self.index.compactions(session)

    def pins(self, session: str) -> tuple[PinRow, ...]:
        return self.index.pins(session)

    def watches(self, session: str) -> tuple[Watch, ...]:
        return self.index.watches(session)

    def contexts(self, session: str) -> tuple[CallContext, ...]:
        return self.index.contexts(session)

    def compacted(self, session: str, contexts: Sequence[CallContext] | None = None) -> tuple[CompactedContexts, ...]:
        return self.index.compacted(session, contexts)

    def answers(self, session: str) -> Mapping[int, str]:
        return self.index.answers(session)

    def line_errors(self) -> tuple[LineErrorRow, ...]:
        return self.damages


class Stories:
    """Tells stories and remembers them; one for each index, shared by all who look at it."""

    def __init__(self, index: Asked) -> None:
        self._index = index
        self._lock = threading.Lock()
        self._told: dict[str, tuple[SessionRow, tuple[Watch, ...], SessionRow]] = {}
        self._damages: tuple[LineErrorRow, ...] = ()
        self._worker: threading.Thread | None = None
        self.revision = 0
        """Grows when stories were told that a view may lack."""
        self.untold: frozenset[str] = frozenset()
        """Sessions the last :meth:`told` returned without their story."""

    def told(
        self, rows: Sequence[SessionRow], damages: tuple[LineErrorRow, ...], seconds: float
    ) -> tuple[SessionRow, ...]:
        """Return sessions with their stories, worst first, then newest.

        Args:
            rows: The sessions as the index has them.
            damages: Damaged lines of all files.
            seconds: How long to wait for stories that are not told yet; the rest is told meanwhile.
        """
        self._forget_if_other(damages)
        missing = [row for row in rows if self._known(row) is None]
        if missing:
            # What is surely bad is told first, so that the top of the list is right early.
            missing.sort(key=lambda row: (row.pins_gone + row.failed_calls > 0, row.ended), reverse=True)
            self._work(missing).join(seconds)
        known = [self._known(row) for row in rows]
        self.untold = frozenset(row.session for row, told in zip(rows, known, strict=True) if told is None)
        return worst_first(told or row for row, told in zip(rows, known, strict=True))

    def tell(
        self, row: SessionRow, damages: tuple[LineErrorRow, ...], trace: Callable[[], SessionChanges] | None = None
    ) -> SessionRow:
        """Return one session with its story, now.

        Args:
            row: The session as the index has it.
            damages: Damaged lines of all files.
            trace: Says what changed in it, where the caller needs that, too: it takes seconds on a long session.
        """
        self._forget_if_other(damages)
        return self._known(row) or self._tell(row, trace() if trace is not None else None)

    def _known(self, row: SessionRow) -> SessionRow | None:
        entry = self._told.get(row.session)
        if entry is None or entry[0] != row or entry[1] != self._index.watches(row.session):
            return None
        return entry[2]

    def _tell(self, row: SessionRow, changes: SessionChanges | None = None) -> SessionRow:
        damages, watches = self._damages, self._index.watches(row.session)
        known = {row.session: changes} if changes is not None else None
        (told,) = add_stories(_Source(self._index, damages), [row], known)
        with self._lock:
            if self._damages is damages:
                self._told[row.session] = (row, watches, told)
        return told

    def _forget_if_other(self, damages: tuple[LineErrorRow, ...]) -> None:
        with self._lock:
            if damages != self._damages:
                self._damages = damages
                self._told.clear()

    def _work(self, rows: Sequence[SessionRow]) -> threading.Thread:
        with self._lock:
            if self._worker is None or not self._worker.is_alive():
                self._worker = threading.Thread(target=self._tell_all, args=(rows,), name="stories", daemon=True)
                self._worker.start()
            return self._worker

    def _tell_all(self, rows: Sequence[SessionRow]) -> None:
        looked = time.monotonic()
        try:
            for row in rows:
                if self._known(row) is None:
                    self._tell(row)
                if time.monotonic() - looked > _REVISION_SECONDS:
                    self.revision += 1
                    looked = time.monotonic()
        finally:
            self.revision += 1
