"""The commands by name, each imported when it is asked for: the half of a second that all of them take is nobody's."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from importlib import import_module
from typing import Final

import click

_PLACES: Final = {
    "index": "index_commands:index",
    "sessions": "index_commands:sessions",
    "show": "show_command:show",
    "diff": "diff_command:diff",
    "compactions": "change_commands:compactions",
    "lifelines": "change_commands:lifelines",
    "pins": "change_commands:pins",
    "trace": "trace_command:trace",
    "probe": "probe_command:probe",
    "check": "check_command:check",
    "sql": "index_commands:sql",
    "export": "export_command:export",
    "import": "import_command:import_command",
    "record": "record_command:record",
    "ui": "ui_command:ui",
}
"""Name of a command: the module of this package that has it, and its name there."""


class Commands(MutableMapping[str, click.Command]):
    """What a group of click looks its commands up in."""

    def __init__(self) -> None:
        self._loaded: dict[str, click.Command] = {}

    def __getitem__(self, name: str) -> click.Command:
        """Import a command."""
        if name not in self._loaded:
            module, _, attribute = _PLACES[name].partition(":")
            self._loaded[name] = getattr(import_module(f"inspector.cli.{module}"), attribute)
        return self._loaded[name]

    def __setitem__(self, name: str, command: click.Command) -> None:
        """Put a command in place of another."""
        self._loaded[name] = command

    def __delitem__(self, name: str) -> None:
        """Forget what was put in place."""
        del self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        """Name all commands."""
        return iter(_PLACES)

    def __len__(self) -> int:
        """Count them."""
        return len(_PLACES)
