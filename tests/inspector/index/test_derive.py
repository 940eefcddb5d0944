"""What is computed over the records of a session: labels, pins, lanes, turns, outcomes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from inspector.index import Index
from inspector.model.layers import Layer
from snapshot_sdk import Recorder

Agent = Callable[..., Any]
Open = Callable[..., Index]


def test_labels_of_a_turn_hold_in_that_turn_only(traces: Path, opened: Open, agent: Agent) -> None:
    """What was retrieved for one turn is history in the next."""
    with Recorder(traces, session="s") as recorder:
        chat = agent(recorder)
        with recorder.turn(1):
            recorder.label("the red one costs 700", layer="retrieved", source="kb-1")
            chat.ask("Note: the red one costs 700. What does it cost?")
        with recorder.turn(2):
            chat.ask("thanks")
    index = opened()
    first = index.call("s", 1).messages[1]

    assert [(s.layer, s.source) for s in first.segments][1] == (Layer.RETRIEVED, "kb-1")
    assert Layer.RETRIEVED not in index.calls("s")[1].composition


def test_a_label_holds_from_its_record_on(traces: Path, opened: Open, agent: Agent) -> None:
    """Not before: it may not even have been known."""
    with Recorder(traces, session="s") as recorder:
        chat = agent(recorder)
        chat.ask("budget 8,000")
        recorder.label("budget 8,000", layer="state")
        chat.ask("next")
    compositions = [call.composition for call in opened().calls("s")]

    assert [Layer.STATE in composition for composition in compositions] == [False, True]


def test_pins_are_looked_for_verbatim(traces: Path, opened: Open, agent: Agent) -> None:
    """Text, message and pattern; gone from the call that lacks them until released."""
    rule = {"role": "user", "content": "Answer in Chinese only 只用中文"}
    with Recorder(traces, session="s") as recorder:
        text = recorder.pin("只用中文", reason="rule")
        recorder.pin(rule)
        chat = agent(recorder)
        chat.messages.append(rule)
        chat.ask("one")
        kept = list(chat.messages)
        chat.messages = kept[:1]
        chat.ask("two")
        recorder.unpin(text)
        chat.ask("three")
    index = opened()
    by_text, by_message = index.pins("s")

    assert (by_text.since_call, by_text.released_call, by_text.gone) == (1, 3, (2,))
    assert (by_message.released_call, by_message.gone) == (None, (2, 3))
    assert [len(call.pins_gone) for call in index.calls("s")] == [0, 2, 1]
    assert index.call("s", 1).messages[1].pinned == (by_text.id, by_message.id)
    assert index.session("s").pins_gone == 2


def test_a_pin_holds_for_its_lane_only(traces: Path, opened: Open, agent: Agent) -> None:
    """A helper need not know the rule of the main agent."""
    with Recorder(traces, session="s") as recorder:
        recorder.pin("bicycles", scope="main")
        agent(recorder).ask("one")
        with recorder.lane("helper"):
            recorder.snapshot({"model": "m", "messages": [{"role": "user", "content": "sum up"}]}, api="openai.chat")

    assert opened().pins("s")[0].gone == ()


def test_a_pin_lives_on_in_the_next_process(traces: Path, opened: Open, agent: Agent) -> None:
    """A session's files are one history."""
    with Recorder(traces, session="s") as recorder:
        recorder.pin("bicycles")
        agent(recorder).ask("one")
    with Recorder(traces, session="s") as recorder:
        recorder.snapshot({"model": "m", "messages": [{"role": "user", "content": "hi"}]}, api="openai.chat")
    (pin,) = opened().pins("s")

    assert pin.gone == (2,)


def test_a_side_call_nobody_named_is_no_main_call(traces: Path, opened: Open, agent: Agent) -> None:
    """A summariser through the same client has nothing in common with the conversation."""
    with Recorder(traces, session="s") as recorder:
        chat = agent(recorder)
        chat.ask("one")
        side = [{"role": "system", "content": "Summarise."}, {"role": "user", "content": "user: one"}]
        recorder.snapshot({"model": "m", "messages": side}, api="openai.chat")
        last = chat.ask("two")
    calls = opened().calls("s")

    assert [call.lane for call in calls] == ["main", "main · side 1", "main"]
    assert [call.lane_origin for call in calls] == ["default", "inferred", "default"]
    assert calls[2].id == last
    assert calls[2].previous == calls[0].id
    assert [call.turn_label for call in calls] == ["t1", "t1", "t2"]


def test_turns_are_counted_by_user_messages_with_text(traces: Path, opened: Open) -> None:
    """Tool results start none, whichever dialect carries them."""
    use = {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "look", "input": {}}]}
    result = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "red"}]}
    with Recorder(traces, session="s") as recorder:
        messages = [{"role": "user", "content": "which one?"}]
        for more in ([], [use, result], [{"role": "assistant", "content": "red"}, {"role": "user", "content": "ok"}]):
            messages = [*messages, *more]
            recorder.snapshot({"model": "claude-x", "messages": messages, "max_tokens": 9}, api="anthropic.messages")

    assert [(call.turn, call.turn_inferred) for call in opened().calls("s")] == [(1, True), (1, True), (2, True)]


def test_a_recorded_turn_beats_counting(traces: Path, opened: Open, agent: Agent) -> None:
    """The agent knows its own numbers."""
    with Recorder(traces, session="s") as recorder:
        chat = agent(recorder)
        with recorder.turn(14):
            chat.ask("one")
        chat.ask("two")

    assert [(call.turn_label, call.turn_inferred) for call in opened().calls("s")] == [("t14", False), ("t15", True)]


def test_what_came_of_a_call_is_said(traces: Path, opened: Open, agent: Agent) -> None:
    """Answered, refused, cut off, never answered."""
    request = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
    with Recorder(traces, session="s") as recorder:
        agent(recorder).ask("one")
        refused = recorder.snapshot(request, api="openai.chat")
        recorder.attempt(refused, n=1, status=500)
        recorder.response(refused, status=400, error="context_length_exceeded", complete=False)
        cut = recorder.snapshot(request, api="openai.chat")
        recorder.response(cut, messages=[{"role": "assistant", "content": "Cert"}], complete=False)
        recorder.snapshot(request, api="openai.chat")
    calls = opened().calls("s")

    assert [call.status for call in calls] == ["answered", "failed", "incomplete", "no answer"]
    assert (calls[1].http_status, calls[1].error) == (400, "context_length_exceeded")
    assert opened().session("s").failed_calls == 1
    assert opened().call("s", 4).answer is None


def test_recorded_compactions_and_events_stand_before_their_call(traces: Path, opened: Open, agent: Agent) -> None:
    """The first call after them."""
    with Recorder(traces, session="s") as recorder:
        chat = agent(recorder)
        chat.ask("one")
        before, after = list(chat.messages), chat.messages[:1]
        recorder.compaction(before, after, strategy="summary", reason="full", tokens_before=50, tokens_after=5)
        recorder.event("state", before=1, after=2)
        chat.messages = after
        chat.ask("two")
        recorder.event("tool", name="look")
    index = opened()
    (compaction,) = index.compactions("s")

    assert (compaction.strategy, compaction.reason, compaction.call) == ("summary", "full", 2)
    assert (compaction.before_messages, compaction.after_messages) == (3, 1)
    assert [(event.kind, event.call) for event in index.events("s")] == [("state", 2), ("tool", None)]
