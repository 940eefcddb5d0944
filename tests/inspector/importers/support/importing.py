"""Reads files as one format does, and imports them as a user does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from inspector.importers.base import ImportedCall, ImportedSession, Importer, Problem
from inspector.importers.reading.documents import Document
from inspector.importers.run import ImportSummary, import_paths
from inspector.index import Index, open_index


def read_as(importer: Importer, *paths: Path) -> tuple[list[ImportedSession], list[Problem]]:
    """Read files as a format does; give the sessions and what could not be read."""
    problems: list[Problem] = []
    return list(importer.read([Document(path) for path in paths], problems.append)), problems


def calls_of(session: ImportedSession) -> list[ImportedCall]:
    """Give the calls of a session."""
    return [record for record in session.calls() if isinstance(record, ImportedCall)]


def only_call(importer: Importer, path: Path) -> ImportedCall:
    """Read a sound file with one call."""
    [session], problems = read_as(importer, path)
    [found] = calls_of(session)
    assert problems == []
    return found


def body(found: ImportedCall) -> dict[str, Any]:
    """Give the request of a call."""
    assert isinstance(found.request, dict)
    return found.request


def answer_body(found: ImportedCall) -> dict[str, Any]:
    """Give the body of a call's answer."""
    assert found.answer is not None
    assert found.answer.body is not None
    return dict(found.answer.body)


def index_of(out: Path, *paths: Path) -> tuple[ImportSummary, Index]:
    """Import files and folders into a directory and index that."""
    summary = import_paths(list(paths), out)
    index = open_index(out)
    index.refresh()
    return summary, index
