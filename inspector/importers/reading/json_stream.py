"""Reads one large JSON value piece by piece: what is passed over, or read and let go, never stands in memory whole.

Written here, as ijson, the library for this, tells no byte to come back to and takes other values than the ``json`` of
the standard library: it refuses ``NaN``, long integers and raw control characters, and changes lone surrogates. With
its C backend it was no faster, since what takes the time here is the standard library's scanner, in C as well.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, Protocol

from inspector.importers.reading import limits
from inspector.importers.reading.mending import REPLACED, raw_decode
from inspector.importers.reading.unreadable import UnreadableError

_PIECE: Final = 1 << 16
"""Bytes read at once; doubled as long as a value does not fit."""

_LONGEST_WORD: Final = 12
"""Characters that a cut word, escape or number's mark may take at the end of what was read (``\\ud83d\\ude00``)."""

_NUMBER_TAIL: Final = len("e+")
"""Characters of a number that may stand behind what is a number already, when its digits are cut off."""

_SPACE: Final = re.compile(r"[ \t\r\n]*")

_TOKEN: Final = re.compile(r'"(?:[^"\\]++|\\.)*+"|["\[\]{}]', re.DOTALL)
"""A whole string, or a bracket; a lone quote begins a string that is cut."""

_UNDECODED: Final = re.compile("[\udc80-\udcff]")
"""What a byte that is no UTF-8 becomes where it has to be turned back into that byte (PEP 383)."""


class Readable(Protocol):
    """A binary file."""

    def read(self, size: int, /) -> bytes:
        """Give up to ``size`` bytes; none at the end."""


def read_array(path: Path) -> Iterator[Any]:
    """Give the items of the array that a file is.

    Args:
        path: The file, UTF-8.

    Raises:
        UnreadableError: Here the text is no sound array any more; the items before were.
        OSError: The file cannot be read.
    """
    with path.open("rb") as file:
        stream = JsonStream(file, strict=True)
        for _ in stream.items():
            yield stream.value()
        stream.end()


class JsonStream:
    """Pulls values from a file, in its order, and knows at which byte it stands.

    ``items`` and ``members`` give places: at each, read with :meth:`value`, go in with :meth:`items` or
    :meth:`members`, or do nothing, which passes over it. What is gone into has to be read to its end.
    """

    def __init__(self, file: Readable, offset: int = 0, *, strict: bool = False) -> None:
        """Begin where the file stands.

        Args:
            file: UTF-8, with or without a byte order mark.
            offset: Where in the file that is, bytes.
            strict: Refuse raw control characters in strings, and bytes that are no UTF-8, for a reader that mends
                them and says so.
        """
        self._file = file
        self._strict = strict
        self._decoder = codecs.getincrementaldecoder("utf-8")("strict" if strict else "surrogateescape")
        self._raw = ""
        """What was read, so that it can be turned back into the bytes of the file."""
        self._text = ""
        """The same, character by character, with U+FFFD for bytes that are no UTF-8."""
        self._at = 0
        self._before = offset
        """Offset in the file of the first character of ``_text``."""
        self._ended = False
        self._waiting = False
        """The value at hand has not been read."""
        self._replaced_at: int | None = None
        """Where in the file the first byte stands that is no UTF-8, as far as was read and not asked for since."""
        if self._peek(required=False) == "\ufeff":
            self._at += 1

    @property
    def offset(self) -> int:
        """Where in the file the next character stands, bytes."""
        return self._before + len(self._raw[: self._at].encode(errors="surrogateescape"))

    def kind(self) -> str:
        """Give the first character of the value at hand: ``{``, ``[``, ``"`` …"""
        return self._peek()

    def value(self) -> Any:
        """Read the value at hand.

        Raises:
            UnreadableError: It is no JSON, or the file ends within.
        """
        self._waiting = False
        self._peek()
        while True:
            try:
                value, end = raw_decode(self._text, self._at, strict=self._strict)
            except RecursionError as error:
                raise UnreadableError(f"nested too deep to read, at byte {self.offset}") from error
            except json.JSONDecodeError as error:
                cut = error.msg.startswith("Unterminated") or error.pos >= len(self._text) - _LONGEST_WORD
                if not cut or not self._more():
                    raise self._broken(error.msg) from error
                continue
            length = end - self._at
            cut_number = type(value) in (int, float) and end + _NUMBER_TAIL >= len(self._text)
            if cut_number and self._more():
                continue
            self._at += length
            return value

    def skip(self) -> None:
        """Pass over the value at hand without making anything of it.

        Raises:
            UnreadableError: The file ends within.
        """
        if self._peek() not in "{[":
            self.value()
            return
        self._waiting = False
        depth = 0
        while True:
            for token in _TOKEN.finditer(self._text, self._at):
                mark = token[0]
                if mark in "{[":
                    depth += 1
                elif mark in "}]":
                    depth -= 1
                elif mark == '"':
                    self._at = token.start()
                    break
                if depth == 0:
                    self._at = token.end()
                    return
            else:
                self._at = len(self._text)
            if not self._more():
                raise self._broken("it ends within a value")

    def items(self) -> Iterator[int]:
        """Go through the array at hand; gives the place of each item, from 0.

        Raises:
            UnreadableError: It is none, or is broken.
        """
        self._open("[")
        place = 0
        while self._peek() != "]":
            self._waiting = True
            yield place
            if self._waiting:
                self.skip()
            place += 1
            self._separate("]")
        self._at += 1

    def members(self) -> Iterator[str]:
        """Go through the object at hand; gives the name of each member.

        Raises:
            UnreadableError: It is none, or is broken.
        """
        self._open("{")
        while self._peek() != "}":
            name = self.value()
            if not isinstance(name, str) or self._peek() != ":":
                raise self._broken("a member has no name")
            self._at += 1
            self._waiting = True
            yield name
            if self._waiting:
                self.skip()
            self._separate("}")
        self._at += 1

    def repair(self) -> str | None:
        """Say once what had to be replaced since this was asked before; None: nothing."""
        at, self._replaced_at = self._replaced_at, None
        return None if at is None else f"bytes that are no UTF-8, the first at byte {at}, {REPLACED}"

    def end(self) -> None:
        """Make sure that nothing follows.

        Raises:
            UnreadableError: Something does.
        """
        if self._peek(required=False):
            raise self._broken("something follows the value")

    def _open(self, bracket: str) -> None:
        self._waiting = False
        if self._peek() != bracket:
            raise self._broken(f"expected {bracket!r}")
        self._at += 1

    def _separate(self, closing: str) -> None:
        mark = self._peek()
        if mark == ",":
            self._at += 1
            if self._peek() == closing:
                raise self._broken("a value is missing after a comma")
        elif mark != closing:
            raise self._broken(f"expected ',' or {closing!r}")

    def _peek(self, *, required: bool = True) -> str:
        """Pass over blank space and give the next character; the empty text at the end."""
        while True:
            self._at = _SPACE.match(self._text, self._at).end()  # type: ignore[union-attr]  # it matches nothing too
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                if required:
                    raise self._broken("it ends too early")
                return ""

    def _more(self) -> bool:
        """Read on; what was read is let go. False: the file has ended."""
        if self._ended:
            return False
        kept = self._text[self._at :]
        kept_raw = kept if self._raw is self._text else self._raw[self._at :]
        if len(kept) > limits.LARGEST_VALUE:
            raise UnreadableError(f"{limits.too_large()}, at byte {self.offset}")
        self._before = self.offset
        piece = self._file.read(max(_PIECE, len(kept)))
        self._ended = not piece
        try:
            read = self._decoder.decode(piece, final=self._ended)
        except UnicodeDecodeError as error:
            raise UnreadableError(f"not UTF-8: {error.reason} after byte {self._before}") from error
        odd = None if read.isascii() else _UNDECODED.search(read)
        if odd is None:
            self._text = kept + read
            self._raw = self._text if kept_raw is kept else kept_raw + read
        else:
            if self._replaced_at is None:
                before = kept_raw + read[: odd.start()]
                self._replaced_at = self._before + len(before.encode(errors="surrogateescape"))
            self._text, self._raw = kept + _UNDECODED.sub("\ufffd", read), kept_raw + read
        self._at = 0
        return not self._ended

    def _broken(self, reason: str) -> UnreadableError:
        return UnreadableError(f"not JSON: {reason}, at byte {self.offset}")
