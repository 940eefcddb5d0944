"""The bar that shows how many of several things are done."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from inspector.cli.drawing import stderr_console


@contextmanager
def counting_bar(doing: str) -> Iterator[Callable[[int, int], None]]:
    """Draw the bar on stderr; gives what is to be told how many are done, and of how many.

    Args:
        doing: What is done, in one word.
    """
    console = stderr_console()
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(doing, total=None)

        def tell(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        yield tell
