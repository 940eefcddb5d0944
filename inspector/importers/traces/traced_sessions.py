"""Sessions out of the exports of a tracing tool: read once for their trees, and again, call by call, for the rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from inspector.importers.base import ImportedCall, ImportedSession, Problem, Report
from inspector.importers.reading.documents import Document, digest_of
from inspector.importers.reading.json_pieces import Loader
from inspector.importers.reading.unreadable import MALFORMED, reason_of
from inspector.importers.traces.traced_forest import Forest, Node, TracedSession
from inspector.importers.traces.traced_lanes import Lanes


@dataclass(frozen=True)
class Tracer:
    """What is particular to a tracing tool."""

    name: str
    """Name of the importer."""
    calls_are: str
    """What it calls a request to a model, in the plural."""
    plant: Callable[[Document, Forest, Report, list[str]], None]
    """Puts what a file holds into the forest; what was mended goes into the list."""
    call_of: Callable[[Node, Loader], ImportedCall | None]
    """Reads a call; None where it holds no prompt."""


def read_sessions(tracer: Tracer, documents: Sequence[Document], report: Report) -> Iterator[ImportedSession]:
    """Read the files of a folder together: a session may stand in several, and what names it in others.

    Args:
        tracer: The tool.
        documents: Its files.
        report: Told of what could not be read.
    """
    forest = Forest()
    repairs: dict[Path, list[str]] = {}
    unread: set[Path] = set()
    for document in documents:
        try:
            tracer.plant(document, forest, report, repairs.setdefault(document.path, []))
        except MALFORMED as error:
            unread.add(document.path)
            report(Problem(str(document.path), reason_of(error)))
    by_path = {document.path: document for document in documents}
    useful = {piece.path for node in forest.calls() for piece in node.pieces} | unread
    for path in by_path:
        if path not in useful and not forest.holds_traces_of(path):
            report(Problem(str(path), f"an export without any {tracer.calls_are}: there is no prompt in it"))
    sessions = forest.sessions()
    files_of = [_files(session) for session in sessions]
    held = Counter(path for files in files_of for path in files)
    for session, files in zip(sessions, files_of, strict=True):
        digests = [by_path[path].digest for path in files]
        alone = len(files) == 1 and held[files[0]] == 1  # a file beside it changes nothing
        yield ImportedSession(
            session=session.name,
            format=tracer.name,
            source=files[0].name if len(files) == 1 else files[0].resolve().parent.name,
            # Sessions of one file do not pass for each other.
            digest=digests[0] if alone else digest_of([*digests, session.name]),
            calls=lambda session=session: _calls(tracer, session, report),  # type: ignore[misc]
            agent=_agent(session, forest),
            repairs=tuple(repair for path in files for repair in repairs[path]),
            meta={"traces": list(dict.fromkeys(call.node.trace for call in session.calls))},
        )


def _calls(tracer: Tracer, session: TracedSession, report: Report) -> Iterator[ImportedCall]:
    loader, lanes = Loader(), Lanes(session)
    empty: dict[Path, list[str]] = {}
    for placed in session.calls:
        path = placed.node.pieces[0].path
        try:
            call = tracer.call_of(placed.node, loader)
        except MALFORMED as error:
            report(Problem(str(path), f"{placed.node.id}: {reason_of(error)}"))
            continue
        if call is None:
            empty.setdefault(path, []).append(placed.node.id)
        elif isinstance(call.request, str):
            yield replace(call, turn=placed.turn)
        else:
            yield replace(call, turn=placed.turn, lane=lanes.lane_of(placed, call.request))
    for path, ids in empty.items():
        reason = f"{len(ids)} of the {tracer.calls_are} of session {session.name!r} hold no prompt, the first {ids[0]}"
        report(Problem(str(path), reason))


def _files(session: TracedSession) -> list[Path]:
    """Give the files that hold calls of a session."""
    return list(dict.fromkeys(piece.path for call in session.calls for piece in call.node.pieces))


def _agent(session: TracedSession, forest: Forest) -> str | None:
    """Name the agent: the one that leads the first trace, else the trace."""
    leader = next((call.owner for call in session.calls if call.main and call.owner is not None), None)
    return leader.name if leader is not None else forest.names_of_traces.get(session.calls[0].node.trace)
