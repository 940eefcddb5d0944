"""Each incident of the samples is found by the analysis alone, and by the one rule that knows it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from inspector.analysis.change_asking import trace_changes
from inspector.analysis.story import add_stories
from inspector.analysis.story_state import tell_drifted_state
from inspector.analysis.told import Told
from inspector.importers.run import import_paths
from inspector.index import open_index
from inspector.model.views import SessionRow
from sample_data import TRACES

pytestmark = pytest.mark.xdist_group("samples")  # their stories are told once, not by every worker

FOUND = {
    "checkout-504": ("repeated_call", "error", 4),
    "october-margin": ("reasoning_growth", "warning", 6),
    "group-visit": ("cache_broken", "warning", 2),
    "storage-review": ("pin_gone", "error", 18),
    "team-dinner": ("overwritten", "error", 8),
}
"""Session → kind, severity and call of the sentence that tells its incident."""
OWN_RULES = {"repeated_call", "reasoning_growth", "cache_broken", "overwritten", "state_drift"}
AGENTS = ("claude-code", "codex", "gemini-cli", "pi", "opencode", "openhands", "swe-agent", "aider")
"""Folders of logs with many calls a session."""


@pytest.fixture(scope="module")
def rows() -> Iterator[dict[str, SessionRow]]:
    """All samples with their stories."""
    with open_index(TRACES) as index:
        index.refresh()
        yield {row.session: row for row in add_stories(index, index.sessions())}


@pytest.mark.parametrize("session", FOUND)
def test_the_incident_is_the_first_sentence(rows: dict[str, SessionRow], session: str) -> None:
    """Of its kind, as bad as it is, at the call where it shows."""
    first = rows[session].story[0]

    assert (first.kind, first.severity, first.call) == FOUND[session]


def test_the_repeated_call_names_what_was_cut(rows: dict[str, SessionRow]) -> None:
    """The result of the first read, and how often the file was read; the cut that nobody recorded is told after it."""
    first, second = rows["checkout-504"].story

    assert first.text == (
        'read_file({"path": "gateway.yaml"}) was called again for the same result: m8 had been cut from 1,672 to 600 '
        "characters (and 3 more). The same call was made 4 times."
    )
    assert first.message == 8
    assert (second.kind, second.call) == ("compaction", 4)
    assert "Nothing recorded it" in second.text


def test_the_growth_names_the_guess(rows: dict[str, SessionRow]) -> None:
    """The clause that every thought copies, and the first of them."""
    (sentence,) = rows["october-margin"].story

    assert "4.2-fold" in sentence.text
    assert "“gmv 已经是净额” of m4 is in all 5 thoughts and in no other message" in sentence.text


def test_the_clock_has_its_place_in_bytes(rows: dict[str, SessionRow]) -> None:
    """The second line of the instructions; no hit is reported in the whole session."""
    (sentence,) = rows["group-visit"].story

    assert sentence.text.startswith("No cache hit is reported: “2026-11-26T08:14:08Z” (m1, from byte 125)")
    assert "at 14 of 14 calls" in sentence.text
    assert sentence.page == "compare"


def test_the_hold_was_taken_by_the_server(rows: dict[str, SessionRow]) -> None:
    """The summary is named, and that the provider's server made it."""
    story = rows["storage-review"].story
    compaction = next(s for s in story if s.kind == "compaction" and s.call == 18)

    assert "billing_2023 is under legal hold" in story[0].text
    assert story[0].text.endswith("does not quote it. The lane scout billing never had it.")
    assert "The provider's server did it" in compaction.text
    assert story[0].message is not None


def test_the_lost_change_is_quoted(rows: dict[str, SessionRow]) -> None:
    """With the two calls that ran at the same time."""
    first = rows["team-dinner"].story[0]

    assert first.text.startswith("Calls 7 (t4) and 8 (t5) ran at the same time")
    assert "人数改成 22 人" in first.text


def test_the_answers_that_break_the_rule_are_told(rows: dict[str, SessionRow]) -> None:
    """From the first one on, with what is in it and that the rule was gone."""
    story = rows["tea-house-posts"].story
    broken = next(s for s in story if s.kind == "rule_broken")

    assert broken.text == (
        "The answer of call 19 (and 1 more) has an exclamation mark; the pinned text “一个感叹号都不要用” was not in "
        "its prompt."
    )
    assert broken.call == 19


def test_rules_that_were_kept_are_not_called_broken(rows: dict[str, SessionRow]) -> None:
    """All answers of order-4711 are in Chinese, although the rule was gone."""
    assert {row.session for row in rows.values() if any(s.kind == "rule_broken" for s in row.story)} == {
        "returns-desk",
        "tea-house-posts",
    }


def test_the_drift_is_found_without_the_pin() -> None:
    """By the values of the state alone; with the pin, that sentence is enough."""
    with open_index(TRACES) as index:
        index.refresh()
        row = index.session("sanya-trip")
        changes = trace_changes(index, row.session)
        told = Told(row, index.calls(row.session), replace(changes, pins=()))
        (sentence,) = tell_drifted_state(told)

        assert list(tell_drifted_state(replace(told, changes=changes))) == []

    assert sentence.call == 14
    assert sentence.page == "compare"
    assert sentence.text.startswith(
        "“budget” in the state went from “8000元” (given in m10) to “8500元” at call 14 (sample_data/"
    )
    assert "no user and no tool had said so; only the assistant wrote it, in m37" in sentence.text


def test_an_altered_pin_leads_to_its_change(rows: dict[str, SessionRow]) -> None:
    """Compare shows the two calls between which it was edited."""
    first = rows["sanya-trip"].story[0]

    assert (first.call, first.page) == (14, "compare")
    assert "“budget: 8000元” became “budget: 8500元”" in first.text


def test_no_rule_speaks_of_another_sample(rows: dict[str, SessionRow]) -> None:
    """Each of these kinds is told of one sample only, and of no healthy one."""
    told = {(row.session, s.kind) for row in rows.values() for s in row.story if s.kind in OWN_RULES}

    assert told == {(session, kind) for session, (kind, *_) in FOUND.items() if kind in OWN_RULES}


@pytest.mark.realdata
def test_no_rule_speaks_of_real_logs_without_such_an_incident(realdata: Path, tmp_path: Path) -> None:
    """Agents that were watched while nothing of the kind happened."""
    summary = import_paths([realdata / name for name in AGENTS if (realdata / name).is_dir()], tmp_path)
    with open_index(tmp_path) as index:
        index.refresh()
        told = [s.text for row in add_stories(index, index.sessions()) for s in row.story if s.kind in OWN_RULES]

    assert summary.calls > 200
    assert told == []
