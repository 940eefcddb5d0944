"""Appends lines to one file: one record, one ``write``, so that a killed process loses nothing it had written."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

_FLAGS: Final = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_FILE_MODE: Final = 0o600
_DIRECTORY_MODE: Final = 0o700


class LineWriter:
    """An append-only file of lines. Not locked: its owner is."""

    def __init__(self) -> None:
        self._fd: int | None = None
        self._path: Path | None = None
        self.torn = False
        """The last line is not whole: the next write begins with a newline."""
        self.size = 0
        """Bytes in the file."""

    @property
    def is_open(self) -> bool:
        """A file is open and still has a name: a directory that was removed takes its files with it."""
        if self._fd is None:
            return False
        try:
            return os.fstat(self._fd).st_nlink > 0
        except OSError:
            return False

    def open(self, path: Path, *, new: bool = False) -> None:
        """Opens a file for appending, with its directories, private to the user.

        Args:
            path: Where.
            new: There must be no such file yet.

        Raises:
            OSError: It cannot be opened; FileExistsError: it is there, but should be new.
        """
        self.close()
        make_private_directory(path.parent)
        self._fd = os.open(path, _FLAGS | (os.O_EXCL if new else 0), _FILE_MODE)
        self._path = path
        self.size = os.fstat(self._fd).st_size
        self.torn = False

    def append(self, *line: bytes) -> None:
        """Writes a line in one call to the system; where that takes only a part, the rest follows.

        Args:
            line: Without its newline, in one piece or several.

        Raises:
            OSError: The line is not, or not wholly, in the file. The next one then begins on a new line.
        """
        if self._fd is None:
            raise OSError("no file is open")
        data = b"".join((b"\n" if self.torn else b"", *line, b"\n"))
        done = 0
        try:
            while done < len(data):
                written = os.write(self._fd, memoryview(data)[done:] if done else data)
                if written <= 0:
                    raise OSError("the file takes no more bytes")
                done += written
        except BaseException:
            self.torn = self.torn or done > 0
            raise
        finally:
            self.size += done
        self.torn = False

    def close(self) -> None:
        """Closes the file; :meth:`open` may follow."""
        fd, self._fd = self._fd, None
        if fd is not None:
            os.close(fd)

    def discard(self) -> None:
        """Closes the file and removes it: it holds no whole record."""
        self.close()
        if self._path is not None:
            self._path.unlink(missing_ok=True)

    def __del__(self) -> None:
        self.close()


def make_private_directory(path: Path) -> None:
    """Makes a directory and its parents; the ones made here are the user's alone.

    Args:
        path: The directory.

    Raises:
        OSError: It cannot be made.
    """
    missing = []
    while not path.exists():
        missing.append(path)
        path = path.parent
    for directory in reversed(missing):
        directory.mkdir(mode=_DIRECTORY_MODE, exist_ok=True)
