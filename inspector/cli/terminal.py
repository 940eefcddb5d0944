"""Output: text that cannot drive the terminal, tables for people, tab-separated lines for pipes, JSON."""

from __future__ import annotations

import dataclasses
import json
import math
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

import click

_STEERING: Final = "\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufeff"
"""Characters, as a range of a pattern, that a terminal obeys (DEL and C1), that reverse the reading direction,
that end a line in some viewers, or that cannot be encoded."""

_UNSAFE: Final = re.compile(f"[\x00-\x08\x0b-\x1f{_STEERING}]")
"""These and the controls below a space; tab and newline are harmless."""

_UNSAFE_IN_JSON: Final = re.compile(f"[{_STEERING}]")
"""In JSON text json itself has escaped the controls below a space."""


def visible(text: str) -> str:
    r"""Make prompt text harmless to a terminal: ``\x1b`` is shown as these four characters, and so on.

    Args:
        text: Any text.

    Returns:
        The text; only tab and newline are left of what controls a terminal (CR LF is a newline).
    """
    return _UNSAFE.sub(_escape, text.replace("\r\n", "\n"))


def one_line(text: str, width: int | None = None) -> str:
    """Make text harmless and one line, cut to ``width`` characters where one is given."""
    if width is not None:
        text = text[: width * 4]  # a long prompt is not cleaned up for the sake of its first line
    line = " ".join(visible(text).split())
    return line if width is None or len(line) <= width else line[: width - 1] + "…"


def _escape(match: re.Match[str]) -> str:
    number = ord(match[0])
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}"


def complain(message: str, hint: str | None = None) -> None:
    """Write a line to stderr, with what to do about it as a sentence of its own."""
    stop = "" if message.rstrip().endswith((".", "!", "?", "…")) else "."
    text = f"context-inspector: {message}" + (f"{stop} {hint}" if hint else "")
    click.echo(one_line(text), err=True)


@dataclass(frozen=True)
class Mark:
    """A cell with a symbol and a colour on a terminal; in a pipe it is its words."""

    symbol: str
    style: str
    words: str

    def __str__(self) -> str:
        return one_line(self.words)


def _cell(cell: object) -> Mark | str:
    return cell if isinstance(cell, Mark) else one_line("" if cell is None else str(cell))


def write_table(
    columns: Sequence[str], rows: Iterable[Sequence[Any]], *, right: Sequence[str] = (), cut: Sequence[str] = ()
) -> None:
    """Write a table: drawn on a terminal (one cell a line if it is too narrow), a tab-separated line a row elsewhere.

    Args:
        columns: Names, the first line.
        rows: Cells; None is an empty cell, a :class:`Mark` has a symbol on a terminal.
        right: Names of the columns that are aligned to the right, and never wrapped.
        cut: Names of the columns that are cut at the edge of the terminal; with any, nothing is wrapped.
    """
    cells = ([_cell(cell) for cell in row] for row in rows)
    if not sys.stdout.isatty():
        click.echo("\t".join(columns))
        for row in cells:
            click.echo("\t".join(map(str, row)))
        return
    from inspector.cli.drawing import draw_table  # what it draws with takes longer to load than a pipe to be written

    draw_table(columns, cells, right=right, cut=cut)


def write_text(text: str) -> None:
    """Write prompt text for reading, harmless to the terminal."""
    click.echo(visible(text))


def write_json(value: Any) -> None:
    """Write a value as JSON, indented, valid whatever the data holds and harmless to a terminal."""
    text = json.dumps(plain(value), ensure_ascii=False, indent=2, allow_nan=False)
    click.echo(_UNSAFE_IN_JSON.sub(lambda match: f"\\u{ord(match[0]):04x}", text))


def plain(value: Any) -> Any:
    """Turn a value into what JSON can carry.

    Numbers beyond JSON (infinities, NaN, integers of more than 4,300 digits) become their text.
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, int):
        return value if abs(value) < 10**4000 else f"{Decimal(value):f}"
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value).hex()
    if isinstance(value, Decimal | UUID):
        return str(value)
    return str(value)
