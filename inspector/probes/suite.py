"""Suites of probes on disk: TOML for people, JSONL for programs; both hold every field of a probe."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import tomlkit
from tomlkit.exceptions import TOMLKitError

from inspector.errors import SuiteError
from inspector.model.replacing import replace_file
from inspector.probes.probe import Probe, Suite
from inspector.probes.suite_reading import Place, ProbeReader
from inspector.probes.suite_writing import probe_table, update_document

LINES: Final = (".jsonl", ".ndjson")
"""Suffixes of suites with one probe a line; every other file is TOML."""
_HEADER: Final = re.compile(r"^[ \t]*\[\[[ \t]*probes[ \t]*\]\]", re.MULTILINE)
_FILE_KEYS: Final = ("name", "session", "probes")
_HEAD_KEYS: Final = ("suite", "session")
"""Of the first line of a JSONL suite, which says what it is; no probe has a key ``suite``."""


class _Entry(NamedTuple):
    data: Any
    place: Place


def load_suite(path: Path) -> Suite:
    """Read a suite.

    Args:
        path: A TOML file, or a JSONL file by its suffix.

    Raises:
        SuiteError: It cannot be read or holds something that cannot be used; names file, line, key and reason.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise SuiteError(path, f"cannot be read: {reason}") from error
    about: dict[str, Any]
    if path.suffix.lower() in LINES:
        about, entries = _read_lines(path, text)
    else:
        about, entries = _read_toml(path, text)
    probes = tuple(ProbeReader(entry.place).probe(entry.data) for entry in entries)
    if not probes:
        raise SuiteError(path, "holds no probes: write [[probes]] tables" if not about.get("lines") else "is empty")
    _refuse_twice(probes, entries)
    return Suite(about.get("name") or path.stem, probes, about.get("session"), path)


def save_suite(suite: Suite, path: Path) -> None:
    """Write a suite. In a TOML file that is there, comments, order and what did not change stay as they are.

    Args:
        suite: The suite.
        path: Where it goes, TOML or JSONL by its suffix.

    Raises:
        SuiteError: What stands there is no suite that could be kept up.
        CannotWriteError: It cannot be written.
    """
    if path.suffix.lower() in LINES:
        head = {"suite": suite.name} | ({"session": suite.session} if suite.session is not None else {})
        lines = [head, *(probe_table(probe) for probe in suite.probes)]
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    else:
        text = tomlkit.dumps(update_document(_parse(path), suite))
    replace_file(path, text)


def _read_toml(path: Path, text: str) -> tuple[dict[str, Any], list[_Entry]]:
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise SuiteError(path, f"no valid TOML: {error}") from error
    for key in data:
        if key not in _FILE_KEYS:
            raise SuiteError(path, f"is not known; known are {', '.join(_FILE_KEYS)}", key=key)
    for key in ("name", "session"):
        if not isinstance(data.get(key, ""), str):
            raise SuiteError(path, "must be a string", key=key)
    probes = data.get("probes", [])
    if not isinstance(probes, list):
        raise SuiteError(path, "must be an array of tables ([[probes]])", key="probes")
    # Lines are known where every probe has a header of its own; inline tables have none.
    headers = [text.count("\n", 0, match.start()) + 1 for match in _HEADER.finditer(text)]
    lines = headers if len(headers) == len(probes) else [None] * len(probes)
    places = (Place(path, line, f"probes[{n}]") for n, line in enumerate(lines, start=1))
    return data, [_Entry(probe, place) for probe, place in zip(probes, places, strict=True)]


def _read_lines(path: Path, text: str) -> tuple[dict[str, Any], list[_Entry]]:
    about: dict[str, Any] = {"lines": True}
    entries: list[_Entry] = []
    for at, (place, line) in enumerate(_filled(path, text)):
        try:
            data = json.loads(line, object_pairs_hook=_unique)
        except _TwiceError as error:
            raise SuiteError(path, "stands there twice", line=place.line, key=error.key) from error
        except (ValueError, RecursionError) as error:
            raise SuiteError(path, f"no valid JSON: {error}", line=place.line) from error
        if at == 0 and isinstance(data, dict) and "suite" in data and not data.keys() & {"id", "question", "expected"}:
            about |= _read_head(path, data, place)
        else:
            entries.append(_Entry(data, place))
    return about, entries


def _read_head(path: Path, data: dict[str, Any], place: Place) -> dict[str, Any]:
    for key in data:
        if key not in _HEAD_KEYS:
            raise SuiteError(path, f"is not known; known are {', '.join(_HEAD_KEYS)}", line=place.line, key=key)
        if not isinstance(data[key], str):
            raise SuiteError(path, "must be a string", line=place.line, key=key)
    return {"name": data["suite"], "session": data.get("session")}


class _TwiceError(Exception):
    """A key stands twice in one object."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse a key that stands there twice, as TOML does: which of the two was meant nobody knows."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise _TwiceError(key)
        found[key] = value
    return found


def _filled(path: Path, text: str) -> Iterator[tuple[Place, str]]:
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield Place(path, number, ""), line


def _refuse_twice(probes: tuple[Probe, ...], entries: list[_Entry]) -> None:
    first: dict[str, Place] = {}
    for probe, entry in zip(probes, entries, strict=True):
        before = first.setdefault(probe.id, entry.place)
        if before is not entry.place:
            where = f"line {before.line}" if before.line is not None else before.key
            raise entry.place.error(f"{probe.id!r} is the id of the probe at {where}, too", "id")


def _parse(path: Path) -> tomlkit.TOMLDocument:
    try:
        return tomlkit.parse(path.read_bytes().decode("utf-8-sig"))
    except FileNotFoundError:
        return tomlkit.document()
    except (OSError, UnicodeDecodeError, TOMLKitError) as error:
        raise SuiteError(path, f"cannot be kept up: {error}") from error
