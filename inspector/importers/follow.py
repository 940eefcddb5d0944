"""Keeps importing logs that are being written: whenever one has grown, what is new is added to its session."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

from inspector.importers.finding import candidates
from inspector.importers.run import ImportSummary, import_paths

POLL_SECONDS: Final = 2.0
"""How often the logs are looked at."""


def follow_paths(
    paths: Sequence[Path],
    out: Path,
    *,
    format_name: str = "auto",
    force: bool = False,
    wait: Callable[[], bool],
) -> Iterator[ImportSummary]:
    """Import logs, and again those that changed, until told to stop.

    Args:
        paths: Files, and folders in which new files may appear.
        out: The directory of traces.
        format_name: A format, or ``auto``.
        force: As for :func:`import_paths`.
        wait: Called between looks; False ends it.

    Yields:
        What came of the folders in which a log changed, one summary a look; the first is of all of them.

    Raises:
        CannotWriteError: The directory cannot be written.
        InspectorError: There is no such format.
    """
    states: dict[Path, tuple[int, ...]] = {}
    while True:
        now = {path: state for path, _ in candidates(paths, out) if (state := _state(path)) is not None}
        changed = {path.parent for path, state in now.items() if states.get(path) != state}
        if changed or not states:
            # Logs of a folder are read together: one may repeat what another holds.
            near = [path for path in now if path.parent in changed]
            yield import_paths(near or paths, out, format_name=format_name, force=force)
        states = now
        if not wait():
            return


def _state(path: Path) -> tuple[int, ...] | None:
    """Give what changes when a file is written to, or what SQLite writes beside it first; None: it is gone."""
    found: list[int] = []
    for one in (path, path.with_name(f"{path.name}-wal")):
        try:
            state = one.stat()
        except OSError:
            if one is path:
                return None
            continue
        found += [state.st_size, state.st_mtime_ns]
    return tuple(found)
