"""The files of an export, and the command that makes the same."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from inspector.fixtures.building import Draft
from inspector.fixtures.homes.registry import HOMES
from inspector.fixtures.saving import NamedText, plan_files
from inspector.ui.export_form import TEST, ExportForm
from snapshot_sdk.fixtures import PATTERNS, Fixture


def files_of(fixture: Fixture, draft: Draft, form: ExportForm) -> Sequence[NamedText]:
    """Return what would be written.

    Args:
        fixture: The fixture, shrunk or not.
        draft: Its draft.
        form: What the reader chose.

    Raises:
        HomeError: The fixture lacks what the chosen tool needs.
    """
    if form.kind in HOMES:
        return HOMES[form.kind].render(fixture)
    options = draft.options
    return plan_files(fixture, builder=options.builder, agent=options.agent, with_test=form.kind == TEST)


def command_of(directory: Path, session: str, call: int, draft: Draft, form: ExportForm, *, shrunk: bool) -> str:
    """Return the command of the terminal that makes the same export.

    Args:
        directory: The traces.
        session: Id of the session.
        call: Number of the call.
        draft: The draft.
        form: What the reader chose.
        shrunk: It was shrunk.
    """
    words = ["context-inspector", "export", str(directory), f"{session}:{call}", "--to", form.folder]
    if form.kind != TEST:
        words += ["--as", form.kind]
    if form.mode != "none":
        words += [f"--{form.mode}", form.builder if form.mode == "builder" else form.agent]
    if form.checks is not None:
        words += [word for check in form.checks for word in ("--check", check)]
    if not draft.failing:
        words.append("--passing")
    words += [word for own in form.words for word in ("--mask", own)]
    words += [word for name in PATTERNS if name not in form.masked for word in ("--unmasked", name)]
    if form.long_results == "by reference":
        words += ["--long-results", "reference"]
    if form.images == "whole":
        words += ["--images", "whole"]
    if shrunk:
        words.append("--shrink")
    return shlex.join(words)
