"""Imports files and folders: finds out what each is, reads it, writes it, and accounts for every file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from inspector.errors import InspectorError
from inspector.importers.aider import Aider
from inspector.importers.base import HeadImporter, Importer, Problem
from inspector.importers.bodies import Bodies
from inspector.importers.claude_code import ClaudeCode
from inspector.importers.codex import Codex
from inspector.importers.documents import MALFORMED, Document, reason_of
from inspector.importers.exchange import looks_like
from inspector.importers.gemini_cli import GeminiCli
from inspector.importers.mini_swe_agent import MiniSweAgent
from inspector.importers.openai_batch import OpenAIBatch
from inspector.importers.opencode import OpenCode
from inspector.importers.openhands import OpenHands
from inspector.importers.pi import Pi
from inspector.importers.swe_agent import SweAgent
from inspector.importers.write import TraceDirectory, WrittenSession

IMPORTERS: Final[tuple[Importer, ...]] = (
    ClaudeCode(),
    Codex(),
    Pi(),
    OpenCode(),
    GeminiCli(),
    MiniSweAgent(),
    Aider(),
    SweAgent(),
    OpenHands(),
    OpenAIBatch(),
    Bodies(),
)
"""Every format, the most particular first: the first that recognises a file reads it."""


@dataclass(frozen=True)
class ImportProgress:
    """How far an import is."""

    stage: str
    """What is being done: ``recognising`` or ``importing``."""
    name: str
    """File or session at hand."""
    done: int
    """Files recognised, or files of which all sessions are written."""
    total: int
    """Files."""
    calls: int
    """Calls written so far."""


@dataclass(frozen=True)
class ImportSummary:
    """What came of an import; every file is in it."""

    files: int
    """Files looked at."""
    recognised: dict[str, int]
    """Files by the format they were read as."""
    sessions: tuple[WrittenSession, ...]
    """Sessions written, and those that were there already."""
    problems: tuple[Problem, ...]
    """What could not be read, and what was mended, in the order in which it was met."""
    passed_over: int
    """Files of a walked folder that cannot be JSON."""

    @property
    def calls(self) -> int:
        """Calls written."""
        return sum(session.calls for session in self.sessions)

    @property
    def lost(self) -> int:
        """Problems that cost something."""
        return sum(problem.lost for problem in self.problems)


def import_paths(
    paths: Sequence[Path],
    out: Path,
    *,
    format_name: str = "auto",
    force: bool = False,
    progress: Callable[[ImportProgress], None] = lambda _: None,
) -> ImportSummary:
    """Import logs into a directory of traces.

    Args:
        paths: Files, and folders that are walked (names that begin with a dot are passed over).
        out: The directory of traces; made where it is not there. What it holds is not overwritten.
        format_name: A name of :data:`IMPORTERS`, or ``auto``: each file is recognised by its content.
        force: Replace sessions imported under the same name from another state of their log.
        progress: Told before each file and after each call.

    Returns:
        What was written, what was there already, and every problem: one bad file never stops the rest.

    Raises:
        CannotWriteError: The directory cannot be written.
        InspectorError: There is no such format.
    """
    importers = [importer for importer in IMPORTERS if format_name in ("auto", importer.name)]
    if not importers:
        raise InspectorError(f"there is no format {format_name!r}", hint=f"Known: auto, {', '.join(format_names())}.")
    problems: list[Problem] = []
    walked = list(_walk(paths, out))
    groups: dict[tuple[str, Path], list[Document]] = {}
    passed_over = 0
    for done, (path, named) in enumerate(walked):
        progress(ImportProgress("recognising", path.name, done, len(walked), 0))
        document = Document(path)
        try:
            head = document.head()
            importer = _recognise_head(head, importers)
            if importer is None and not named and not _may_be_json(head):
                passed_over += 1
                continue
            importer = importer or _recognise(document.sample(), importers)
        except MALFORMED as error:
            problems.append(Problem(str(path), reason_of(error)))
            continue
        if isinstance(importer, str):
            problems.append(Problem(str(path), importer))
        else:
            groups.setdefault((importer.name, path.parent), []).append(document)
    traces = TraceDirectory(out, force=force)
    written = _write_all(groups, traces, problems, progress)
    return ImportSummary(
        files=len(walked),
        recognised=_counts(groups),
        sessions=tuple(written),
        problems=tuple(problems),
        passed_over=passed_over,
    )


def walk(paths: Sequence[Path], out: Path) -> Iterator[Path]:
    """Give every file that an import of ``paths`` looks at, once."""
    return (path for path, _ in _walk(paths, out))


def format_names() -> tuple[str, ...]:
    """Give the names of the formats."""
    return tuple(importer.name for importer in IMPORTERS)


def _write_all(
    groups: dict[tuple[str, Path], list[Document]],
    traces: TraceDirectory,
    problems: list[Problem],
    progress: Callable[[ImportProgress], None],
) -> list[WrittenSession]:
    by_name = {importer.name: importer for importer in IMPORTERS}
    state = _Counter(progress, total=sum(map(len, groups.values())))
    written: list[WrittenSession] = []
    mended: dict[Problem, None] = {}  # sessions of one file share its repairs: each is said once
    for (name, folder), documents in groups.items():
        sessions = by_name[name].read(documents, problems.append)
        while True:
            try:
                session = next(sessions, None)
            except MALFORMED as error:
                problems.append(Problem(str(folder), f"read as {name}: {reason_of(error)}"))
                break
            if session is None:
                break
            state.session = session.session
            try:
                written.append(traces.write(session, state.call_written))
            except MALFORMED as error:
                problems.append(Problem(session.source, f"session {session.session!r}: {reason_of(error)}"))
                continue
            mended.update(dict.fromkeys(Problem(session.source, repair, lost=False) for repair in session.repairs))
        state.done += len(documents)
    problems.extend(mended)
    return written


@dataclass
class _Counter:
    """Counts what is written and tells of it."""

    progress: Callable[[ImportProgress], None]
    total: int
    session: str = ""
    done: int = 0
    calls: int = 0

    def call_written(self) -> None:
        self.calls += 1
        self.progress(ImportProgress("importing", self.session, self.done, self.total, self.calls))


def _walk(paths: Sequence[Path], out: Path) -> Iterator[tuple[Path, bool]]:
    """Give every file once, and whether it was named itself."""
    seen: set[Path] = set()
    kept_out = out.resolve()
    for path in paths:
        for file, named in [(path, True)] if not path.is_dir() else _files_below(path, kept_out):
            resolved = file.resolve()
            if resolved not in seen:
                seen.add(resolved)
                yield file, named


def _files_below(folder: Path, kept_out: Path) -> Iterator[tuple[Path, bool]]:
    for root, folders, files in os.walk(folder):
        folders[:] = sorted(f for f in folders if not f.startswith(".") and (Path(root) / f).resolve() != kept_out)
        for file in sorted(files):
            if not file.startswith("."):
                yield Path(root) / file, False


def _may_be_json(head: bytes) -> bool:
    return head.lstrip().startswith((b"{", b"["))


def _recognise_head(head: bytes, importers: Sequence[Importer]) -> Importer | str | None:
    """Find who knows a file by its first bytes: formats that are no JSON."""
    return next((i for i in importers if isinstance(i, HeadImporter) and i.recognises_head(head)), None)


def _recognise(sample: Any, importers: Sequence[Importer]) -> Importer | str:
    """Find who reads a file with this first value; a text says why nobody does."""
    for importer in importers:
        if importer.recognises(sample):
            return importer
    hint = _hint(sample)
    tried = ", ".join(importer.name for importer in importers)
    return f"not recognised: {hint or looks_like(sample)} (tried: {tried})"


def _hint(sample: Any) -> str | None:
    """Name formats that are known to hold no prompt, or to need no import."""
    if not isinstance(sample, dict):
        return None
    if sample.get("type") == "header" and "v" in sample:
        return "a trace file of snapshot_sdk, which needs no import: open its directory"
    if "trajectory" in sample and "history" in sample:
        return "a SWE-agent trajectory whose steps carry no prompt (`messages` or `query`)"
    if "custom_id" in sample and "response" in sample:
        return "the output of an OpenAI batch, which holds answers but no requests: import the batch input"
    return None


def _counts(groups: dict[tuple[str, Path], list[Document]]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for (name, _), documents in groups.items():
        counts[name] = counts.get(name, 0) + len(documents)
    return counts
