"""Opening the database of an index: a cache, thrown away whenever it does not fit."""

from __future__ import annotations

from pathlib import Path

import duckdb

import snapshot_sdk
from inspector.index.connect import connect, transaction
from inspector.index.schema import INDEX_VERSION
from inspector.index.views import schema_statements
from inspector.model.settings import Settings
from snapshot_sdk.schema import FORMAT_VERSION


def open_database(database: Path, settings: Settings, *, rebuild: bool) -> duckdb.DuckDBPyConnection:
    """Open a database that fits these settings and this version; one that does not is thrown away and made anew.

    Args:
        database: Its file.
        settings: The user's settings.
        rebuild: Throw it away in any case.

    Raises:
        IndexLockedError: Another process has it open.
        OSError: It cannot be written.
    """
    connection: duckdb.DuckDBPyConnection | None = None
    try:
        connection = connect(database)
        if not rebuild and _fingerprint(connection) == _wanted(settings):
            return connection
    except duckdb.Error:
        # Damaged, or made by another DuckDB: a cache that cannot be read is made anew.
        pass
    if connection is not None:
        # Also after an error: DuckDB would hand out the open database again, whose file is unlinked below.
        connection.close()
    for name in (database.name, f"{database.name}.wal"):
        database.with_name(name).unlink(missing_ok=True)
    connection = connect(database)
    create_tables(connection, settings)
    return connection


def _wanted(settings: Settings) -> str:
    """What an index depends on besides the traces."""
    limits = sorted((*settings.windows.items(), *settings.budgets.items()))
    return f"{INDEX_VERSION}|{FORMAT_VERSION}|{snapshot_sdk.__version__}|{settings.fingerprint}|{limits}"


def _fingerprint(connection: duckdb.DuckDBPyConnection) -> str | None:
    row = connection.execute("SELECT value FROM store.meta WHERE key = 'fingerprint'").fetchone()
    return str(row[0]) if row else None


def create_tables(connection: duckdb.DuckDBPyConnection, settings: Settings) -> None:
    """Make the tables and views of an empty index."""
    with transaction(connection):
        for statement in schema_statements():
            connection.execute(statement)
        connection.execute("INSERT INTO store.meta VALUES ('fingerprint', ?)", [_wanted(settings)])
