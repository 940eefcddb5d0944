"""The Compare page: two contexts side by side; a compaction is a pair of contexts and one of its modes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import streamlit as st

from inspector.analysis.changes import SessionChanges, number_rows
from inspector.analysis.compactions import CompactionChange
from inspector.analysis.ledger import ledger_of, ledger_of_record
from inspector.analysis.ledger_inventions import unseen_of
from inspector.errors import CallNotFoundError, InspectorError, SessionNotFoundError
from inspector.index import Index
from inspector.model.context import CompactedContexts
from inspector.model.seen import as_seen
from inspector.model.views import CallRow, PinRow, SessionRow
from inspector.model.watches import Watch
from inspector.ui import state
from inspector.ui.call_effective import EFFECTIVE
from inspector.ui.call_payload import pack
from inspector.ui.compare_ledger import watch_line
from inspector.ui.compare_model import (
    CompareAddress,
    Comparison,
    call_before,
    compare_calls,
    compare_recorded,
    read_address,
)
from inspector.ui.compare_payload import Lanes, compare_payload, first_want, reply
from inspector.ui.components import mount
from inspector.ui.message import show_error, show_message

_FEED: Final = "comparefeed"
"""Key of the component that carries texts; separate, so that a window of texts never resends the rows."""
_NOTE: Final = "compare watch note"
"""Where the session keeps what became of the last wish for a watch."""
_KEPT: Final = 6
"""Comparisons that stay in memory."""


@dataclass(frozen=True)
class _Pair:
    """What the address means, once sessions and calls are known to exist."""

    session: str
    b: int
    a_session: str
    a: int
    compaction: int | None
    form: str


@dataclass(frozen=True)
class _Open:
    """The comparison on the page."""

    comparison: Comparison
    packed: bytes
    key: str


def render() -> None:
    """Draw the page of the address."""
    asked = read_address(st.query_params.to_dict())
    if asked.session is None:
        show_message(
            "No session chosen",
            ["Two calls are compared. Choose a session from the list, then press d at one of its calls."],
            severity="info",
            links=[("Sessions", {"page": "sessions"})],
        )
        return
    try:
        pair = _resolve(asked)
        if pair is None:
            return
        opened = _opened(pair)
    except SessionNotFoundError as error:
        _show_missing_session(error, asked)
        return
    except InspectorError as error:
        show_error(error)
        return
    mount("compare", opened.packed, key="compare")
    _feed(pair)


def _resolve(asked: CompareAddress) -> _Pair | None:
    """Find the two sides; None where a box says why there are none."""
    assert asked.session is not None
    row = state.session_row(asked.session)
    if not row.calls:
        show_message(
            f"Session {row.session} has no calls yet", ["This page opens when a call is recorded."], severity="info"
        )
        return None
    if asked.compaction is not None:
        return _resolve_compaction(row, asked)
    b = asked.b if asked.b is not None else state.default_call(row)
    if not _exists(row, b, asked, "b"):
        return None
    other = state.session_row(asked.a_session) if asked.a_session is not None else row
    a = asked.a
    if a is None:
        a = call_before(state.calls(row.session), b) if other is row else other.calls
    if a is None:
        _show_first(row, b)
        return None
    if not _exists(other, a, asked, "a"):
        return None
    return _Pair(row.session, b, other.session, a, None, "sent")


def _resolve_compaction(row: SessionRow, asked: CompareAddress) -> _Pair | None:
    changes = state.changes(row.session)
    found = next((c for c in changes.compactions if c.number == asked.compaction), None)
    if found is None:
        count = len(changes.compactions)
        why = f"Its compactions are numbered 1 to {count}." if count else "Nothing was taken out of its context."
        links = [("Compaction 1", {"page": "compare", "compaction": "1"})] if count else []
        if row.calls:
            links.append(("Last call", {"page": "call", "compaction": "", "call": str(row.calls)}))
        show_message(f"Session {row.session} has no compaction {asked.compaction}", [why], links=links)
        return None
    if found.call is not None and found.before_call is not None:
        return _Pair(row.session, found.call, row.session, found.before_call, found.number, asked.form)
    if _record(row.session, found) is not None:
        call = found.call or found.before_call or row.calls
        return _Pair(row.session, call, row.session, call, found.number, "recorded")
    if found.call is not None and found.unseen:
        here = {"page": "call", "session": row.session, "call": str(found.call)}
        lines = [f"What a server took at call {found.call} was sent in that call, and no call ever saw it."]
        links = [("What was sent", {**here, "prompt": ""}), ("What the model saw", {**here, "prompt": EFFECTIVE})]
        show_message(
            f"Compaction {found.number} happened within call {found.call}", lines, severity="info", links=links
        )
        return None
    show_message(
        f"Compaction {found.number} has no two contexts to compare",
        [_why_alone(found), f"What is known: {found.state}, {found.evidence}."],
        links=[("Session", {"page": "session", "session": row.session})],
    )
    return None


def _why_alone(change: CompactionChange) -> str:
    if change.call is None:
        return "No call came after it, and its record names no messages."
    return "The call after it continues no other call, and its record names no messages."


def _record(session: str, change: CompactionChange) -> CompactedContexts | None:
    """Return the contexts a record names, where it names both."""
    if change.id is None:
        return None
    index = state.get_index()
    named = _compacted(index, index.version, str(index.directory), session).get(change.id)
    return named if named is not None and named.before is not None and named.after is not None else None


@st.cache_resource(max_entries=_KEPT, show_spinner=False)
def _compacted(_index: Index, version: int, directory: str, session: str) -> dict[str, CompactedContexts]:
    return {named.id: named for named in _index.compacted(session)}


def _exists(row: SessionRow, number: int, asked: CompareAddress, side: str) -> bool:
    if 1 <= number <= row.calls:
        return True
    links = [
        (label, {"page": "compare", side: str(call)}) for label, call in (("First call", 1), ("Last call", row.calls))
    ]
    error = CallNotFoundError(row.session, number, row.calls)
    show_message(error.message[:1].upper() + error.message[1:], ["Compare another call of it:"], links=links)
    return False


def _show_first(row: SessionRow, number: int) -> None:
    later = [call.number for call in state.calls(row.session) if call.number > number][:1]
    links = [(f"Compare with call {n}", {"page": "compare", "a": str(number), "b": str(n)}) for n in later]
    show_message(
        f"Call {number} continues no other call",
        ["It is the first of its lane, so there is nothing before it to compare with."],
        severity="info",
        links=[*links, (f"Call {number}", {"page": "call", "session": row.session, "call": str(number)})],
    )


def _show_missing_session(error: SessionNotFoundError, asked: CompareAddress) -> None:
    if state.get_index().state().running:
        lines = ["The trace files are still being read. The page opens as soon as its file has been."]
        show_message(f"Session {error.session} is not read yet", lines, severity="info")
        return
    side = "a_session" if error.session == asked.a_session else "session"
    links = [(name, {"page": "compare", side: name}) for name in error.close]
    if side == "a_session":
        links.append((f"Only {asked.session}", {"page": "compare", "a_session": ""}))
    links.append(("All sessions", {"page": "sessions", "session": "", "call": ""}))
    show_message(
        f"There is no session {error.session}", ["Its files may have been moved."], severity="error", links=links
    )


def _opened(pair: _Pair) -> _Open:
    index = state.get_index()
    watches = state.watches(pair.a_session)
    return _build(index, pair, watches, index.version, str(index.directory), repr((pair, watches)))


# The index, the pair and the watches are no part of the key: `directory`, `version` and `asked` decide them.
@st.cache_resource(max_entries=_KEPT, show_spinner=False)
def _build(_index: Index, _pair: _Pair, _watches: Sequence[Watch], version: int, directory: str, asked: str) -> _Open:
    comparison = _compare(_pair, _watches)
    lanes = Lanes(_lane(_pair.a_session, _pair.a), _lane(_pair.session, _pair.b))
    payload = compare_payload(comparison, lanes, _turns(_pair.a_session))
    return _Open(comparison, pack(payload), str(payload["key"]))


def _compare(pair: _Pair, watches: Sequence[Watch]) -> Comparison:
    # Where a server changed a prompt, what the model saw is compared: so do the lifelines and the compactions.
    before = as_seen(number_rows(state.call_view(pair.a_session, pair.a), state.changes(pair.a_session)))
    after = as_seen(number_rows(state.call_view(pair.session, pair.b), state.changes(pair.session)))
    pins: list[PinRow | Watch] = [*state.pins(pair.a_session), *watches]
    if pair.a_session != pair.session:
        return compare_calls((pair.a_session, before), (pair.session, after))
    changes = state.changes(pair.session)
    change = next((c for c in changes.compactions if c.number == pair.compaction), None)
    named = _record(pair.session, change) if change is not None else None
    if change is not None and named is not None and pair.form == "recorded":
        recorded = compare_recorded(pair.session, named, (before, after), changes, change, pins)
        return replace(recorded, ledger=ledger_of_record(changes, change, named, _answers(pair.session)))
    comparison = compare_calls(
        (pair.session, before),
        (pair.session, after),
        changes,
        pins=pins,
        compaction=change,
        has_record=named is not None,
    )
    return comparison if change is None else _with_ledger(comparison, pair, changes, change)


def _with_ledger(comparison: Comparison, pair: _Pair, changes: SessionChanges, change: CompactionChange) -> Comparison:
    unseen = unseen_of(state.call_view(pair.session, pair.b))
    ledger = ledger_of(changes, change, _answers(pair.session), unseen)
    numbers = changes.life.numbers
    return replace(comparison, ledger=ledger, ledger_numbers=(numbers[pair.a], numbers[pair.b]))


def _answers(session: str) -> dict[int, str]:
    return state.get_index().answers(session)


def _turns(session: str) -> Callable[[int], str | None]:
    calls = state.calls(session)

    def turn_of(call: int) -> str | None:
        label = calls[call - 1].turn_label if 1 <= call <= len(calls) else ""
        return f"turn {label[1:]}" if label.startswith("t") and label != "t?" else None

    return turn_of


def _lane(session: str, number: int) -> tuple[CallRow, ...]:
    calls = state.calls(session)
    return tuple(call for call in calls if call.lane == calls[number - 1].lane)


@st.fragment
def _feed(pair: _Pair) -> None:
    """Answer the browser's last wish; only this part runs again for it."""
    try:
        opened = _opened(pair)
    except InspectorError:
        st.rerun()  # gone since the page was drawn, which will say so
    want: Mapping[str, Any] | None = getattr(st.session_state.get(_FEED), "want", None)
    if want is None or want.get("key") != opened.key:
        want = first_want(opened.comparison)
    if want.get("watch"):
        _set_watch(pair, opened.comparison, want)
    answered = reply(opened.comparison, opened.key, want, _turns(pair.a_session), state.sessions, state.calls)
    if (note := st.session_state.get(_NOTE)) is not None:
        answered["note"] = note
    mount(_FEED, pack(answered), key=_FEED, wants=True)


def _set_watch(pair: _Pair, comparison: Comparison, want: Mapping[str, Any]) -> None:
    """Do once what the browser asks for a watch, and draw everything anew: a watch counts on every page."""
    done: Mapping[str, Any] = st.session_state.get(_NOTE, {})
    if done.get("seq") == want.get("seq"):
        return
    lanes = state.session_row(pair.session).lanes
    lane = comparison.compaction.lane if comparison.compaction is not None else None
    other = None if lanes and lane == lanes[0][0] else lane
    note = watch_line(state.get_index().watchlist, pair.session, other, want["watch"])
    st.session_state[_NOTE] = {"seq": want.get("seq"), **note}
    st.rerun()
