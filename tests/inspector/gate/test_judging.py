"""Facts about what a gate says of one session."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from inspector.gate.case import Case
from inspector.gate.judging import judge_session
from inspector.index import open_index
from snapshot_sdk import Recorder

Find = Callable[[str, str], Case]


@pytest.mark.parametrize("name", ["Never answer", "order", "paired", "budget", "budget of tool_results"])
def test_what_is_lost_fails_at_the_call_that_lacks_it(report: object, case: Find, name: str) -> None:
    """Each of the five things that go wrong at call 2 is said of call 2, with its trace file and line."""
    found = [one for one in _cases(report, "broken") if name in one.name and one.state == "fails"]
    assert found[0].calls[-1] == 2
    assert found[0].place is not None
    assert found[0].place.rpartition(":")[2].isdigit()


@pytest.mark.parametrize("name", ["Never answer", "order", "paired", "window"])
def test_what_holds_is_said_to_hold(case: Find, name: str) -> None:
    """In the session that lost nothing, pin, probe, pairing and window hold."""
    assert case("healthy", name).state == "holds"


def test_a_lost_pin_is_told_as_on_the_sessions_page(case: Find) -> None:
    """The message quotes the pin and says since when it is gone."""
    assert case("broken", "Never answer").message.startswith(
        "The pinned text “Never answer in English” is gone since call 2"
    )


def test_a_result_without_its_call_is_named_with_its_id(case: Find) -> None:
    """The message names the call, what is wrong and the id that has no partner."""
    assert case("broken", "paired").message == "Call 2 has a result without its call (c1, message 2)."


def test_a_session_without_budgets_has_no_case_of_one(report: object) -> None:
    """Nothing is said of a budget nobody set."""
    assert [one.name for one in _cases(report, "healthy") if "budget" in one.name] == []


def test_a_suite_that_names_a_session_is_asked_of_that_one_only(traces: Path) -> None:
    """A probe drafted from one session is no case of another."""
    from inspector.probes.suite import load_suite

    file = traces.parent / "own.toml"
    probe = '[[probes]]\nid = "o"\nquestion = "?"\nkind = "recall"\nexpected = { id = "ORD-2024-001" }\n'
    file.write_text(f'session = "healthy"\n{probe}', "utf-8")
    with open_index(traces) as index:
        index.refresh()
        suite = load_suite(file)
        kinds = {name: {one.kind for one in judge_session(index, name, [suite])} for name in ("broken", "healthy")}
    assert ["probes" in kinds[name] for name in ("broken", "healthy")] == [False, True]


def test_a_pin_that_no_prompt_follows_is_skipped(tmp_path: Path) -> None:
    """Nothing is known of a pin set after the last call."""
    with Recorder(tmp_path, session="late") as recorder:
        recorder.snapshot({"model": "gpt-4.1", "messages": [{"role": "user", "content": "hi"}]}, api="openai.chat")
        recorder.pin("say please")
    with open_index(tmp_path) as index:
        index.refresh()
        (pin,) = [one for one in judge_session(index, "late", []) if one.kind == "pins"]
    assert pin.state == "skipped"


def _cases(report: object, session: str) -> list[Case]:
    return [one for one in report.cases if one.session == session]  # type: ignore[attr-defined]
