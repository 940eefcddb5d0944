"""Rows on their way into the tables: collected in columns, written by Arrow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import duckdb

from inspector.index.schema import BLOBS, CONTENTS, LINE_ERRORS, RECORDS, SECTIONS, SOURCES, UNITS
from inspector.index.tables import Table

COUNTED: Final = ((SOURCES, "source"), (CONTENTS, "content"), (UNITS, "unit"), (SECTIONS, "section"))
"""Tables whose rows get a number here, and the column that holds it."""

BATCHED: Final = (SECTIONS, LINE_ERRORS, SOURCES, BLOBS, CONTENTS, UNITS, RECORDS)


def clean(text: str) -> str:
    """Make a text fit for a column: lone surrogates, which UTF-8 cannot carry, become ``?``."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


class Rows:
    """Rows of one table, by column."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self._columns: dict[str, list[Any]] = {column.name: [] for column in table.columns}
        self._lists = tuple(self._columns.values())

    def add(self, *values: Any) -> None:
        """Add a row; values in the order of the table's columns."""
        for column, value in zip(self._lists, values, strict=True):
            column.append(value)

    def add_named(self, row: Mapping[str, Any]) -> None:
        """Add a row by the names of the columns."""
        for name, column in self._columns.items():
            column.append(row[name])

    def __len__(self) -> int:
        return len(self._lists[0])

    def write(self, cursor: duckdb.DuckDBPyConnection) -> None:
        """Insert the rows and forget them."""
        if len(self):
            from inspector.index.inserting import insert_rows  # Arrow loads for 25 ms, and who reads has no use for it

            insert_rows(cursor, self.table, self._columns)
            for column in self._lists:
                column.clear()


class Batch:
    """Rows of one ingest step, and the numbers given to new ones."""

    def __init__(self, cursor: duckdb.DuckDBPyConnection) -> None:
        self._rows = {table.name: Rows(table) for table in BATCHED}
        self._next: dict[str, int] = {}
        for table, column in COUNTED:
            found = cursor.execute(f"SELECT coalesce(max({column}), -1) + 1 FROM {table.qualified}").fetchone()
            self._next[table.name] = int(found[0]) if found else 0

    def number(self, table: Table) -> int:
        """Give out the next number of a table."""
        number = self._next[table.name]
        self._next[table.name] = number + 1
        return number

    def add(self, table: Table, *values: Any) -> None:
        """Add a row; values in the order of the table's columns."""
        self._rows[table.name].add(*values)

    def write(self, cursor: duckdb.DuckDBPyConnection) -> None:
        """Insert everything."""
        for rows in self._rows.values():
            rows.write(cursor)


def write_all(cursor: duckdb.DuckDBPyConnection, table: Table, rows: Iterable[tuple[Any, ...]]) -> None:
    """Insert rows of one table at once."""
    buffer = Rows(table)
    for row in rows:
        buffer.add(*row)
    buffer.write(cursor)
