"""What a project says of its fixtures: ``[tool.context-inspector]`` of its ``pyproject.toml``."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from snapshot_sdk.errors import SettingsError

TABLE: Final = "context-inspector"
"""Below ``tool``."""

_CALLABLE: Final = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*:[^\W\d]\w*(?:\.[^\W\d]\w*)*")
"""``package.module:function``; behind the colon attributes of objects, too."""


@dataclass(frozen=True)
class ProjectSettings:
    """The settings; None where the project says nothing."""

    builder: str | None = None
    """``module:function`` of the context builder."""
    agent: str | None = None
    """``module:function`` of the agent that recorded answers are played back to."""
    folder: Path | None = None
    """Where fixtures are; absolute."""
    file: Path | None = None
    """The ``pyproject.toml`` that was found, whether or not it has the table; None: there is none."""


def read_project_settings(start: str | Path) -> ProjectSettings:
    """Reads the nearest ``pyproject.toml`` in a folder or above it.

    Args:
        start: The folder, or a file in it.

    Raises:
        SettingsError: The file cannot be read, or its table has a key or a value that it must not have.
    """
    place = Path(start).absolute()
    file = next((one for folder in (place, *place.parents) if (one := folder / "pyproject.toml").is_file()), None)
    if file is None:
        return ProjectSettings()
    table = _read_table(file)
    unknown = sorted(table.keys() - {"builder", "agent", "folder"})
    if unknown:
        raise SettingsError(
            "there is no such setting; there are builder, agent, folder", file=str(file), key=_key(unknown[0])
        )
    builder, agent, folder = (_text(table, name, file) for name in ("builder", "agent", "folder"))
    for name, value in (("builder", builder), ("agent", agent)):
        if value is not None:
            check_callable_name(value, str(file), _key(name))
    return ProjectSettings(builder, agent, file.parent / folder if folder is not None else None, file)


def _read_table(file: Path) -> dict[str, Any]:
    try:
        data = file.read_bytes()
        if TABLE.encode() not in data:  # not a word of ours: that costs no parsing
            return {}
        import tomllib  # here: pytest asks every project, and few have the table

        tool = tomllib.loads(data.decode("utf-8-sig")).get("tool", {})
    except OSError as error:
        raise SettingsError(f"cannot be read: {error.strerror or error}", file=str(file)) from error
    except ValueError as error:  # of TOML, or of UTF-8
        raise SettingsError(f"is no TOML: {error}", file=str(file)) from error
    table = tool.get(TABLE, {}) if isinstance(tool, dict) else {}
    if not isinstance(table, dict):
        raise SettingsError(f"must be a table, not {_named(table)}", file=str(file), key=f"tool.{TABLE}")
    return table


def _text(table: dict[str, Any], name: str, file: Path) -> str | None:
    value = table.get(name)
    if value is not None and (not isinstance(value, str) or not value):
        raise SettingsError(f"must be a text, not {_named(value)}", file=str(file), key=_key(name))
    return value


def _key(name: str) -> str:
    return f"tool.{TABLE}.{name}"


def _named(value: Any) -> str:
    return "an empty one" if value == "" else f"{type(value).__name__} ({value!r})"


def check_callable_name(name: str, file: str, key: str | None = None) -> None:
    """Checks the form of a name; whether anything bears it is seen when it is looked up.

    Args:
        name: ``module:function``.
        file: Who says so, for the message.
        key: Which setting.

    Raises:
        SettingsError: It has another form.
    """
    if not _CALLABLE.fullmatch(name):
        raise SettingsError(f"must be of the form module:function, not {name!r}", file=file, key=key)


def find_callable(name: str, folder: Path, where: str) -> Callable[..., Any]:
    """Imports a builder or an agent.

    Args:
        name: ``module:function``.
        folder: The project's. It and its ``src`` are searched after everything else, so that a project needs not be
            installed.
        where: Who names it, for the message.

    Raises:
        SettingsError: There is no such module or function, or it cannot be called. What the module itself raises
            while it is imported is raised as it is.
    """
    check_callable_name(name, where)
    for place in (folder, folder / "src"):
        if place.is_dir() and str(place) not in sys.path:
            sys.path.append(str(place))
    module, _, attribute = name.partition(":")
    import pkgutil

    try:
        found = pkgutil.resolve_name(name)
    except ModuleNotFoundError as error:
        if error.name is None or not (module + ".").startswith(error.name + "."):
            raise  # of the project's own imports
        raise SettingsError(f"{name}: there is no module {error.name}", file=where) from error
    except AttributeError as error:
        raise SettingsError(f"{name}: the module {module} has no {attribute}", file=where) from error
    if not callable(found):
        raise SettingsError(f"{name} cannot be called: it is a {type(found).__name__}", file=where)
    return found  # type: ignore[no-any-return]
