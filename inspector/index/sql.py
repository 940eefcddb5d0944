"""The user's own SQL: one read-only statement on the views."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import duckdb

from inspector.errors import QueryError

_READING: Final = frozenset({duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN})
"""Kinds of statement that only read. The transaction is read-only and outside access off besides."""


@dataclass(frozen=True)
class Table:
    """What a query gives."""

    columns: tuple[str, ...]
    """Names, as the query says."""
    rows: tuple[tuple[Any, ...], ...]
    """Values: None, bool, int, float, str, bytes, lists, dicts, dates."""


def run_sql(cursor: duckdb.DuckDBPyConnection, query: str) -> Table:
    """Run one statement that reads.

    Raises:
        QueryError: It is no such statement, or cannot be run.
    """
    try:
        statements = cursor.extract_statements(query)
        if len(statements) != 1:
            raise QueryError(query, f"one statement is expected, not {len(statements)}")
        if statements[0].type not in _READING:
            raise QueryError(query, f"only SELECT is allowed, not {statements[0].type.name}")
        cursor.execute("BEGIN TRANSACTION READ ONLY")
        try:
            cursor.execute(statements[0])
            columns = tuple(str(column[0]) for column in cursor.description or ())
            return Table(columns, tuple(cursor.fetchall()))
        finally:
            cursor.execute("ROLLBACK")
    except duckdb.Error as error:
        raise QueryError(query, _first_line(error)) from error


def _first_line(error: duckdb.Error) -> str:
    return str(error).strip().partition("\n")[0]
