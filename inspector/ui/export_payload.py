"""What the export dialog shows, as the browser gets it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from inspector.errors import HomeError
from inspector.fixtures.building import Draft
from inspector.fixtures.homes.registry import HOMES
from inspector.fixtures.saving import NamedText
from inspector.ui.export_files import command_of, files_of
from inspector.ui.export_form import FIXTURE, TEST, ExportForm
from inspector.ui.export_job import ExportJob
from snapshot_sdk.fixtures import PATTERNS, Check, Fixture

PREVIEW: Final = 20_000
"""Characters of a file that the dialog shows."""

KIND_TITLES: Final = {TEST: "a test, with its fixture", FIXTURE: "the fixture alone"} | {
    name: home.title for name, home in HOMES.items()
}
"""What an export may be, as the dialog names it."""


def job_payload(directory: Path, session: str, call: int, job: ExportJob, form: ExportForm) -> dict[str, Any]:
    """Return a draft as the browser gets it, whatever its state.

    Args:
        directory: The traces.
        session: Id of the session.
        call: Number of the call.
        job: The draft in the making.
        form: What the reader chose.
    """
    found: dict[str, Any] = {
        "session": session,
        "call": call,
        "state": "checking",
        "form": form_payload(form),
        "kinds": [[name, title] for name, title in KIND_TITLES.items()],
        "patterns": list(PATTERNS),
    }
    if job.error is not None:
        found |= {"state": "failed", "error": [job.error.message, *([job.error.hint] if job.error.hint else [])]}
    draft = job.draft
    if draft is None:
        return found
    fixture = draft.fixture if job.shrunk is None else job.shrunk.fixture
    found |= _draft_payload(draft, fixture)
    found["command"] = command_of(directory, session, call, draft, form, shrunk=job.shrunk is not None)
    try:
        found["files"] = _files(files_of(fixture, draft, form), Path(form.folder))
        found["trouble"] = None
    except HomeError as error:
        found |= {"files": [], "trouble": " ".join(filter(None, (f"{error.message}.", error.hint)))}
    if job.shrunk is not None:
        found["shrunk"] = [job.shrunk.bytes_before, job.shrunk.bytes_after, job.shrunk.tried, job.shrunk.stopped]
    if job.running:
        found |= {"state": "shrinking", "progress": None}
        if job.progress is not None:
            found["progress"] = [job.progress.tried, job.progress.messages, job.progress.size]
    elif job.error is None:
        found["state"] = "ready"
    return found


def form_payload(form: ExportForm) -> dict[str, Any]:
    """Return a form as the browser gets it.

    Args:
        form: The form.
    """
    return {
        "kind": form.kind,
        "mode": form.mode,
        "builder": form.builder,
        "agent": form.agent,
        "masked": list(form.masked),
        "words": ", ".join(form.words),
        "long_results": form.long_results,
        "images": form.images,
        "folder": form.folder,
    }


def _draft_payload(draft: Draft, fixture: Fixture) -> dict[str, Any]:
    chosen = {check.id for check in draft.fixture.checks}
    return {
        "title": fixture.title,
        "turn": fixture.origin.turn,
        "checks": [_check(check, check.id in chosen) for check in draft.checks],
        "fails": len(draft.failing),
        "masked": [[one.kind, one.count, one.places, list(one.samples)] for one in draft.masked],
        "unfound": list(draft.unfound),
        "left_out": list(draft.left_out),
        "messages": len(fixture.history),
        "shrunk": None,
    }


def _check(check: Check, chosen: bool) -> dict[str, Any]:
    return {
        "id": check.id,
        "kind": check.kind,
        "title": check.title,
        "failed": check.failed,
        "reason": check.reason,
        "chosen": chosen,
    }


def _files(files: Sequence[NamedText], folder: Path) -> list[dict[str, Any]]:
    return [
        {
            "name": file.name,
            "bytes": len(file.text.encode("utf-8", "backslashreplace")),
            "text": file.text[:PREVIEW],
            "cut": len(file.text) > PREVIEW,
            "there": (folder / file.name).exists(),
        }
        for file in files
    ]
