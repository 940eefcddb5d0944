"""Sessions: the table worst first, one field that searches everything, files with problems, the first start."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import streamlit as st

from inspector.importers.offering import look_at
from inspector.ui import state
from inspector.ui.components import mount
from inspector.ui.format import format_count
from inspector.ui.frame_data import short_path
from inspector.ui.message import show_message
from inspector.ui.options import count_samples
from inspector.ui.sessions_data import hits_data, lanes_of_calls, problem_rows, table_rows

_LOOKED_AGAIN: Final = 30
"""Seconds after which a directory without traces is looked at again for logs that can be imported."""

_SHOW_FILES: Final = "files"
"""Value of the parameter ``show`` for the list of files with problems."""


def render() -> None:
    """Draw the page."""
    rows = state.sessions()
    if not rows and not state.get_index().state().running:
        directory = state.directory()
        gone = state.gone_sessions()
        if gone:
            show_message(
                "The traces are gone",
                [
                    f"{short_path(directory)} held {format_count(len(gone), 'session')} while it was open here; "
                    "the trace files were removed.",
                    "This page fills itself when files come back.",
                ],
                severity="error",
            )
            return
        data = {"directory": short_path(directory), "path": str(directory), "found": _logs_in(directory)}
        data["samples"] = format_count(count_samples(), "sample session")
        mount("welcome", data, key="welcome")
        return
    mount("sessions", {"rows": table_rows(rows, state.default_call, state.untold_sessions())}, key="sessions")
    address = state.address()
    if st.query_params.get("show") == _SHOW_FILES:
        mount("problems", problem_rows(state.line_errors()), key="problems")
    elif address.q is not None:
        result = state.search(address.q, address.kind or "text")
        mount("hits", hits_data(result, rows, lambda row: lanes_of_calls(state.calls(row.session))), key="hits")


@st.cache_data(ttl=_LOOKED_AGAIN, show_spinner=False)
def _logs_in(directory: Path) -> dict[str, str] | None:
    """Find logs of other tools that lie where traces were expected, and the command that imports them."""
    if not directory.is_dir():
        return None
    found = look_at(directory)
    return {"words": found.words, "command": found.command()} if found.logs else None
