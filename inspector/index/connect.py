"""The only helpers around the database driver but for inserting: opening, locking, quoting, transactions."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import duckdb

from inspector.errors import IndexLockedError

DATABASE_NAME: Final = "index.duckdb"
FOLDER_NAME: Final = ".inspector"
SAMPLES: Final = "sample_data"
"""The package of the samples; found by name, as the index knows nothing of what stands above it."""
MEMORY_LIMIT: Final = "2GB"
"""DuckDB's own default is 80 % of the machine, which an app beside an agent must not take."""

_HOLDER: Final = re.compile(r"held in (?P<program>.+?) \(PID (?P<pid>\d+)\)")


def quote_identifier(name: str) -> str:
    """Quote a name of a table or column for SQL."""
    return '"' + name.replace('"', '""') + '"'


def database_path(directory: Path) -> Path:
    """Where the index of a traces directory lies.

    Beside the traces, in ``.inspector/``. Where nothing can be written there (a read-only mount, the
    samples inside an installed package), in the user's cache directory, in a folder named by the hash of
    the traces' path.
    """
    inside = directory / FOLDER_NAME
    if not is_shipped(directory) and os.access(inside if inside.exists() else directory, os.W_OK):
        return inside / DATABASE_NAME
    return cache_folder(directory) / DATABASE_NAME


def cache_folder(directory: Path) -> Path:
    """Return the folder of a traces directory in the user's cache directory; it need not be there."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "context-inspector"
    digest = hashlib.sha256(str(directory.resolve()).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return cache / digest


def is_shipped(directory: Path) -> bool:
    """Say whether a directory belongs to the samples that come with the package."""
    package = importlib.util.find_spec(SAMPLES)
    folders = package.submodule_search_locations if package is not None else None
    return any(directory.resolve().is_relative_to(Path(folder).resolve()) for folder in folders or ())


def connect(database: Path | None) -> duckdb.DuckDBPyConnection:
    """Open the database, or one in memory.

    Access to anything outside is off for the whole instance, and the configuration locked: no query
    can read a file, write one, load an extension or see a Python variable.

    Raises:
        IndexLockedError: Another process has it open.
        OSError: It cannot be opened or created.
        duckdb.Error: The file is there and is no database of this version.
    """
    config: dict[str, str | bool | int | float | list[str]] = {
        "enable_external_access": "false",
        "python_enable_replacements": "false",
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "memory_limit": MEMORY_LIMIT,
        "lock_configuration": "true",
    }
    if database is not None:
        database.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        connection = duckdb.connect(":memory:" if database is None else str(database), config=config)
    except duckdb.IOException as error:
        text = str(error)
        if "lock" in text.lower():
            raise IndexLockedError(database or Path(":memory:"), _holder(text)) from None
        raise
    return connection


def _holder(text: str) -> str | None:
    """Name the process that holds the lock, from DuckDB's message."""
    match = _HOLDER.search(text)
    if match is None:
        return None
    return f"PID {match['pid']} ({_command(match['pid']) or Path(match['program']).name})"


def _command(pid: str) -> str | None:
    """The program a process runs, as Linux tells it: ``streamlit`` says more than ``python3.11``."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().decode("utf-8", "replace").split("\0")
    except OSError:
        return None
    names = [Path(word).name for word in words[:3] if word and not word.startswith("-")]
    scripts = [name for name in names if not name.startswith("python")]
    return next(iter(scripts or names), None)


@contextmanager
def transaction(cursor: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Run a block as one transaction: readers see all of it or nothing."""
    cursor.execute("BEGIN TRANSACTION")
    try:
        yield
    except BaseException:
        cursor.execute("ROLLBACK")
        raise
    cursor.execute("COMMIT")
