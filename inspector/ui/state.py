"""What the pages read: the index of the opened directory, cached by its version, and the address."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import streamlit as st

from inspector.analysis.change_asking import trace_changes
from inspector.analysis.changes import SessionChanges
from inspector.analysis.fact_asking import SessionFact, follow, make_fact, opaque_calls
from inspector.index import Index, open_index
from inspector.model.views import (
    CallRow,
    CallView,
    EventRow,
    LineErrorRow,
    PinRow,
    SearchResult,
    SessionRow,
)
from inspector.model.watches import Watch
from inspector.ui.options import options, sample_directory
from inspector.ui.stories import Stories
from snapshot_sdk.facts import FactKind

SAMPLES: Final = "samples"
"""Parameter of the address that opens the shipped samples; a path in an address would open anything."""
_FIRST_WAIT: Final = 1.5
"""Seconds the first view waits for a small directory, so that it does not open empty."""
_STORIES_WAIT: Final = 0.4
"""Seconds a page waits for stories; what is not told by then follows with the next look at the index."""
_FIRST_STEP: Final = 0.02
_SESSIONS_KEPT: Final = 8
"""Sessions whose calls stay in memory, over all versions."""
_CALLS_KEPT: Final = 32
"""Whole prompts that stay in memory: a prompt of a million tokens is some 10 MB."""
_SEARCHES_KEPT: Final = 32
_FACTS_KEPT: Final = 32
"""Facts whose life stays in memory: some numbers a call."""


@dataclass(frozen=True)
class Address:
    """The address of a page: the only state that links, reload and Back need."""

    session: str | None
    call: int | None
    message: str | None
    view: str | None
    q: str | None
    kind: str | None
    """How ``q`` is meant: text, regex or id."""
    prompt: str | None = None
    """``effective``: what the model saw is shown; else what was sent."""


def address() -> Address:
    """Read the address of the running page."""
    params = st.query_params
    call = params.get("call") or ""
    return Address(
        session=params.get("session") or None,
        call=int(call) if call.isascii() and call.isdecimal() and len(call) < 10 else None,
        message=params.get("message") or None,
        view=params.get("view") or None,
        q=params.get("q") or None,
        kind=params.get("kind") or None,
        prompt=params.get("prompt") or None,
    )


def samples_shown() -> bool:
    """Tell whether the shipped samples are shown, because no directory was named or the reader asked for them."""
    return options().samples or st.query_params.get(SAMPLES) is not None


def directory() -> Path:
    """Return the directory that is shown: the one of the command line, or the samples."""
    return sample_directory() if samples_shown() else options().directory


def get_index() -> Index:
    """Return the index of the opened directory; it reads in the background and follows the files."""
    return _open(str(directory()))


def sessions() -> tuple[SessionRow, ...]:
    """Return every session, worst first, then newest; stories still being told are missing yet."""
    return _stories(str(directory())).told(_bare_sessions(), line_errors(), _STORIES_WAIT)


def untold_sessions() -> frozenset[str]:
    """Return the sessions of the last :func:`sessions` whose story is still being told."""
    return _stories(str(directory())).untold


def gone_sessions() -> tuple[str, ...]:
    """Return the sessions that were there since the app opened the directory and are no more, by name."""
    there = {row.session for row in _bare_sessions()}
    return tuple(sorted(_ever(str(get_index().directory)) - there))


def revision() -> tuple[int, int]:
    """Return what a view was made of: the version of the index, and how many stories were told then."""
    return get_index().version, _stories(str(directory())).revision


def session_row(session: str) -> SessionRow:
    """Return one session with its story.

    Raises:
        SessionNotFoundError: No such session; the error names close ones.
    """
    bare = next((row for row in _bare_sessions() if row.session == session), None)
    if bare is None:
        bare = get_index().session(session)
    return _stories(str(directory())).tell(bare, line_errors(), lambda: changes(session))


def calls(session: str) -> tuple[CallRow, ...]:
    """Return the calls of a session in display order."""
    index = get_index()
    return _calls(index, index.version, str(index.directory), session)


def answers(session: str) -> Mapping[int, str]:
    """Return the text of the answer of each call of a session that has one."""
    index = get_index()
    return _answers(index, index.version, str(index.directory), session)


def pins(session: str) -> tuple[PinRow, ...]:
    """Return the pins of a session and how they fared."""
    index = get_index()
    return _pins(index, index.version, str(index.directory), session)


def watches(session: str) -> tuple[Watch, ...]:
    """Return what the reader pinned afterwards in a session."""
    return get_index().watches(session)


def events(session: str) -> tuple[EventRow, ...]:
    """Return the events of a session."""
    index = get_index()
    return _events(index, index.version, str(index.directory), session)


def changes(session: str) -> SessionChanges:
    """Return what changed from call to call in a session."""
    index = get_index()
    return _changes(index, index.version, str(index.directory), session)


def fact(session: str, text: str, kind: FactKind, path: str | None = None) -> SessionFact:
    """Follow a fact through a session.

    Raises:
        ValueError: The text is no value of its kind, no valid pattern or has no key path.
    """
    index = get_index()
    return _fact(index, index.version, str(index.directory), session, text, kind, path)


def call_view(session: str, number: int) -> CallView:
    """Return the whole of one call.

    Raises:
        CallNotFoundError: The session has no such call.
    """
    index = get_index()
    return _call_view(index, index.version, str(index.directory), session, number)


def search(query: str, kind: str) -> SearchResult:
    """Search every prompt and answer; an unknown kind is searched as text."""
    index = get_index()
    return _search(index, index.version, str(index.directory), query, kind)


def line_errors() -> tuple[LineErrorRow, ...]:
    """Return the lines that could not be read as they stand."""
    index = get_index()
    return _line_errors(index, index.version, str(index.directory))


def give_way() -> None:
    """End the run here where the reader has asked for something else meanwhile.

    Streamlit ends a run only where the script calls it; to read the state of the session is the least of these.
    """
    _ = SAMPLES in st.session_state


def default_call(row: SessionRow) -> int:
    """Return the call a session opens at: the first with an error, else the last."""
    return row.first_error or row.calls


def selected_call(row: SessionRow) -> int:
    """Return the call of the address where the session has it, else the one it opens at."""
    number = address().call
    return number if number is not None and 1 <= number <= row.calls else default_call(row)


@st.cache_resource(max_entries=4, show_spinner=False)
def _stories(directory: str) -> Stories:
    return Stories(_open(directory))


@st.cache_resource(max_entries=4, show_spinner=False)
def _open(directory: str) -> Index:
    index = open_index(Path(directory), own_copy=True)
    index.refresh_in_background()
    index.watch()
    end = time.monotonic() + _FIRST_WAIT
    while time.monotonic() < end and (index.state().running or index.version == 0):
        time.sleep(_FIRST_STEP)
    return index


# The values are frozen, so they are shared, not copied. `directory` and `version` are the key.


@st.cache_resource(max_entries=2, show_spinner=False)
def _sessions(_index: Index, version: int, directory: str) -> tuple[SessionRow, ...]:
    rows = _index.sessions()
    _ever(directory).update(row.session for row in rows)
    return rows


@st.cache_resource(max_entries=4, show_spinner=False)
def _ever(directory: str) -> set[str]:
    """Every session seen so far; an address that is open may name one that is gone."""
    return set()


def _bare_sessions() -> tuple[SessionRow, ...]:
    index = get_index()
    return _sessions(index, index.version, str(index.directory))


@st.cache_resource(max_entries=_SESSIONS_KEPT, show_spinner=False)
def _calls(_index: Index, version: int, directory: str, session: str) -> tuple[CallRow, ...]:
    return _index.calls(session)


@st.cache_resource(max_entries=_SESSIONS_KEPT, show_spinner=False)
def _answers(_index: Index, version: int, directory: str, session: str) -> Mapping[int, str]:
    return _index.answers(session)


@st.cache_resource(max_entries=_SESSIONS_KEPT, show_spinner=False)
def _pins(_index: Index, version: int, directory: str, session: str) -> tuple[PinRow, ...]:
    return _index.pins(session)


@st.cache_resource(max_entries=_SESSIONS_KEPT, show_spinner=False)
def _events(_index: Index, version: int, directory: str, session: str) -> tuple[EventRow, ...]:
    return _index.events(session)


@st.cache_resource(max_entries=_SESSIONS_KEPT, show_spinner="Comparing the calls of the session …")
def _changes(_index: Index, version: int, directory: str, session: str) -> SessionChanges:
    return trace_changes(_index, session)


@st.cache_resource(max_entries=_FACTS_KEPT, show_spinner=False)
def _fact(
    _index: Index, version: int, directory: str, session: str, text: str, kind: FactKind, path: str | None
) -> SessionFact:
    known = changes(session)
    wanted = make_fact(text, kind, path=path, contexts=known.contexts)
    return follow(wanted, known, answers(session), opaque_calls(calls(session)))


@st.cache_resource(max_entries=_CALLS_KEPT, show_spinner=False)
def _call_view(_index: Index, version: int, directory: str, session: str, number: int) -> CallView:
    return _index.call(session, number)


@st.cache_resource(max_entries=_SEARCHES_KEPT, show_spinner=False)
def _search(_index: Index, version: int, directory: str, query: str, kind: str) -> SearchResult:
    if kind == "regex":
        return _index.search(query, "regex")
    return _index.search(query, "id" if kind == "id" else "text")


@st.cache_resource(max_entries=2, show_spinner=False)
def _line_errors(_index: Index, version: int, directory: str) -> tuple[LineErrorRow, ...]:
    return _index.line_errors()
