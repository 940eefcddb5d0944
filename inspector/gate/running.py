"""Runs a gate over a directory: every session, every suite; one that cannot be read never stops the rest."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any, Final, Protocol

from inspector.errors import InspectorError
from inspector.gate.case import Case, GateKind, GateReport
from inspector.gate.judging import Archive, judge_session
from inspector.model.views import LineErrorRow, SessionRow
from inspector.probes.probe import Suite
from snapshot_sdk.errors import TraceError

LAST_LINE: Final = "last line"
"""What the case of a file is called whose last line is not complete."""

_NOT_COMPLETE: Final = "the last line is not complete: a call may be under way"
_UNREAD: Final = "SELECT file, lines + 1 FROM files WHERE read_to < size AND NOT refused ORDER BY file"
"""Files with something behind their last complete line."""


class Rows(Protocol):
    """What a query gives."""

    @property
    def rows(self) -> tuple[tuple[Any, ...], ...]:
        """Its rows."""


class Directory(Archive, Protocol):
    """All sessions of a directory: the index, seen from here."""

    def sessions(self) -> tuple[SessionRow, ...]:
        """List them."""

    def line_errors(self) -> tuple[LineErrorRow, ...]:
        """List the lines that could not be read."""

    def sql(self, query: str) -> Rows:
        """Run a query on the documented views."""


def run_gate(
    index: Directory,
    name: str,
    suites: Sequence[Suite],
    fail_on: Collection[GateKind],
    progress: Callable[[int, int], None] | None = None,
) -> GateReport:
    """Judge every session of a directory.

    Args:
        index: The directory.
        name: What the report calls it.
        suites: Probes to look for; none: no probes are judged.
        fail_on: Kinds whose failures close the gate.
        progress: Is told how many sessions are judged, and of how many.
    """
    rows = sorted(index.sessions(), key=lambda row: (row.started, row.session))
    cases = [_damage(error) for error in index.line_errors()]
    cases += [_not_complete(file, line) for file, line in index.sql(_UNREAD).rows]
    for done, row in enumerate(rows):
        if progress is not None:
            progress(done, len(rows))
        try:
            cases += judge_session(index, row.session, suites)
        except (InspectorError, TraceError) as error:
            cases.append(Case("files", row.session, "readable", "fails", str(error)))
    cases = [*cases, *_never_due(cases, suites)]
    return GateReport(name, len(rows), sum(row.calls for row in rows), tuple(cases), frozenset(fail_on))


def _damage(error: LineErrorRow) -> Case:
    place = f"{error.file}:{error.line}"
    return Case("files", _folder(error.file), f"line {error.line}", "fails", error.reason, place=place)


def _not_complete(file: str, line: int) -> Case:
    """Whether its writer is still at it, or was killed, the file does not tell."""
    return Case("files", _folder(file), LAST_LINE, "skipped", _NOT_COMPLETE, place=f"{file}:{line}")


def _folder(file: str) -> str:
    """The folder of a trace file, which is a session's."""
    return file.rpartition("/")[0] or file


def _never_due(cases: Sequence[Case], suites: Sequence[Suite]) -> list[Case]:
    """A probe that no session of the directory is about checks nothing, and must not pass for one that holds."""
    judged = {case.name for case in cases if case.kind == "probes" and case.state != "skipped"}
    unjudged = {case.name: case for case in cases if case.kind == "probes" and case.state == "skipped"}
    named = [(suite, f"{suite.name}: {probe.id}") for suite in suites for probe in suite.probes]
    return [
        replace(
            unjudged.get(name, Case("probes", suite.session or "", name, "skipped")),
            session=suite.session or "(every session)",
            state="fails",
            message="It checks nothing: it was due in no session.",
        )
        for suite, name in named
        if name not in judged and not _undecided(unjudged.get(name))
    ]


def _undecided(case: Case | None) -> bool:
    return case is not None and "looking cannot decide" in case.message
