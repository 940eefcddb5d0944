"""A JSON array read item by item: a file of any size, no more than one item and a piece of text in memory."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, Final

_PIECE: Final = 1 << 16
"""Bytes read at first; an item that is longer has as much again read until it is whole."""

_LONGEST_WORD: Final = 12
"""Characters that a cut word, escape or number may have at the end of what was read (``\\ud83d\\ude00``)."""

_BLANK: Final = " \t\r\n"
"""White space of JSON (RFC 8259, 2)."""

_DECODER: Final = json.JSONDecoder()


def iter_items(path: Path) -> Iterator[Any]:
    """Give the items of the array that a file is.

    Args:
        path: The file, UTF-8.

    Raises:
        ValueError: Here the text is no array any more; the items before were sound.
        RecursionError: An item is nested too deep to read.
        OSError: The file cannot be read.
    """
    with path.open("rb") as file:
        text = _Text(file)
        text.take("[")
        if text.next() == "]":
            text.take("]")
        else:
            while True:
                yield text.value()
                if text.next() == "]":
                    text.take("]")
                    break
                text.take(",")
        if text.next():
            raise ValueError("something follows the array")


class _Text:
    """What was read of a file and not yet used."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._decode = codecs.getincrementaldecoder("utf-8-sig")().decode
        self._text = ""
        self._at = 0

    def next(self) -> str:
        """Give the next character that is no white space, without using it; empty at the end."""
        while True:
            while self._at < len(self._text):
                if self._text[self._at] not in _BLANK:
                    return self._text[self._at]
                self._at += 1
            if not self._more():
                return ""

    def take(self, character: str) -> None:
        """Use the next character, which must be this one."""
        if self.next() != character:
            raise ValueError(f"{character!r} expected")
        self._at += 1

    def value(self) -> Any:
        """Use the next value."""
        self.next()
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                cut = error.msg.startswith("Unterminated") or error.pos >= len(self._text) - _LONGEST_WORD
                if cut and self._more():
                    continue
                raise
            if end < len(self._text) or not self._more():  # at the end of the text a number may go on
                self._at = end
                return value

    def _more(self) -> bool:
        """Read on; False at the end of the file."""
        kept = self._text[self._at :]
        data = self._file.read(max(_PIECE, len(kept)))
        self._text, self._at = kept + self._decode(data, not data), 0
        return bool(data)
