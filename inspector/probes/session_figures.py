"""The figures of sessions, each with its suite and the answers at hand; one that cannot be read stops no other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, get_args

from inspector.analysis.change_asking import trace_changes
from inspector.errors import InspectorError
from inspector.model.views import SessionRow
from inspector.probes.asking import Cell, make_cells
from inspector.probes.draft import draft_probes, suite_of
from inspector.probes.judging import recorded_verdicts
from inspector.probes.look import ProbeLook, Recorded, SessionFacts, look, read_facts
from inspector.probes.metrics import Metric, measure
from inspector.probes.pooled import PooledMetric, pool
from inspector.probes.probe import Suite
from inspector.probes.results import answers_file, latest, read_answers
from inspector.probes.timeline import records_of
from snapshot_sdk.errors import TraceError

Grouping = Literal["agent", "model", "day"]
"""What a session says of itself that tells one build of an agent from another."""
GROUPINGS: Final[tuple[Grouping, ...]] = get_args(Grouping)
UNNAMED: Final = "not named"
"""Group of the sessions that do not say."""


@dataclass(frozen=True)
class SessionFigures:
    """The figures of one session."""

    row: SessionRow
    suite: str | None
    """Name of the suite its probes stand in; None: they were drafted from the session just now, or there are none."""
    probes: int
    """Probes that were looked for."""
    metrics: tuple[Metric, ...]


@dataclass(frozen=True)
class Unread:
    """A session that has no figures."""

    session: str
    why: str
    """A sentence."""


@dataclass(frozen=True)
class Group:
    """Sessions that say the same of themselves."""

    name: str
    sessions: tuple[str, ...]
    figures: tuple[PooledMetric, ...]


@dataclass(frozen=True)
class FiguresReport:
    """The figures of several sessions."""

    sessions: tuple[SessionFigures, ...]
    """In the order they were asked for."""
    unread: tuple[Unread, ...]
    left: int = 0
    """Sessions that were not looked at, as it was stopped."""

    @property
    def pooled(self) -> tuple[PooledMetric, ...]:
        """All sessions together."""
        return _pooled(self.sessions)

    def groups(self, by: Grouping) -> tuple[Group, ...]:
        """Return the figures of the sessions that belong together, by name of the group.

        Args:
            by: What they have in common: the agent's name, the models used, or the day of the first record (UTC).
        """
        found: dict[str, list[SessionFigures]] = {}
        for one in self.sessions:
            found.setdefault(group_of(one.row, by), []).append(one)
        return tuple(
            Group(name, tuple(one.row.session for one in found[name]), _pooled(found[name])) for name in sorted(found)
        )


def _pooled(sessions: Sequence[SessionFigures]) -> tuple[PooledMetric, ...]:
    return pool((one.row.session, one.metrics) for one in sessions)


def group_of(row: SessionRow, by: Grouping) -> str:
    """Name the group of a session; each session is in one.

    Args:
        row: The session.
        by: What tells the groups apart.
    """
    if by == "agent":
        return row.agent or UNNAMED
    if by == "model":
        return ", ".join(sorted(row.models)) or UNNAMED
    return row.started[:10] or UNNAMED


def cells_at_hand(looks: Sequence[ProbeLook], session: str, folder: Path) -> tuple[Cell, ...]:
    """Decide the verdicts of probes by looking and by the answers that models gave before.

    Args:
        looks: The probes.
        session: That they were looked for in.
        folder: That holds the folder of answers.
    """
    kept = tuple(read_answers(answers_file(folder, session)))
    return make_cells(looks, records_of(looks, latest(iter(kept))), judge=recorded_verdicts(kept))


def measure_session(index: Recorded, row: SessionRow, suite: Suite | None, folder: Path) -> SessionFigures:
    """Measure one session; nobody is asked, answers at hand count.

    Args:
        index: Where it comes from.
        row: The session.
        suite: Its probes; None: those that a draft from the session chooses.
        folder: That holds the folder of answers.

    Raises:
        InspectorError: It cannot be read.
    """
    facts = read_facts(index, row.session, trace_changes(index, row.session, row))
    asked = suite if suite is not None else _drafted(index, facts)
    looks = look(asked.probes, facts)
    cells = cells_at_hand(looks, row.session, folder)
    metrics = measure(looks, cells, facts.changes.contexts, facts.answers)
    return SessionFigures(row, None if suite is None else suite.name, len(looks), metrics)


def _drafted(index: Recorded, facts: SessionFacts) -> Suite:
    drafts = draft_probes(facts, index.pins(facts.session), index.watches(facts.session))
    return suite_of(drafts, facts.session)


def choose_suites(
    rows: Iterable[SessionRow], suite: Suite | None, own: Mapping[str, Suite], *, named: bool = False
) -> dict[str, Suite | None]:
    """Choose the probes of each session.

    Args:
        rows: The sessions.
        suite: Put to all; None: each has its own.
        own: Suites that were drafted from a session, by session; what has none is drafted anew.
        named: The user named these sessions: a suite that was made for another one is meant for them, too. Else it
            is put to its own only: what is due from turn 3 there would be missed in every other.

    Returns:
        By session; None: its draft.
    """
    if suite is None:
        return {row.session: own.get(row.session) for row in rows}
    nothing = Suite(suite.name, (), suite.session)
    return {row.session: suite if named or suite.session in (None, row.session) else nothing for row in rows}


def measure_sessions(
    rows: Sequence[SessionRow],
    measure_one: Callable[[SessionRow], SessionFigures],
    progress: Callable[[int, int], None] = lambda done, total: None,
    stopped: Callable[[], bool] = lambda: False,
) -> FiguresReport:
    """Measure sessions one after the other; of each no more is kept than its figures.

    Args:
        rows: The sessions.
        measure_one: Measures one; :func:`measure_session`.
        progress: Is told how many are done, and of how many.
        stopped: Asked before each session; True: the rest is left out.
    """
    found: list[SessionFigures] = []
    unread: list[Unread] = []
    for done, row in enumerate(rows):
        if stopped():
            return FiguresReport(tuple(found), tuple(unread), len(rows) - done)
        progress(done, len(rows))
        try:
            found.append(measure_one(row))
        except InspectorError as error:
            unread.append(Unread(row.session, error.message))
        except TraceError as error:
            unread.append(Unread(row.session, str(error)))
    progress(len(rows), len(rows))
    return FiguresReport(tuple(found), tuple(unread))
