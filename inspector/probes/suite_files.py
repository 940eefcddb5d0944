"""Suites of probes in folders: which files there are, and which of them was drafted from a session."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from inspector.errors import SuiteError
from inspector.probes.probe import Suite
from inspector.probes.results import FOLDER, SUFFIX
from inspector.probes.suite import LINES, load_suite


@dataclass(frozen=True)
class SuiteFile:
    """A file that may hold a suite."""

    name: str
    """As it stands in the address: never a path, an address opens nothing else."""
    path: Path


@dataclass(frozen=True)
class OwnSuites:
    """The suites that name the session they were drafted from."""

    by_session: Mapping[str, Suite]
    """Of several of a session the first by name."""
    troubles: tuple[str, ...]
    """Why a file cannot be read, a sentence each: whose it is nobody knows then."""


def find_suite_files(beside: Iterable[Path]) -> tuple[SuiteFile, ...]:
    """Find the suites that stand in the folder of probes beside files, by name.

    Args:
        beside: Files beside which the folder may be; of two suites of one name the first folder's counts.
    """
    found: dict[str, SuiteFile] = {}
    for file in beside:
        for path in _suites_in(file.parent / FOLDER):
            found.setdefault(path.name, SuiteFile(path.name, path))
    return tuple(found[name] for name in sorted(found))


def read_own_suites(files: Sequence[SuiteFile]) -> OwnSuites:
    """Read the suites of sessions, each file once.

    Args:
        files: As :func:`find_suite_files` found them.
    """
    suites: dict[str, Suite] = {}
    troubles = []
    for file in files:
        try:
            suite = load_suite(file.path)
        except SuiteError as error:
            troubles.append(error.message)
            continue
        if suite.session is not None:
            suites.setdefault(suite.session, suite)
    return OwnSuites(suites, tuple(troubles))


def _suites_in(folder: Path) -> Iterator[Path]:
    try:
        paths = list(folder.iterdir())
    except OSError:
        return
    for path in paths:
        if path.suffix.lower() in (".toml", *LINES) and not path.name.endswith(SUFFIX) and path.is_file():
            yield path
