"""Opening the index of a directory, and its database: a cache, thrown away whenever it does not fit."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path

import duckdb

import snapshot_sdk
from inspector.errors import IndexLockedError, NoTracesError
from inspector.index.connect import connect, database_path, transaction
from inspector.index.index import Index
from inspector.index.schema import INDEX_VERSION
from inspector.index.views import schema_statements
from inspector.model.settings import SETTINGS_FILE, Settings
from inspector.model.views import IndexState
from snapshot_sdk.schema import FORMAT_VERSION


def open_index(
    directory: Path,
    *,
    rebuild: bool = False,
    sessions: Collection[str] | None = None,
    progress: Callable[[IndexState], None] | None = None,
    own_copy: bool = False,
) -> Index:
    """Open the index of a directory; nothing is read yet.

    The database lies beside the traces, or in the user's cache directory where nothing can be written there.
    Where it cannot be written anywhere the index is made in memory, and its state says so.

    Args:
        directory: Directory with trace files.
        rebuild: Throw away what is there and read everything anew.
        sessions: In memory, read only these sessions; None: all. A database always holds all.
        progress: Told how far each :meth:`Index.refresh` is.
        own_copy: Where another process has the database open, read the traces into memory instead of raising;
            ``sessions`` implies it.

    Raises:
        NoTracesError: There is no such directory.
        IndexLockedError: Another process has the database open.
        SettingsError: ``inspector.toml`` holds something that cannot be used.
    """
    if not directory.is_dir():
        raise NoTracesError(directory, "it is no directory" if directory.exists() else "there is no such directory")
    settings = Settings.load(directory / SETTINGS_FILE)
    file = database_path(directory)
    database: Path | None = file
    note = None
    try:
        connection = open_database(file, settings, rebuild=rebuild)
    except IndexLockedError as error:
        if sessions is None and not own_copy:
            raise
        note = f"{error.holder or 'Another process'} writes the index; this window reads its own copy"
    except OSError as error:
        note = f"The index cannot be written ({error.strerror or error}); it is kept in memory"
    if note is not None:
        database = None
        connection = connect(None)
        create_tables(connection, settings)
    only = sessions if database is None else None
    return Index(directory, database, connection, settings, only, note, progress)


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
