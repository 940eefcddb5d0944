"""The user's own SQL: one read-only statement on the views."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import duckdb

from inspector.errors import QueryError

_READING: Final = frozenset({duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN})
"""Kinds of statement that only read. The transaction is read-only and outside access off besides."""

_STOPPED: Final = "Query interrupted"
"""Text of the RuntimeError in which DuckDB swallows Python's KeyboardInterrupt; at some moments it raises an
InterruptException instead, as it does when time is up."""


@dataclass(frozen=True)
class Table:
    """What a query gives."""

    columns: tuple[str, ...]
    """Names, as the query says."""
    rows: tuple[tuple[Any, ...], ...]
    """Values: None, bool, int, float, str, bytes, lists, dicts, dates."""


def run_sql(cursor: duckdb.DuckDBPyConnection, query: str, timeout: float | None = None) -> Table:
    """Run one statement that reads.

    Args:
        cursor: Used by nobody else meanwhile.
        query: The statement.
        timeout: Seconds after which it is given up; None: never.

    Raises:
        QueryError: It is no such statement, cannot be run, or took too long.
        KeyboardInterrupt: Ctrl-C while it ran.
    """
    late = threading.Event()
    try:
        statements = cursor.extract_statements(query)
        if len(statements) != 1:
            raise QueryError(query, f"one statement is expected, not {len(statements)}")
        if statements[0].type not in _READING:
            raise QueryError(query, f"only SELECT is allowed, not {statements[0].type.name}")
        cursor.execute("BEGIN TRANSACTION READ ONLY")
        try:
            with _interrupted_after(cursor, timeout, late):
                cursor.execute(statements[0])
                columns = tuple(str(column[0]) for column in cursor.description or ())
                return Table(columns, tuple(cursor.fetchall()))
        finally:
            cursor.execute("ROLLBACK")
    except duckdb.InterruptException as error:
        if not late.is_set():
            raise KeyboardInterrupt from error
        raise QueryError(query, f"it took longer than {timeout:g} s") from error
    except RuntimeError as error:
        if str(error) == _STOPPED:
            raise KeyboardInterrupt from error
        raise
    except duckdb.Error as error:
        raise QueryError(query, _first_line(error)) from error


@contextmanager
def _interrupted_after(
    cursor: duckdb.DuckDBPyConnection, timeout: float | None, late: threading.Event
) -> Iterator[None]:
    """Interrupt what runs on a cursor when its time is up, and say so."""
    if timeout is None:
        yield
        return

    def interrupt() -> None:
        late.set()
        cursor.interrupt()

    timer = threading.Timer(timeout, interrupt)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()  # it may be interrupting just now: the next statement must not be hit


def _first_line(error: duckdb.Error) -> str:
    return str(error).strip().partition("\n")[0]
