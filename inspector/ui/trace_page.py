"""The Trace page: one fact over all calls of a session, in prompts and answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import streamlit as st

from inspector.errors import InspectorError
from inspector.index import Index
from inspector.index.watchlist import Watchlist
from inspector.model.watches import make_watch
from inspector.ui import state
from inspector.ui.call_payload import pack
from inspector.ui.components import mount
from inspector.ui.format import one_line
from inspector.ui.frame_data import short_path
from inspector.ui.message import show_message
from inspector.ui.opening import show_unopened
from inspector.ui.trace_asking import TraceAddress, error_words, read_trace_address, resolve
from inspector.ui.trace_markdown import trace_markdown
from inspector.ui.trace_payload import Shown, signs, trace_payload, watch_target
from snapshot_sdk.facts import KINDS

_FEED: Final = "tracefeed"
"""Key of the component that carries wishes and notes; separate, so that a note never resends the picture."""
_NOTE: Final = "trace note"
"""Where the session keeps what became of the last wish."""
_KEPT: Final = 16
"""Facts that stay in memory, picture and all."""
_SUGGESTED: Final = 12
"""Pins and watches that are offered where nothing is looked for yet."""
_QUOTED: Final = 60


@dataclass(frozen=True)
class _Open:
    """What is on the page."""

    packed: bytes
    wish: str
    """Names what is looked for, whatever the version of the index: a wish holds while traces are still being read."""
    payload: Mapping[str, Any]
    target: Mapping[str, str] | None
    """What a watch on it looks for; None: nothing can be watched."""


def render() -> None:
    """Draw the page of the address."""
    session = state.address().session
    if session is None:
        show_message(
            "No session chosen",
            ["A fact is followed through the calls of a session. Choose one from the list of sessions."],
            severity="info",
            links=[("Sessions", {"page": "sessions"})],
        )
        return
    try:
        opened = _open(session)
    except InspectorError as error:
        show_unopened(error)
        return
    mount("trace", opened.packed, key="trace")
    _feed(session)


def _open(session: str) -> _Open:
    row = state.session_row(session)
    asked = read_trace_address(st.query_params.to_dict())
    index = state.get_index()
    return _opened(index, index.version, str(index.directory), row.session, asked.find, asked.kind or "", asked.scope)


@st.cache_resource(max_entries=_KEPT, show_spinner="Looking through the prompts …")
def _opened(_index: Index, version: int, directory: str, session: str, find: str, kind: str, scope: str) -> _Open:
    asked = read_trace_address({"find": find, "as": kind, "in": scope})
    wish = str(hash((directory, session, find, kind, scope)))
    payload, target = _payload(session, asked)
    payload |= {"key": f"{version}.{wish}", "wish": wish}
    return _Open(pack(payload), wish, payload, target)


def _payload(session: str, asked: TraceAddress) -> tuple[dict[str, Any], Mapping[str, str] | None]:
    changes = state.changes(session)
    opens = state.default_call(state.session_row(session))
    given: dict[str, Any] = {
        "find": asked.find,
        "as": asked.kind,
        "kind": asked.kind,
        "number": None,
        "kinds": list(KINDS),
        "scope": asked.scope,
        "opens": opens,
    }
    empty: dict[str, Any] = {
        **given,
        "session": session,
        "error": None,
        "lanes": [],
        "signs": signs(),
        "pins": [one_line(pin.excerpt, _QUOTED * 3) for pin in changes.pins][:_SUGGESTED],
    }
    if not asked.find.strip():
        return empty, None
    try:
        wanted = resolve(asked, changes)
        given |= {"kind": wanted.kind, "number": wanted.number}
        found = state.fact(session, wanted.text, wanted.kind, wanted.path)
    except ValueError as error:
        return empty | {"error": error_words(error, asked, given["kind"])}, None
    shown = Shown(session, state.calls(session), changes, given)
    return trace_payload(found, shown), watch_target(found, changes)


@st.fragment
def _feed(session: str) -> None:
    """Answer the browser's last wish: a watch, or the page as Markdown."""
    try:
        opened = _open(session)
    except InspectorError:
        st.rerun()  # gone since the page was drawn, which will say so
    want: Mapping[str, Any] | None = getattr(st.session_state.get(_FEED), "want", None)
    if want is not None and want.get("key") == opened.wish:
        _answer(session, opened, want)
    mount(_FEED, {"note": st.session_state.get(_NOTE)}, key=_FEED, wants=True)


def _answer(session: str, opened: _Open, want: Mapping[str, Any]) -> None:
    """Do once what the browser asks for."""
    done: Mapping[str, Any] = st.session_state.get(_NOTE, {})
    if done.get("seq") == want.get("seq"):
        return
    if want.get("markdown") is not None:
        lanes = [lane["name"] for lane in opened.payload["lanes"]]
        text = trace_markdown(opened.payload, want["markdown"]) if want["markdown"] in lanes else ""
        st.session_state[_NOTE] = {"seq": want.get("seq"), "markdown": text}
        return
    note = change_watch(state.get_index().watchlist, session, opened.target, want)
    st.session_state[_NOTE] = {"seq": want.get("seq"), **note}
    st.rerun()  # a watch counts on every page


def change_watch(
    watchlist: Watchlist, session: str, target: Mapping[str, str] | None, want: Mapping[str, Any]
) -> dict[str, Any]:
    """Set or remove a watch.

    Args:
        watchlist: Of the directory.
        session: The session that is looked at.
        target: What the watch looks for.
        want: ``remove`` (an id), or ``watch`` (True), with ``lane`` where it is not the main one.

    Returns:
        ``text`` for the reader, ``tone`` (``good`` or ``error``), and ``undo`` (an id) after a watch was set.
    """
    try:
        if want.get("remove"):
            removed = watchlist.remove(str(want["remove"]))
            return {"text": "No longer watched." if removed else "This watch is gone already.", "tone": "good"}
        if target is None:
            return {"text": "There is nothing to watch yet.", "tone": "error"}
        watch = make_watch(target, session=session, lane=want.get("lane") or None)
        if not watchlist.add(watch):
            return {"text": f"Watched already: “{one_line(watch.excerpt, _QUOTED)}”", "tone": "good"}
    except (ValueError, InspectorError) as error:
        return {"text": str(error), "tone": "error"}
    place = short_path(watchlist.file)
    return {
        "text": f"Watching “{one_line(watch.excerpt, _QUOTED)}”. Written to {place}.",
        "tone": "good",
        "undo": watch.id,
    }
