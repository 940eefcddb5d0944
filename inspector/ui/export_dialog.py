"""The export dialog over any page: a call becomes a test. Open while the address has ``export``, the call's number."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import streamlit as st

from inspector.errors import InspectorError
from inspector.fixtures.building import build_fixture
from inspector.fixtures.saving import write_files, zip_files
from inspector.probes.probe import Suite
from inspector.probes.suite import load_suite
from inspector.ui import state
from inspector.ui.components import mount
from inspector.ui.export_files import files_of
from inspector.ui.export_form import ExportForm, changed_form, first_form
from inspector.ui.export_job import ExportJob, ExportJobs
from inspector.ui.export_payload import job_payload
from inspector.ui.frame_data import short_path
from inspector.ui.options import options
from inspector.ui.probes_files import find_suites

_NAME: Final = "export"
"""The component, its key, and the parameter of the address that opens it."""
_FORMS: Final = "export forms"
"""Where the session keeps what the reader chose, by session and call."""
_DONE: Final = "export done"
"""Where it keeps the last wish and what became of it."""
_POLL: Final = 0.4
"""Seconds between two looks at a draft in the making."""
_FIRST_WAIT: Final = 0.3
"""Seconds a small draft is waited for, so that the dialog opens complete."""
_REMOTE: Final = "Writing is off while other machines can reach this app: download it, or use the command."


def render() -> None:
    """Draw the dialog if the address opens it."""
    session, call = state.address().session, _call()
    if session is None or call is None:
        return
    form = _form(session, call)
    job = None if isinstance(form, InspectorError) else _job(session, call, form)
    st.fragment(_dialog, run_every=_POLL if job is not None and job.running else None)(session, call)


def _call() -> int | None:
    wanted = st.query_params.get(_NAME) or ""
    return int(wanted) if wanted.isascii() and wanted.isdecimal() and len(wanted) < 10 else None


def _dialog(session: str, call: int) -> None:
    want: Mapping[str, Any] | None = getattr(st.session_state.get(_NAME), "want", None)
    done: dict[str, Any] = st.session_state.get(_DONE, {})
    # A wish may come twice: the browser sends it again until it sees that it was heard.
    if want is not None and want.get("of") == [session, call] and int(want.get("seq") or 0) > done.get("seq", 0):
        done = {"seq": int(want["seq"]), **_act(session, call, want)}
        st.session_state[_DONE] = done
        st.rerun()  # the pace of the fragment follows what is in the making now
    form = _form(session, call)
    if isinstance(form, InspectorError):
        mount(_NAME, {"session": session, "call": call, "state": "failed", "error": [form.message]}, _NAME, wants=True)
        return
    job = _job(session, call, form)
    polled = job.running
    job.wait(_FIRST_WAIT)
    data = job_payload(state.directory(), session, call, job, form)
    data |= {"note": done if done.get("of") == [session, call] else None, "remote": options().allow_remote}
    mount(_NAME, data, key=_NAME, wants=True)
    if polled and not job.running:
        st.rerun()  # nothing is in the making any more: no further look is needed


def _form(session: str, call: int) -> ExportForm | InspectorError:
    forms: dict[tuple[str, int], ExportForm] = st.session_state.setdefault(_FORMS, {})
    if (session, call) not in forms:
        try:
            forms[session, call] = first_form(Path.cwd())
        except InspectorError as error:
            return error
    return forms[session, call]


def _job(session: str, call: int, form: ExportForm) -> ExportJob:
    index = state.get_index()
    suite = _suite()
    key = (suite, index.version, session, call, form.checks, form.masked, form.words, form.long_results, form.images)

    def make() -> Any:
        return build_fixture(index, session, call, checks=form.checks, options=form.options, suite=suite)

    return _jobs(str(state.directory())).of((*key, form.mode, form.builder, form.agent), make)


def _suite() -> Suite | None:
    """The suite of the address: from Probes, what was asked there goes along. One that is broken is told there."""
    wanted = st.query_params.get("suite")
    file = next((one for one in find_suites(state.get_index().watchlist) if one.name == wanted), None)
    try:
        return None if file is None else load_suite(file.path)
    except InspectorError:
        return None


@st.cache_resource(max_entries=4, show_spinner=False)
def _jobs(directory: str) -> ExportJobs:
    return ExportJobs()


def _act(session: str, call: int, want: Mapping[str, Any]) -> dict[str, Any]:
    """Do what the browser asks for, once; return what became of it."""
    form = _form(session, call)
    said: dict[str, Any] = {"of": [session, call], "act": want.get("act"), "tone": "good", "text": ""}
    if isinstance(form, InspectorError):
        return said
    job = _job(session, call, form)
    try:
        match want.get("act"):
            case "form":
                st.session_state[_FORMS][session, call] = changed_form(form, want.get("form") or {})
            case "shrink":
                job.shrink()
            case "stop":
                job.stop()
            case "whole":
                job.whole()
            case "write":
                said["text"] = _write(job, form, agreed=want.get("agreed") is True)
            case "download":
                said["zip"] = _zip(job, form)
    except InspectorError as error:
        said |= {"tone": "error", "text": " ".join(filter(None, (error.message, error.hint)))}
    return said


def _write(job: ExportJob, form: ExportForm, *, agreed: bool) -> str:
    if options().allow_remote:
        raise InspectorError(_REMOTE)
    draft = job.draft
    if draft is None:
        raise InspectorError("the checks have not run yet")
    if not draft.failing and not agreed:
        raise InspectorError("every chosen check holds today, and nothing was written")
    fixture = draft.fixture if job.shrunk is None else job.shrunk.fixture
    written = write_files(Path(form.folder), files_of(fixture, draft, form))
    return f"Wrote {', '.join(short_path(path) for path in written)}."


def _zip(job: ExportJob, form: ExportForm) -> str:
    draft = job.draft
    if draft is None:
        raise InspectorError("the checks have not run yet")
    fixture = draft.fixture if job.shrunk is None else job.shrunk.fixture
    return base64.b64encode(zip_files(files_of(fixture, draft, form))).decode("ascii")
