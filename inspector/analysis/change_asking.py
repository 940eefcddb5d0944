"""Asks an index for a session, and says what changed in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from inspector.analysis.changes import SessionChanges, trace_session
from inspector.model.context import CallContext, CompactedContexts
from inspector.model.views import CompactionRow, PinRow, SessionRow
from inspector.model.watches import Watch


class AskedForChanges(Protocol):
    """What of the index is needed to say what changed in a session."""

    def compactions(self, session: str) -> tuple[CompactionRow, ...]:
        """List its compactions."""

    def pins(self, session: str) -> tuple[PinRow, ...]:
        """List its pins."""

    def watches(self, session: str) -> tuple[Watch, ...]:
        """List what the reader pinned afterwards."""

    def contexts(self, session: str) -> tuple[CallContext, ...]:
        """List the messages of all its calls."""

    def compacted(self, session: str, contexts: Sequence[CallContext] | None = None) -> tuple[CompactedContexts, ...]:
        """List the contexts that its compactions named."""


def trace_changes(index: AskedForChanges, session: str, row: SessionRow | None = None) -> SessionChanges:
    """Say what changed in a session of an index.

    Args:
        index: Where its contexts, compactions and pins come from.
        session: The session.
        row: Its row, where it is at hand: what it counts none of is not asked for. Of sixteen hundred small sessions
            each question costs seconds.
    """
    any_compactions, any_pins = row is None or row.compactions > 0, row is None or row.pins > 0
    contexts = index.contexts(session)
    return trace_session(
        contexts,
        index.compacted(session, contexts) if any_compactions else (),
        index.compactions(session) if any_compactions else (),
        index.pins(session) if any_pins else (),
        index.watches(session),
    )
