"""Figures of all sessions: measured in the background, what is known is not measured again, and what the table says."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from inspector.index import Index, open_index
from inspector.model.views import SessionRow
from inspector.probes.metrics import Metric, measure
from inspector.probes.probe import Expected, Probe, Suite
from inspector.probes.session_figures import FiguresReport, SessionFigures, Unread
from inspector.ui.probes_sessions import sessions_payload, table_payload
from inspector.ui.probes_sessions_run import FiguresRun, FiguresRuns, Measured
from snapshot_sdk import Recorder
from snapshot_sdk.facts import Fact

MakeSession = Callable[..., SessionRow]
LONG = 60.0
"""Seconds; a run of three small sessions ends long before."""
ORDER = Suite("desk", (Probe("order", "Which order?", Expected((Fact("id", "ORD-2024-001"),)), "artifact"),))


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    """Three sessions; two say the order number, and one of these loses it."""
    said = {"role": "user", "content": "My order number is ORD-2024-001."}
    other = {"role": "user", "content": "Which shelf is the kettle on?"}
    for name, calls in (("lost", ([said], [other])), ("kept", ([said], [said, other])), ("silent", ([other],))):
        with Recorder(tmp_path / "traces", session=name) as recorder:
            for messages in calls:
                recorder.snapshot({"model": "m", "messages": messages}, api="openai.chat", lane="main")
    with open_index(tmp_path / "traces") as index:
        index.refresh()
        yield index


def ended(run: FiguresRun) -> FiguresReport:
    """What came of a run."""
    run.wait(LONG)
    assert run.report is not None
    return run.report


def test_all_sessions_are_measured_in_the_background(index: Index) -> None:
    """The figures are those of each session and of all together."""
    run = FiguresRuns(index).start(ORDER)
    report = ended(run)

    assert {one.row.session for one in report.sessions} == {"lost", "kept", "silent"}
    assert report.pooled[0].metric.of == "3 of 4"
    assert (run.progress.done, run.progress.total, run.running) == (3, 3, False)


def test_what_is_known_is_not_measured_again(index: Index) -> None:
    """By a second run; but other probes are."""
    runs = FiguresRuns(index)
    first, second, other = (ended(runs.start(suite)) for suite in (ORDER, ORDER, None))

    assert all(one is again for one, again in zip(first.sessions, second.sessions, strict=True))
    assert not any(one is again for one, again in zip(first.sessions, other.sessions, strict=True))


def test_a_session_with_new_calls_is_measured_again(index: Index) -> None:
    """And only that one."""
    runs = FiguresRuns(index)
    before = {one.row.session: one for one in ended(runs.start(ORDER)).sessions}
    with Recorder(index.directory, session="kept") as recorder:
        recorder.snapshot({"model": "m", "messages": [{"role": "user", "content": "Hello?"}]}, api="openai.chat")
    index.refresh()
    after = {one.row.session: one for one in ended(runs.start(ORDER)).sessions}

    assert {name for name in before if before[name] is not after[name]} == {"kept"}


class Held(Measured):
    """Measures when the gate opens, and says when it waits there."""

    def __init__(self, index: Index) -> None:
        super().__init__(index)
        self.gate = threading.Event()
        self.waits = threading.Event()

    def measure(self, row: SessionRow, suite: Suite | None) -> SessionFigures:
        """Wait, then measure."""
        self.waits.set()
        assert self.gate.wait(LONG)
        return super().measure(row, suite)


def test_a_run_that_is_cancelled_keeps_what_it_has(index: Index) -> None:
    """The session under way is waited for, the others are left out and counted."""
    held = Held(index)
    run = FiguresRun(index, held, ORDER, 1)
    assert held.waits.wait(LONG)
    run.cancel()
    told = sessions_payload(run, table=True)
    held.gate.set()
    report = ended(run)

    assert (told["running"], told["cancelling"], told["words"]) == (True, True, "0 of 3 sessions measured")
    assert told["table"] is None
    assert (len(report.sessions), report.left) == (1, 2)


def test_a_fault_reaches_the_page(index: Index) -> None:
    """A thread has nobody above it: the run ends, and why is said."""

    class Broken(Measured):
        def measure(self, row: SessionRow, suite: Suite | None) -> SessionFigures:
            raise ZeroDivisionError("of nothing")

    run = FiguresRun(index, Broken(index), ORDER, 1)
    run.wait(LONG)

    assert sessions_payload(run, table=True)["table"] is None
    assert sessions_payload(run, table=True)["troubles"] == ["The figures ended: ZeroDivisionError: of nothing"]


def test_the_table_is_sent_to_those_who_asked(index: Index) -> None:
    """Of a thousand sessions it is large."""
    run = FiguresRuns(index).start(ORDER)
    ended(run)

    assert sessions_payload(run, table=False)["table"] is None
    assert len(sessions_payload(run, table=True)["table"]["sessions"]) == 3


def figures(row: SessionRow, part: float, whole: int) -> SessionFigures:
    """A session whose first figure is a share; the others are of nothing."""
    first, *rest = measure((), (), (), {})
    return SessionFigures(row, "desk", 1, (Metric(first.name, part, whole, first.formula), *rest))


def table(*sessions: SessionFigures, **more: Any) -> dict[str, Any]:
    """The table of sessions."""
    return table_payload(FiguresReport(sessions, **{"unread": (), **more}))


def test_a_cell_says_its_share_and_what_it_is_of(make_session: MakeSession) -> None:
    """With its number to sort by; a share of nothing is unknown, and no 0."""
    found = table(figures(make_session("a"), 1, 4))
    [[name, probes, _, cells]] = found["sessions"]

    assert (name, probes) == ("a", "desk, 1 probe")
    assert cells[:2] == [["25 %", "1 of 4", 0.25], ["–", "of nothing", None]]
    assert found["columns"][0] == ["present", "key_information_presence", "facts in the context / facts due"]


def test_all_together_say_from_where_to_where_they_reach(make_session: MakeSession) -> None:
    """And how many sessions have the figure at all."""
    found = table(
        *(figures(make_session(name), part, whole) for name, part, whole in (("a", 1, 4), ("b", 0, 2), ("c", 0, 0)))
    )
    count, cells = found["all"]

    assert count == "3 sessions"
    assert cells[0] == ["17 %", "1 of 6", 1 / 6, "0 % (b) to 25 % (a); in 2 of 3 sessions, in 1 above 0"]
    assert cells[1][3] == "in none of 3 sessions"


def test_groups_are_offered_where_they_tell_sessions_apart(make_session: MakeSession) -> None:
    """Two builds by the agent's name; of one model and one day there is nothing to tell."""
    rows = [make_session("a", agent="desk 1.4"), make_session("b", agent="desk 1.5")]
    found = table(figures(rows[0], 1, 4), figures(rows[1], 3, 4))

    assert list(found["groups"]) == ["agent"]
    assert [(name, size, cells[0][0]) for name, size, cells in found["groups"]["agent"]] == [
        ("desk 1.4", "1 session", "25 %"),
        ("desk 1.5", "1 session", "75 %"),
    ]
    assert found["sessions"][0][2] == ["desk 1.4", "gpt-4.1", "2026-11-28"]


def test_what_has_no_row_is_named(make_session: MakeSession) -> None:
    """Sessions that cannot be read, with the reason, and how many were left out."""
    found = table(figures(make_session("a"), 1, 4), unread=(Unread("torn", "its body is lost"),), left=7)

    assert (found["unread"], found["left"]) == ([["torn", "its body is lost"]], 7)


def test_a_suite_of_one_session_says_so(index: Index) -> None:
    """The page tells why the others have no figures of probes."""
    run = FiguresRuns(index).start(replace(ORDER, session="kept"))
    report = ended(run)

    assert sessions_payload(run, table=True)["of"] == "kept"
    assert report.pooled[0].metric.of == "2 of 2"
