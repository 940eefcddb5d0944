"""Watching a directory of traces: what the operating system tells, and a slow look for what it does not."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Final

from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer

from inspector.index.connect import FOLDER_NAME
from inspector.index.files import SUFFIX, find_files

QUIET: Final = 0.3
"""Seconds after the last event before anything is read: an agent writes several records in one breath."""

LONGEST: Final = 2.0
"""Seconds after the first event when it is read anyhow: a busy agent is never quiet."""

POLL: Final = 5.0
"""Seconds between looks at sizes and times: network mounts and some containers send no events."""

_log: Final = logging.getLogger(__name__)


class Watch:
    """Calls back when trace files below a directory change, from a thread of its own."""

    def __init__(
        self, directory: Path, changed: Callable[[], None], *, poll: float = POLL, quiet: float = QUIET
    ) -> None:
        """Begin to watch.

        Args:
            directory: The traces.
            changed: Called after a change; must return soon.
            poll: Seconds between looks.
            quiet: Seconds of quiet waited for.
        """
        self._directory = directory
        self._changed = changed
        self._poll = poll
        self._quiet = quiet
        self._event = threading.Event()
        self._closing = threading.Event()
        self._seen = self._look()
        self._observer = self._observe()
        self._thread = threading.Thread(target=self._run, name="inspector-watch", daemon=True)
        self._thread.start()

    def _observe(self) -> threading.Thread | None:
        observer = Observer()
        try:
            observer.schedule(_Handler(self._event), str(self._directory), recursive=True)
            observer.start()
        except OSError as error:
            # No inotify handles left, or a file system without them: the slow look is enough.
            _log.info("no change events for %s (%s); looking every %s s", self._directory, error, self._poll)
            return None
        self._stop_observer = observer.stop
        return observer

    def _look(self) -> tuple[object, ...]:
        return tuple(sorted((found.path, found.size, found.mtime_ns) for found in find_files(self._directory)))

    def _run(self) -> None:
        while not self._closing.is_set():
            told = self._event.wait(self._poll)
            if self._closing.is_set():
                return
            if told:
                self._settle()
            seen = self._look()
            if seen != self._seen:
                self._seen = seen
                self._changed()

    def _settle(self) -> None:
        """Wait until no more events come, but not for ever."""
        waited = 0.0
        while waited < LONGEST and not self._closing.is_set():
            self._event.clear()
            if not self._event.wait(self._quiet):
                return
            self._closing.wait(self._quiet)
            waited += self._quiet
        self._event.clear()

    def close(self) -> None:
        """End watching."""
        self._closing.set()
        self._event.set()
        if self._observer is not None:
            self._stop_observer()
            self._observer.join()
        self._thread.join()


class _Handler(FileSystemEventHandler):
    """Takes note of events of trace files, and of folders, which may have brought some along."""

    def __init__(self, event: threading.Event) -> None:
        self._event = event

    def on_any_event(self, event: FileSystemEvent) -> None:
        """Take note, unless it is the index's own file or a mere opening."""
        if event.event_type in ("opened", "closed_no_write"):
            return
        paths = [Path(str(path)) for path in (event.src_path, event.dest_path) if path]
        if any(FOLDER_NAME in path.parts for path in paths):
            return
        if event.is_directory or any(path.name.endswith(SUFFIX) for path in paths):
            self._event.set()
