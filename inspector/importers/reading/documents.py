"""JSON as it is found in the wild: one value or a value a line, with a BOM, raw controls or a stray backslash."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Final

from inspector.importers.reading.json_stream import read_array
from inspector.importers.reading.unreadable import UnreadableError

HEAD_BYTES: Final = 4096
"""How much of a file is looked at to see what it cannot be (blank space may come first)."""

SAMPLED_ITEMS: Final = 100
"""How many items of an array are looked at to recognise it."""

_PIECE: Final = 1 << 20
"""Bytes read at once to digest a file, or to find its second line."""

_WIDE: Final = re.compile(rb"[\xc4-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
"""In UTF-8 a character beyond U+00FF: one of them makes Python hold a text in two bytes a character, one beyond
U+FFFF in four."""

_NOT_WIDE: Final = bytes({*range(256)} - {*range(0xC4, 0xF5)})
"""Every byte that begins no such character."""

_ESCAPED_WIDE: Final = re.compile(rb"\\[\x80-\xff]")
"""A backslash before a character that may be wide: written as an escape, the two would become something else."""

_RARE: Final = 32
"""Wide characters are rare where there is one in so many bytes: as escapes they are then smaller than the text would
be with them."""

_ESCAPE: Final = re.compile(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})|\\')
"""A legal escape, or a backslash that begins none."""


@dataclass(frozen=True)
class Parsed:
    """A JSON value and what had to be mended to read it."""

    value: Any
    """The value."""
    repairs: tuple[str, ...] = ()
    """In words; empty: the text was sound."""


@dataclass(frozen=True)
class Entry:
    """One value of a document that may hold many."""

    value: Any
    """The value; None where ``error`` says why there is none."""
    text: str | None = None
    """Its source text, where it stands for itself in the file and needed no mending."""
    line: int | None = None
    """In a file of lines, from 1."""
    repairs: tuple[str, ...] = ()
    """What had to be mended."""
    error: str | None = None
    """Why it could not be read."""
    whole: bool = False
    """True where it is all there is in the file."""


def parse(text: str) -> Parsed:
    r"""Parse JSON, mending what other tools' logs are known to break.

    Raw control characters inside strings are taken as they are. A backslash that begins no escape
    (``\d``: left behind when a log was scrubbed) is taken as a backslash. Both are said.

    Args:
        text: The JSON text, with or without a byte order mark.

    Returns:
        The value, and the repairs in words.

    Raises:
        UnreadableError: It is no JSON even so.
    """
    text = text.removeprefix("\ufeff")
    try:
        return Parsed(json.loads(text))
    except RecursionError as error:
        raise UnreadableError("nested too deep to read") from error
    except ValueError as error:
        first = error
    repairs: list[str] = []
    mended, strays = _mend_escapes(text)
    if strays:
        repairs.append(f"{len(strays)} stray backslash(es) read as themselves, the first at character {strays[0]}")
    try:
        value = json.loads(mended, strict=False)
    except (ValueError, RecursionError):
        raise UnreadableError(f"not JSON: {first}") from first
    if not strays or _has_raw_controls(mended):
        repairs.append("raw control characters inside strings kept as they are")
    return Parsed(value, tuple(repairs))


def _mend_escapes(text: str) -> tuple[str, list[int]]:
    """Double every backslash that begins no escape; also give the places where they stood."""
    strays: list[int] = []

    def mend(match: re.Match[str]) -> str:
        if len(match[0]) > 1:
            return match[0]
        strays.append(match.start())
        return "\\\\"

    return _ESCAPE.sub(mend, text), strays


def _has_raw_controls(text: str) -> bool:
    """Say whether strict JSON refuses ``text``, which the lenient reader took."""
    try:
        json.loads(text)
    except ValueError:
        return True
    return False


@dataclass(frozen=True)
class Document:
    """A file that holds JSON: one value, or one value a line."""

    path: Path
    """Where it is."""

    def head(self) -> bytes:
        """Give the first bytes, without a byte order mark.

        Raises:
            OSError: The file cannot be read.
        """
        with self.path.open("rb") as file:
            return file.read(HEAD_BYTES).removeprefix(b"\xef\xbb\xbf")

    def sample(self) -> Any:
        """Give the first JSON value: of the first sound line, else the whole file; of an array its first items.

        Raises:
            UnreadableError: There is none.
            OSError: The file cannot be read.
        """
        if self.by_lines:
            return next(entry.value for entry in self.entries() if entry.error is None)
        if self._is_array:
            return self._first_items() or [entry.value for entry in islice(self.entries(), SAMPLED_ITEMS)]
        return self.whole().value

    def _first_items(self) -> list[Any]:
        """Give the first items of the array, up to one that would have to be mended."""
        items: list[Any] = []
        with suppress(ValueError, RecursionError):
            items.extend(islice(read_array(self.path), SAMPLED_ITEMS))
        return items

    @cached_property
    def by_lines(self) -> bool:
        """True for JSONL: more than one line, and the first that is not blank is a value of its own.

        A first line that is damaged does not hide the rest: the second decides then, unless the file
        begins like an array or like an object spread over lines (whose second line is never an object).
        """
        with self.path.open("rb") as file:
            if not _has_second_line(file):
                return False
            file.seek(0)
            lines = (line for line in file if line.strip())
            first = next(lines, b"")
            second = next(lines, b"")
        if isinstance(_read_line(1, first).value, dict):
            return True
        following = _read_line(2, second).value
        if first.lstrip(b"\xef\xbb\xbf \t").startswith(b"["):
            return isinstance(following, list) and isinstance(_read_line(1, first).value, list)
        return isinstance(following, dict)

    def whole(self) -> Parsed:
        """Read the file as one JSON value.

        Raises:
            UnreadableError: It is no JSON.
            OSError: The file cannot be read.
        """
        try:
            if self._is_array:
                return Parsed(list(read_array(self.path)))
            return Parsed(json.loads(_narrow(self.path.read_bytes())))
        except (ValueError, RecursionError):
            return parse(self.text())

    def text(self) -> str:
        """Read the file as text; bytes that are no UTF-8 are an :class:`UnreadableError`."""
        data = self.path.read_bytes()
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            if data.startswith((b"\xff\xfe", b"\xfe\xff")):
                return data.decode("utf-16")
            raise UnreadableError(f"not UTF-8: {error.reason} at byte {error.start}") from error

    def entries(self) -> Iterator[Entry]:
        r"""Give the values of the file: of its lines, of its array, or the one it is.

        Lines end at ``\n`` only, as other separators may stand inside strings; blank ones are skipped.

        Raises:
            UnreadableError: The file is no JSON at all; a bad line, and the end of an array that breaks off, is an
                entry with an error instead.
            OSError: The file cannot be read.
        """
        if self.by_lines:
            with self.path.open("rb") as file:
                for number, raw in enumerate(file, start=1):
                    if raw.strip():
                        yield _read_line(number, raw)
            return
        if self._is_array:
            yield from self._items()
            return
        text = self.text()
        parsed = parse(text)
        yield Entry(parsed.value, None if parsed.repairs else text.strip(), repairs=parsed.repairs, whole=True)

    def _items(self) -> Iterator[Entry]:
        """Give the items of the array that the file is; one that is damaged is mended as a whole."""
        sound = 0
        try:
            for item in read_array(self.path):
                yield Entry(item)
                sound += 1
            return
        except (ValueError, RecursionError):
            pass
        try:
            mended = parse(self.text())
        except UnreadableError as error:
            if not sound:
                raise
            yield Entry(None, error=f"the array breaks off after {sound} whole item(s): {error}")
            return
        for item in mended.value[sound:]:
            yield Entry(item, repairs=mended.repairs)

    @cached_property
    def _is_array(self) -> bool:
        return self.head().lstrip().startswith(b"[")

    @cached_property
    def digest(self) -> str:
        """Tagged SHA-256 of the file's bytes, cut to 32 hex digits."""
        return self._read_to_end[0]

    @property
    def size(self) -> int:
        """Bytes that ``digest`` is of; the file may have grown since."""
        return self._read_to_end[1]

    @cached_property
    def _read_to_end(self) -> tuple[str, int]:
        with self.path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
            return f"sha256:{found[:32]}", file.tell()

    def digest_to(self, size: int) -> str:
        """Give the digest that the file had when it was ``size`` bytes long and nothing but appended to since."""
        found = hashlib.sha256()
        with self.path.open("rb") as file:
            while size > 0 and (piece := file.read(min(size, _PIECE))):
                found.update(piece)
                size -= len(piece)
        return f"sha256:{found.hexdigest()[:32]}"


def digest_of(digests: Iterable[str]) -> str:
    """Combine digests, in order, into one of the same form."""
    return f"sha256:{hashlib.sha256(' '.join(digests).encode()).hexdigest()[:32]}"


def _has_second_line(file: BinaryIO) -> bool:
    """Say whether anything but white space follows the first line that is not blank."""
    begun = ended = False
    while piece := file.read(_PIECE):
        for number, part in enumerate(piece.split(b"\n")):
            ended = ended or (number > 0 and begun)
            if part.strip():
                if ended:
                    return True
                begun = True
    return False


def _narrow(data: bytes) -> bytes:
    """Write rare wide characters of JSON as escapes, so that the text takes a byte a character in memory."""
    data = data.removeprefix(b"\xef\xbb\xbf")
    if data.isascii() or len(data.translate(None, _NOT_WIDE)) > len(data) // _RARE or _ESCAPED_WIDE.search(data):
        return data
    return _WIDE.sub(lambda match: json.dumps(match[0].decode()).encode()[1:-1], data)


def _read_line(number: int, raw: bytes) -> Entry:
    try:
        text = raw.strip().decode("utf-8-sig")
        parsed = parse(text)
    except UnicodeDecodeError as error:
        return Entry(None, line=number, error=f"not UTF-8: {error.reason} at byte {error.start} of the line")
    except UnreadableError as error:
        return Entry(None, line=number, error=str(error))
    return Entry(parsed.value, None if parsed.repairs else text, number, parsed.repairs)
