"""Sentences about what changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from inspector.analysis.changes import SessionChanges, trace_session
from inspector.analysis.story import tell_story
from inspector.model.context import Block, CallContext
from inspector.model.views import CompactionRow, PinRow, Sentence, SessionRow, TokenCount
from inspector.model.watches import Watch

Make = Callable[..., Block]
Calls = Callable[..., list[CallContext]]

SESSION = SessionRow(
    session="s", agent=None, models=(), calls=3, turns=3, started="", ended="", peak=TokenCount(None, "unknown"),
    window=None, budget=None, threshold=None, compactions=0, pins=0, pins_gone=0, failed_calls=0, fill=(),
    lanes=(("main", 3),), origin="recorded", exact=("values",),
)  # fmt: skip
ROW = CompactionRow(
    id="c", state="done", strategy="summary", policy=None, reason="history > 70 %", lane="main", time="t",
    tokens_before=3791, tokens_after=604, duration_ms=None, error=None, caller="agent/memory.py:118",
    before_messages=30, after_messages=8, call=2,
)  # fmt: skip
RULE = "never more than 5 words"


def tell(changes: SessionChanges, answers: Mapping[int, str] | None = None) -> list[Sentence]:
    """The story, as far as changes tell it."""
    return list(tell_story(SESSION, (), changes, (), answers))


def texts(changes: SessionChanges, answers: Mapping[int, str] | None = None) -> list[str]:
    """Its sentences."""
    return [sentence.text for sentence in tell(changes, answers)]


def pin(text: str, **more: Any) -> PinRow:
    """A pin on a text since call 1."""
    return replace(PinRow(text, text, None, None, 1, None, (), {"text": text}, "main"), **more)


@pytest.fixture
def dialogue(block: Make) -> list[Block]:
    """Six messages."""
    return [block(f"message {word} of the dialogue") for word in ("one", "two", "three", "four", "five", "six")]


def test_a_recorded_summary_is_told_with_its_figures(dialogue: list[Block], block: Make, calls: Calls) -> None:
    """What it took, what became of the tokens, why and by whom."""
    summary = block("<summary>all</summary>", "system", is_summary=True)
    changes = trace_session(calls(dialogue, [summary, dialogue[5]]), (), [ROW])
    (sentence,) = tell(changes)

    assert sentence.text == (
        "A summary took 5 messages: 139 tokens became 22. Recorded: “history > 70 %”, agent/memory.py:118."
    )
    assert (sentence.severity, sentence.call, sentence.message, sentence.compaction, sentence.page) == (
        "info", 2, 7, 1, "compare",
    )  # fmt: skip


def test_without_a_call_after_it_the_recorded_figures_are_told(calls: Calls, dialogue: list[Block]) -> None:
    """There is nothing else to go by."""
    changes = trace_session(calls(dialogue), (), [replace(ROW, call=None)])

    assert texts(changes) == [
        "A summary was made: 3,791 tokens became 604. Recorded: “history > 70 %”, agent/memory.py:118."
    ]


def test_what_nobody_recorded_is_a_warning(dialogue: list[Block], calls: Calls) -> None:
    """Silent loss."""
    (sentence,) = tell(trace_session(calls(dialogue, dialogue[2:])))

    assert sentence.severity == "warning"
    assert sentence.text == "A trim took 2 messages, 54 tokens. Nothing recorded it; the prompts show it (certain)."


def test_a_sliding_window_is_one_sentence(dialogue: list[Block], block: Make, calls: Calls) -> None:
    """However many calls it slides over."""
    more = [*dialogue, *(block(f"{n} more is said in this dialogue") for n in range(10))]
    changes = trace_session(calls(*(more[n : n + 6] for n in range(10))))

    assert len(changes.compactions) == 9
    assert [text.partition(" messages")[0] for text in texts(changes)] == ["From call 2 to call 10, 9 trims took 9"]


def test_a_failed_compaction_is_an_error(dialogue: list[Block], calls: Calls) -> None:
    """With its reason, and how many others."""
    rows = [replace(ROW, id=str(n), state="failed", error="no model") for n in range(2)]

    assert texts(trace_session(calls(dialogue, dialogue), (), rows)) == [
        "A compaction failed: no model. So did 1 more."
    ]


def test_a_contradiction_is_a_warning(dialogue: list[Block], calls: Calls) -> None:
    """The record is believed, and the disagreement is said."""
    changes = trace_session(calls(dialogue, dialogue[2:]), (), [replace(ROW, state="running")])

    assert (
        "The record of a compaction disagrees with the prompts: Recorded as running, but m1 and m2 are gone at call 2."
        in texts(changes)
    )


def test_pins_lost_together_are_told_once(dialogue: list[Block], calls: Calls) -> None:
    """With the cause."""
    pins = [pin("message one"), pin("message two"), pin("one of the")]
    story = tell(trace_session(calls(dialogue, dialogue[2:]), (), (), pins))

    assert story[0].text == (
        "The pinned texts “message one”, “message two” and 1 more are gone since call 2: a trim took their messages "
        "m1 and m2."
    )
    assert (story[0].severity, story[0].message, story[0].compaction) == ("error", 1, 1)


def test_a_pin_that_came_back_is_told_until_when(dialogue: list[Block], calls: Calls) -> None:
    """From call to call."""
    changes = trace_session(calls(dialogue, dialogue[2:], dialogue), (), (), [pin("message one")])

    assert texts(changes)[0] == (
        "The pinned text “message one” is gone from call 2 until call 3: a trim took its message m1."
    )


def test_a_lost_watch_is_told_as_a_pin(dialogue: list[Block], calls: Calls) -> None:
    """It counts the same."""
    watch = Watch("w", {"text": "message one"}, "message one")

    assert texts(trace_session(calls(dialogue, dialogue[2:]), watches=[watch]))[0].startswith(
        "The watched text “message one”"
    )


def test_a_pin_only_in_a_summary_is_a_warning(block: Make, calls: Calls) -> None:
    """The next summary may lose it."""
    summary = block(f"<summary>{RULE}</summary>", "system", is_summary=True)
    changes = trace_session(calls([block(RULE), block("b")], [summary, block("b")]), (), [ROW], [pin(RULE)])

    assert next((s.severity, s.text) for s in tell(changes)) == (
        "warning",
        f"The pinned text “{RULE}” stands only in a summary since call 2.",
    )


def test_an_answer_that_breaks_a_pinned_cap_is_an_error(block: Make, calls: Calls) -> None:
    """Whether the cap stood in its prompt is said."""
    rest = [block("b"), block("c")]
    changes = trace_session(calls([block(RULE), *rest], rest), (), (), [pin(RULE)])
    long = "one two three four five six"

    assert f"The answer of call 2 has 6 words; the pinned text “{RULE}” was not in its prompt." in texts(
        changes, {2: long}
    )
    assert f"The answer of call 1 (and 1 more) has 6 words; the pinned text “{RULE}” stood in its prompt." in texts(
        changes, {1: long, 2: long}
    )


def test_asking_for_what_stands_there_is_a_warning(block: Make, calls: Calls) -> None:
    """And for what was taken out, an error."""
    given, rest = block("my order number is ORD-2024-001"), [block("b"), block("c")]
    question = "What is your order number?"
    there = tell(trace_session(calls([given], [given, *rest])), {2: question})
    gone = tell(trace_session(calls([given, *rest], rest)), {2: question})

    assert [(s.severity, s.text) for s in there] == [
        (
            "warning",
            "The assistant asked for the order number it had been given: ORD-2024-001 stood in its prompt, in m1.",
        )
    ]
    assert (gone[0].severity, gone[0].call, gone[0].message, gone[0].compaction) == ("error", 2, 1, 1)
    assert gone[0].text.endswith("ORD-2024-001 was taken out at call 2.")


def test_lanes_that_never_had_a_lost_pin_are_named(block: Make, calls: Calls) -> None:
    """A sub-agent without the rule; one that had it is not named, nor where the pin counts for one lane only."""
    main = calls([block(RULE), block("b")], [block("b")])
    scout = calls([block("look at the bills")], lane="scout", first=3)
    told_scout = calls([block(RULE), block("look at the logs")], lane="other", first=4)
    contexts = [*main, *scout, *told_scout]

    everywhere = texts(trace_session(contexts, (), (), [pin(RULE, scope=None)]))[0]
    in_main = texts(trace_session(contexts, (), (), [pin(RULE)]))[0]

    assert everywhere.endswith("The lane scout never had it.")
    assert "scout" not in in_main
