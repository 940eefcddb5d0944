"""``context-inspector export``: a bad call becomes a fixture, and a test that fails until the agent is mended."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import click

from inspector.cli.exits import Exit
from inspector.cli.export_output import print_draft, print_written
from inspector.cli.export_shrinking import shrunk
from inspector.cli.options import DIRECTORY
from inspector.cli.show_command import call_number
from inspector.cli.terminal import complain
from inspector.cli.traces import opened, say_unreadable
from inspector.cli.words import split_place
from inspector.errors import SettingsError
from inspector.fixtures.building import Draft, build_fixture
from inspector.fixtures.homes.registry import HOMES
from inspector.fixtures.options import ExportOptions, Keeping, Masking
from inspector.fixtures.saving import NamedText, plan_files, write_files
from inspector.probes.suite import load_suite
from snapshot_sdk import errors as sdk_errors
from snapshot_sdk.fixtures import PATTERNS, ProjectSettings, check_callable_name, read_project_settings

KINDS: Final = ("test", "fixture", *HOMES)
"""What an export may be written as."""
_PASSES: Final = "every chosen check holds today, so the test would pass before anything is mended"
_KEEPING: Final[dict[str, Keeping]] = {"whole": "whole", "reference": "by reference"}


class _Callable(click.ParamType[str]):
    """The name of a function: ``module:function``."""

    name = "module:function"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Refuse what names none, before anything is read."""
        try:
            check_callable_name(value, "--builder", None)
        except sdk_errors.TraceError:
            self.fail(f"{value!r} names no function; write it as in agent.memory:build_context", param, ctx)
        return str(value)


@click.command()
@DIRECTORY
@click.argument("place", metavar="SESSION:N")
@click.option("--as", "kind", type=click.Choice(KINDS), default="test", show_default=True, help="What is written.")
@click.option("--to", "folder", type=click.Path(path_type=Path, file_okay=False), help="Folder that it goes to.")
@click.option("--builder", type=_Callable(), help="Your context builder: history and window in, messages out.")
@click.option("--agent", type=_Callable(), help="The whole agent instead: recorded answers are played back to it.")
@click.option("--check", "wanted", metavar="ID", multiple=True, help="Only this check; may be repeated.")
@click.option("--suite", "suite_file", type=click.Path(path_type=Path, dir_okay=False), help="Probes to take along.")
@click.option("--passing", is_flag=True, help="Write it although every chosen check holds today.")
@click.option("--shrink", "shrinks", is_flag=True, help="Drop what the failing checks do not need in order to fail.")
@click.option("--mask", "words", metavar="WORD", multiple=True, help="A word to mask, or a /pattern/; may be repeated.")
@click.option(
    "--unmasked", type=click.Choice(tuple(PATTERNS)), multiple=True, help="Do not mask this kind; may be repeated."
)
@click.option("--long-results", type=click.Choice(tuple(_KEEPING)), default="whole", show_default=True)
@click.option("--images", type=click.Choice(tuple(_KEEPING)), default="reference", show_default=True)
@click.option("--list", "lists", is_flag=True, help="Only show the checks, and what would be masked and left out.")
def export(
    directory: Path,
    place: str,
    kind: str,
    folder: Path | None,
    builder: str | None,
    agent: str | None,
    wanted: tuple[str, ...],
    suite_file: Path | None,
    passing: bool,
    shrinks: bool,
    words: tuple[str, ...],
    unmasked: tuple[str, ...],
    long_results: str,
    images: str,
    lists: bool,
) -> int:
    """Make a fixture of a call, and the test that goes with it.

    N is a number (30) or a turn (t14). The checks run first: what none of them fails is not written without
    --passing (exit code 1). Builder, agent and folder are read from [tool.context-inspector] of pyproject.toml where
    they are not given. Nothing is overwritten.
    """
    if builder is not None and agent is not None:
        raise click.UsageError("--builder and --agent exclude one another")
    project = _project()
    if builder is None and agent is None:
        builder, agent = (project.builder, None) if project.builder is not None else (None, project.agent)
    folder = folder or project.folder
    if folder is None and not lists:
        raise click.UsageError("where to? Give a folder with --to, or set it in [tool.context-inspector]")
    session, word = split_place(place)
    options = ExportOptions(
        builder=builder,
        agent=agent,
        mask=Masking(tuple(name for name in PATTERNS if name not in unmasked), words),
        long_results=_KEEPING[long_results],
        images=_KEEPING[images],
    )
    suite = None if suite_file is None else load_suite(suite_file)
    with opened(directory, session=session) as traces:
        call = call_number(traces, session, word)
        draft = build_fixture(traces, session, call, checks=wanted or None, options=options, suite=suite)
        say_unreadable(traces)
    if shrinks and draft.failing:
        draft = shrunk(draft)
    elif shrinks:
        complain("nothing was shrunk: every chosen check holds today, so there is no failure to keep")
    files = _files(draft, kind)
    print_draft(draft, [(folder or Path()) / file.name for file in files])
    if lists or folder is None:
        if not draft.failing and not passing:
            complain(f"{_PASSES}, and without --passing an export writes nothing")
        return Exit.DONE
    if not draft.failing and not passing:
        complain(
            f"{_PASSES}: nothing was written",
            "Give --passing to write it all the same.",
        )
        return Exit.BROKEN
    print_written(write_files(folder, files))
    return Exit.DONE


def _project() -> ProjectSettings:
    try:
        return read_project_settings(Path.cwd())
    except sdk_errors.SettingsError as error:
        raise SettingsError(Path(error.file), error.key, error.reason) from error


def _files(draft: Draft, kind: str) -> Sequence[NamedText]:
    if kind in HOMES:
        return HOMES[kind].render(draft.fixture)
    options = draft.options
    return plan_files(draft.fixture, builder=options.builder, agent=options.agent, with_test=kind == "test")
