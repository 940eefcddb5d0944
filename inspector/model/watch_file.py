"""Writes watches into ``inspector.toml``: what the user wrote there, comments and order included, stays as it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import AoT

from inspector.errors import SettingsError
from inspector.model.replacing import replace_file
from inspector.model.settings import Settings, read_watch
from inspector.model.watches import Watch

WATCHES: Final = "watches"
"""Name of the array of tables."""
HEADER: Final = "Texts that must be in every context; set in the app or by hand, see docs/pins.md."


def add_watch(file: Path, watch: Watch) -> bool:
    """Write a watch at the end of the watches of a settings file; the file is made where there is none.

    Returns:
        False: it was there already and nothing was written.

    Raises:
        SettingsError: The file holds something that cannot be used.
        CannotWriteError: It cannot be written.
    """
    if any(known.id == watch.id for known in Settings.load(file).watches):
        return False
    document = _parse(file)
    table = tomlkit.table()
    for key, value in _fields(watch).items():
        table.add(key, tomlkit.string(value, multiline="\n" in value) if isinstance(value, str) else value)
    present = document.get(WATCHES)
    if isinstance(present, AoT):
        present.append(table)
    elif present is None:
        if document.body:
            document.add(tomlkit.nl())
        document.add(tomlkit.comment(HEADER))
        tables = tomlkit.aot()
        tables.append(table)
        document.append(WATCHES, tables)
    else:
        raise SettingsError(file, WATCHES, "is written as a list of inline tables; write [[watches]] to add more here")
    replace_file(file, tomlkit.dumps(document))
    return True


def remove_watch(file: Path, identity: str) -> bool:
    """Take a watch out of a settings file.

    Returns:
        False: it is not in this file.

    Raises:
        SettingsError: The file holds something that cannot be used.
        CannotWriteError: It cannot be written.
    """
    document = _parse(file)
    tables = document.get(WATCHES, [])
    places = [at for at, table in enumerate(tables) if read_watch(file, table, f"{WATCHES}[{at + 1}]").id == identity]
    if not places:
        return False
    for at in reversed(places):
        del tables[at]
    if not tables:
        del document[WATCHES]
    replace_file(file, tomlkit.dumps(document))
    return True


def _fields(watch: Watch) -> dict[str, Any]:
    """What is written of a watch; the excerpt only where the target does not say it."""
    fields: dict[str, Any] = dict(watch.target)
    if "message" in watch.target:
        fields["excerpt"] = watch.excerpt
    optional = {"session": watch.session, "lane": watch.lane, "since_call": watch.since_call, "reason": watch.reason}
    return fields | {key: value for key, value in optional.items() if value is not None}


def _parse(file: Path) -> tomlkit.TOMLDocument:
    try:
        text = file.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        return tomlkit.document()
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(file, None, str(error)) from error
    try:
        return tomlkit.parse(text)
    except TOMLKitError as error:
        raise SettingsError(file, None, f"no valid TOML: {error}") from error
