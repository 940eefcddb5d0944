"""Measures all sessions of a directory in the background; what was measured once is not measured again."""

from __future__ import annotations

import itertools
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from inspector.index import Index
from inspector.model.views import SessionRow
from inspector.model.watches import Watch
from inspector.probes.probe import Suite
from inspector.probes.results import answers_file
from inspector.probes.session_figures import (
    FiguresReport,
    SessionFigures,
    choose_suites,
    measure_session,
    measure_sessions,
)
from inspector.probes.suite_files import find_suite_files, read_own_suites
from inspector.ui.background import BackgroundWork

_Made = tuple[SessionRow, tuple[Watch, ...], Suite | None, tuple[int, int]]
"""What the figures of a session are made of: its row, its watches, its probes, the stamp of its answers."""
_NO_ANSWERS: Final = (0, 0)


class Measured:
    """Figures of sessions, kept while what they are made of stays the same."""

    def __init__(self, index: Index) -> None:
        """Make it empty.

        Args:
            index: Of the directory.
        """
        self._index = index
        self._folder = index.watchlist.file.parent
        self._known: dict[str, tuple[_Made, SessionFigures]] = {}

    def measure(self, row: SessionRow, suite: Suite | None) -> SessionFigures:
        """Return the figures of a session.

        Args:
            row: The session.
            suite: Its probes; None: a draft.

        Raises:
            InspectorError: It cannot be read.
        """
        made = (row, self._index.watches(row.session), suite, _stamp(answers_file(self._folder, row.session)))
        known = self._known.get(row.session)
        if known is not None and known[0] == made:
            return known[1]
        figures = measure_session(self._index, row, suite, self._folder)
        self._known[row.session] = (made, figures)
        return figures


def _stamp(file: Path) -> tuple[int, int]:
    try:
        status = file.stat()
    except OSError:
        return _NO_ANSWERS
    return status.st_mtime_ns, status.st_size


@dataclass(frozen=True)
class Progress:
    """How far it is."""

    done: int
    total: int | None
    """None: the sessions are not listed yet."""


class FiguresRun(BackgroundWork):
    """All sessions being measured: how far that is, and what came of it."""

    def __init__(self, index: Index, measured: Measured, suite: Suite | None, number: int) -> None:
        """Start to measure.

        Args:
            index: Of the directory.
            measured: What is known already.
            suite: Put to all sessions; None: each has its own.
            number: Tells this run from others of the directory.
        """
        super().__init__("figures", "the figures")
        self.suite = suite
        """Put to all sessions; None: each has its own."""
        self.number = number
        """Tells this run from others of the directory."""
        self.progress = Progress(0, None)
        self.report: FiguresReport | None = None
        """None: not there yet, or it failed."""
        self.passed_over: tuple[str, ...] = ()
        """Why suites cannot be read, a sentence each."""
        self._index = index
        self._measured = measured
        self.begin()

    def _work(self) -> None:
        rows = sorted(self._index.sessions(), key=lambda row: (row.started, row.session), reverse=True)
        own = read_own_suites(find_suite_files(self._index.watchlist.files if self.suite is None else ()))
        self.passed_over = own.troubles
        suites = choose_suites(rows, self.suite, own.by_session)
        self.report = measure_sessions(
            rows, lambda row: self._measured.measure(row, suites[row.session]), self._tell, self._cancelled.is_set
        )

    def _tell(self, done: int, total: int) -> None:
        self.progress = Progress(done, total)


class FiguresRuns:
    """The last run of a directory."""

    def __init__(self, index: Index) -> None:
        """Begin without one.

        Args:
            index: Of the directory.
        """
        self._index = index
        self._measured = Measured(index)
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self.last: FiguresRun | None = None
        """None: nobody asked yet."""

    def start(self, suite: Suite | None) -> FiguresRun:
        """Start to measure; a run that is on its way is cancelled, and what it measured is used.

        Args:
            suite: Put to all sessions; None: each has its own.
        """
        with self._lock:
            if self.last is not None:
                self.last.cancel()
            self.last = FiguresRun(self._index, self._measured, suite, next(self._numbers))
            return self.last
