r"""Large JSON files read piece by piece: the items of an export, each parsed alone, and found again by its bytes.

An export is an array, an object around arrays, or one value a line; a piece is one element of those. Nothing but the
piece at hand is ever parsed, so that memory follows the largest item and not the file. Unlike
:mod:`~inspector.importers.reading.json_stream` this needs a whole file, and finds where an item ends without parsing
it: a damaged item costs only itself.
"""

from __future__ import annotations

import mmap
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from inspector.importers.base import Problem, Report
from inspector.importers.reading import limits
from inspector.importers.reading.documents import Document
from inspector.importers.reading.mending import parse_bytes
from inspector.importers.reading.records import read_line
from inspector.importers.reading.unreadable import UnreadableError

_STRING: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_NESTED: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[{}\[\]]', re.DOTALL)
_SCALAR: Final = re.compile(rb"[^\s,:\]}]+")
_SPACE: Final = re.compile(rb"[ \t\r\n]*")
_OPENING: Final = b"{["
_BOM: Final = b"\xef\xbb\xbf"

_Span = tuple[int, int]


@dataclass(frozen=True)
class Piece:
    """Where an item stands in a file."""

    path: Path
    """The file."""
    start: int
    """Byte it begins at."""
    end: int
    """Byte behind it."""
    line: int | None = None
    """In a file of lines, from 1."""
    record: int = 0
    """Which of the records of a line that has several, being damaged."""
    place: int = 0
    """Which of the items that are nested in it."""


@dataclass(frozen=True)
class Item:
    """One item of an export."""

    value: Any
    """The item, parsed."""
    piece: Piece
    """Where it stands."""
    outer: Mapping[str, Any] = field(default_factory=dict)
    """What stands around the array it is in: the other members of that object."""
    container: str | None = None
    """Name of that array; None: it is the outermost, or there is none."""


def read_items(
    document: Document,
    containers: Collection[str],
    report: Report,
    repairs: list[str],
) -> Iterator[Item]:
    """Give the items of an export, one at a time.

    Args:
        document: The file: an array of items, an object that holds them in arrays, an item, or one of these a line.
        containers: Names of the arrays that hold items.
        report: Told of what could not be read.
        repairs: Gets what was mended.

    Raises:
        UnreadableError: It is no JSON at all.
        OSError: It cannot be read.
    """
    if document.by_lines:
        yield from _lines(document.path, report, repairs)
        return
    with document.path.open("rb") as file:
        # Never closed by hand: places found in it may still be held by whoever reports an error.
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    begin = _skip_space(data, len(_BOM) if data[: len(_BOM)] == _BOM else 0)
    yield from _within(_Source(document.path, data, repairs), begin, frozenset(containers), report)


def load(piece: Piece) -> Any:
    """Parse an item again; of nested ones the outermost.

    Raises:
        UnreadableError: The file is another than it was.
        OSError: It cannot be read.
    """
    with piece.path.open("rb") as file:
        file.seek(piece.start)
        raw = file.read(piece.end - piece.start)
    if piece.line is None:
        return parse_bytes(raw, piece.start).value
    line = read_line(piece.line, raw, _is_object)
    if line is None or len(line.values) <= piece.record:
        raise UnreadableError(f"line {piece.line} is another than it was")
    return line.values[piece.record]


class Loader:
    """Parses items again, and keeps the last: an item may hold several calls."""

    def __init__(self) -> None:
        self._last: tuple[Piece, Any] | None = None

    def load(self, piece: Piece) -> Any:
        """Parse an item, unless it is the last again; of nested ones the outermost.

        Raises:
            UnreadableError: The file is another than it was.
            OSError: It cannot be read.
        """
        outermost = replace(piece, place=0)
        if self._last is None or self._last[0] != outermost:
            self._last = None  # the one before is let go first
            self._last = outermost, load(outermost)
        return self._last[1]


def _lines(path: Path, report: Report, repairs: list[str]) -> Iterator[Item]:
    """Give the records of a file of lines; a damaged line costs no more than what is broken in it."""
    at = 0
    with path.open("rb") as file:
        for number, (raw, size) in enumerate(limits.lines_of(file), start=1):
            start, at = at, at + size
            line = read_line(number, raw, _is_object)
            if line is None:
                continue
            if line.error is not None:
                report(Problem(str(path), line.error, number))
            if line.repair is not None:
                repairs.append(f"line {number}: {line.repair}")
            for record, value in enumerate(line.values):
                yield Item(value, Piece(path, start, at, number, record))


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)


@dataclass
class _Source:
    """A file being read."""

    path: Path
    data: mmap.mmap
    repairs: list[str]

    def parse(self, span: _Span) -> Any:
        if span[1] - span[0] > limits.LARGEST_VALUE:
            raise UnreadableError(limits.too_large(span[1] - span[0]))
        parsed = parse_bytes(self.data[span[0] : span[1]], span[0])
        self.repairs += (f"byte {span[0]}: {repair}" for repair in parsed.repairs)
        return parsed.value


def _within(source: _Source, begin: int, containers: frozenset[str], report: Report) -> Iterator[Item]:
    """Give the items of the outermost value."""
    opening = source.data[begin : begin + 1]
    if opening == b"[":
        yield from _elements(source, begin, {}, None, report)
        return
    if opening != b"{":
        raise UnreadableError("not JSON: neither an array nor an object")
    arrays: dict[str, int] = {}
    rest: dict[str, Any] = {}
    try:
        for name, span in _members(source, begin):
            if name in containers and source.data[span[0] : span[0] + 1] == b"[":
                arrays[name] = span[0]
            else:
                rest[name] = source.parse(span)
        end = _skip_value(source.data, begin)
    except _BrokenOffError as error:
        # What came before it is whole: an export that was cut short still shows what it has.
        report(Problem(str(source.path), str(error)))
        if error.member is not None and error.member[0] in containers:
            arrays.setdefault(*error.member)
        end = len(source.data)
    if not arrays:
        yield Item(rest, Piece(source.path, begin, end))
        return
    yield Item(rest, Piece(source.path, begin, end), container="")
    for name, at in arrays.items():
        yield from _elements(source, at, rest, name, report)


def _elements(
    source: _Source, at: int, outer: Mapping[str, Any], container: str | None, report: Report
) -> Iterator[Item]:
    """Give the elements of the array that begins at ``at``; one that cannot be parsed costs only itself."""
    for place, span in enumerate(_spans(source.data, at)):
        if isinstance(span, _BrokenOffError):
            if container is None:  # else it was told of when the object around it had no end
                report(Problem(str(source.path), str(span)))
            return
        try:
            yield Item(source.parse(span), Piece(source.path, *span), outer, container)
        except UnreadableError as error:
            report(Problem(str(source.path), f"item {place}, at byte {span[0]}: {error}"))


class _BrokenOffError(UnreadableError):
    """A value has no end."""

    def __init__(self, at: int, member: tuple[str, int] | None = None) -> None:
        super().__init__(f"the file breaks off in a value that begins at byte {at}")
        self.member = member
        """Name and begin of the member it is the value of."""


def _spans(data: mmap.mmap, at: int) -> Iterator[_Span | _BrokenOffError]:
    """Give where each element of an array stands, and at last the one that has no end, if there is."""
    at = _skip_space(data, at + 1)
    while data[at : at + 1] != b"]":
        try:
            end = _skip_value(data, at)
        except _BrokenOffError as error:
            yield error
            return
        yield at, end
        at = _skip_space(data, end)
        if data[at : at + 1] == b",":
            at = _skip_space(data, at + 1)


def _members(source: _Source, at: int) -> Iterator[tuple[str, _Span]]:
    """Give name and place of each member of an object."""
    data = source.data
    at = _skip_space(data, at + 1)
    while data[at : at + 1] != b"}":
        key = _STRING.match(data, at)
        if key is None:
            raise _BrokenOffError(at)
        name = str(source.parse(key.span()))
        at = _skip_space(data, key.end())
        if data[at : at + 1] != b":":
            raise _BrokenOffError(at)
        at = _skip_space(data, at + 1)
        try:
            end = _skip_value(data, at)
        except _BrokenOffError as error:
            raise _BrokenOffError(at, (name, at)) from error
        yield name, (at, end)
        at = _skip_space(data, end)
        if data[at : at + 1] == b",":
            at = _skip_space(data, at + 1)


def _skip_value(data: mmap.mmap, at: int) -> int:
    """Give the place behind the value that begins at ``at``."""
    opening = data[at : at + 1]
    if opening in (b"{", b"["):
        depth = 0
        for token in _NESTED.finditer(data, at):
            begin, end = token.span()
            if end - begin > 1:  # a string
                continue
            if data[begin] in _OPENING:
                depth += 1
            else:
                depth -= 1
                if depth == 0:
                    return end
        raise _BrokenOffError(at)
    match = (_STRING if opening == b'"' else _SCALAR).match(data, at)
    if match is None:
        raise _BrokenOffError(at)
    return match.end()


def _skip_space(data: mmap.mmap, at: int) -> int:
    match = _SPACE.match(data, at)
    return match.end() if match else at
