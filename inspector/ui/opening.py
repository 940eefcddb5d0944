"""What a page shows in place of itself when what it is asked for cannot be opened."""

from __future__ import annotations

from inspector.errors import InspectorError, SessionNotFoundError
from inspector.ui import state
from inspector.ui.message import show_error, show_message


def show_unopened(error: InspectorError, what: str = "page") -> None:
    """Say why something is not shown; a session that is not there while files are being read may still come.

    Args:
        error: Why.
        what: What would open: ``page`` or ``call``.
    """
    if isinstance(error, SessionNotFoundError) and state.get_index().state().running:
        lines = [f"The trace files are still being read. The {what} opens here as soon as its file has been."]
        show_message(f"Session {error.session} is not read yet", lines, severity="info")
        return
    show_error(error)
