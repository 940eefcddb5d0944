r"""JSONL logs of programs that get killed while they write: every whole record, also of a damaged line.

Lines end at ``\n`` only: U+2028 and the like stand inside strings.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from inspector.importers.base import Problem, Report
from inspector.importers.reading import limits
from inspector.importers.reading.mending import RAW_CONTROLS, REPLACED, load, raw_decode

IsRecord = Callable[[Any], bool]
"""Tells a record of the log from an object that merely stands inside one."""

_BEGIN: Final = re.compile(r'[{\[]\s*"')
"""Where a record may begin: an object with a member, or an array that begins with a string."""

_BLANK: Final = " \t\r\n\x00"
"""What may stand between records; NUL runs are left by file systems after a crash."""

_ENDS: Final = ("\n", "", "\r\n")
"""What follows the value of a sound line."""


@dataclass(frozen=True)
class Line:
    """What one line of a log holds."""

    number: int
    """From 1."""
    values: tuple[Any, ...]
    """Its whole records, in order; one, where it is sound."""
    repair: str | None = None
    """What had to be mended; nothing was lost."""
    error: str | None = None
    """What was lost."""


def read_lines(path: Path, is_record: IsRecord) -> Iterator[Line]:
    """Read a log line by line; blank lines are passed over.

    Args:
        path: The log.
        is_record: Which of the objects of a damaged line are records.

    Raises:
        OSError: The file cannot be read.
    """
    with path.open("rb") as file:
        for number, (raw, size) in enumerate(limits.lines_of(file), start=1):
            line = read_line(number, raw, is_record, size)
            if line is not None:
                yield line


def read_line(number: int, raw: bytes, is_record: IsRecord, size: int | None = None) -> Line | None:
    """Read one line of a log; None where it is blank.

    Args:
        number: From 1.
        raw: The line, with its end.
        is_record: Which of the objects of a damaged line are records.
        size: Bytes of the line, where ``raw`` is only its beginning; None: all of it.
    """
    if raw.isspace():
        return None
    if max(len(raw), size or 0) > limits.LARGEST_VALUE:
        return Line(number, (), error=limits.too_large(size))
    try:
        return Line(number, (_load(raw),))
    except (ValueError, RecursionError):
        return _recover(number, raw.removeprefix(b"\xef\xbb\xbf") if number == 1 else raw, is_record)


def _load(raw: bytes) -> Any:
    """Read a line as ``json.loads`` does, without finding out anew at each that it is UTF-8 and begins at once."""
    try:
        text = raw.decode()
        value, end = raw_decode(text)
    except (ValueError, RecursionError):
        return load(raw)
    return value if text[end:] in _ENDS else load(raw)


def read_values(path: Path, is_record: IsRecord) -> Iterator[tuple[int, Any]]:
    """Give the records of a log with their lines, damage already being known.

    Args:
        path: The log.
        is_record: Which of the objects of a damaged line are records.

    Raises:
        OSError: The file cannot be read.
    """
    for line in read_lines(path, is_record):
        for value in line.values:
            if is_record(value):
                yield line.number, value


def survey(
    path: Path, is_record: IsRecord, expected: str, report: Report, repairs: list[str]
) -> Iterator[tuple[int, Any]]:
    """Give the records of a log with their lines, and account for every line that is not sound.

    Args:
        path: The log.
        is_record: What a record is.
        expected: Its name, for the report.
        report: Told of what was lost.
        repairs: Gets what was mended.

    Raises:
        OSError: The file cannot be read.
    """
    for line in read_lines(path, is_record):
        if line.error is not None:
            report(Problem(str(path), line.error, line.number))
        if line.repair is not None:
            repairs.append(f"line {line.number}: {line.repair}")
        for value in line.values:
            if is_record(value):
                yield line.number, value
            else:
                report(Problem(str(path), f"line {line.number} is no {expected}", line.number))


def _recover(number: int, raw: bytes, is_record: IsRecord) -> Line | None:
    """Find the whole records of a line that is not one JSON value; None where it is blank after all."""
    try:
        text, undecoded = raw.decode(), None
    except UnicodeDecodeError as error:
        text, undecoded = raw.decode(errors="replace"), f"bytes that are no UTF-8, the first at {error.start}"
    values, lost, blank = _whole_records(text, is_record)
    if not values:
        if not text.strip(_BLANK):
            return None
        if not raw.endswith(b"\n"):
            return Line(number, (), repair="the last record breaks off, as where a log is still being written")
        return Line(number, (), error=undecoded or _reason(text))
    if lost:
        return Line(number, values, error=f"a record breaks off; {len(values)} whole record(s) of the line were read")
    notes = [undecoded and f"{undecoded}, {REPLACED}"]
    notes.append(f"{len(values)} records on one line" if len(values) > 1 else None)
    notes.append("NUL characters beside the record" if blank else None)
    said = ", ".join(note for note in notes if note)
    return Line(number, values, repair=said or RAW_CONTROLS)


def _whole_records(text: str, is_record: IsRecord) -> tuple[tuple[Any, ...], bool, bool]:
    """Give the whole records in a text, whether anything else stands there, and whether NULs do."""
    values: list[Any] = []
    lost = nul = False
    at = 0
    while begin := _BEGIN.search(text, at):
        try:
            value, end = raw_decode(text, begin.start(), strict=False)
        except (ValueError, RecursionError):
            lost, at = True, begin.start() + 1
            continue
        between = text[at : begin.start()]
        lost = lost or bool(between.strip(_BLANK))
        nul = nul or "\x00" in between
        if is_record(value):
            values.append(value)
        else:
            lost = True
        at = end
    rest = text[at:]
    return tuple(values), lost or bool(rest.strip(_BLANK)), nul or "\x00" in rest


def _reason(text: str) -> str:
    try:
        load(text)
    except RecursionError:
        return "nested too deep to read"
    except ValueError as error:
        return f"not JSON: {error}"
    return "no record"
