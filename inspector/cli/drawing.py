"""What is drawn on a terminal, and on nothing else: tables, and the console of progress bars."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, Literal

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from inspector.cli.terminal import Mark

NARROWEST: Final = 8
"""Characters a column needs to be read: where a terminal has less, rows are written one cell a line."""


def stderr_console() -> Console:
    """Give the console that progress is drawn on: it is silent where stderr is no terminal."""
    return Console(stderr=True, highlight=False, markup=False, emoji=False)


def draw_table(
    columns: Sequence[str], rows: Iterable[Sequence[Mark | str]], *, right: Sequence[str], cut: Sequence[str]
) -> None:
    """Draw a table on stdout, a terminal; one cell a line if it is too narrow.

    Args:
        columns: Names, the first line.
        rows: Cells, harmless and one line each.
        right: Names of the columns that are aligned to the right, and never wrapped.
        cut: Names of the columns that are cut at the edge of the terminal; with any, nothing is wrapped.
    """
    console = Console(highlight=False, markup=False, emoji=False)
    if len(columns) * NARROWEST > console.width:
        for row in rows:
            click.echo("".join(f"{column}: {cell}\n" for column, cell in zip(columns, row, strict=True)))
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        justify: Literal["left", "right"] = "right" if column in right else "left"
        rigid = column in right or (bool(cut) and column not in cut)
        table.add_column(column, justify=justify, overflow="ellipsis", no_wrap=rigid)
    for row in rows:
        # Only a column that may wrap gives way when space is short: so the text, not its column, says that it is cut.
        texts = [_text(cell) for cell in row]
        for column, text in zip(columns, texts, strict=True):
            text.no_wrap, text.overflow = column in cut, "ellipsis" if column in cut else "fold"
        table.add_row(*texts)
    console.print(table)


def _text(cell: Mark | str) -> Text:
    if isinstance(cell, Mark):
        return Text.assemble((f"{cell.symbol} ", cell.style), str(cell))
    return Text(cell)
