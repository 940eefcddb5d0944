"""Imports files and folders: finds out what each is, reads it, writes it, and accounts for every file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from inspector.errors import InspectorError
from inspector.importers.agents.aider import Aider
from inspector.importers.agents.claude_code import ClaudeCode
from inspector.importers.agents.codex import Codex
from inspector.importers.agents.gemini_cli import GeminiCli
from inspector.importers.agents.mini_swe_agent import MiniSweAgent
from inspector.importers.agents.opencode import OpenCode
from inspector.importers.agents.openhands import OpenHands
from inspector.importers.agents.pi import Pi
from inspector.importers.agents.swe_agent import SweAgent
from inspector.importers.base import Importer, Problem
from inspector.importers.evaluations.inspect_ai import InspectAI
from inspector.importers.exchanges.bodies import Bodies
from inspector.importers.exchanges.openai_batch import OpenAIBatch
from inspector.importers.exchanges.vcr import Vcr
from inspector.importers.finding import Candidate, candidates
from inspector.importers.reading.documents import Document
from inspector.importers.reading.unpacking import Unpacked
from inspector.importers.reading.unreadable import MALFORMED, UnreadableError, reason_of
from inspector.importers.recognising import recognise
from inspector.importers.traces.langfuse import Langfuse
from inspector.importers.traces.langgraph import LangGraph
from inspector.importers.traces.langsmith import LangSmith
from inspector.importers.traces.otel import OpenTelemetry
from inspector.importers.training.fine_tuning import FineTuning
from inspector.importers.training.sharegpt import ShareGPT
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
    InspectAI(),
    Vcr(),
    Langfuse(),
    LangSmith(),
    OpenTelemetry(),
    LangGraph(),
    ShareGPT(),
    OpenAIBatch(),
    FineTuning(),
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
    with Unpacked() as unpacked:
        return _import(list(candidates(paths, out)), TraceDirectory(out, force=force), importers, unpacked, progress)


def format_names() -> tuple[str, ...]:
    """Give the names of the formats."""
    return tuple(importer.name for importer in IMPORTERS)


def _import(
    walked: Sequence[Candidate],
    traces: TraceDirectory,
    importers: Sequence[Importer],
    unpacked: Unpacked,
    progress: Callable[[ImportProgress], None],
) -> ImportSummary:
    problems: list[Problem] = []
    groups: dict[tuple[str, Path], list[Document]] = {}
    passed_over = 0
    for done, (path, named) in enumerate(walked):
        progress(ImportProgress("recognising", path.name, done, len(walked), 0))
        try:
            opened = unpacked.open(path)
        except (OSError, UnreadableError) as error:
            problems.append(Problem(str(path), reason_of(error)))
            continue
        if opened.lost is not None:
            problems.append(Problem(str(path), opened.lost))
        document = Document(opened.path)
        importer = recognise(document, importers, named=named)
        if importer is None:
            passed_over += 1
        elif isinstance(importer, str):
            problems.append(Problem(str(path), importer))
        else:
            groups.setdefault((importer.name, opened.path.parent), []).append(document)
    written = _write_all(groups, traces, problems, progress)
    return ImportSummary(
        files=len(walked),
        recognised=_counts(groups),
        sessions=tuple(written),
        problems=tuple(replace(problem, source=unpacked.packed(problem.source)) for problem in problems),
        passed_over=passed_over,
    )


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


def _counts(groups: dict[tuple[str, Path], list[Document]]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for (name, _), documents in groups.items():
        counts[name] = counts.get(name, 0) + len(documents)
    return counts
