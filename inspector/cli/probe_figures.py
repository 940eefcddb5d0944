"""Figures over several sessions for ``context-inspector probe --metrics``: all together, groups, each session."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from inspector.cli.counting_bar import counting_bar
from inspector.cli.exits import Exit
from inspector.cli.probe_output import metrics_json, share_cell
from inspector.cli.terminal import complain, one_line, write_json, write_table
from inspector.cli.traces import opened, say_unreadable
from inspector.errors import SessionNotFoundError
from inspector.index import Index
from inspector.model.views import SessionRow
from inspector.probes.metrics import SHORT_NAMES
from inspector.probes.pooled import Extreme, PooledMetric
from inspector.probes.probe import Suite
from inspector.probes.session_figures import (
    FiguresReport,
    Group,
    Grouping,
    SessionFigures,
    Unread,
    choose_suites,
    measure_session,
    measure_sessions,
)
from inspector.probes.suite_files import find_suite_files, read_own_suites

ALL = "all sessions"
"""What the row of all together is called."""


def show_figures(
    directory: Path, named: Sequence[str], suite: Suite | None, by: Grouping | None, *, as_json: bool
) -> int:
    """Measure sessions and print their figures; a session that cannot be read is named, and the rest counted.

    Args:
        directory: The traces.
        named: Sessions; none: every one.
        suite: Put to them; None: each has its own.
        by: What tells groups apart; None: no groups.
        as_json: Print JSON.

    Raises:
        SessionNotFoundError: There is none of the named sessions.
    """
    with opened(directory) as traces:
        say_unreadable(traces)
        rows, missing = _find(traces, named)
        measured = _measure(traces, rows, suite, named=bool(named))
    report = FiguresReport(measured.sessions, (*missing, *measured.unread))
    groups = report.groups(by) if by is not None else ()
    if as_json:
        write_json(_json(report, groups))
    else:
        _print(report, groups)
    for one in report.unread:
        complain(one_line(f"{one.session} is not counted: {one.why}"))
    if not rows:
        complain("nothing was measured: there are no sessions", "Record some, or name the directory that holds them.")
    return Exit.PARTLY if report.unread or not rows else Exit.DONE


def _find(traces: Index, named: Sequence[str]) -> tuple[list[SessionRow], list[Unread]]:
    """Find the rows of sessions, in order of time where none is named."""
    if not named:
        return sorted(traces.sessions(), key=lambda row: (row.started, row.session)), []
    rows: dict[str, SessionRow] = {}
    missing: dict[str, SessionNotFoundError] = {}
    for name in named:
        try:
            row = traces.session(name)
        except SessionNotFoundError as error:
            missing[name] = error
        else:
            rows[row.session] = row
    if not rows:
        raise next(iter(missing.values()))
    return list(rows.values()), [Unread(name, error.message) for name, error in missing.items()]


def _measure(traces: Index, rows: Sequence[SessionRow], suite: Suite | None, *, named: bool) -> FiguresReport:
    own = read_own_suites(find_suite_files(traces.watchlist.files if suite is None else ()))
    for trouble in own.troubles:
        complain(one_line(f"a suite is passed over: {trouble}"))
    others = [row for row in rows if suite is not None and suite.session not in (None, row.session)]
    if suite is not None and others:
        put = "they are asked its probes all the same" if named else "of probes these have no figures"
        count = f"{len(others)} other session{'' if len(others) == 1 else 's'}"
        hint = None if named else "Name them, or take `session` out of the suite."
        complain(one_line(f"the suite was made for session {suite.session!r}; {count}: {put}"), hint)
    suites = choose_suites(rows, suite, own.by_session, named=named)
    folder = traces.watchlist.file.parent
    with counting_bar("Measuring") as tell:
        return measure_sessions(rows, lambda row: measure_session(traces, row, suites[row.session], folder), tell)


def _print(report: FiguresReport, groups: Sequence[Group]) -> None:
    count = len(report.sessions)
    rows = (
        (
            one.metric.name,
            share_cell(one.metric.value),
            one.metric.of,
            _end(one.lowest),
            _end(one.highest),
            f"{one.sessions:,} of {count:,}",
            one.metric.formula,
        )
        for one in report.pooled
    )
    write_table(("figure", "share", "of", "lowest", "highest", "sessions", "formula"), rows, cut=("formula",))
    click.echo()
    columns = ("session", "suite", *SHORT_NAMES.values())
    write_table(columns, _rows(report, groups), right=tuple(SHORT_NAMES.values()))


def _rows(report: FiguresReport, groups: Sequence[Group]) -> Iterator[tuple[object, ...]]:
    yield f"{ALL} ({len(report.sessions):,})", None, *_shares(report.pooled)
    for group in groups:
        yield f"{group.name} ({len(group.sessions):,})", None, *_shares(group.figures)
    for one in report.sessions:
        yield one.row.session, _suite(one), *(share_cell(metric.value) for metric in one.metrics)


def _shares(figures: Sequence[PooledMetric]) -> list[str | None]:
    return [share_cell(one.metric.value) for one in figures]


def _suite(one: SessionFigures) -> str:
    return f"{one.suite or 'draft'} ({one.probes})"


def _end(extreme: Extreme | None) -> str | None:
    return None if extreme is None else f"{extreme.value:.1%} {extreme.session}"


def _json(report: FiguresReport, groups: Sequence[Group]) -> dict[str, Any]:
    return {
        "all": _pooled_json(report.pooled),
        "groups": [
            {"name": one.name, "sessions": list(one.sessions), "metrics": _pooled_json(one.figures)} for one in groups
        ],
        "sessions": [
            {
                "session": one.row.session,
                "agent": one.row.agent,
                "models": list(one.row.models),
                "started": one.row.started,
                "suite": one.suite,
                "probes": one.probes,
                "metrics": metrics_json(one.metrics),
            }
            for one in report.sessions
        ],
        "unread": [{"session": one.session, "why": one.why} for one in report.unread],
    }


def _pooled_json(figures: Sequence[PooledMetric]) -> dict[str, Any]:
    plain = metrics_json([one.metric for one in figures])
    for one in figures:
        plain[one.metric.name] |= {
            "sessions": one.sessions,
            "above_zero": one.touched,
            "lowest": one.lowest,
            "highest": one.highest,
        }
    return plain
