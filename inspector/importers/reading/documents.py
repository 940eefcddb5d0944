"""JSON as it is found in the wild: one value or a value a line, with a BOM, raw controls or a stray backslash."""

from __future__ import annotations

import hashlib
import io
import json
import mmap
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Final

from inspector.importers.reading import limits
from inspector.importers.reading.json_stream import JsonStream, read_array
from inspector.importers.reading.line_values import Entry, read_line
from inspector.importers.reading.mending import RAW_CONTROLS, Parsed, decoded, load, parse_bytes, without_strays
from inspector.importers.reading.unreadable import UnreadableError

HEAD_BYTES: Final = 4096
"""How much of a file is looked at to see what it cannot be (blank space may come first)."""

SAMPLED_ITEMS: Final = 100
"""How many items of an array are looked at to recognise it."""

SAMPLED_LINES: Final = 10
"""How many lines, and sound values, are looked at to recognise a file: the first may be damaged, or be none of it."""

_PIECE: Final = 1 << 20
"""Bytes read at once to digest a file, or to find its second line."""

_WIDE: Final = re.compile(rb"[\xc4-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
"""In UTF-8 a character beyond U+00FF: one of them makes Python hold a text in two bytes a character, one beyond
U+FFFF in four."""

_NOT_WIDE: Final = bytes({*range(256)} - {*range(0xC4, 0xF5)})
"""Every byte that begins no such character."""

_ESCAPED_WIDE: Final = re.compile(rb"\\[\x80-\xff]")
"""A backslash before a character that may be wide: written as an escape, the two would become something else."""

_GLUED: Final = re.compile(rb"[}\]][ \t\r\x00]*[{\[]")
"""Where, in a file of one line, a second value may begin: such a place is in no sound JSON but inside a string."""

_RARE: Final = 32
"""Wide characters are rare where there is one in so many bytes: as escapes they are then smaller than the text would
be with them."""


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

    def samples(self) -> list[Any]:
        """Give the values to recognise the file by: of its first sound lines, of an array its first items, else it all.

        Raises:
            UnreadableError: There is none.
            OSError: The file cannot be read.
        """
        if self.by_lines:
            looked_at = islice(self.entries(), SAMPLED_ITEMS)
            values = [entry.value for entry in islice((one for one in looked_at if one.error is None), SAMPLED_LINES)]
            if not values:
                raise UnreadableError("no line of it can be read")
            return values
        if self.is_array:
            items = self._first_items()
            sound = (entry.value for entry in self.entries() if entry.error is None)
            return [items or list(islice(sound, SAMPLED_ITEMS))]
        try:
            return [self.whole().value]
        except UnreadableError:
            begun = self._begun()
            if not begun:
                raise
            return [begun]

    def _begun(self) -> dict[str, Any]:
        """Give the members of an object up to where it breaks off, of its arrays the first items."""
        found: dict[str, Any] = {}
        with self.path.open("rb") as file, suppress(UnreadableError):
            stream = JsonStream(file)
            for name in stream.members():
                if stream.kind() != "[":
                    found[name] = stream.value()
                    continue
                items = found[name] = []
                items.extend(stream.value() for place in stream.items() if place < SAMPLED_ITEMS)
        return {name: value for name, value in found.items() if value != []}

    def sample(self) -> Any:
        """Give the first of :meth:`samples`.

        Raises:
            UnreadableError: There is none.
            OSError: The file cannot be read.
        """
        return self.samples()[0]

    def _first_items(self) -> list[Any]:
        """Give the first items of the array, up to one that would have to be mended."""
        items: list[Any] = []
        with suppress(ValueError, RecursionError):
            items.extend(islice(read_array(self.path), SAMPLED_ITEMS))
        return items

    @cached_property
    def by_lines(self) -> bool:
        """True for JSONL: more than one line, and the first that is not blank is a value of its own.

        A first line that is damaged, or no object, does not hide the rest: most of the next ones must be values of
        their own then, which they are not in an array, or an object, that is spread over lines. A file of one line
        that holds several objects, glued together, is JSONL too.
        """
        with self.path.open("rb") as file:
            if not _has_second_line(file):
                return self._is_glued(file)
            file.seek(0)
            lines = (line.raw for line in limits.lines_of(file) if line.raw.strip())
            first = next(lines, b"")
            begun = [entry.value for entry in read_line(1, first) if entry.error is None]
            if any(isinstance(value, dict) for value in begun):
                return True
            following = [_is_value(raw) for raw in islice(lines, SAMPLED_LINES - 1)]
        return following.count(True) > following.count(False)

    def _is_glued(self, file: BinaryIO) -> bool:
        """Say whether a file of one line holds more than one value."""
        if not self.head().lstrip().startswith(b"{"):
            return False
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            if _GLUED.search(data) is None:
                return False
        file.seek(0)
        stream = JsonStream(file)
        try:
            stream.skip()
            stream.end()
        except UnreadableError:
            return next(read_line(1, self.path.read_bytes())).error is None
        return False

    def whole(self) -> Parsed:
        """Read the file as one JSON value.

        Raises:
            UnreadableError: It is no JSON.
            OSError: The file cannot be read.
        """
        if self.path.stat().st_size > limits.LARGEST_DOCUMENT:
            raise UnreadableError(limits.too_large(self.path.stat().st_size, limits.LARGEST_DOCUMENT))
        try:
            if self.is_array:
                return Parsed(list(read_array(self.path)))
            return Parsed(load(_narrow(self.path.read_bytes())))
        except (ValueError, RecursionError):
            return parse_bytes(self.path.read_bytes())

    def text(self) -> str:
        """Read the file as text; bytes that are no UTF-8 become U+FFFD."""
        return decoded(self.path.read_bytes())[0]

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
                for number, line in enumerate(limits.lines_of(file), start=1):
                    if line.raw.strip():
                        yield from read_line(number, line.raw, line.size)
            return
        if self.is_array:
            yield from self._items()
            return
        parsed = self.whole()
        yield Entry(parsed.value, None if parsed.repairs else self.text().strip(), repairs=parsed.repairs, whole=True)

    def _items(self) -> Iterator[Entry]:
        """Give the items of the array that the file is; from the first damaged one on, mended."""
        sound = 0
        try:
            for item in read_array(self.path):
                yield Entry(item)
                sound += 1
            return
        except (ValueError, RecursionError):
            pass
        whole = 0
        text, *repairs = decoded(self.path.read_bytes())
        mended, strays = without_strays(text)
        said = tuple(repair for repair in (*repairs, strays) if repair is not None) or (RAW_CONTROLS,)
        stream = JsonStream(io.BytesIO(mended.encode(errors="replace")))
        try:
            for _ in stream.items():
                item = stream.value()
                whole += 1
                if whole > sound:
                    yield Entry(item, repairs=said)
            stream.end()
        except (ValueError, RecursionError) as error:
            if not whole:
                raise
            yield Entry(None, error=f"the array breaks off after {whole} whole item(s): {error}")

    @cached_property
    def is_array(self) -> bool:
        """True where the file begins as an array."""
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


def _is_value(raw: bytes) -> bool:
    """Say whether a line is an object, or an array of something, and nothing else."""
    entries = list(read_line(2, raw))
    return len(entries) == 1 and isinstance(entries[0].value, dict | list) and bool(entries[0].value)
