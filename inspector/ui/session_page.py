"""The Session page: the story, tokens and lifelines over the calls, the windows of a call and the one before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Literal

import streamlit as st

from inspector.errors import CallNotFoundError, InspectorError, SessionNotFoundError
from inspector.figures.tokens import token_chart
from inspector.model.views import SessionRow
from inspector.ui import state
from inspector.ui.components import mount
from inspector.ui.message import show_error, show_message
from inspector.ui.probes_facts import session_facts
from inspector.ui.session_detail import detail_payload, turn_start
from inspector.ui.session_lives import lives_payload
from inspector.ui.session_payload import session_payload
from inspector.ui.session_probes import probe_files, probes_payload
from inspector.ui.trace_page import change_watch

if TYPE_CHECKING:
    from inspector.index import Index

_WATCHED: Final = "session watch"
"""Where the session keeps which wish for a watch was the last."""
_PAYLOADS_KEPT: Final = 8
"""Sessions whose payload stays in memory, over all versions."""


def render() -> None:
    """Draw the page of the address."""
    address = state.address()
    if address.session is None:
        show_message(
            "No session chosen",
            ["Choose one from the list of sessions."],
            severity="info",
            links=[("Sessions", {"page": "sessions"})],
        )
        return
    try:
        row = state.session_row(address.session)
        calls = state.calls(row.session)
    except SessionNotFoundError as error:
        _show_missing_session(error)
        return
    except InspectorError as error:
        show_error(error)
        return
    if not calls:
        show_message(
            f"Session {row.session} has no calls yet",
            ["Its file holds a header and no snapshot. This page fills itself when the first call is recorded."],
            severity="info",
        )
        return
    number = address.call if address.call is not None else state.default_call(row)
    try:
        view = state.call_view(row.session, number)
    except CallNotFoundError as error:
        _show_missing_call(row, error)
        return
    except InspectorError as error:
        show_error(error)
        return
    sent = mount("session", _payload(row), key="session", wants=True)
    want = getattr(sent, "want", None)
    if isinstance(want, Mapping):
        _watch(row, view.call.lane, want)
    first = turn_start(view.call, calls)
    begun = state.call_view(row.session, first) if first is not None else None
    mount("sessionfeed", {"session": row.session, **detail_payload(view, begun)}, key="sessionfeed")
    # Last, so that the tokens of a long session are on the screen before its prompts are compared.
    try:
        mount("sessionlives", _lives(row), key="sessionlives")
        mount("sessionprobes", _probes(row), key="sessionprobes")
    except InspectorError as error:
        show_error(error)
    if want == "explore":
        _explore(row.session, view.call.lane)


def _watch(row: SessionRow, lane: str, want: Mapping[str, Any]) -> None:
    """Do once what the browser asks for a watch, and draw everything anew: a watch counts on every page."""
    if st.session_state.get(_WATCHED) == want.get("seq") or not want.get("text"):
        return
    st.session_state[_WATCHED] = want.get("seq")
    other = None if row.lanes and lane == row.lanes[0][0] else lane
    target = {"text": str(want["text"])}
    note = change_watch(state.get_index().watchlist, row.session, target, {"watch": True, "lane": other})
    if note["tone"] == "error":
        show_message("The watch could not be set", [note["text"]], severity="error")
        return
    st.rerun()


def _show_missing_session(error: SessionNotFoundError) -> None:
    """Say that there is no such session, and offer the ones whose names are close."""
    why = "Its files may have been moved, or the app was opened on another folder."
    links = [(name, {"page": "session", "session": name, "call": ""}) for name in error.close]
    show_message(
        f"There is no session {error.session}",
        [f"{why} These have a name like it:" if links else why],
        severity="error",
        links=[*links, ("All sessions", {"page": "sessions", "session": "", "call": ""})],
    )


def _show_missing_call(row: SessionRow, error: CallNotFoundError) -> None:
    """Say that the address names a call the session does not have, and offer those nearest to it."""
    near = {1: "first call", row.calls: "last call", state.default_call(row): "where it opens"}
    links = [
        (f"Call {number} ({words})", {"page": "session", "session": row.session, "call": str(number)})
        for number, words in sorted(near.items())
        if 1 <= number <= row.calls
    ]
    show_message(
        f"There is no call {error.number}",
        [f"Session {row.session} has calls 1 to {error.calls:,}."],
        severity="error",
        links=links,
    )


def _payload(row: SessionRow) -> dict[str, Any]:
    index = state.get_index()
    return _build(index, row, index.version, str(index.directory), row.session)


# The index and the row are no part of the key: `directory`, `version` and `session` decide both.
@st.cache_resource(max_entries=_PAYLOADS_KEPT, show_spinner=False)
def _build(_index: Index, _row: SessionRow, version: int, directory: str, session: str) -> dict[str, Any]:
    return session_payload(
        _row,
        state.calls(session),
        state.events(session),
        state.default_call(_row),
    )


def _lives(row: SessionRow) -> dict[str, Any]:
    index = state.get_index()
    return _build_lives(index, row, index.version, str(index.directory), row.session)


@st.cache_resource(max_entries=_PAYLOADS_KEPT, show_spinner=False)
def _build_lives(_index: Index, _row: SessionRow, version: int, directory: str, session: str) -> dict[str, Any]:
    return lives_payload(_row, state.calls(session), state.changes(session), state.give_way)


def _probes(row: SessionRow) -> dict[str, Any]:
    """Return the marks of probes; where nobody asked anything and no suite stands, nothing is compared for them."""
    index = state.get_index()
    files = probe_files(index, row.session)
    if not files:
        return {"session": row.session, "marks": []}
    return _build_probes(index, index.version, str(index.directory), row.session, files)


@st.cache_resource(max_entries=_PAYLOADS_KEPT, show_spinner=False)
def _build_probes(
    _index: Index, version: int, directory: str, session: str, files: tuple[tuple[str, int, int], ...]
) -> dict[str, Any]:
    return probes_payload(_index, session_facts(session))


@st.dialog("Tokens by layer", width="large")
def _explore(session: str, lane: str) -> None:
    """Show the token chart as a figure: layers to switch, zoom, a picture to save."""
    picture = st.segmented_control("Save as", ["PNG", "SVG"], default="PNG", key="token chart picture")
    calls = tuple(call for call in state.calls(session) if call.lane == lane)
    figure = token_chart(calls, mode=_mode(), title=f"{session} · {lane}")
    kind = picture or "PNG"
    # A key per kind: a figure that lives on keeps the buttons of its first configuration beside the new ones.
    st.plotly_chart(figure, theme=None, key=f"token chart {kind}", config=_config(session, kind))


def _mode() -> Literal["light", "dark"]:
    return "dark" if st.context.theme.type == "dark" else "light"


def _config(session: str, picture: str) -> dict[str, Any]:
    """Return how the figure behaves: the wheel zooms, and the camera button saves the chosen kind of picture."""
    name = "".join(letter if letter.isalnum() or letter in "-_." else "-" for letter in session)[:80]
    return {
        "scrollZoom": True,
        "displaylogo": False,
        "toImageButtonOptions": {"format": picture.lower(), "filename": f"tokens-{name}", "scale": 2},
    }
