"""The Probes page: would it have known? The questions of a suite over all calls of a session."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import streamlit as st

from inspector.errors import InspectorError
from inspector.index import Index
from inspector.probes.draft import Draft, draft_probes
from inspector.probes.judging import recorded_verdicts, wants_judge
from inspector.probes.look import ProbeLook, SessionFacts, calls_to_ask, look
from inspector.probes.probe import Suite
from inspector.probes.results import answers_file, latest, read_answers
from inspector.probes.runner import REPLICATES
from inspector.probes.suite import load_suite
from inspector.probes.suite_files import SuiteFile
from inspector.probes.timeline import records_of
from inspector.ui import state
from inspector.ui.call_payload import pack
from inspector.ui.components import mount
from inspector.ui.frame_data import short_path
from inspector.ui.message import show_message
from inspector.ui.opening import show_unopened
from inspector.ui.options import options
from inspector.ui.probes_asking import ASK_AT, Prepared, prepare, read_form, refusals, refused_calls
from inspector.ui.probes_editor import CHOICES, remove_probe, save_probe
from inspector.ui.probes_facts import session_facts
from inspector.ui.probes_files import (
    DRAFT,
    choose_suite,
    find_suites,
    proposed_name,
    save_draft,
    suite_folder,
)
from inspector.ui.probes_payload import Shown, figures_payload, grid_payload
from inspector.ui.probes_run import ProbeRun, ProbeRuns
from inspector.ui.probes_sessions import sessions_payload
from inspector.ui.probes_sessions_run import FiguresRuns

_FEED: Final = "probesfeed"
"""Key of the component that carries wishes, notes and progress; separate, so that these never resend the grid."""
_NOTE: Final = "probes note"
"""Where the session keeps what became of the last wish."""
_READY: Final = "probes prepared"
"""Where it keeps the questions whose estimate the reader sees: exactly these are sent, if they agree."""
_TABLE: Final = "probes of all sessions"
"""Where it keeps that the reader saw all sessions being measured: nobody else is sent their table."""
_POLL: Final = 1.0
"""Seconds between two looks at a run."""
_KEPT: Final = 8
"""Grids that stay in memory."""
_NO_SUITE: Final = {"text": "This suite is no longer there: nothing was written.", "tone": "error"}
_REMOTE: Final = "Asking is off while other machines can reach this app. Use context-inspector probe --ask."


@dataclass(frozen=True)
class _Looked:
    """A suite, looked for in a session."""

    facts: SessionFacts
    looks: tuple[ProbeLook, ...]
    drafts: tuple[Draft, ...]


@dataclass(frozen=True)
class _Open:
    """What is on the page."""

    packed: bytes
    key: str
    looked: _Looked
    shown: Shown
    answers: tuple[int, int]
    """Stamp of the file of answers."""


def render() -> None:
    """Draw the page of the address."""
    session = state.address().session
    if session is None:
        show_message(
            "No session chosen",
            ["Probes ask whether the prompts of a session hold what its agent should know. Choose a session."],
            severity="info",
            links=[("Sessions", {"page": "sessions"})],
        )
        return
    try:
        opened = _open(session)
    except InspectorError as error:
        show_unopened(error)
        return
    mount("probes", opened.packed, key="probes")
    st.fragment(_feed, run_every=_POLL if _is_running(session) else None)(session)


def _open(session: str) -> _Open:
    row = state.session_row(session)
    index = state.get_index()
    files = find_suites(index.watchlist)
    wanted = st.query_params.get("suite") or None
    error: list[str] | None = None
    file: SuiteFile | None = None
    suite: Suite | None = None
    try:
        file = choose_suite(files, wanted, row.session)
        suite = load_suite(file.path) if file is not None else None
    except LookupError as missing:
        error = [str(missing), "Choose another one, or draft one from this session."]
    except InspectorError as broken:
        error = [broken.message, "Mend the file: the page follows it."]
    at = st.query_params.get("at") or ASK_AT
    stamp = _stamp(index, row.session)
    named = file.name if file is not None else wanted if error else DRAFT
    return _opened(
        index,
        index.version,
        str(index.directory),
        row.session,
        named or DRAFT,
        suite,
        at,
        stamp,
        index.watchlist.revision,
        tuple(one.name for one in files),
        tuple(error or ()),
        hash(suite),
    )


def _stamp(index: Index, session: str) -> tuple[int, int]:
    try:
        stat = answers_file(index.watchlist.file.parent, session).stat()
    except OSError:
        return (0, 0)
    return stat.st_mtime_ns, stat.st_size


@st.cache_resource(max_entries=_KEPT, show_spinner="Looking for what each probe asks …")
def _opened(
    _index: Index,
    version: int,
    directory: str,
    session: str,
    named: str,
    _suite: Suite | None,
    at: str,
    stamp: tuple[int, int],
    watched: int,
    names: tuple[str, ...],
    error: tuple[str, ...],
    content: int,
) -> _Open:
    looked = _look(_index, session, _suite, drafts=named == DRAFT)
    folder = suite_folder(_index.watchlist)
    kept = tuple(read_answers(answers_file(folder.parent, session)))
    shown = Shown(
        looked.facts, looked.looks, looked.drafts, records_of(looked.looks, latest(iter(kept))), recorded_verdicts(kept)
    )
    try:
        ask, trouble = list(calls_to_ask(at, looked.facts.calls, looked.facts.changes)), None
    except ValueError as problem:
        ask, trouble = [], str(problem)
    key = f"{version}-{abs(hash((directory, session, named, at, stamp, watched, names, error, content)))}"
    payload = {
        "key": key,
        "session": session,
        "opens": state.default_call(state.session_row(session)),
        "suite": named,
        "suites": list(names),
        "draft": named == DRAFT,
        "choices": CHOICES,
        "error": list(error),
        "folder": short_path(folder),
        "proposed": proposed_name(session),
        "at": at,
        "ask": ask,
        "at_trouble": trouble,
        "replicates": REPLICATES,
        "asking": _REMOTE if options().allow_remote else None,
        "judged": wants_judge(found.probe for found in looked.looks),
        **grid_payload(shown),
    }
    return _Open(pack(payload), key, looked, shown, stamp)


def _look(index: Index, session: str, suite: Suite | None, *, drafts: bool) -> _Looked:
    facts = session_facts(session)
    if suite is not None:
        return _Looked(facts, look(suite.probes, facts), ())
    if not drafts:
        return _Looked(facts, (), ())
    proposed = draft_probes(facts, state.pins(session), state.watches(session))
    return _Looked(facts, look([draft.probe for draft in proposed], facts), proposed)


@st.cache_resource(max_entries=4, show_spinner=False)
def _runs(directory: str) -> ProbeRuns:
    return ProbeRuns()


@st.cache_resource(max_entries=4, show_spinner=False)
def _figures_runs(directory: str) -> FiguresRuns:
    return FiguresRuns(state.get_index())


def _is_running(session: str) -> bool:
    directory = str(state.directory())
    asking, measuring = _runs(directory).of(session), _figures_runs(directory).last
    return (asking is not None and asking.running) or (measuring is not None and measuring.running)


def _feed(session: str) -> None:
    """Answer the browser's last wish, and say how far a run is."""
    try:
        opened = _open(session)
    except InspectorError:
        st.rerun()  # gone since the page was drawn, which will say so
    want: Mapping[str, Any] | None = getattr(st.session_state.get(_FEED), "want", None)
    if want is not None and want.get("session") == session:
        _answer(session, opened, want)
    run = _runs(str(state.directory())).of(session)
    amount = state.get_index().settings.prices.amount
    measuring = _figures_runs(str(state.directory())).last
    was_running = _is_running(session)
    if measuring is not None and measuring.running:
        st.session_state[_TABLE] = True
    data = {
        "note": st.session_state.get(_NOTE),
        "run": None if run is None else run.plain(amount),
        "sessions": None if measuring is None else sessions_payload(measuring, table=_TABLE in st.session_state),
    }
    mount(_FEED, data, key=_FEED, wants=True)
    shown = st.session_state.get("probes shown")
    state_now = (opened.key, was_running)
    st.session_state["probes shown"] = state_now
    if shown is not None and shown != state_now and shown[1]:
        st.rerun()  # answers came, or the run ended: the grid shows them


def _answer(session: str, opened: _Open, want: Mapping[str, Any]) -> None:
    """Do once what the browser asks for."""
    done: Mapping[str, Any] = st.session_state.get(_NOTE, {})
    if done.get("seq") == want.get("seq"):
        return
    acts = {
        "estimate": _estimate,
        "send": _send,
        "cancel": _cancel,
        "save": _save,
        "edit": _edit,
        "remove": _remove,
        "figures": _figures,
        "sessions": _sessions,
        "cancel sessions": _cancel_sessions,
    }
    act = acts.get(str(want.get("act")))
    if act is None:
        return
    try:
        note = act(session, opened, want)
    except InspectorError as error:
        said = error.message[:1].upper() + error.message[1:]
        note = {"text": f"{said} {error.hint or ''}".strip(), "tone": "error"}
    except ValueError as error:
        note = {"text": str(error), "tone": "error"}
    st.session_state[_NOTE] = {"seq": want.get("seq"), "act": want.get("act"), **note}
    if want.get("act") in ("send", "save", "edit", "remove", "sessions"):
        st.rerun()  # the page follows the run, or shows the new file


def _estimate(session: str, opened: _Open, want: Mapping[str, Any]) -> dict[str, Any]:
    st.session_state.pop(_READY, None)
    if options().allow_remote:
        return {"text": _REMOTE, "tone": "error"}
    index = state.get_index()
    chosen = set(want.get("chosen") or ())
    bisected = want.get("bisect")
    chosen = {str(bisected)} if bisected else chosen
    looks = [found for found in opened.looked.looks if found.probe.id in chosen]
    if not looks:
        return {"text": "No probe is chosen.", "tone": "error"}
    folder = suite_folder(index.watchlist).parent
    prepared = prepare(index, folder, looks, opened.looked.facts, read_form(want), search=bool(bisected))
    st.session_state[_READY] = (want.get("seq"), session, prepared)
    return {
        "tone": "good",
        "text": "",
        "estimate": {
            "id": want.get("seq"),
            "words": prepared.estimate.words(index.settings.prices),
            "questions": prepared.estimate.questions,
            "servers": list(prepared.servers),
            "key": prepared.key is not None,
            "local": prepared.local,
            "refused": refusals(prepared),
            "refused_calls": refused_calls(prepared),
            "search": None if prepared.search is None else prepared.search.words,
            "budget": _budget_words(prepared, index),
        },
    }


def _budget_words(prepared: Prepared, index: Index) -> str:
    budget = prepared.budget
    said = []
    if budget.money is not None:
        said.append(f"stops before {index.settings.prices.amount(budget.money)}")
    if budget.tokens is not None:
        said.append(f"stops before {budget.tokens:,} tokens")
    return " · ".join(said) or "no budget set"


def _send(session: str, opened: _Open, want: Mapping[str, Any]) -> dict[str, Any]:
    ready: tuple[Any, str, Prepared] | None = st.session_state.pop(_READY, None)
    if ready is None or ready[0] != want.get("estimate") or ready[1] != session:
        return {"text": "This estimate is no longer at hand: nothing was sent. Ask for it again.", "tone": "error"}
    if options().allow_remote:
        return {"text": _REMOTE, "tone": "error"}
    index = state.get_index()
    started = _runs(str(state.directory())).start(session, ready[2], index)
    if not started:
        return {"text": "Questions of this session are still on their way: nothing more was sent.", "tone": "error"}
    return {"text": "", "tone": "good"}


def _cancel(session: str, opened: _Open, want: Mapping[str, Any]) -> dict[str, Any]:
    run: ProbeRun | None = _runs(str(state.directory())).of(session)
    if run is None or not run.running:
        return {"text": "Nothing is being asked.", "tone": "good"}
    run.cancel()
    return {"text": "No further question is sent; answers in flight are waited for.", "tone": "good"}


def _save(session: str, opened: _Open, want: Mapping[str, Any]) -> dict[str, Any]:
    index = state.get_index()
    return save_draft(
        suite_folder(index.watchlist),
        session,
        opened.looked.drafts,
        [str(name) for name in want.get("chosen") or ()],
        str(want.get("name") or proposed_name(session)),
        replace=bool(want.get("replace")),
    )


def _edit(session: str, opened: _Open, want: Mapping[str, Any]) -> dict[str, Any]:
    file = _named(want)
    if file is None:
        return dict(_NO_SUITE)
    form, was = want.get("form"), want.get("was")
    return save_probe(file.path, form if isinstance(form, Mapping) else {}, was if isinstance(was, Mapping) else None)


def _remove(session: str, opened: _Open, want: Mapping[str, Any]) -> dict[str, Any]:
    file, was = _named(want), want.get("was")
    if file is None or not isinstance(was, Mapping):
        return dict(_NO_SUITE)
    return remove_probe(file.path, was)


def _named(want: Mapping[str, Any]) -> SuiteFile | None:
    """The suite a wish is about: by its name among those there are, as an address opens nothing else."""
    return next((one for one in find_suites(state.get_index().watchlist) if one.name == want.get("suite")), None)


def _figures(session: str, opened: _Open, want: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "text": "",
        "tone": "good",
        "figures": figures_payload(opened.shown, {str(name) for name in want.get("chosen") or ()}),
    }


def _sessions(session: str, opened: _Open, want: Mapping[str, Any]) -> dict[str, Any]:
    suite = None
    if want.get("suite"):
        file = _named(want)
        if file is None:
            return {"text": "This suite is no longer there: nothing was measured.", "tone": "error"}
        suite = load_suite(file.path)
    st.session_state[_TABLE] = True  # a short run ends before the page looks again
    _figures_runs(str(state.directory())).start(suite)
    return {"text": "", "tone": "good"}


def _cancel_sessions(session: str, opened: _Open, want: Mapping[str, Any]) -> dict[str, Any]:
    run = _figures_runs(str(state.directory())).last
    if run is not None:
        run.cancel()
    return {"text": "", "tone": "good"}
