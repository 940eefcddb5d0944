"""Shrinks the fixture of ``export``, with a bar that says how far it is."""

from __future__ import annotations

from dataclasses import replace

import click
from rich.progress import Progress, SpinnerColumn, TextColumn

from inspector.cli.drawing import stderr_console
from inspector.cli.terminal import one_line
from inspector.fixtures.building import Draft
from inspector.fixtures.shrinking.shrink import ShrinkProgress, shrink_fixture


def shrunk(draft: Draft) -> Draft:
    """Shrink a fixture while its failing checks still fail; checks that hold today are dropped with what they hold of.

    Args:
        draft: A fixture of which some check fails.
    """
    console = stderr_console()
    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False))
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("Shrinking", total=None)

        def tell(done: ShrinkProgress) -> None:
            size = f"{done.messages:,} messages, {done.size:,} characters left"
            bar.update(task, description=f"Shrinking: {done.tried:,} tried, {size}")

        small = shrink_fixture(draft.fixture, progress=tell)
    click.echo(one_line(f"shrunk: {small.bytes_before:,} bytes became {small.bytes_after:,}, {small.tried:,} tried"))
    return replace(draft, fixture=small.fixture, size_bytes=small.bytes_after)
