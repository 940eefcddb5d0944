"""The reader's watches of a directory: where they are kept, and a list that follows the files.

They are no part of the database: setting one reads no trace again.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path

from inspector.errors import SettingsError
from inspector.index.connect import cache_folder, is_shipped
from inspector.model.settings import SETTINGS_FILE, Settings
from inspector.model.watches import Watch

_Stamp = tuple[int, int] | None


class Watchlist:
    """Watches of a directory of traces; reads a file again when its size or time changed."""

    def __init__(self, directory: Path) -> None:
        beside = directory / SETTINGS_FILE
        elsewhere = cache_folder(directory) / SETTINGS_FILE
        self.files = (beside, elsewhere)
        """Where watches are read: beside the traces, and in the user's cache where nothing can be written there."""
        self.file = beside if _is_writable(directory, beside) else elsewhere
        """Where they are written."""
        self._lock = threading.Lock()
        self._stamps: list[_Stamp] = [None, None]
        self._troubles: list[str | None] = [None, None]
        self._watches: list[tuple[Watch, ...]] = [(), ()]
        self._revision = 0
        self._look()
        self._revision = 0  # what was there at the start is no change

    @property
    def revision(self) -> int:
        """Grows with every change of the watches."""
        self._look()
        return self._revision

    @property
    def trouble(self) -> str | None:
        """Why files cannot be read at present; the watches that were last read stay. None: they can."""
        return " · ".join(trouble for trouble in self._troubles if trouble) or None

    def of(self, session: str) -> tuple[Watch, ...]:
        """Return the watches that count for a session, in the order of the files."""
        self._look()
        found = {w.id: w for watches in self._watches for w in watches if w.session in (None, session)}
        return tuple(found.values())

    def add(self, watch: Watch) -> bool:
        """Write a watch; False: it was there already.

        Raises:
            SettingsError: The file holds something that cannot be used.
            CannotWriteError: It cannot be written.
        """
        with self._lock:
            self._read_changed()
            if any(known.id == watch.id for watches in self._watches for known in watches):
                return False
            from inspector.model.watch_file import add_watch  # who reads watches does not wait for what writes TOML

            return add_watch(self.file, watch)

    def remove(self, identity: str) -> bool:
        """Take a watch out of the file it stands in; False: it is in none.

        Raises:
            SettingsError: A file holds something that cannot be used.
            CannotWriteError: A file cannot be written.
        """
        from inspector.model.watch_file import remove_watch  # as above

        with self._lock:
            removed = [remove_watch(file, identity) for file in self.files if file.exists()]
        return any(removed)

    def _look(self) -> None:
        with self._lock:
            self._read_changed()

    def _read_changed(self) -> None:
        """Read the files that changed; the caller holds the lock."""
        for at, file in enumerate(self.files):
            stamp = _stamp(file)
            if stamp == self._stamps[at]:
                continue
            self._stamps[at] = stamp
            try:
                read = Settings.load(file).watches
            except SettingsError as error:
                self._troubles[at] = f"{error.message}; the watches of before are still used"
                self._revision += 1
                continue
            self._troubles[at] = None
            if read != self._watches[at]:
                self._watches[at] = read
                self._revision += 1


def _stamp(file: Path) -> _Stamp:
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


def _is_writable(directory: Path, file: Path) -> bool:
    if is_shipped(directory) or not os.access(directory, os.W_OK):
        return False
    return not file.exists() or os.access(file, os.W_OK)
