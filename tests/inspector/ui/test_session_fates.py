"""What happened to messages, compactions and pins, in words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from inspector.analysis.compactions import CompactionChange
from inspector.analysis.lifelines import LifeEvent
from inspector.analysis.pins import PinLife
from inspector.model.fates import Fate
from inspector.model.views import TokenCount
from inspector.ui.session_fates import compaction_fate, compaction_lines, event_words, pin_words

COUNT = TokenCount(4_000, "counted")
TAKEN = CompactionChange(
    number=1,
    id="c",
    call=30,
    before_call=29,
    said_by="recorded",
    certainty="certain",
    evidence="recorded by the agent",
    lane="main",
    state="done",
    strategy="summary",
    policy="history > 70 %",
    reason="over the limit",
    caller="agent/memory.py:118",
    duration_ms=2_080.0,
    error=None,
    tokens_before=COUNT,
    tokens_after=COUNT,
    layers_before={},
    layers_after={},
    fates={Fate.SUMMARISED: 23},
    summary=67,
    taken=tuple(range(5, 28)),
    tokens_taken=3_791,
    tokens_left=604,
)
INFERRED = replace(TAKEN, id=None, said_by="inferred", certainty="likely", evidence="a new summary stands there")
EVENT = LifeEvent(30, Fate.SUMMARISED, "likely", "recorded", "a new summary stands there", 67)
PIN = PinLife("p", "中文", "rule", None, False, 1, None, {1: "verbatim", 30: "gone"}, (5,), 30)


def test_an_event_of_a_recorded_compaction_names_its_code() -> None:
    """The agent's own record is the cause."""
    assert event_words(EVENT, TAKEN) == "taken by m67 at call 30 · recorded by agent/memory.py:118"


def test_a_recorded_compaction_without_its_code_is_the_agents() -> None:
    """An importer knows no line of code."""
    assert event_words(EVENT, replace(TAKEN, caller=None)).endswith("recorded by the agent")


@pytest.mark.parametrize("taker", [None, INFERRED])
def test_an_inferred_event_says_how_sure(taker: CompactionChange | None) -> None:
    """Certainty is a word, never a share."""
    assert event_words(EVENT, taker) == "taken by m67 at call 30 · inferred, likely: a new summary stands there"


@pytest.mark.parametrize(
    ("fate", "words"),
    [(Fate.EVICTED, "taken out"), (Fate.EDITED, "rewritten"), (Fate.TRUNCATED, "cut"), (Fate.RETURNED, "back")],
)
def test_every_fate_has_its_verb(fate: Fate, words: str) -> None:
    """What happened is a plain word."""
    assert event_words(replace(EVENT, fate=fate, other=None), None).startswith(f"{words} at call 30")


def test_a_recorded_compaction_names_figures_policy_and_code() -> None:
    """Reason, policy, code and duration, as recorded."""
    assert compaction_lines(TAKEN) == [
        "A summary took 23 messages: 3,791 tokens became 604.",
        "Recorded: “over the limit”, “history > 70 %”, agent/memory.py:118, 2.1 s.",
    ]


def test_an_inferred_compaction_says_what_shows_it() -> None:
    """Nobody recorded it; the prompts do."""
    assert compaction_lines(INFERRED)[1] == "Inferred, likely: a new summary stands there."


def test_a_contradiction_of_the_record_is_a_line() -> None:
    """The record is believed, and where the prompts disagree it is said."""
    assert compaction_lines(replace(TAKEN, contradictions=("m5 is still there.",)))[-1] == "▲ m5 is still there."


def test_a_failed_compaction_took_nothing() -> None:
    """Its state is what is told."""
    lines = compaction_lines(replace(TAKEN, state="failed", error="timeout", taken=()))
    assert lines[0] == "A summary was recorded as failed."
    assert "error: timeout" in lines[1]


def test_a_trim_leaves_nothing() -> None:
    """Tokens taken, none left."""
    trim = replace(TAKEN, strategy="trim", summary=None, tokens_left=None)
    assert compaction_lines(trim)[0] == "A trim took 23 messages, 3,791 tokens."


def test_an_edit_shortens() -> None:
    """An edited message is still there."""
    edit = replace(TAKEN, strategy="edit", summary=None, fates={Fate.EDITED: 1}, taken=(5,))
    assert compaction_lines(edit)[0] == "An edit shortened 1 message: 3,791 tokens became 604."


@pytest.mark.parametrize(
    ("changes", "fate"),
    [
        ({}, Fate.SUMMARISED),
        ({"strategy": "trim", "summary": None}, Fate.EVICTED),
        ({"strategy": "edit", "summary": None, "fates": {Fate.TRUNCATED: 2, Fate.EDITED: 1}}, Fate.TRUNCATED),
        ({"strategy": None, "summary": None, "fates": {Fate.EVICTED: 2}}, Fate.EVICTED),
        ({"strategy": None, "summary": None, "fates": {}}, None),
    ],
)
def test_the_symbol_of_a_compaction_is_what_it_did(changes: dict[str, object], fate: Fate | None) -> None:
    """A summary condenses, a trim evicts, an edit alters."""
    assert compaction_fate(replace(TAKEN, **changes)) is fate  # type: ignore[arg-type]


def test_a_lost_pin_names_when_and_by_what() -> None:
    """The call, the message that carried it and the compaction that took that."""
    pin = replace(PIN, cause=EVENT, cause_message=5, cause_compaction=1)
    assert pin_words(pin, [TAKEN]) == (
        "pinned, gone since call 30; m5 taken by m67 at call 30 · recorded by agent/memory.py:118"
    )


def test_a_pin_that_came_back_has_an_end() -> None:
    """Gone from a call until another."""
    pin = replace(PIN, verdicts={1: "verbatim", 30: "gone", 31: "gone", 33: "verbatim"})
    assert pin_words(pin, []) == "pinned, gone from call 30 until call 33"


def test_of_several_gaps_the_last_is_told() -> None:
    """What matters is how it stands; the earlier gaps are counted."""
    pin = replace(PIN, verdicts={1: "verbatim", 30: "gone", 33: "verbatim", 40: "gone"})
    assert pin_words(pin, []) == "pinned, gone since call 40 (and 1 time before, first at call 30)"


def test_a_pin_that_held_says_since_when() -> None:
    """No news is a line too; a reader's own pin is a watch."""
    assert pin_words(replace(PIN, first_broken_call=None, watched=True), []) == "watched, in every call since call 1"


def test_an_altered_pin_is_not_called_gone() -> None:
    """Its words are there, in other writing."""
    pin = replace(PIN, verdicts={1: "verbatim", 30: "altered"})
    assert pin_words(pin, []) == "pinned, altered since call 30"
