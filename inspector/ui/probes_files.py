"""Suites of probes beside the traces: which there are, and how a drafted one gets there."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from inspector.errors import InspectorError
from inspector.index.watchlist import Watchlist
from inspector.probes.draft import Draft
from inspector.probes.probe import Suite
from inspector.probes.results import FOLDER
from inspector.probes.suite import load_suite, save_suite
from inspector.probes.suite_files import SuiteFile, find_suite_files
from inspector.ui.format import format_count
from inspector.ui.frame_data import short_path

DRAFT: Final = "draft"
"""In the address, in the place of a file: what a draft from the session proposes. No file of a suite is named so."""
_NAME: Final = re.compile(r"[^\w.-]+")
_LONGEST_NAME: Final = 80


def suite_folder(watchlist: Watchlist) -> Path:
    """Return where suites and answers are written: beside the traces, or where watches go if nothing can be.

    Args:
        watchlist: Of the directory.
    """
    return watchlist.file.parent / FOLDER


def find_suites(watchlist: Watchlist) -> tuple[SuiteFile, ...]:
    """Find the suites of a directory, by name.

    Args:
        watchlist: Of the directory.
    """
    return find_suite_files(watchlist.files)


def choose_suite(files: Sequence[SuiteFile], wanted: str | None, session: str) -> SuiteFile | None:
    """Choose the suite of an address; None: what a draft proposes.

    Args:
        files: Those there are.
        wanted: The name in the address; None: the first suite that was drafted from the session.
        session: The session.

    Raises:
        LookupError: No such file; the text says so.
    """
    if wanted == DRAFT:
        return None
    if wanted is not None:
        found = next((file for file in files if file.name == wanted), None)
        if found is None:
            raise LookupError(f"There is no suite {wanted} beside these traces.")
        return found
    return next((file for file in files if _is_of(file, session)), None)


def _is_of(file: SuiteFile, session: str) -> bool:
    try:
        return load_suite(file.path).session == session
    except InspectorError:
        return False  # it is told when it is chosen


def proposed_name(session: str) -> str:
    """Return the name of the file that a draft is saved under unless the reader says another.

    Args:
        session: What it was drafted from.
    """
    return f"{_NAME.sub('-', session).strip('-.')[:_LONGEST_NAME] or 'session'}.toml"


def save_draft(
    folder: Path, session: str, drafts: Sequence[Draft], chosen: Sequence[str], name: str, *, replace: bool
) -> dict[str, Any]:
    """Write the chosen probes of a draft as a suite.

    Args:
        folder: Where suites are written.
        session: What they were drafted from.
        drafts: All that was proposed.
        chosen: Ids of those that are kept.
        name: Of the file, with or without ``.toml``.
        replace: The reader agreed that the probes of a file that is there are replaced; its comments stay.

    Returns:
        ``text`` and ``tone`` for the reader; ``saved`` (a name) after it was written, ``exists`` (a name) where a
        file is in the way.
    """
    file = name.strip()
    file = file if file.lower().endswith(".toml") else f"{file}.toml"
    if file != Path(file).name or _NAME.search(file) or file.startswith(".") or len(file) > _LONGEST_NAME + 5:
        return {"text": "A name of a file: letters, digits, dots and hyphens.", "tone": "error"}
    probes = tuple(draft.probe for draft in drafts if draft.probe.id in set(chosen))
    if not probes:
        return {"text": "No probe is chosen.", "tone": "error"}
    path = folder / file
    if path.exists() and not replace:
        return {"text": f"{short_path(path)} is there already.", "tone": "error", "exists": file}
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        save_suite(Suite(path.stem, probes, session), path)
    except InspectorError as error:
        return {"text": error.message, "tone": "error"}
    except OSError as error:
        return {"text": f"{short_path(folder)} cannot be made: {error.strerror or error}", "tone": "error"}
    return {"text": f"Wrote {format_count(len(probes), 'probe')} to {short_path(path)}.", "tone": "good", "saved": file}
