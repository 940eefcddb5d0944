"""Reads a recorded call with all that a replay needs."""

from __future__ import annotations

from typing import Protocol

from inspector.model.views import CallView
from inspector.probes.replay_request import StoredCall
from snapshot_sdk.errors import TraceError


class Archive(Protocol):
    """Where recorded calls come from: the index, seen from here."""

    def call(self, session: str, number: int) -> CallView:
        """Return a call."""

    def request_bytes(self, session: str, number: int) -> bytes:
        """Return its body as it was sent."""


def stored_call(archive: Archive, session: str, number: int) -> StoredCall:
    """Read a call with all that a replay needs.

    Args:
        archive: Where it stands.
        session: Its session.
        number: Its number.
    """
    view = archive.call(session, number)
    row = view.call
    try:
        body: bytes | None = archive.request_bytes(session, number)
    except TraceError:
        body = None  # a part of it is lost: said when it is to be asked
    return StoredCall(
        session=session,
        number=number,
        id=row.id,
        api=row.api,
        model=row.model,
        endpoint=view.endpoint,
        body=body,
        exact=row.exact,
        missing=row.missing,
        purpose=row.purpose,
        tokens=row.tokens.count,
    )
