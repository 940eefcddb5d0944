r"""The tolerant line reader: bytes of a trace file in, records and line errors out.

Lines end at ``b"\n"`` and nowhere else: U+2028, U+2029 and U+0085 are ordinary characters of JSON
strings, which ``str.splitlines`` would cut at. Whatever stands on a line, every complete record of it
is recovered, and what could not be read is said with file, line and byte.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Any, Final

CHUNK: Final = 1 << 20
"""Bytes per read: large enough to make system calls rare, small beside a batch."""

BOM: Final = b"\xef\xbb\xbf"
PADDING: Final = b"\0 \t\r"
"""What may stand around a record: white space, and the NUL runs a crashed file system leaves."""

MAX_ATTEMPTS: Final = 1000
"""Starts tried on one damaged line: each costs a scan, and a hostile line may be made of nothing else."""

RECORD_START: Final = re.compile(r'\{[ \t]*"(?:v|type)"[ \t]*:')
"""How a record begins (the recorder writes ``{"v":``)."""

_DECODER: Final = json.JSONDecoder()
_ESCAPED_BYTE: Final = re.compile("[\udc80-\udcff]")


@dataclass(frozen=True)
class Line:
    """What one line of a file held."""

    number: int
    """From 1."""
    start: int
    """Byte offset of its first byte."""
    end: int
    """Byte offset after its newline."""
    records: tuple[dict[str, Any], ...]
    """Complete records in order; one for a sound line, none for a blank one."""
    reason: str | None = None
    """What is wrong with the line; None: nothing."""
    byte: int = 0
    """Where the trouble starts, from the start of the file."""
    foreign: bool = False
    """It is a whole JSON object, and no record: as the first line, of another tool's log."""


def read_lines(file: IO[bytes], offset: int, number: int) -> Iterator[Line]:
    """Read the complete lines from ``offset`` on.

    A last line without a newline is left for the next read, as its writer may still be at it: the caller
    remembers the ``end`` of the last line it got. The one exception is a whole record that only lacks its
    newline: nothing can follow that would change it.

    Args:
        file: Open for reading bytes.
        offset: Where to begin: the end of a line read before, or 0.
        number: Number of the line that begins there, from 1.
    """
    file.seek(offset)
    pieces: list[bytes] = []
    start = offset
    while chunk := file.read(CHUNK):
        first, *others = chunk.split(b"\n")
        pieces.append(first)
        for following in others:
            raw = b"".join(pieces)
            end = start + len(raw) + 1
            yield parse_line(raw, number, start, end)
            number, start, pieces = number + 1, end, [following]
    # Joining is put off to here: a long line that is still being written costs nothing to look past.
    tail = next((piece for piece in reversed(pieces) if piece), b"")
    if tail.rstrip(PADDING).endswith(b"}"):
        raw = b"".join(pieces)
        line = parse_line(raw, number, start, start + len(raw))
        if line.records and line.reason is None:
            yield line


def parse_line(raw: bytes, number: int, start: int, end: int) -> Line:
    """Parse one line without its newline; never raises."""
    body, skipped, trouble = _strip(raw)
    if not body:
        return Line(number, start, end, (), trouble, start) if trouble else Line(number, start, end, ())
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        trouble = "not UTF-8"
        at = start + skipped + error.start
        text = body.decode("utf-8", "surrogateescape")
        return Line(number, start, end, tuple(record for record, _ in _recover(text)), trouble, at)
    try:
        value = json.loads(text)
    except RecursionError:
        return Line(number, start, end, (), "nested too deeply to be a record", start + skipped)
    except ValueError as error:
        return _damaged(text, error, number, start, start + skipped, end)
    if not _is_record(value):
        what = "an object without format version and type" if isinstance(value, dict) else "no object"
        foreign = isinstance(value, dict)
        return Line(number, start, end, (), f"not a record: {what}", start + skipped, foreign)
    return Line(number, start, end, (value,), trouble, start)


def _strip(raw: bytes) -> tuple[bytes, int, str | None]:
    """Take padding off; returns the rest, how many bytes went before it, and what was odd about them."""
    body = raw.removeprefix(BOM) if raw.startswith(BOM) else raw
    rest = body.lstrip(PADDING)
    skipped = len(raw) - len(rest)
    rest = rest.removeprefix(BOM)
    stripped = rest.rstrip(PADDING)
    nul = raw[:skipped].count(0) + rest[len(stripped) :].count(0)
    return stripped, skipped, f"{nul:,} NUL bytes around the record" if nul else None


def _damaged(text: str, error: ValueError, number: int, start: int, origin: int, end: int) -> Line:
    found = list(_recover(text))
    records = tuple(record for record, _ in found)
    spans = [span for _, span in found]
    lost = _gaps(text, spans)
    if records and not lost:
        return Line(
            number, start, end, records, f"{len(records)} records on one line", origin + _bytes(text, spans[0][1])
        )
    at = error.pos if isinstance(error, json.JSONDecodeError) else 0
    if records:
        reason, at = "damaged, with whole records beside it", lost[0]
    elif isinstance(error, json.JSONDecodeError):
        cut = at >= len(text) or error.msg.startswith("Unterminated string")
        reason = "cut in the middle" if cut and text.startswith("{") else f"not JSON: {error.msg}"
    else:
        reason = "a whole number with too many digits to be a record"
    return Line(number, start, end, records, reason, origin + _bytes(text, at))


def _recover(text: str) -> Iterator[tuple[dict[str, Any], tuple[int, int]]]:
    """Find every complete record in a damaged line, with its place."""
    position = 0
    for _ in range(MAX_ATTEMPTS):
        match = RECORD_START.search(text, position)
        if match is None:
            return
        try:
            value, stop = _DECODER.raw_decode(text, match.start())
        except (ValueError, RecursionError):
            position = match.end()
            continue
        # A byte that was no UTF-8 came in as a lone surrogate: such an object is not what was written.
        if _is_record(value) and not _ESCAPED_BYTE.search(text, match.start(), stop):
            yield value, (match.start(), stop)
            position = stop
        else:
            position = match.end()


def _gaps(text: str, spans: list[tuple[int, int]]) -> list[int]:
    """Where something other than padding stands outside the recovered records."""
    gaps = []
    position = 0
    for begin, stop in [*spans, (len(text), len(text))]:
        between = text[position:begin]
        if between.strip("\0 \t\r\ufeff"):
            gaps.append(position)
        position = stop
    return gaps


def _is_record(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("v"), int)
        and not isinstance(value["v"], bool)
        and isinstance(value.get("type"), str)
    )


def _bytes(text: str, position: int) -> int:
    return len(text[:position].encode("utf-8", "surrogateescape"))
