"""The ``.eval`` file of inspect_ai: a ZIP archive whose entries are deflated, or compressed with Zstandard."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Final

import zstandard

from inspector.importers.reading import limits
from inspector.importers.reading.json_stream import Readable
from inspector.importers.reading.unreadable import UnreadableError

MAGIC: Final = b"PK\x03\x04"
"""How a ZIP archive with any entry begins (APPNOTE 4.3.7)."""

_LOCAL_HEADER: Final = struct.Struct("<4s5H3L2H")
"""APPNOTE 4.3.7: the last two fields are the lengths of the name and of the extra field, which follow."""

_ZSTANDARD: Final = 93
"""Compression method (APPNOTE 4.4.5); the standard library reads it from Python 3.14 on."""

_ENCRYPTED: Final = 0x1
"""Bit of an entry's flags."""


def first_entry(head: bytes) -> str | None:
    """Name the first entry of the archive that begins with these bytes; None: it is none."""
    if not head.startswith(MAGIC) or len(head) < _LOCAL_HEADER.size:
        return None
    length = _LOCAL_HEADER.unpack_from(head)[-2]
    return head[_LOCAL_HEADER.size : _LOCAL_HEADER.size + length].decode("utf-8", "replace")


def entry_names(path: Path) -> tuple[str, ...]:
    """Name the entries of an archive, each once.

    Raises:
        UnreadableError: It is no archive, or has lost its end.
        OSError: It cannot be read.
    """
    with _archive(path) as archive:
        return tuple(dict.fromkeys(archive.namelist()))


@contextmanager
def open_entry(path: Path, name: str) -> Iterator[Readable]:
    """Open an entry to be read from its beginning; of two of one name the later.

    Raises:
        UnreadableError: It is encrypted, damaged, or compressed in a way nobody here knows.
        OSError: The archive cannot be read.
    """
    with _archive(path) as archive:
        entry = archive.getinfo(name)
        if entry.flag_bits & _ENCRYPTED:
            raise UnreadableError(f"{name} is encrypted")
        try:
            if entry.compress_type == _ZSTANDARD:
                with path.open("rb") as file, _zstandard(file, entry) as opened:
                    yield _Bounded(opened, name)
            else:
                with archive.open(entry) as opened:
                    yield _Bounded(opened, name)
        except (zipfile.BadZipFile, zlib.error, zstandard.ZstdError, EOFError) as error:
            raise UnreadableError(f"{name} is damaged: {error}") from error
        except NotImplementedError as error:
            raise UnreadableError(f"{name}: {error}") from error


@contextmanager
def _archive(path: Path) -> Iterator[zipfile.ZipFile]:
    try:
        archive = zipfile.ZipFile(path)
    except zipfile.BadZipFile as error:
        reason = "the archive has no end, as where the evaluation was stopped while it was written"
        raise UnreadableError(f"{reason} ({error})") from error
    with archive:
        yield archive


def _zstandard(file: IO[bytes], entry: zipfile.ZipInfo) -> IO[bytes]:
    """Read an entry's bytes; large ones are several frames."""
    file.seek(entry.header_offset)
    header = file.read(_LOCAL_HEADER.size)
    if len(header) < _LOCAL_HEADER.size or not header.startswith(MAGIC):
        raise UnreadableError(f"{entry.filename} is damaged: it does not begin where the archive says")
    *_, name, extra = _LOCAL_HEADER.unpack(header)
    file.seek(name + extra, io.SEEK_CUR)
    part: Any = _Part(file, entry.compress_size)  # all it needs of a file is `read`
    return zstandard.ZstdDecompressor().stream_reader(part, read_across_frames=True)


class _Bounded:
    """An entry that is refused where it unpacks to more than anybody means to read."""

    def __init__(self, file: Readable, name: str) -> None:
        self._file = file
        self._name = name
        self._left = limits.MOST_UNPACKED

    def read(self, size: int = -1, /) -> bytes:
        """Give up to ``size`` bytes, or all there are.

        Raises:
            UnreadableError: There are too many.
        """
        piece = self._file.read(size)
        self._left -= len(piece)
        if self._left < 0:
            raise UnreadableError(f"{self._name} unpacks to more than {limits.MOST_UNPACKED >> 20:,} MiB")
        return piece


class _Part:
    """The next bytes of a file, and no more."""

    def __init__(self, file: IO[bytes], size: int) -> None:
        self._file = file
        self._left = size

    def read(self, size: int = -1) -> bytes:
        piece = self._file.read(self._left if size < 0 else min(size, self._left))
        self._left -= len(piece)
        return piece
