"""What the reader chose in the export dialog."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal, cast, get_args

from inspector.errors import InspectorError, SettingsError
from inspector.fixtures.homes.registry import HOMES
from inspector.fixtures.options import ExportOptions, Keeping, Masking
from snapshot_sdk import errors as sdk_errors
from snapshot_sdk.fixtures import PATTERNS, check_callable_name, read_project_settings

Mode = Literal["builder", "agent", "none"]
"""What the test runs: the context builder, the whole agent with answers played back, or nothing of the user's."""

TEST: Final = "test"
FIXTURE: Final = "fixture"
KINDS: Final = (TEST, FIXTURE, *HOMES)
"""What an export may be."""
_WORD: Final = re.compile(r"/(?:\\.|[^\\])+?/(?=\s*(?:[,，]|$))|[^,，\s][^,，]*")
FOLDER: Final = "tests/context"
"""Where exports go unless the project says otherwise."""


@dataclass(frozen=True)
class ExportForm:
    """The fields of the dialog."""

    kind: str = TEST
    checks: tuple[str, ...] | None = None
    """Ids of the chosen checks; None: those that are proposed."""
    mode: Mode = "none"
    builder: str = ""
    agent: str = ""
    masked: tuple[str, ...] = tuple(PATTERNS)
    """Names of the patterns that are masked."""
    words: tuple[str, ...] = ()
    """Words of the reader's own to mask."""
    long_results: Keeping = "whole"
    images: Keeping = "by reference"
    folder: str = FOLDER

    @property
    def options(self) -> ExportOptions:
        """As the export takes them.

        Raises:
            InspectorError: The name of a function is none.
        """
        builder = _callable(self.builder, "builder") if self.mode == "builder" else None
        agent = _callable(self.agent, "agent") if self.mode == "agent" else None
        return ExportOptions(builder, agent, Masking(self.masked, self.words), self.long_results, self.images)


def _callable(name: str, what: str) -> str:
    try:
        check_callable_name(name, what, None)
    except sdk_errors.TraceError as error:
        raise InspectorError(
            f"{name!r} names no {what}" if name else f"no {what} is named",
            hint="Write it as in agent.memory:build_context.",
        ) from error
    return name


def first_form(start: Path) -> ExportForm:
    """Return the form as it opens: what the project says, else as proposed.

    Args:
        start: Folder whose project counts.

    Raises:
        SettingsError: Its ``[tool.context-inspector]`` cannot be used.
    """
    try:
        project = read_project_settings(start)
    except sdk_errors.SettingsError as error:
        raise SettingsError(Path(error.file), error.key, error.reason) from error
    mode: Mode = "builder" if project.builder else "agent" if project.agent else "none"
    folder = FOLDER if project.folder is None else str(project.folder)
    return ExportForm(mode=mode, builder=project.builder or "", agent=project.agent or "", folder=folder)


def split_words(text: str) -> tuple[str, ...]:
    """Return words and patterns of the reader's own: commas part them, also full width ones, but not inside of slashes.

    Args:
        text: As typed.
    """
    return tuple(word for match in _WORD.finditer(text) if (word := match[0].strip()))


def changed_form(form: ExportForm, fields: Mapping[str, Any]) -> ExportForm:
    """Return a form with what the browser sent; what it must not hold stays as it was.

    Args:
        form: The form before.
        fields: Names and values.
    """
    keeping = get_args(Keeping)
    if fields.get("kind") in KINDS:
        form = replace(form, kind=str(fields["kind"]))
    if fields.get("mode") in get_args(Mode):
        form = replace(form, mode=cast(Mode, fields["mode"]))
    if isinstance(fields.get("checks"), list):
        form = replace(form, checks=tuple(str(one) for one in fields["checks"]))
    if isinstance(fields.get("masked"), list):
        form = replace(form, masked=tuple(name for name in PATTERNS if name in fields["masked"]))
    if isinstance(fields.get("words"), str):
        form = replace(form, words=split_words(fields["words"]))
    for name in ("builder", "agent", "folder"):
        if isinstance(fields.get(name), str):
            form = replace(form, **{name: fields[name].strip()})
    for name in ("long_results", "images"):
        if fields.get(name) in keeping:
            form = replace(form, **{name: fields[name]})
    return form
