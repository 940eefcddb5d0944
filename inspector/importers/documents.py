"""JSON as it is found in the wild: one value or a value a line, with a BOM, raw controls or a stray backslash."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

HEAD_BYTES: Final = 4096
"""How much of a file is looked at to see what it cannot be (blank space may come first)."""

_PIECE: Final = 1 << 20
"""Bytes read at once to digest a file."""

_ESCAPE: Final = re.compile(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})|\\')
"""A legal escape, or a backslash that begins none."""


class UnreadableError(ValueError):
    """A source is no JSON, with the reason in words."""


MALFORMED: Final = (OSError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError)
"""What reading a log can raise that is the log's fault, whatever it holds: it costs that log, never the rest.
:class:`UnreadableError` is among them."""


def reason_of(error: BaseException) -> str:
    """Say in words why a log could not be read."""
    if isinstance(error, UnreadableError):
        return str(error)
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return f"it has another shape than its format ({type(error).__name__}: {error})"


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
        """Give the first JSON value: of the first sound line, else the whole file.

        Raises:
            UnreadableError: There is none.
            OSError: The file cannot be read.
        """
        if self.by_lines:
            return next(entry.value for entry in self.entries() if entry.error is None)
        return self.whole().value

    @cached_property
    def by_lines(self) -> bool:
        """True for JSONL: more than one line, and the first that is not blank is a value of its own.

        A first line that is damaged does not hide the rest: the second decides then, unless the file
        begins like an array or like an object spread over lines (whose second line is never an object).
        """
        with self.path.open("rb") as file:
            lines = (line for line in file if line.strip())
            first = next(lines, b"")
            second = next(lines, b"")
        if not second:
            return False
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
            UnreadableError: The file is no JSON at all; a bad line is an entry with an error instead.
            OSError: The file cannot be read.
        """
        if self.by_lines:
            with self.path.open("rb") as file:
                for number, raw in enumerate(file, start=1):
                    if raw.strip():
                        yield _read_line(number, raw)
            return
        text = self.text()
        parsed = parse(text)
        if isinstance(parsed.value, list):
            for item in parsed.value:
                yield Entry(item, repairs=parsed.repairs)
        else:
            yield Entry(parsed.value, None if parsed.repairs else text.strip(), repairs=parsed.repairs, whole=True)

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


def _read_line(number: int, raw: bytes) -> Entry:
    try:
        text = raw.strip().decode("utf-8-sig")
        parsed = parse(text)
    except UnicodeDecodeError as error:
        return Entry(None, line=number, error=f"not UTF-8: {error.reason} at byte {error.start} of the line")
    except UnreadableError as error:
        return Entry(None, line=number, error=str(error))
    return Entry(parsed.value, None if parsed.repairs else text, number, parsed.repairs)
