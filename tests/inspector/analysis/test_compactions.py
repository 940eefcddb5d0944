"""Recorded compactions, checked; others, inferred."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from inspector.analysis.changes import SessionChanges, trace_session
from inspector.model.context import Block, CallContext, CompactedContexts
from inspector.model.fates import Fate
from inspector.model.layers import Layer
from inspector.model.views import CompactionRow

Make = Callable[..., Block]
Calls = Callable[..., list[CallContext]]

ROW = CompactionRow(
    id="c", state="done", strategy="summary", policy="p", reason="r", lane="main", time="t", tokens_before=None,
    tokens_after=None, duration_ms=5.0, error=None, caller="agent.py:1", before_messages=3, after_messages=2, call=2,
)  # fmt: skip


@pytest.fixture
def dialogue(block: Make) -> list[Block]:
    """Instructions and six messages."""
    texts = ["where is the parcel", "it left Hamburg", "and the invoice", "sent on Monday", "thanks a lot", "welcome"]
    return [
        block("be kind", "system", layer=Layer.SYSTEM),
        *(block(t, ("user", "assistant")[n % 2]) for n, t in enumerate(texts)),
    ]


@pytest.fixture
def summary(block: Make) -> Block:
    """A marked summary."""
    return block("<summary>parcel and invoice</summary>", "system", is_summary=True, layer=Layer.SUMMARY)


def trace(
    contexts: Sequence[CallContext], *rows: CompactionRow, before: Sequence[Block] = (), after: Sequence[Block] = ()
) -> SessionChanges:
    """Trace a session whose compactions all named the same contexts, if any."""
    named = [CompactedContexts(row.id, tuple(before) or None, tuple(after) or None) for row in rows]
    return trace_session(contexts, named, rows)


def test_a_recorded_summary_took_what_it_says(dialogue: list[Block], summary: Block, calls: Calls) -> None:
    """Its own lists decide, and its words are passed on."""
    kept = dialogue[5:]
    contexts = calls(dialogue, [dialogue[0], summary, *kept])
    (change,) = trace(contexts, ROW, before=dialogue[1:], after=[summary, *kept]).compactions

    assert (change.said_by, change.certainty, change.strategy) == ("recorded", "certain", "summary")
    assert (change.policy, change.reason, change.caller, change.duration_ms) == ("p", "r", "agent.py:1", 5.0)
    assert (change.before_call, change.call, change.taken, change.summary) == (1, 2, (2, 3, 4, 5), 8)
    assert change.tokens_taken == sum(block.tokens or 0 for block in dialogue[1:5])
    assert change.tokens_left == summary.tokens
    assert change.fates == {Fate.KEPT: 3, Fate.SUMMARISED: 4, Fate.ADDED: 1}
    assert change.contradictions == ()


def test_tokens_by_layer_are_of_the_whole_prompts(dialogue: list[Block], summary: Block, calls: Calls) -> None:
    """Before and after; their sums are the totals."""
    (change,) = trace(calls(dialogue, [dialogue[0], summary]), ROW).compactions

    assert set(change.layers_before) == {Layer.SYSTEM, Layer.HISTORY}
    assert set(change.layers_after) == {Layer.SYSTEM, Layer.SUMMARY}
    assert sum(change.layers_before.values()) == change.tokens_before.count
    assert sum(change.layers_after.values()) == change.tokens_after.count


def test_unknown_tokens_stay_unknown(dialogue: list[Block], calls: Calls) -> None:
    """They are not zero."""
    unknown = [replace(message, tokens=None) for message in dialogue]
    (change,) = trace(calls(unknown, [unknown[0], *unknown[3:]])).compactions

    assert (change.tokens_before.count, change.tokens_before.origin) == (None, "unknown")
    assert change.tokens_taken is None


def test_a_record_without_lists_is_read_from_the_fates(dialogue: list[Block], summary: Block, calls: Calls) -> None:
    """It is recorded; what it took is what was taken."""
    (change,) = trace(calls(dialogue, [dialogue[0], summary, *dialogue[5:]]), ROW).compactions

    assert (change.said_by, change.taken, change.summary) == ("recorded", (2, 3, 4, 5), 8)


def test_a_record_with_no_call_after_it_is_kept(dialogue: list[Block], calls: Calls) -> None:
    """Nothing is said of its effect."""
    (change,) = trace(calls(dialogue), replace(ROW, call=None)).compactions

    assert (change.call, change.before_call, change.taken, change.fates) == (None, None, (), {})


@pytest.mark.parametrize(
    ("kept", "says"),
    [
        (slice(4, None), "Recorded as removed, but still in the prompt of call 2: m5."),
        (slice(6, None), "Recorded as kept, but not in the prompt of call 2: m6."),
    ],
)
def test_a_record_against_the_prompt_is_contradicted(
    dialogue: list[Block], summary: Block, calls: Calls, kept: slice, says: str
) -> None:
    """What it removed stands there; what it kept does not."""
    contexts = calls(dialogue, [dialogue[0], summary, *dialogue[kept]])
    (change,) = trace(contexts, ROW, before=dialogue[1:], after=[summary, *dialogue[5:]]).compactions

    assert change.contradictions == (says,)


def test_a_summary_that_was_not_sent_is_a_contradiction(dialogue: list[Block], summary: Block, calls: Calls) -> None:
    """It was made and recorded."""
    contexts = calls(dialogue, [dialogue[0], *dialogue[5:]])
    (change,) = trace(contexts, ROW, before=dialogue[1:], after=[summary, *dialogue[5:]]).compactions

    assert [text.partition("(")[0] for text in change.contradictions] == ["It recorded a new message "]


def test_recorded_tokens_are_compared_with_counted_ones(dialogue: list[Block], summary: Block, calls: Calls) -> None:
    """A tenth is an estimate, more is a contradiction."""
    contexts = calls(dialogue, [dialogue[0], summary, *dialogue[5:]])
    lists: dict[str, Any] = {"before": dialogue[1:], "after": [summary, *dialogue[5:]]}
    counted = sum(block.tokens or 0 for block in dialogue[1:])
    (near,) = trace(contexts, replace(ROW, tokens_before=int(counted * 1.09)), **lists).compactions
    (far,) = trace(contexts, replace(ROW, tokens_before=counted * 2), **lists).compactions

    assert near.contradictions == ()
    assert far.contradictions == (
        f"Recorded {counted * 2:,} tokens before, counted {counted:,} in the messages it named.",
    )


def test_tokens_of_a_log_that_lacks_parts_are_not_compared(dialogue: list[Block], summary: Block, calls: Calls) -> None:
    """The agent counted a system prompt and tools that the log does not have."""
    contexts = [
        replace(context, missing=("system", "tools"))
        for context in calls(dialogue, [dialogue[0], summary, *dialogue[5:]])
    ]
    row = replace(ROW, tokens_before=1_000_000)
    (change,) = trace(contexts, row, before=dialogue[1:], after=[summary, *dialogue[5:]]).compactions

    assert change.contradictions == ()


def test_a_failed_compaction_that_took_something_is_a_contradiction(dialogue: list[Block], calls: Calls) -> None:
    """And what was taken is inferred beside it."""
    changes = trace(calls(dialogue, [dialogue[0], *dialogue[3:]]), replace(ROW, state="failed", error="no model"))

    assert [(change.state, change.said_by, change.strategy) for change in changes.compactions] == [
        ("failed", "recorded", "summary"),
        ("done", "inferred", "trim"),
    ]
    assert changes.compactions[0].contradictions == ("Recorded as failed, but m2 and m3 are gone at call 2.",)


def test_a_silent_trim_is_inferred(dialogue: list[Block], calls: Calls) -> None:
    """The oldest are gone in one piece and nothing stands for them."""
    (change,) = trace(calls(dialogue, [dialogue[0], *dialogue[3:]])).compactions

    assert (change.said_by, change.certainty, change.strategy) == ("inferred", "certain", "trim")
    assert change.taken == (2, 3)
    assert change.evidence == "2 messages are gone in one piece and nothing stands for them"


def test_a_scattered_trim_is_likely(dialogue: list[Block], calls: Calls) -> None:
    """Somebody chose them, perhaps for another reason."""
    (change,) = trace(calls(dialogue, [dialogue[n] for n in (0, 2, 4, 5, 6)])).compactions

    assert (change.strategy, change.certainty) == ("trim", "likely")


def test_an_unrecorded_summary_is_inferred(dialogue: list[Block], summary: Block, calls: Calls) -> None:
    """By its mark."""
    (change,) = trace(calls(dialogue, [dialogue[0], summary, *dialogue[5:]])).compactions

    assert (change.said_by, change.certainty, change.strategy, change.summary) == ("inferred", "certain", "summary", 8)


def test_shortened_results_are_an_edit(block: Make, calls: Calls) -> None:
    """With the same tool call id, and most of the text gone."""
    old = block("a long result " * 50, "tool", layer=Layer.TOOL_RESULTS, keys=("result:1",))
    new = block("(removed)", "tool", layer=Layer.TOOL_RESULTS, keys=("result:1",))
    (change,) = trace(calls([block("go"), old], [block("go"), new, block("next")])).compactions

    assert (change.strategy, change.certainty, change.taken, change.tokens_left) == ("edit", "certain", (2,), 9)


def test_a_step_taken_back_is_none(dialogue: list[Block], block: Make, calls: Calls) -> None:
    """Only the end is gone: the last question is asked in other words."""
    assert trace(calls(dialogue, [*dialogue[:5], block("no, wait: cancel everything instead")])).compactions == ()


def test_an_edited_word_is_none(block: Make, calls: Calls) -> None:
    """Nothing was shortened."""
    text = "please send the parcel to Hamburg on Monday morning"

    assert trace(calls([block(text)], [block(text.replace("Monday", "Friday"))])).compactions == ()


def test_new_state_is_none(dialogue: list[Block], block: Make, calls: Calls) -> None:
    """Nor are other passages retrieved: these layers are put together for each call."""
    first = [block("stage: one", "system", layer=Layer.STATE), block("passage on fees", layer=Layer.RETRIEVED)]
    second = [block("done, all of it", "system", layer=Layer.STATE), block("about rail", layer=Layer.RETRIEVED)]

    assert trace(calls([*dialogue, *first], [*dialogue, *second])).compactions == ()


def test_a_first_call_and_a_lane_switch_are_none(dialogue: list[Block], block: Make, calls: Calls) -> None:
    """There is nothing it was shortened from."""
    main, other = calls(dialogue, [dialogue[0], *dialogue[3:]])

    assert trace([main, replace(other, lane="helper")]).compactions == ()
    assert trace([main, replace(other, previous=None)]).compactions == ()


def test_a_side_call_is_none(dialogue: list[Block], calls: Calls) -> None:
    """A summariser that is asked again sees other messages; nothing was taken from it."""
    main, other = calls(dialogue, [dialogue[0], *dialogue[3:]])

    assert trace([main, replace(other, purpose="summary")]).compactions == ()


def test_a_dialogue_about_other_things_is_none(dialogue: list[Block], block: Make, calls: Calls) -> None:
    """Far more is new than a step brings."""
    others = [block(f"something else, number {n}: {'xyzuvw'[n % 6]}") for n in range(20)]

    assert trace(calls(dialogue, [dialogue[0], *others])).compactions == ()


def test_compactions_are_numbered_by_their_calls(dialogue: list[Block], calls: Calls) -> None:
    """Recorded and inferred together."""
    contexts = calls(dialogue, [dialogue[0], *dialogue[3:]], [dialogue[0], *dialogue[4:]])
    changes = trace(contexts, replace(ROW, strategy="trim", call=3))

    assert [(c.number, c.call, c.said_by) for c in changes.compactions] == [(1, 2, "inferred"), (2, 3, "recorded")]


def test_a_summary_summarised_before_the_next_call(
    dialogue: list[Block], summary: Block, block: Make, calls: Calls
) -> None:
    """What the first took, the second took; that the first was not sent is no contradiction."""
    final = block("<summary>all of it, again</summary>", "system", is_summary=True, layer=Layer.SUMMARY)
    contexts = calls(dialogue, [dialogue[0], final, dialogue[6]])
    rows = [ROW, replace(ROW, id="d")]
    named = [
        CompactedContexts("c", tuple(dialogue[1:]), (summary, *dialogue[4:])),
        CompactedContexts("d", (summary, *dialogue[4:]), (final, dialogue[6])),
    ]
    first, second = trace_session(contexts, named, rows).compactions

    assert (first.taken, second.taken) == ((2, 3, 4), (5, 6))
    assert first.summary == second.summary == 8
    assert (first.contradictions, second.contradictions) == ((), ())
    assert first.fates == {Fate.KEPT: 2, Fate.SUMMARISED: 5, Fate.ADDED: 1}
