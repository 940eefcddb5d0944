"""The figures of all sessions as the Probes page shows them: a row a session, all together first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inspector.probes.metrics import SHORT_NAMES, Metric
from inspector.probes.pooled import Extreme, PooledMetric
from inspector.probes.session_figures import GROUPINGS, FiguresReport, Grouping, group_of
from inspector.ui.format import UNKNOWN, format_count, format_share
from inspector.ui.probes_sessions_run import FiguresRun


def sessions_payload(run: FiguresRun, *, table: bool) -> dict[str, Any]:
    """Return how far a run is, and what came of it.

    Args:
        run: The run.
        table: The reader asked for its table, which is large of many sessions.
    """
    progress = run.progress
    of = "the sessions are being listed" if progress.total is None else _measured_words(progress.done, progress.total)
    shown = run.report if table and not run.running else None
    return {
        "number": run.number,
        "suite": None if run.suite is None else run.suite.name,
        "of": None if run.suite is None else run.suite.session,
        "running": run.running,
        "cancelling": run.cancelling,
        "done": progress.done,
        "total": progress.total,
        "words": of,
        "troubles": _troubles(run),
        "table": None if shown is None else table_payload(shown),
    }


def _troubles(run: FiguresRun) -> list[str]:
    ended = [] if run.error is None else [run.error[:1].upper() + run.error[1:]]
    return [*ended, *(f"A suite is passed over: {why}" for why in run.passed_over)]


def _measured_words(done: int, total: int) -> str:
    return f"{done:,} of {format_count(total, 'session')} measured"


def table_payload(report: FiguresReport) -> dict[str, Any]:
    """Return the table: its columns, all sessions together, the groups there are, the sessions, and what has no row.

    Args:
        report: The figures.
    """
    return {
        "columns": [[SHORT_NAMES[one.metric.name], one.metric.name, one.metric.formula] for one in report.pooled],
        "all": [format_count(len(report.sessions), "session"), _pooled(report.pooled, len(report.sessions))],
        "groups": {by: groups for by in GROUPINGS if len(groups := _groups(report, by)) > 1},
        "sessions": [
            [
                one.row.session,
                f"{one.suite or 'draft'}, {format_count(one.probes, 'probe')}",
                [group_of(one.row, by) for by in GROUPINGS],
                [_cell(metric) for metric in one.metrics],
            ]
            for one in report.sessions
        ],
        "unread": [[one.session, one.why] for one in report.unread],
        "left": report.left,
    }


def _groups(report: FiguresReport, by: Grouping) -> list[list[Any]]:
    return [
        [group.name, format_count(len(group.sessions), "session"), _pooled(group.figures, len(group.sessions))]
        for group in report.groups(by)
    ]


def _pooled(figures: Sequence[PooledMetric], sessions: int) -> list[list[Any]]:
    return [[*_cell(one.metric), _spread(one, sessions)] for one in figures]


def _cell(metric: Metric) -> list[Any]:
    """The share in words, what it is of, and its number to sort by; null: it is of nothing."""
    return [UNKNOWN if metric.value is None else format_share(metric.value), metric.of, metric.value]


def _spread(one: PooledMetric, sessions: int) -> str:
    """From which session to which it reaches, in words."""
    if one.lowest is None or one.highest is None:
        return f"in none of {format_count(sessions, 'session')}"
    in_how_many = f"{one.sessions:,} of {format_count(sessions, 'session')}, in {one.touched:,} above 0"
    return f"{_end(one.lowest)} to {_end(one.highest)}; in {in_how_many}"


def _end(extreme: Extreme) -> str:
    return f"{format_share(extreme.value)} ({extreme.session})"
