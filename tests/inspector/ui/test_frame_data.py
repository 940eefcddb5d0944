"""The strip gets columns: one entry a call."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from inspector.analysis.changes import SessionChanges
from inspector.model.views import CallRow, CompactionRow, IndexState, Sentence, SessionRow
from inspector.model.watches import make_watch
from inspector.ui.frame_data import (
    gone_note,
    gone_words,
    growth_columns,
    lane_numbers,
    live_data,
    ranks,
    session_line,
    short_path,
    strip_data,
)

MakeCall = Callable[..., CallRow]
MakeSession = Callable[..., SessionRow]
MakeChanges = Callable[..., SessionChanges]


def test_columns_have_an_entry_a_call(
    make_call: MakeCall, make_session: MakeSession, make_changes: MakeChanges
) -> None:
    """Turns, sizes, limits, ranks and growth run in step; compactions and lost pins come from what changed."""
    calls = [make_call(1, 100), make_call(2, None, budget=None), make_call(3, 300, status="failed")]
    rule = make_watch({"text": "Answer in Chinese"})
    recorded = CompactionRow("c", "done", "trim", None, None, "main", "", 9, 4, None, None, None, 2, 1, 3)
    changes = make_changes(
        ["Answer in Chinese only.", "a"], ["b"], ["b", "c"], compaction_rows=[recorded], watches=[rule]
    )

    data = strip_data(make_session(), calls, changes, default_call=2)

    assert data["turns"] == ["t1", "t2", "t3"]
    assert data["tokens"] == [100, None, 300]
    assert data["limits"] == [16_000, 128_000, 16_000]
    assert data["failed"] == [3]
    assert [3, "trim"] in data["compactions"]
    assert (data["gone_from"], data["gone_words"]) == ([2], "1 pin gone since call 2")
    assert len(data["growth"]) == len(data["ranks"]) == len(data["thresholds"]) == 3


def test_a_pin_that_is_back_is_told_as_the_story_tells_it(make_changes: MakeChanges) -> None:
    """Gone from one call until another, not since: the strip and the story say the same."""
    rules = [make_watch({"text": text}) for text in ("Answer in Chinese", "Never ship")]
    first = make_changes(["Answer in Chinese only."], ["b"], ["Answer in Chinese only."], watches=rules[:1])
    both = make_changes(["Answer in Chinese only.", "Never ship"], ["b"], ["Answer in Chinese only."], watches=rules)

    assert gone_words(first) == "1 pin gone from call 2 until call 3"
    assert gone_words(both) == "2 pins gone since call 2, 1 of them back"
    assert gone_words(make_changes(["a"])) == ""


def test_a_column_shows_the_worst_at_its_call(make_call: MakeCall, make_session: MakeSession) -> None:
    """Failed calls and lost pins are errors, cut answers warnings; what the story says counts too."""
    calls = [
        make_call(1, status="incomplete"),
        make_call(2, status="failed"),
        make_call(3),
        make_call(4),
        make_call(5),
    ]
    story = (
        Sentence("warning", "over_budget", "over", 4),
        Sentence("info", "compaction", "taken", 1),
        Sentence("error", "file", "damaged", None),
    )

    assert ranks(make_session(story=story), calls, [3]) == [1, 2, 2, 1, 0]


def test_sub_agents_have_lanes_of_their_own(make_call: MakeCall) -> None:
    """The main lane comes first even when another called first."""
    calls = [make_call(1, lane="researcher"), make_call(2), make_call(3, lane="researcher")]

    assert lane_numbers(calls) == [["main", [2]], ["researcher", [1, 3]]]


def test_growth_is_judged_within_a_lane(make_call: MakeCall) -> None:
    """The calls of a sub-agent do not count as growth or shrinking of the main one."""
    calls = [make_call(number, number * 1_000, lane="main") for number in range(1, 6)]
    calls[2:2] = [make_call(9, 15_000, lane="researcher")]

    assert growth_columns(calls) == [None, None, None, None, None, [1_000, 11]]


def test_the_line_of_a_session_says_what_it_is(make_session: MakeSession) -> None:
    """Agent, models, size and time; imported sessions say so; what is unknown is left out."""
    assert session_line(make_session()).startswith("order-desk · gpt-4.1 · 2 turns · 3 calls · 2026-11-28 ")
    bare = make_session(agent=None, models=("a", "b", "c"), turns=0, calls=1, origin="imported")
    assert session_line(bare).startswith("a, b and 1 more · 1 call · ")
    assert session_line(bare).endswith(" · imported")


def test_the_live_line_tells_how_far_reading_is() -> None:
    """The state of the index goes to the browser as it is."""
    state = IndexState(3, 41, 3, 3_400_000_000, 1_200_000_000, 214, True, "read-only")

    assert live_data(state, 7) == {
        "polls": 7,
        "running": True,
        "files": 41,
        "files_done": 3,
        "bytes": 3_400_000_000,
        "bytes_done": 1_200_000_000,
        "calls": 214,
        "note": "read-only",
    }


def test_a_directory_is_written_as_its_reader_types_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Below the working directory or the home it is short."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path.parent))

    assert short_path(tmp_path / "snapshots") == "./snapshots"
    assert short_path(tmp_path) == "."
    assert short_path(tmp_path.parent / "elsewhere") == "~/elsewhere"
    assert short_path(Path("/var/log/x")) == "/var/log/x"


def test_sessions_that_went_are_said() -> None:
    """One by its name, more by their number, none not at all."""
    assert gone_note(()) is None
    assert gone_note(["order-4711"]) == "order-4711 is gone: its trace files were removed"
    assert gone_note(["a", "b"]) == "2 sessions are gone: their trace files were removed"
