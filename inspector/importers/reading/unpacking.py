"""Logs that were packed with gzip, unpacked into a folder of their own for as long as they are read."""

from __future__ import annotations

import gzip
import shutil
import tempfile
import zlib
from pathlib import Path
from types import TracebackType
from typing import IO, Final, NamedTuple

from inspector.importers.reading import limits
from inspector.importers.reading.unreadable import UnreadableError

_SIGNATURE: Final = b"\x1f\x8b"
"""First bytes of gzip (RFC 1952, 2.3.1)."""

_SUFFIX: Final = ".gz"

_PIECE: Final = 1 << 16
"""Bytes unpacked at once."""


NO_FILE: Final = "it is a pipe or a device, and no file"
"""Why what can be opened is not read."""


class Opened(NamedTuple):
    """A file that can be read as it stands."""

    path: Path
    lost: str | None = None
    """Why not all of it could be unpacked."""


def _copy(packed: gzip.GzipFile, unpacked: IO[bytes], size: int) -> str | None:
    """Unpack up to the limit; say why not all, where there is more.

    Raises:
        UnreadableError: It unpacks to what no log does, so that nothing of it is worth reading.
    """
    no_log = max(size * limits.HIGHEST_RATIO, limits.RATIO_FROM)
    done = 0
    while piece := packed.read1(_PIECE):
        done += len(piece)
        if done > no_log:
            reason = (
                f"packed with gzip, and unpacks to more than {limits.HIGHEST_RATIO} times its size, which no log does"
            )
            raise UnreadableError(reason)
        if done > limits.MOST_UNPACKED:
            return f"packed with gzip, and unpacks to more than the {limits.MOST_UNPACKED >> 20:,} MiB that are read"
        unpacked.write(piece)
    return None


class Unpacked:
    """The unpacked files of one import; they are gone when it is over.

    A log is named for its file and its folder, so both have the names they have packed. Its digest is that of the
    log itself: imported once packed and once not, it is the same log.
    """

    def __init__(self) -> None:
        self._folder: Path | None = None
        self._places: dict[Path, Path] = {}
        """Folder that stands for the one where the packed files lie."""
        self._packed: dict[str, Path] = {}

    def __enter__(self) -> Unpacked:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def open(self, path: Path) -> Opened:
        """Give a file itself, or unpacked where it is packed; of one that is damaged, what could be unpacked.

        Raises:
            OSError: It cannot be read, or there is no room to unpack it.
            UnreadableError: It is packed to harm whoever unpacks it.
        """
        if not path.is_file():  # a pipe would be waited for
            path.stat()
            raise OSError(NO_FILE)
        with path.open("rb") as file:
            if file.read(len(_SIGNATURE)) != _SIGNATURE:
                return Opened(path)
        target = self._place(path.parent) / (path.stem if path.suffix == _SUFFIX else path.name)
        self._packed[str(target)] = path
        lost = None
        with target.open("wb") as unpacked:
            try:
                with gzip.open(path) as packed:
                    lost = _copy(packed, unpacked, path.stat().st_size)
            except (EOFError, gzip.BadGzipFile, zlib.error) as error:
                lost = f"packed with gzip, and damaged ({error})"
        return Opened(target, None if lost is None else f"{lost}: only what stands before is read")

    def packed(self, source: str) -> str:
        """Give the path of the packed file for that of an unpacked one; every other path is its own."""
        return str(self._packed.get(source, source))

    def _place(self, folder: Path) -> Path:
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="unpacked-"))
        if folder not in self._places:
            place = self._folder / str(len(self._places)) / (folder.resolve().name or "logs")
            place.mkdir(parents=True)
            self._places[folder] = place
        return self._places[folder]
