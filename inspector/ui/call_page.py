"""The Call page: one prompt exactly as it was sent, its answer, and how far that is proved."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import streamlit as st

from inspector.analysis.changes import number_rows
from inspector.analysis.ghosts import Ghost
from inspector.analysis.overlaps import find_overlaps
from inspector.errors import CallNotFoundError, InspectorError
from inspector.index import Index
from inspector.model.seen import as_seen
from inspector.model.views import CallView, MessageRow, SessionRow
from inspector.ui import state
from inspector.ui.call_docs import Asked
from inspector.ui.call_effective import EFFECTIVE, effective_json, read_call
from inspector.ui.call_payload import FIRST_EXCERPTS, call_payload, first_want, pack, reply
from inspector.ui.call_text import CallTexts
from inspector.ui.call_watch import change_watch
from inspector.ui.components import mount
from inspector.ui.message import show_message
from inspector.ui.opening import show_unopened

_FEED: Final = "callfeed"
"""Key of the component that carries texts; separate, so that a window never resends the list."""
_NOTE: Final = "call watch note"
"""Where the session keeps what became of the last wish for a watch."""
_TEXTS_KEPT: Final = 6
"""Calls whose sections, indented forms and body stay in memory."""
_MESSAGE: Final = re.compile(r"m([0-9]{1,9})")


@dataclass(frozen=True)
class _Open:
    """The call on the page."""

    asked: Asked
    packed: bytes
    key: str


def render() -> None:
    """Draw the page of the address."""
    address = state.address()
    if address.session is None:
        show_message(
            "No session chosen",
            ["A call belongs to a session. Choose one from the list of sessions."],
            severity="info",
            links=[("Sessions", {"page": "sessions"})],
        )
        return
    try:
        row = state.session_row(address.session)
        number = address.call if address.call is not None else state.default_call(row)
        view = state.call_view(row.session, number)
    except CallNotFoundError as error:
        _show_missing_call(row, error)
        return
    except InspectorError as error:
        show_unopened(error, "call")
        return
    opened = _open(row.session, view, message_number(address.message))
    mount("call", opened.packed, key="call")
    _feed(row.session, number)


def message_number(message: str | None) -> int | None:
    """Read ``m67`` as 67; None for anything else."""
    match = _MESSAGE.fullmatch(message or "")
    return int(match[1]) if match else None


def _show_missing_call(row: SessionRow, error: CallNotFoundError) -> None:
    ends = [("First call", "1"), ("Last call", str(row.calls))] if row.calls else []
    show_message(
        error.message[:1].upper() + error.message[1:],
        [error.hint] if error.hint else [f"Session {row.session} has calls 1 to {row.calls}."],
        severity="warning",
        links=[(label, {"page": "call", "session": row.session, "call": call}) for label, call in ends],
    )


def _open(session: str, view: CallView, selected: int | None) -> _Open:
    index = state.get_index()
    effective = state.address().prompt == EFFECTIVE
    if len(view.messages) <= FIRST_EXCERPTS:
        selected = None  # every excerpt comes along: one payload for all selections
    return _opened(index, view, index.version, str(index.directory), session, view.call.number, selected, effective)


@st.cache_resource(max_entries=_TEXTS_KEPT, show_spinner=False)
def _asked(
    _index: Index, _view: CallView, version: int, directory: str, session: str, number: int, effective: bool
) -> Asked:
    changes = state.changes(session)
    view = number_rows(_view, changes)
    notes = () if view.seen is not None else _index.effective(session, number).notes
    reading = read_call(view, changes, notes, effective=effective)
    turns = {call.number: call.turn_label for call in state.calls(session)}

    def turn_of(call: int) -> str | None:
        label = turns.get(call, "")
        return f"turn {label[1:]}" if label.startswith("t") and label != "t?" else None

    def last_row(ghost: Ghost) -> MessageRow | None:
        if ghost.number in reading.unseen:
            return reading.unseen[ghost.number].row
        rows = as_seen(state.call_view(session, ghost.last_call)).messages
        return rows[ghost.place] if ghost.place < len(rows) else None

    def body() -> bytes:
        return effective_json(view, reading.notes) if effective else _index.request_bytes(session, number)

    return Asked(CallTexts(reading.view, body), changes, reading, turn_of, last_row)


@st.cache_resource(max_entries=_TEXTS_KEPT, show_spinner=False)
def _opened(
    _index: Index,
    _view: CallView,
    version: int,
    directory: str,
    session: str,
    number: int,
    selected: int | None,
    effective: bool,
) -> _Open:
    asked = _asked(_index, _view, version, directory, session, number, effective)
    overlaps = find_overlaps(state.calls(session)).get(number, ())
    payload = call_payload(asked.reading, selected, overlaps)
    return _Open(asked, pack(payload), str(payload["key"]))


@st.fragment
def _feed(session: str, number: int) -> None:
    """Answer the browser's last wish; only this part runs again for it."""
    address = state.address()
    selected = message_number(address.message)
    try:
        view = state.call_view(session, number)
    except InspectorError:
        st.rerun()  # gone since the page was drawn, which will say so
    opened = _open(session, view, selected)
    want: Mapping[str, Any] | None = getattr(st.session_state.get(_FEED), "want", None)
    if want is not None and want.get("watch") and want.get("key") == opened.key:
        _set_watch(session, opened.asked, want)
    if want is None or want.get("key") != opened.key:
        want = first_want(opened.asked.texts.view, opened.asked.fates, selected, address.view or "list")
    answered = reply(opened.asked, opened.key, want)
    note = st.session_state.get(_NOTE)
    if note is not None:
        answered["note"] = note
    mount(_FEED, pack(answered), key=_FEED, wants=True)


def _set_watch(session: str, asked: Asked, want: Mapping[str, Any]) -> None:
    """Do once what the browser asks for a watch, and draw everything anew: a watch counts on every page."""
    seq = want.get("seq")
    done: dict[str, Any] = st.session_state.get(_NOTE, {})
    if done.get("seq") == seq:
        return
    note = change_watch(state.get_index().watchlist, session, asked, want["watch"])
    st.session_state[_NOTE] = {"seq": seq, **note}
    st.rerun()
