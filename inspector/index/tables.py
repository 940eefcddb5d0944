"""What a table and a view of the index are: described columns, from which DDL and the types of inserts derive."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

SCHEMA: Final = "store"
"""Database schema of the tables; the views stand in ``main``."""


@dataclass(frozen=True)
class Column:
    """A column of a table."""

    name: str
    type: str
    """DuckDB's name of the type."""
    doc: str
    """What it holds, one sentence."""


@dataclass(frozen=True)
class Table:
    """A table of the index."""

    name: str
    doc: str
    columns: tuple[Column, ...]

    @property
    def qualified(self) -> str:
        """Name with its schema, for SQL."""
        return f"{SCHEMA}.{self.name}"

    @property
    def ddl(self) -> str:
        """The statement that creates it."""
        columns = ", ".join(f'"{column.name}" {column.type}' for column in self.columns)
        return f"CREATE TABLE {self.qualified} ({columns})"


@dataclass(frozen=True)
class ViewColumn(Column):
    """A column of a view."""

    expression: str = ""
    """SQL that yields it; empty: the table's column of this name."""


@dataclass(frozen=True)
class View:
    """A view for the user's own SQL."""

    name: str
    doc: str
    columns: tuple[ViewColumn, ...]
    source: str
    """What stands after FROM."""

    @property
    def ddl(self) -> str:
        """The statement that creates it."""
        columns = ", ".join(f'{c.expression or c.name} AS "{c.name}"' for c in self.columns)
        return f'CREATE VIEW "{self.name}" AS SELECT {columns} FROM {self.source}'


def table(name: str, doc: str, *columns: tuple[str, str, str]) -> Table:
    """Describe a table: name, type and meaning of each column."""
    return Table(name, doc, tuple(Column(*column) for column in columns))
