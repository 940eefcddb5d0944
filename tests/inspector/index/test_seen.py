"""What a server made of prompts is in the figures of calls, their pins, their lanes and their views."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inspector.analysis.change_asking import trace_changes
from inspector.index import Index
from inspector.model.layers import Layer
from inspector.model.seen import as_seen
from snapshot_sdk import Recorder

Open = Callable[..., Index]

RESPONSES = "https://api.openai.com/v1/responses"
CLEAR = "clear_tool_uses_20250919"
RULE = "Never refund more than 500 yuan."


def respond(recorder: Recorder, number: int, previous: str | None, *, answered: bool = True, **more: Any) -> str:
    """Record a call of OpenAI's Responses API that goes on with another; returns the snapshot."""
    body: dict[str, Any] = {"model": "gpt-5", "input": f"Where is order {number}?", **more}
    if previous is not None:
        body["previous_response_id"] = previous
    snapshot = recorder.snapshot(body, endpoint=RESPONSES)
    if answered:
        answer(recorder, snapshot, number)
    return snapshot


def answer(recorder: Recorder, snapshot: str, number: int) -> None:
    """Record the answer to such a call."""
    text = {"type": "output_text", "text": f"Order {number} is at the depot."}
    item = {"type": "message", "id": f"msg_{number}", "role": "assistant", "content": [text]}
    usage = {"input_tokens": 100 * number, "output_tokens": 9}
    recorder.response(snapshot, {"id": f"r{number}", "output": [item], "usage": usage, "status": "completed"})


def clear(recorder: Recorder, calls: int = 7) -> None:
    """Record calls of Anthropic's API that read a ticket each; from the fifth result on all but three are cleared."""
    messages: list[Any] = [{"role": "user", "content": "Work through the tickets."}]
    for n in range(calls):
        cleared = max(0, n - 3) if n >= 5 else 0
        body = {
            "model": "claude-sonnet-4-5",
            "max_tokens": 99,
            "system": "You are the refund desk.",
            "messages": list(messages),
            "context_management": {"edits": [{"type": CLEAR}]},
        }
        snapshot = recorder.snapshot(body, api="anthropic.messages")
        if n == 0:
            recorder.pin(RULE, reason="policy")
        use = {"type": "tool_use", "id": f"t{n}", "name": "read", "input": {"n": n}}
        reply: dict[str, Any] = {"id": f"a{n}", "role": "assistant", "content": [use], "stop_reason": "tool_use"}
        if cleared:
            reply["context_management"] = {"applied_edits": [{"type": CLEAR, "cleared_tool_uses": cleared}]}
        recorder.response(snapshot, reply)
        text = f"Ticket {n}. {RULE if n == 0 else 'The bell is broken.'} " + "A bicycle squeaks. " * 9
        result = {"type": "tool_result", "tool_use_id": f"t{n}", "content": text}
        messages += [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]


def compact(recorder: Recorder) -> None:
    """Record three calls of Anthropic's API; the second compacts the conversation before it answers."""
    messages: list[Any] = []
    for n in range(3):
        messages.append({"role": "user", "content": f"Question {n}: what about part {n} of the plan?"})
        body = {"model": "claude-opus-4-6", "max_tokens": 99, "system": "You plan.", "messages": list(messages)}
        snapshot = recorder.snapshot(body, api="anthropic.messages")
        content: list[Any] = [{"type": "text", "text": f"Part {n} is arranged."}]
        usage: dict[str, Any] = {"input_tokens": 50 * (n + 1), "output_tokens": 9}
        if n == 1:
            content.insert(0, {"type": "compaction", "content": "Summary: part 0 is arranged."})
            passes = [("compaction", 900, 20), ("message", 60, 9)]
            usage["iterations"] = [{"type": kind, "input_tokens": i, "output_tokens": o} for kind, i, o in passes]
        recorder.response(snapshot, {"id": f"a{n}", "role": "assistant", "content": content, "usage": usage})
        messages.append({"role": "assistant", "content": content})


@pytest.fixture
def cleared(traces: Path, opened: Open) -> Index:
    """A session whose old tool results the server clears."""
    with Recorder(traces, session="s") as recorder:
        clear(recorder)
    return opened()


@pytest.fixture
def compacted(traces: Path, opened: Open) -> Index:
    """A session which the server compacts in its second call."""
    with Recorder(traces, session="s") as recorder:
        compact(recorder)
    return opened()


def test_a_stored_conversation_is_counted(traces: Path, opened: Open) -> None:
    """The tokens of what the server kept are in the composition, and what was sent is told apart."""
    with Recorder(traces, session="s") as recorder:
        for n in range(1, 4):
            respond(recorder, n, f"r{n - 1}" if n > 1 else None)
    first, _, third = opened().calls("s")
    effect = third.server

    assert first.server is None
    assert effect is not None
    assert (effect.kinds, effect.added_messages, effect.removed_messages) == (("stored",), 4, 0)
    assert third.counted.count == (effect.sent.count or 0) + (effect.added or 0)
    assert third.composition[Layer.INPUT] == first.composition[Layer.INPUT]
    assert third.composition[Layer.HISTORY] > 0


def test_calls_of_one_stored_conversation_are_one_line_of_thought(traces: Path, opened: Open) -> None:
    """Their bodies have nothing in common; that one goes on with the other they say themselves."""
    with Recorder(traces, session="s") as recorder:
        first = respond(recorder, 1, None)
        respond(recorder, 2, "r1")
        respond(recorder, 3, "r1")
    calls = opened().calls("s")

    assert {call.lane for call in calls} == {"main"}
    assert [call.previous for call in calls] == [None, first, first]


def test_a_call_goes_on_with_a_conversation_by_its_name(traces: Path, opened: Open) -> None:
    """The last call that named the conversation is the one it continues."""
    with Recorder(traces, session="s") as recorder:
        first = respond(recorder, 1, None, conversation="conv_1")
        respond(recorder, 2, None, conversation={"id": "conv_1"})
    calls = opened().calls("s")

    assert calls[1].previous == first
    assert calls[1].server is not None


def test_cleared_results_are_in_no_figure(cleared: Index) -> None:
    """Layers hold what was seen: the sent count less what was removed."""
    *_, call = cleared.calls("s")
    effect = call.server

    assert effect is not None
    assert (effect.kinds, effect.removed_messages, effect.certainty) == (("edit",), 3, "certain")
    assert effect.removed is not None
    assert (effect.sent.count or 0) - effect.removed == (call.counted.count or 0) - 12  # three frames of messages stay


def test_a_cleared_rule_is_gone_although_it_was_sent(cleared: Index) -> None:
    """A pin is judged by what the model saw."""
    (pin,) = cleared.pins("s")

    assert pin.gone == (6, 7)
    assert [call.number for call in cleared.calls("s") if call.pins_gone] == [6, 7]
    assert cleared.session("s").pins_gone == 1


def test_a_session_says_how_often_its_server_stepped_in(cleared: Index) -> None:
    """Calls that it changed, and the most it took out of one."""
    row = cleared.session("s")
    largest = max(call.server.removed or 0 for call in cleared.calls("s") if call.server)

    assert (row.server_calls, row.server_removed) == (2, largest)


def test_a_message_is_evicted_by_the_server(cleared: Index) -> None:
    """Its life ends at the call whose answer tells so, and the compaction says who did it."""
    changes = trace_changes(cleared, "s")
    (gone,) = (line for line in changes.life.lifelines if RULE in line.text)
    first = changes.compactions[0]

    assert (gone.gone_since, gone.events[-1].said_by, gone.events[-1].certainty) == (6, "server", "certain")
    assert (first.call, first.said_by, first.strategy) == (6, "server", "edit")
    assert gone.number in first.taken


def test_a_compaction_in_a_call_leaves_the_summary(compacted: Index) -> None:
    """The answer was written from it: the size is that of the later pass, never that of the first."""
    _, second, third = compacted.calls("s")

    assert second.provider.count == 60
    assert second.server is not None
    assert second.server.kinds == ("summary",)
    assert set(second.composition) == {Layer.SYSTEM, Layer.SUMMARY, Layer.OVERHEAD}
    assert third.server is not None
    assert third.server.removed_messages == 3


def test_a_summary_of_the_server_lives_on(compacted: Index) -> None:
    """What it took is summarised, and it is one message in the call that made it and in the next."""
    changes = trace_changes(compacted, "s")
    (change,) = changes.compactions
    summary = changes.life.lifelines[(change.summary or 0) - 1]

    assert (change.call, change.said_by, change.strategy) == (2, "server", "summary")
    assert (summary.text, summary.runs) == ("Summary: part 0 is arranged.", ((2, 3),))


def test_a_call_has_both_readings(compacted: Index) -> None:
    """The rows that were sent, and those that the model saw with what it did not see."""
    view = compacted.call("s", 3)

    assert view.seen is not None
    assert len(view.messages) == 6
    assert [row.message.text for row in as_seen(view).messages] == [
        "You plan.",
        "Summary: part 0 is arranged.",
        "Part 1 is arranged.",
        "Question 2: what about part 2 of the plan?",
    ]
    assert [(one.row.place, one.whole) for one in view.seen.removed] == [(2, True), (3, True), (4, True)]
    assert [row.sent for row in view.seen.rows] == [1, 5, 5, 6]
    assert sum(row.row.tokens.count or 0 for row in view.seen.rows) < sum(r.tokens.count or 0 for r in view.messages)


def test_an_answer_that_comes_later_counts(traces: Path, opened: Open) -> None:
    """A call that was read before the answer it goes on with is looked at again."""
    recorder = Recorder(traces, session="s")
    first = respond(recorder, 1, None, answered=False)
    respond(recorder, 2, "r1", answered=False)
    index = opened()
    before = index.call("s", 2).seen
    answer(recorder, first, 1)
    recorder.close()
    index.refresh()
    after = index.call("s", 2).seen

    assert before is not None
    assert after is not None
    assert ([row.row.message.parts[0].opaque for row in before.rows], len(after.rows)) == ([True, False], 3)


def test_an_answer_of_another_session_counts_when_it_comes(traces: Path, opened: Open) -> None:
    """The ids are the provider's: a session that waits for one is looked at again."""
    with Recorder(traces, session="tuesday") as recorder:
        respond(recorder, 2, "r1")
    index = opened()
    waiting = index.calls("tuesday")[0].server
    with Recorder(traces, session="monday") as recorder:
        respond(recorder, 1, None)
    index.refresh()
    found = index.calls("tuesday")[0].server

    assert waiting is not None
    assert found is not None
    assert (waiting.certainty, waiting.added) == ("likely", None)
    assert (found.certainty, found.added_messages) == ("certain", 2)


def test_a_growing_session_is_seen_as_one_read_at_once(traces: Path, opened: Open) -> None:
    """Only new calls are looked at, and nothing comes out otherwise."""
    recorder = Recorder(traces, session="s")
    index = opened()
    for n in range(1, 5):
        respond(recorder, n, f"r{n - 1}" if n > 1 else None)
        index.refresh()
    recorder.close()
    grown = index.calls("s"), index.contexts("s")
    index.close()
    anew = opened(rebuild=True)

    assert grown == (anew.calls("s"), anew.contexts("s"))


def test_what_the_model_saw_can_be_asked_for(compacted: Index) -> None:
    """Two views: what was sent, and what was seen."""
    sent = compacted.sql("select count(*) from prompt_messages where call = 3").rows
    seen = compacted.sql("select count(*) from effective_messages where call = 3").rows
    server = compacted.sql("select server, server_certainty from calls where call = 3").rows

    assert (list(map(tuple, sent)), list(map(tuple, seen))) == ([(6,)], [(4,)])
    assert list(map(tuple, server)) == [(["summary"], "certain")]


def test_the_largest_context_is_that_of_the_pass_before_a_compaction(compacted: Index) -> None:
    """A session's peak is what was read, the first pass of the compacting call included."""
    assert compacted.session("s").peak.count == 900


def test_a_compaction_sent_back_goes_on_with_the_call_that_made_it(traces: Path, opened: Open) -> None:
    """Nothing else ties the two together: the window begins with the item alone."""
    item = {"type": "compaction", "id": "cmp_1", "encrypted_content": "gAAAAAB" * 9}
    with Recorder(traces, session="s") as recorder:
        made = recorder.snapshot({"model": "gpt-5", "input": "Remember order 1."}, endpoint=f"{RESPONSES}/compact")
        recorder.response(made, {"id": "c1", "output": [item]})
        recorder.snapshot({"model": "gpt-5", "input": [item, {"role": "user", "content": "And?"}]}, endpoint=RESPONSES)
    _, call = opened().calls("s")

    assert (call.lane, call.previous) == ("main", made)
    assert call.server is not None
    assert call.server.kinds == ("summary",)
