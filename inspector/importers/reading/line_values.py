"""One line of a file of lines: the values that stand on it, also where the ends of lines got lost between them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from inspector.importers.reading import limits
from inspector.importers.reading.mending import decoded, parse, raw_decode
from inspector.importers.reading.unreadable import UnreadableError

_BLANK: Final = re.compile(r"[ \t\r\n\x00]*")
"""What may stand between values; NUL runs are left by file systems after a crash."""

_CONTROL: Final = re.compile(r"[\x00-\x08\x0a-\x1f]")
"""What strict JSON has in no line."""


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


def read_line(number: int, raw: bytes, size: int | None = None) -> Iterator[Entry]:
    """Give the values of a line: one, where it is sound; else each that is whole, and why the rest is not.

    Args:
        number: From 1.
        raw: The line, with or without its end.
        size: Its bytes in the file, where ``raw`` is only its beginning; None: all of it.
    """
    if max(len(raw), size or 0) > limits.LARGEST_VALUE:
        yield Entry(None, line=number, error=limits.too_large(size))
        return
    text, repair = decoded(raw.strip())
    replaced = () if repair is None else (repair,)
    try:
        parsed = parse(text)
    except UnreadableError as error:
        yield from _glued(number, text, replaced, str(error))
        return
    repairs = (*replaced, *parsed.repairs)
    yield Entry(parsed.value, None if repairs else text, number, repairs)


def _glued(number: int, text: str, replaced: tuple[str, ...], error: str) -> Iterator[Entry]:
    """Give the whole objects and arrays that a line begins with; that there are several is said once."""
    found: list[tuple[Any, str]] = []
    at = _end_of_blank(text, 0)
    while at < len(text) and text[at] in "{[":
        try:
            value, end = raw_decode(text, at, strict=False)
        except (ValueError, RecursionError):
            break
        found.append((value, text[at:end]))
        at = _end_of_blank(text, end)
    lost = at < len(text)
    several = (f"{len(found)} values on one line",) if len(found) > 1 else ()
    for place, (value, source) in enumerate(found):
        own = None if replaced or _CONTROL.search(source) else source
        yield Entry(value, own, number, () if place else (*replaced, *several))
    if not found:
        yield Entry(None, line=number, error=error)
    elif lost:
        yield Entry(None, line=number, error=f"what follows {len(found)} whole value(s) of the line cannot be read")


def _end_of_blank(text: str, at: int) -> int:
    match = _BLANK.match(text, at)
    return at if match is None else match.end()
