"""LangGraph's checkpoints in SQLite: the messages of each state, and so the context of each answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from inspector.importers.base import ImportedRecord, ImportedSession, Problem, Report, reporting
from inspector.importers.reading.documents import Document
from inspector.importers.reading.growing import GrowingLog
from inspector.importers.reading.unreadable import UnreadableError, reason_of
from inspector.importers.traces.langgraph_calls import Thread
from inspector.importers.traces.langgraph_db import Checkpoint, Database, may_hold_checkpoints, open_database

_DELTAS: Final = "channels stored as changes (`DeltaChannel`) can only be put together by the graph's own code"


class LangGraph:
    """One thread is one session; a graph inside the graph, and each fork, is a lane of it."""

    name = "langgraph"
    title = "LangGraph checkpoints: a SQLite database with the tables `checkpoints` and `writes`"

    def recognises(self, sample: Any) -> bool:
        """No JSON is of this format."""
        return False

    def recognises_head(self, head: bytes) -> bool:
        """Look for a SQLite database that has or may have LangGraph's tables."""
        return may_hold_checkpoints(head)

    def read(self, documents: Sequence[Document], report: Report) -> Iterator[ImportedSession]:
        """Read each thread of each database into a session."""
        for document in documents:
            with reporting(document.path, report), open_database(document.path) as database:
                for thread in database.threads():
                    session = _session(document, database, thread, report)
                    if session is not None:
                        yield session


def _session(document: Document, database: Database, thread: str, report: Report) -> ImportedSession | None:
    """Look through a thread once: whether it has answers, and what cannot be read."""
    unread: dict[str, int] = {}
    calls = 0
    for found in _records(database, thread, unread):
        calls += not hasattr(found, "strategy")
    for reason, count in unread.items():
        report(Problem(str(document.path), f"thread {thread!r}: {count} checkpoint(s) not read: {reason}"))
    if not calls:
        if not unread:
            reason = f"thread {thread!r} holds no answer of a model in any list of messages of its state"
            report(Problem(str(document.path), reason))
        return None
    log = GrowingLog(document.path, tuple(database.digests(thread)))
    return ImportedSession(
        session=thread,
        format=LangGraph.name,
        source=document.path.name,
        digest=log.digest,
        calls=lambda: _records(database, thread, {}),
        logs=(log,),
        agent="LangGraph",
    )


def _records(database: Database, thread: str, unread: dict[str, int]) -> Iterator[ImportedRecord]:
    calls = Thread(database, thread)
    for checkpoint in database.checkpoints(thread):
        if isinstance(checkpoint, Checkpoint):
            yield from calls.take(checkpoint)
            if checkpoint.deltas:
                unread[_DELTAS] = unread.get(_DELTAS, 0) + 1
        else:
            reason = str(checkpoint) if isinstance(checkpoint, UnreadableError) else reason_of(checkpoint)
            unread[reason] = unread.get(reason, 0) + 1
    yield from calls.finish()
