"""The index of a directory of traces: the one thing the pages and the command line ask."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Literal, Self, TypeVar

import duckdb

from inspector.index import marks, queries
from inspector.index.answers import load_answer_values
from inspector.index.budgets import load_layer_budgets
from inspector.index.contexts import load_answers, load_compacted, load_contexts
from inspector.index.exchanges import load_effective, load_exchanges
from inspector.index.pending import Progress, find_pending
from inspector.index.search import search
from inspector.index.seen_rows import load_seen
from inspector.index.sql import Table, run_sql
from inspector.index.watchlist import Watchlist
from inspector.model.context import CallContext, CompactedContexts
from inspector.model.effective import EffectiveContext, Exchange
from inspector.model.layers import Layer
from inspector.model.settings import Settings
from inspector.model.views import (
    CallRow,
    CallView,
    CompactionRow,
    EventRow,
    IndexState,
    LineErrorRow,
    PinRow,
    SearchResult,
    SessionRow,
)
from inspector.model.watches import Watch as ReaderWatch

if TYPE_CHECKING:
    from inspector.index.refresh import Refresher
    from inspector.index.watch import Watch

_EMPTY: Final = IndexState(version=0, files=0, files_done=0, bytes=0, bytes_done=0, calls=0, running=False)
_T = TypeVar("_T")


class Index:
    """Answers questions about a directory of traces. Thread-safe: every operation has a cursor of its own."""

    def __init__(
        self,
        directory: Path,
        database: Path | None,
        connection: duckdb.DuckDBPyConnection,
        settings: Settings,
        sessions: Collection[str] | None,
        note: str | None,
        progress: Callable[[IndexState], None] | None,
    ) -> None:
        """Wrap an open database; use :func:`inspector.index.open_index`."""
        self.directory = directory
        """The traces."""
        self.database = database
        """The database file; None: in memory."""
        self.settings = settings
        """The user's settings."""
        self.watchlist = Watchlist(directory)
        """Texts the reader pinned afterwards."""
        self._connection = connection
        self._progress = progress
        self._writing = threading.Lock()
        self._state = replace(_EMPTY, note=note)
        self._closing = threading.Event()
        self._background: threading.Thread | None = None
        self._asking = threading.Lock()
        self._asked = False
        """Whether somebody asked for a refresh that no background thread has begun."""
        self._watch: Watch | None = None
        self._sessions = sessions
        self._refresher: Refresher | None = None
        """Made when there is something to read: what reads traces takes a fifth of a second to load, and a command
        that is asked a question most often finds the index up to date."""
        self._count_calls(None)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    @property
    def version(self) -> int:
        """Grows with every change of the data, and of the watches."""
        return self._state.version + self.watchlist.revision

    def state(self) -> IndexState:
        """Say how the index stands."""
        notes = [note for note in (self._state.note, self.watchlist.trouble) if note]
        return replace(self._state, version=self.version, note=" · ".join(notes) or None)

    def refresh(
        self,
        progress: Callable[[IndexState], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> IndexState:
        """Read what is new in the trace files.

        Args:
            progress: Told how far it is, at least once a batch.
            cancelled: Asked between batches; True ends it early. What was read stays, the next refresh goes on.
        """
        tell = progress or self._progress or (lambda _: None)
        stop = cancelled or (lambda: False)

        def report(done: Progress) -> None:
            self._state = replace(
                self._state,
                files=done.files,
                files_done=done.files_done,
                bytes=done.bytes,
                bytes_done=done.bytes_done,
                running=True,
            )
            tell(self._state)

        def committed() -> None:
            self._count_calls(self._state.version + 1)

        with self._writing:
            try:
                self._read_pending(report, lambda: stop() or self._closing.is_set(), committed)
            finally:
                self._state = replace(self._state, running=False)
        tell(self._state)
        return self.state()

    def _read_pending(
        self, report: Callable[[Progress], None], cancelled: Callable[[], bool], committed: Callable[[], None]
    ) -> None:
        """Read what is new, if anything is; the caller holds the lock of writing."""
        if self._refresher is None:
            with self._cursor() as cursor:
                pending = find_pending(cursor, self.directory)
            if not pending:
                report(pending.progress())
                return
        from inspector.index.refresh import CancelledError, Refresher

        if self._refresher is None:
            self._refresher = Refresher(self.directory, self._connection.cursor(), self.settings, self._sessions)
        with suppress(CancelledError):
            self._refresher.run(report, cancelled, committed)

    def _count_calls(self, version: int | None) -> None:
        with self._cursor() as cursor:
            row = cursor.execute("SELECT count(*) FROM store.calls").fetchone()
        version = self._state.version if version is None else version
        self._state = replace(self._state, calls=int(row[0]) if row else 0, version=version)

    def refresh_in_background(self) -> None:
        """Read what is new without waiting for it; :meth:`state` tells how far it is."""
        with self._asking:
            asked, self._asked = self._asked, True
            if asked or self._closing.is_set():
                return
            # One that runs now listed the files before this change, so another follows it.
            before = self._background
            self._background = threading.Thread(
                target=self._refresh_after, args=(before,), name="inspector-refresh", daemon=True
            )
            self._background.start()

    def _refresh_after(self, before: threading.Thread | None) -> None:
        if before is not None:
            before.join()
        with self._asking:
            self._asked = False
        self._refresh_quietly()

    def _refresh_quietly(self) -> None:
        try:
            self.refresh()
        except Exception as error:
            # The boundary of the thread: what is not said here is said nowhere, and the page waits for ever.
            if not self._closing.is_set():
                self._state = replace(self._state, running=False, note=f"Reading the traces failed: {error}")

    def watch(self) -> None:
        """Keep the index up to date while files grow, until it is closed."""
        if self._watch is None:
            from inspector.index.watch import Watch  # what listens to the operating system: for the app alone

            self._watch = Watch(self.directory, self.refresh_in_background)

    def close(self) -> None:
        """End watching and reading, and close the database."""
        self._closing.set()
        if self._watch is not None:
            self._watch.close()
        if self._background is not None:
            self._background.join()
        with self._writing:
            self._connection.close()

    @contextmanager
    def _cursor(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A cursor for one operation: shared ones gave wrong answers to threads."""
        cursor = self._connection.cursor()
        try:
            yield cursor
        finally:
            cursor.close()

    def _ask(self, question: Callable[[duckdb.DuckDBPyConnection], _T]) -> _T:
        """Answer a question from one state of the data: a refresh in the middle does not show."""
        with self._cursor() as cursor:
            cursor.execute("BEGIN TRANSACTION READ ONLY")
            try:
                return question(cursor)
            finally:
                cursor.execute("ROLLBACK")

    def sessions(self) -> tuple[SessionRow, ...]:
        """List all sessions, the newest first; their stories are the analysis's to tell."""
        return self._ask(queries.list_sessions)

    def session(self, session: str) -> SessionRow:
        """Return one session.

        Raises:
            SessionNotFoundError: There is none of this id.
        """
        return self._ask(lambda cursor: queries.find_session(cursor, session))

    def calls(self, session: str) -> tuple[CallRow, ...]:
        """List the calls of a session in order of display; none for a session that is not there."""
        return self._ask(lambda cursor: queries.list_calls(cursor, session))

    def call(self, session: str, number: int) -> CallView:
        """Return the whole of one call.

        Raises:
            SessionNotFoundError: There is no such session.
            CallNotFoundError: It has no call of this number.
        """

        def ask(cursor: duckdb.DuckDBPyConnection) -> CallView:
            view = queries.show_call(cursor, session, number)
            return view if view.call.server is None else replace(view, seen=load_seen(cursor, session, number))

        return self._ask(ask)

    def request_bytes(self, session: str, number: int) -> bytes:
        """Return the body of a call, byte for byte; the call's ``exact`` says what that proves.

        Raises:
            SessionNotFoundError: There is no such session.
            CallNotFoundError: It has no call of this number.
            snapshot_sdk.errors.HoleError: A part of it is lost.
        """
        return self._ask(lambda cursor: queries.request_bytes(cursor, session, number))

    def compactions(self, session: str) -> tuple[CompactionRow, ...]:
        """List the recorded compactions of a session."""
        return self._ask(lambda cursor: marks.list_compactions(cursor, session))

    def pins(self, session: str) -> tuple[PinRow, ...]:
        """List the pins of a session and how they fared."""
        return self._ask(lambda cursor: marks.list_pins(cursor, session))

    def watches(self, session: str) -> tuple[ReaderWatch, ...]:
        """List what the reader pinned afterwards in a session; read from the settings files at every change."""
        return self.watchlist.of(session)

    def events(self, session: str) -> tuple[EventRow, ...]:
        """List the events of a session."""
        return self._ask(lambda cursor: marks.list_events(cursor, session))

    def contexts(self, session: str) -> tuple[CallContext, ...]:
        """Return the messages of all calls of a session, for comparison.

        Raises:
            SessionNotFoundError: There is no such session.
        """
        return self._ask(lambda cursor: load_contexts(cursor, session))

    def layer_budgets(self, session: str) -> dict[Layer, int]:
        """Return how many tokens each layer of a session may take; layers without a budget are absent.

        Raises:
            SessionNotFoundError: There is no such session.
        """
        return self._ask(lambda cursor: load_layer_budgets(cursor, session, self.settings))

    def exchanges(self, session: str) -> tuple[Exchange, ...]:
        """Return every call of a session with its answer as recorded, in order of display.

        Raises:
            SessionNotFoundError: There is no such session.
        """
        return self._ask(lambda cursor: tuple(load_exchanges(cursor, session).exchanges))

    def effective(self, session: str, number: int) -> EffectiveContext:
        """Say what the model saw in a call, which may differ from what was sent.

        What it refers to is looked for in the calls of the session before it, responses and caches in every session.
        An entry that was sent has as ``place`` the number of its row in the call's view, from 0.

        Raises:
            SessionNotFoundError: There is no such session.
            CallNotFoundError: It has no call of this number.
        """
        return self._ask(lambda cursor: load_effective(cursor, session, number))

    def compacted(self, session: str, contexts: Sequence[CallContext] | None = None) -> tuple[CompactedContexts, ...]:
        """Return the contexts that the recorded compactions of a session named.

        Args:
            session: The session.
            contexts: Its contexts, where they are at hand: else they are loaded.

        Raises:
            SessionNotFoundError: There is no such session.
        """
        return self._ask(lambda cursor: load_compacted(cursor, session, contexts))

    def answers(self, session: str) -> dict[int, str]:
        """Return the text of each answer of a session by number of its call; calls without one are absent."""
        return self._ask(lambda cursor: load_answers(cursor, session))

    def answer_values(self, session: str) -> dict[int, tuple[Any, ...]]:
        """Return the messages of each answer of a session as recorded, as JSON values, by number of its call."""
        return self._ask(lambda cursor: load_answer_values(cursor, session))

    def line_errors(self) -> tuple[LineErrorRow, ...]:
        """List the lines of trace files that could not be read as they stand."""
        return self._ask(marks.list_line_errors)

    def search(
        self, query: str, kind: Literal["text", "regex", "id"] = "text", session: str | None = None
    ) -> SearchResult:
        """Find a text in every prompt and answer.

        Args:
            query: What to look for; an empty one finds nothing.
            kind: ``text``: anywhere, upper and lower case alike; ``regex``: a pattern (RE2); ``id``: only as a whole
                token, case and all.
            session: Only in this session.
        """
        return self._ask(lambda cursor: search(cursor, query, kind, session))

    def sql(self, query: str, timeout: float | None = None) -> Table:
        """Run a query of the user's own on the documented views; it can read nothing else and write nothing.

        Args:
            query: One statement.
            timeout: Seconds after which it is given up; None: never.

        Raises:
            QueryError: It cannot be run, or took too long.
        """
        with self._cursor() as cursor:
            return run_sql(cursor, query, timeout)
