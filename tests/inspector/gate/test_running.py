"""Facts about a gate over a directory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from inspector.gate.case import KINDS, Case, GateReport
from inspector.gate.running import run_gate
from inspector.index import Index, open_index


def test_every_session_is_judged(report: GateReport) -> None:
    """The report counts the sessions and their calls."""
    assert (report.sessions, report.calls) == (2, 3)


def test_a_probe_that_was_due_nowhere_fails(case: Callable[[str, str], Case]) -> None:
    """A probe that no session is about must not pass for one that holds."""
    found = case("(every session)", "passport")
    assert (found.state, found.message) == ("fails", "It checks nothing: it was due in no session.")


def test_a_probe_due_in_some_sessions_is_skipped_in_the_others(index: Index, suite: Path, traces: Path) -> None:
    """Only what is due nowhere is a fault of the suite."""
    from inspector.probes.suite import load_suite
    from snapshot_sdk import Recorder

    with Recorder(traces, session="other") as recorder:
        recorder.snapshot({"model": "gpt-4.1", "messages": [{"role": "user", "content": "hi"}]}, api="openai.chat")
    index.refresh()
    found = run_gate(index, "desk", [load_suite(suite)], KINDS).cases
    states = {one.session: one.state for one in found if "order" in one.name}
    assert states == {"broken": "fails", "healthy": "holds", "other": "skipped"}


def test_a_damaged_line_is_a_case_and_stops_nothing(traces: Path) -> None:
    """A line that cannot be read fails with its file, line and reason; the sessions are judged all the same."""
    file = next(traces.glob("healthy-*/*.jsonl"))
    file.write_bytes(file.read_bytes() + b'{"v": 1, "type": \n')
    with open_index(traces) as index:
        index.refresh()
        found = run_gate(index, "desk", [], KINDS)
    (damage,) = [one for one in found.cases if one.kind == "files"]
    assert damage.place is not None
    assert damage.place.startswith(f"{file.parent.name}/{file.name}:")
    assert found.sessions == 2


def test_a_last_line_that_is_not_complete_is_a_skipped_case(traces: Path) -> None:
    """Its writer may be at it: it neither fails nor goes unsaid, and its place is told."""
    file = next(traces.glob("healthy-*/*.jsonl"))
    lines = file.read_bytes().count(b"\n")
    file.write_bytes(file.read_bytes() + b'{"v":1,"type":"snap')
    with open_index(traces) as index:
        index.refresh()
        found = run_gate(index, "desk", [], KINDS)
    (last,) = [one for one in found.cases if one.kind == "files"]
    assert (last.state, last.message) == ("skipped", "the last line is not complete: a call may be under way")
    assert last.place == f"{file.parent.name}/{file.name}:{lines + 1}"


def test_only_the_named_kinds_close_the_gate(index: Index) -> None:
    """What fails of another kind is reported, and does not close it."""
    found = run_gate(index, "desk", [], ["budgets"])
    assert {one.kind for one in found.closing} == {"budgets"}
    assert {one.kind for one in found.failures} == {"pins", "pairing", "budgets"}


def test_progress_counts_the_sessions(index: Index) -> None:
    """The caller learns how many sessions are judged, and of how many."""
    told: list[tuple[int, int]] = []
    run_gate(index, "desk", [], KINDS, lambda done, total: told.append((done, total)))
    assert told == [(0, 2), (1, 2)]
