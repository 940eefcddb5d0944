"""The bar that shows how far the traces are read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

from inspector.cli.drawing import stderr_console
from inspector.cli.terminal import one_line
from inspector.model.views import IndexState


@contextmanager
def reading_bar() -> Iterator[Callable[[IndexState], None]]:
    """Draw the bar on stderr; gives what is to be told how far it is."""
    console = stderr_console()
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), DownloadColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("Reading", total=None)

        def tell(state: IndexState) -> None:
            text = f"Reading {state.files_done} of {state.files} files · {state.calls:,} calls ready"
            bar.update(task, description=one_line(text), completed=state.bytes_done, total=state.bytes)

        yield tell
