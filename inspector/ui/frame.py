"""What stands around every page: links, the session's line and scrubber, and the live state.

Drawn by the entry script before the page runs, so that it never leaves the screen on a page switch.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import streamlit as st

from inspector.errors import InspectorError, SessionNotFoundError
from inspector.ui import state
from inspector.ui.components import mount
from inspector.ui.frame_data import gone_note, live_data, short_path, strip_data
from inspector.ui.message import show_error, show_message
from inspector.ui.options import ALLOW_REMOTE, options, refusal

_STYLE: Final = Path(__file__).parent / "frame.css"
_POLL: Final = 2.0
"""Seconds between two looks at the version of the index."""
_SHOWN: Final = "shown revision"
"""Where the session keeps what its view was made of."""
_WAITING: Final = "waiting for the reading"
"""Where it keeps that its view says no more than that files are being read: their end may change nothing else."""


def render(page: str) -> bool:
    """Draw the frame.

    Args:
        page: Path of the page that will run, empty for Sessions.

    Returns:
        Whether the page may run: False where prompts must not be shown or the index cannot be opened.
    """
    st.html(_STYLE)
    reason = _refusal()
    if reason is not None:
        _show_refusal(reason)
        return False
    try:
        st.session_state[_SHOWN] = state.revision()
    except InspectorError as error:
        show_error(error)
        return False
    data = _data(page)
    mount("strip", data, key="strip")
    missing = state.address().session if page and data["session"] is None else None
    waiting = missing is not None and state.get_index().state().running
    st.session_state[_WAITING] = waiting
    _live()
    if missing is not None and not waiting and missing in state.gone_sessions():
        show_message(
            f"Session {missing} is gone",
            ["Its trace files were removed while it was open. This page opens again by itself if they come back."],
            severity="error",
            links=[("All sessions", {"page": "sessions", "session": "", "call": ""})],
        )
        return False
    if waiting:
        show_message(
            f"{missing} is not read yet",
            ["The trace files are still being read. This page opens by itself as soon as the session is there."],
            severity="info",
        )
        return False
    return True


def _data(page: str) -> dict[str, Any]:
    address = state.address()
    data: dict[str, Any] = {
        "directory": "the shipped samples" if state.samples_shown() else short_path(state.directory()),
        "path": str(state.directory()),
        "back": short_path(options().directory) if state.samples_shown() and not options().samples else None,
        "problems": len({error.file for error in state.line_errors()}),
        "session": None,
    }
    if page and address.session is not None:
        try:
            row = state.session_row(address.session)
        except SessionNotFoundError:
            return data  # the page says it
        name = row.session
        default = state.default_call(row)
        data["session"] = strip_data(row, state.calls(name), state.changes(name), default)
    return data


@st.fragment(run_every=_POLL)
def _live() -> None:
    now = state.get_index().state()
    if state.revision() != st.session_state.get(_SHOWN) or (st.session_state.get(_WAITING) and not now.running):
        st.rerun()
    note = " · ".join(filter(None, (now.note, gone_note(state.gone_sessions())))) or None
    polls = st.session_state.get("polls", 0) + 1
    st.session_state["polls"] = polls
    mount("live", live_data(replace(now, note=note), polls), key="live")


def _refusal() -> str | None:
    if options().allow_remote:
        return None
    headers = st.context.headers
    return refusal(st.get_option("server.address"), headers.get("Host"), headers.get("Origin"))


def _show_refusal(reason: str) -> None:
    show_message(
        "No prompt is shown here",
        [
            reason,
            "Prompts hold what people told an agent. This app shows them to the machine it runs on only.",
            "To read them from elsewhere, forward the port: ssh -L 8501:127.0.0.1:8501 HOST",
            f"To show them to whoever can reach this address, start the app with {ALLOW_REMOTE} after the two dashes:",
        ],
        code=f"streamlit run inspector/app.py --server.address 0.0.0.0 -- DIR {ALLOW_REMOTE}",
    )
