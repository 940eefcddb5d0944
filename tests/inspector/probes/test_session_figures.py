"""Facts about figures over sessions, on samples whose calls were counted by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from inspector.index import Index
from inspector.probes.metrics import Metric
from inspector.probes.probe import Expected, Probe, Suite
from inspector.probes.results import AnswerRecord, AnswerStore, answers_file
from inspector.probes.session_figures import (
    UNNAMED,
    FiguresReport,
    SessionFigures,
    choose_suites,
    group_of,
    measure_session,
    measure_sessions,
)
from inspector.probes.suite import save_suite
from inspector.probes.suite_files import find_suite_files, read_own_suites
from snapshot_sdk.facts import Fact

LANGUAGE = Probe("language", "Which language?", Expected((Fact("text", "只用中文"),)), "constraint", due_from=1)
"""In order-4711: in the prompts of calls 1 to 12, gone from 13 to 21."""
NUMBER = Probe("number", "Which order?", Expected((Fact("id", "ORD-2024-001"),)), "artifact", due_from=3)
"""In order-4711, due from call 4: in 4 to 12, gone from 13 to 16, back from 17 to 21."""
ROLLBACK = Probe("rollback", "What not?", Expected((Fact("text", "roll anything back"),)), "constraint", due_from=3)
"""In night-shift, due from call 5: in 5 to 7, gone from 8 to 12."""
CITY = Probe("city", "Which city?", Expected((Fact("text", "Lisbon"),)), "constraint", due_from=1)
"""In lisbon-offsite: in all 21 calls of the main lane."""
SUITES = {
    "order-4711": Suite("order-4711", (LANGUAGE, NUMBER), "order-4711"),
    "night-shift": Suite("night-shift", (ROLLBACK,), "night-shift"),
    "lisbon-offsite": Suite("lisbon-offsite", (CITY,), "lisbon-offsite"),
}


@pytest.fixture
def report(samples: Index, tmp_path: Path) -> FiguresReport:
    """Three samples, each with its suite; no model was asked."""
    rows = [samples.session(name) for name in SUITES]
    return measure_sessions(rows, lambda row: measure_session(samples, row, SUITES[row.session], tmp_path))


def figure(figures: SessionFigures, name: str) -> Metric:
    """A figure of a session."""
    return next(one for one in figures.metrics if one.name == name)


def test_presence_is_counted_over_all_calls_of_all_sessions(report: FiguresReport) -> None:
    """12 of 21 and 14 of 18, 3 of 8, 21 of 21: 50 of 68."""
    shares = {one.row.session: figure(one, "key_information_presence").of for one in report.sessions}
    together = report.pooled[0]

    assert shares == {"order-4711": "26 of 39", "night-shift": "3 of 8", "lisbon-offsite": "21 of 21"}
    assert (together.metric.name, together.metric.of) == ("key_information_presence", "50 of 68")
    assert together.lowest is not None
    assert (together.lowest.session, together.lowest.value) == ("night-shift", 3 / 8)


def test_losses_are_counted_over_sessions(report: FiguresReport) -> None:
    """Language and rollback are gone at the end, the city is not: 2 of 3, in two of three sessions."""
    loss = next(one for one in report.pooled if one.metric.name == "constraint_loss_rate")

    assert (loss.metric.of, loss.sessions, loss.touched) == ("2 of 3", 3, 2)


def test_without_answers_recall_is_unknown(report: FiguresReport) -> None:
    """Nobody was asked: a share of nothing."""
    recall = report.pooled[1]

    assert (recall.metric.name, recall.metric.value, recall.sessions) == ("key_information_recall", None, 0)


def test_answers_at_hand_count(samples: Index, tmp_path: Path) -> None:
    """Two right answers of three, given in an earlier run: the model is not asked again."""
    store = AnswerStore(answers_file(tmp_path, "order-4711"))
    for call, said in ((4, "ORD-2024-001"), (5, "It is ORD-2024-001."), (13, "I do not know.")):
        store.add(_answer(call, said))
    row = samples.session("order-4711")
    recall = figure(measure_session(samples, row, SUITES["order-4711"], tmp_path), "key_information_recall")

    assert recall.of == "2 of 3"


def _answer(call: int, said: str) -> AnswerRecord:
    return AnswerRecord(
        session="order-4711", call=call, snapshot=f"id-{call}", probe="number", arm="as sent", replicate=1,
        request=f"sha256:{call}", question=NUMBER.question, api="openai.chat", endpoint="http://127.0.0.1", model="m",
        time="2026-11-28T14:02:00Z", answer=said, error=None,
    )  # fmt: skip


def test_without_a_suite_a_session_is_drafted(samples: Index, tmp_path: Path) -> None:
    """What the draft chooses is looked for, and the row names no suite."""
    found = measure_session(samples, samples.session("order-4711"), None, tmp_path)

    assert found.suite is None
    assert found.probes > 0
    assert figure(found, "key_information_presence").whole > 0


def test_a_session_that_cannot_be_read_stops_no_other(samples: Index, tmp_path: Path) -> None:
    """One that went since it was listed is named with the reason, and the rest is counted."""
    rows = [samples.session(name) for name in ("night-shift", "lisbon-offsite")]
    rows[0] = replace(rows[0], session="gone")
    found = measure_sessions(rows, lambda row: measure_session(samples, row, SUITES["lisbon-offsite"], tmp_path))

    assert [one.row.session for one in found.sessions] == ["lisbon-offsite"]
    assert [(one.session, one.why) for one in found.unread] == [("gone", "there is no session 'gone'")]
    assert found.pooled[0].metric.of == "21 of 21"


def test_it_can_be_stopped(report: FiguresReport) -> None:
    """What was measured stays, and how many were not is said."""
    rows = [one.row for one in report.sessions]
    known = {one.row.session: one for one in report.sessions}
    told: list[tuple[int, int]] = []
    found = measure_sessions(
        rows, lambda row: known[row.session], lambda done, total: told.append((done, total)), lambda: len(told) == 2
    )

    assert (len(found.sessions), found.left, told) == (2, 1, [(0, 3), (1, 3)])


def test_groups_have_their_own_sums(report: FiguresReport) -> None:
    """By model: each session is in one group, and the groups' wholes add up to that of all."""
    groups = report.groups("model")

    assert [(one.name, one.sessions) for one in groups] == [
        ("claude-sonnet-4-5", ("night-shift",)),
        ("gpt-4.1", ("order-4711", "lisbon-offsite")),
    ]
    assert groups[1].figures[0].metric.of == "47 of 60"
    assert sum(one.figures[0].metric.whole for one in groups) == report.pooled[0].metric.whole


def test_groups_are_of_what_sessions_say(report: FiguresReport) -> None:
    """The agent's name, the models in whatever order, the day; a session that says nothing is in a group of its own."""
    row = replace(report.sessions[0].row, agent="desk 1.4", models=("b", "a"), started="2026-11-28T14:02:00+00:00")

    assert [group_of(row, "agent"), group_of(row, "model"), group_of(row, "day")] == ["desk 1.4", "a, b", "2026-11-28"]
    assert group_of(replace(row, agent=None), "agent") == UNNAMED


def test_a_suite_of_one_session_is_put_to_others_only_if_these_are_named(report: FiguresReport) -> None:
    """What is due from turn 3 there would be missed in every other session of a directory."""
    rows = [one.row for one in report.sessions]
    own, named = (choose_suites(rows, SUITES["night-shift"], {}, named=named) for named in (False, True))

    assert {name: len(suite.probes) for name, suite in own.items() if suite is not None} == {
        "order-4711": 0,
        "night-shift": 1,
        "lisbon-offsite": 0,
    }
    assert set(named.values()) == {SUITES["night-shift"]}


def test_a_suite_that_names_no_session_is_put_to_all(report: FiguresReport) -> None:
    """Named or not."""
    suite = Suite("desk", (NUMBER,))

    assert set(choose_suites([one.row for one in report.sessions], suite, {}).values()) == {suite}


def test_the_suite_that_was_drafted_from_a_session_is_its_own(tmp_path: Path, report: FiguresReport) -> None:
    """Of two the first by name; one that cannot be read is told of, and the others are read."""
    (tmp_path / "probes").mkdir()
    for file, suite in (("b", SUITES["night-shift"]), ("a", replace(SUITES["night-shift"], name="first"))):
        save_suite(suite, tmp_path / "probes" / f"{file}.toml")
    (tmp_path / "probes" / "broken.toml").write_text("[[probes]", "utf-8")
    own = read_own_suites(find_suite_files([tmp_path / "inspector.toml"]))
    suites = choose_suites([one.row for one in report.sessions], None, own.by_session)

    assert [one.name if one else None for one in suites.values()] == [None, "first", None]
    assert len(own.troubles) == 1
    assert "broken.toml" in own.troubles[0]


def test_recorded_sessions_are_grouped_by_the_build_they_name(recorded: Callable[..., Index], tmp_path: Path) -> None:
    """A session without an agent's name is not dropped."""
    body: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
    index = recorded([body])
    found = measure_sessions(index.sessions(), lambda row: measure_session(index, row, None, tmp_path))

    assert [(one.name, one.sessions) for one in found.groups("agent")] == [(UNNAMED, ("shop",))]
