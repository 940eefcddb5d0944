"""Opens the index for a command: reads what is new, draws a bar, says when it is not the one on disk."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from inspector.cli.terminal import complain
from inspector.index import Index, open_index
from inspector.model.views import IndexState


@contextmanager
def opened(
    directory: Path, *, session: str | None = None, on_disk: bool = False, rebuild: bool = False
) -> Iterator[Index]:
    """Open the index of ``directory`` with everything on disk read, and close it afterwards.

    Where another process holds the index (the app that shows it, most often), or it cannot be written, the traces are
    read into memory; that is said on stderr.

    Args:
        directory: The traces.
        session: The one session the command is about: into memory nothing else is read.
        on_disk: Raise where another process holds the index.
        rebuild: Read everything anew.

    Raises:
        NoTracesError: The directory is not there.
        IndexLockedError: Another process holds the index, and ``on_disk`` asks for it.
        SettingsError: ``inspector.toml`` holds something that cannot be used.
    """
    only = None if session is None else [session]
    index = open_index(directory, rebuild=rebuild, sessions=only, own_copy=not on_disk)
    try:
        with _progress() as tell:
            state = index.refresh(progress=tell)
        if state.note:
            complain(state.note)
        yield index
    finally:
        index.close()


def say_unreadable(index: Index) -> int:
    """Say on stderr how many lines could not be read; give their number."""
    errors = index.line_errors()
    if errors:
        first = errors[0]
        complain(
            f"{len(errors)} line(s) could not be read as they stand, the first is {first.file}:{first.line} "
            f"({first.reason}); `context-inspector index DIR` lists them"
        )
    return len(errors)


@contextmanager
def _progress() -> Iterator[Callable[[IndexState], None]]:
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda _: None
        return
    from inspector.cli.reading_bar import reading_bar  # what draws it takes a while to load, and is seen on a terminal

    with reading_bar() as tell:
        yield tell
