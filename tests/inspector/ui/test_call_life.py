"""The life of a message in lines."""

from __future__ import annotations

from collections.abc import Callable

from inspector.analysis.changes import SessionChanges
from inspector.model.views import CompactionRow
from inspector.model.watches import make_watch
from inspector.ui.call_life import FIRST_EVENTS, LAST_EVENTS, life_lines, still_said_line

MakeChanges = Callable[..., SessionChanges]
OLD = "the state: choosing a slot on Saturday morning, by SMS"
NEW = "the state: choosing a slot on Sunday morning, by SMS"


def told(changes: SessionChanges, number: int, call: int) -> list[str]:
    """The lines as they read."""
    return [
        f"{'later ' if line.get('later') else ''}{line['symbol']} {line.get('where', '')}: {line['text']}"
        for line in life_lines(changes, number, call, lambda call: f"turn {call}")
    ]


def test_who_took_it_is_said(make_changes: MakeChanges) -> None:
    """By the record, with its reason and the line of code."""
    row = CompactionRow(
        "c", "done", "trim", None, "history > 70 %", "main", "", 9, 4, None, None, "agent/memory.py:118", 2, 1, 2
    )
    changes = make_changes(["alpha", "beta"], ["alpha"], compaction_rows=[row])
    assert told(changes, 2, 2) == [
        "+ call 1 · turn 1: added",
        "✕ call 2 · turn 2: taken out; recorded by the agent: “history > 70 %”, agent/memory.py:118",
    ]


def test_what_nobody_recorded_is_inferred(make_changes: MakeChanges) -> None:
    """With its certainty in words."""
    assert told(make_changes(["alpha", "beta"], ["alpha"]), 2, 2)[1] == (
        "✕ call 2 · turn 2: taken out; inferred, certain"
    )


def test_an_edit_leads_to_compare(make_changes: MakeChanges) -> None:
    """The two calls it happened between."""
    lines = life_lines(make_changes(["alpha", OLD], ["alpha", NEW]), 2, 2, lambda call: None)
    assert lines[1]["compare"] == [1, 2]
    assert lines[1]["where"] == "call 2"


def test_what_comes_later_is_told_as_such(make_changes: MakeChanges) -> None:
    """The call that is looked at knows nothing of it."""
    changes = make_changes(["alpha", "beta"], ["alpha", "beta"], ["alpha"])
    assert told(changes, 2, 2)[-1].startswith("later ✕ call 3")


def test_a_long_life_is_cut_in_the_middle(make_changes: MakeChanges) -> None:
    """A state that is rewritten at every call."""
    calls = [["alpha", f"the state: slot {n} on Saturday morning, by SMS, as agreed"] for n in range(30)]
    lines = told(make_changes(*calls), 2, 30)
    assert len(lines) == FIRST_EVENTS + 1 + LAST_EVENTS
    assert lines[FIRST_EVENTS] == f"⋯ : {30 - FIRST_EVENTS - LAST_EVENTS} changes between"


def test_a_watch_can_be_removed_from_its_message(make_changes: MakeChanges) -> None:
    """And says since when its text is gone."""
    watch = make_watch({"text": "beta"}, reason="said twice")
    changes = make_changes(["alpha", "beta two"], ["alpha"], watches=[watch])
    lines = life_lines(changes, 2, 2, lambda call: None)
    assert [line["watch"] for line in lines if "watch" in line] == [watch.id]
    assert [line["text"] for line in lines[-2:]] == [
        "watched since call 1: “beta” (“said twice”)",
        "that text is gone since call 2",
    ]


def test_what_is_said_nowhere(make_changes: MakeChanges) -> None:
    """The summary that took it is named, where it still stands."""
    blocks = make_changes(["[summary] nothing of it", "beta"]).contexts[0].blocks
    assert still_said_line("Answer in Chinese only.", blocks, [9, 2], 9)["text"] == (
        "nothing in this call says it: no copy, not in summary m9"
    )
    assert still_said_line("Answer in Chinese only.", blocks, [9, 2], 4)["text"] == (
        "nothing in this call says it: no copy"
    )


def test_what_is_still_said_names_where(make_changes: MakeChanges) -> None:
    """All of it, or how much."""
    blocks = make_changes(["beta", "note: Answer in Chinese. It is ORD-1."]).contexts[0].blocks
    whole = still_said_line("Answer in Chinese. It is ORD-1.", blocks, [3, 8], None)
    half = still_said_line("Answer in Chinese. No flight before nine.", blocks, [3, 8], None)
    assert whole["text"] == "this call still says it, word for word: m8"
    assert half["text"] == "1 of its 2 sentences still stand in this call: m8; not in it: “No flight before nine.”"


def test_a_pin_that_a_summary_quotes_is_still_there(make_changes: MakeChanges) -> None:
    """The message is gone, the words that matter are not: both are said."""
    watch = make_watch({"text": "never more than 800 words"})
    summary = "[summary] Constraints, verbatim: never more than 800 words, said Dana"
    rule = "One hard rule: never more than 800 words, please, said Dana about all constraints, verbatim"
    changes = make_changes(["alpha", rule], ["alpha", summary], watches=[watch])
    lines = [line["text"] for line in life_lines(changes, 2, 2, lambda call: None)]
    assert lines[-1] == "that text still stands in this call, only in a summary: m3"
    blocks = changes.contexts[1].blocks
    assert still_said_line(rule, blocks, [1, 3], 3, is_held=True)["text"] == (
        "none of its sentences stands in this call: no copy, not in summary m3"
    )
