"""Anthropic's context editing is followed from what the response says it did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from inspector.model.dialects import read_request
from inspector.model.effective import Answer, EffectiveContext, effective_context

CLEAR = "clear_tool_uses_20250919"
THINK = "clear_thinking_20251015"


def turn(number: int, tool: str = "find", thinking: bool = False) -> list[dict[str, Any]]:
    """Make a tool call and its result."""
    call: list[dict[str, Any]] = [{"type": "tool_use", "id": f"t{number}", "name": tool, "input": {"n": number}}]
    if thinking:
        call.insert(0, {"type": "thinking", "thinking": f"hm {number}", "signature": "s"})
    result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": f"result {number}"}
    return [{"role": "assistant", "content": call}, {"role": "user", "content": [result]}]


def see(
    messages: Sequence[Any], edits: Sequence[Mapping[str, Any]], applied: Sequence[Mapping[str, Any]] | None
) -> EffectiveContext:
    """Return what the model saw of messages under these edits."""
    body = {"messages": messages, "system": "s", "context_management": {"edits": edits}}
    context = None if applied is None else {"applied_edits": applied}
    return effective_context(read_request(body, "anthropic.messages"), (), Answer((), context=context))


def seen(context: EffectiveContext) -> list[str]:
    """Return the results as the model saw them; ``?`` for one that was cleared."""
    parts = [part for row in context.elements for part in row.message.parts if part.kind == "tool_result"]
    return ["?" if part.opaque else part.text for part in parts]


START = [{"role": "user", "content": "go"}]
FIVE = [*START, *(message for number in range(5) for message in turn(number))]


def test_the_oldest_results_are_cleared() -> None:
    """Two cleared of five, three kept by default: it is certain which, and the calls stay."""
    context = see(FIVE, [{"type": CLEAR}], [{"type": CLEAR, "cleared_tool_uses": 2, "cleared_input_tokens": 900}])
    assert seen(context) == ["?", "?", "result 2", "result 3", "result 4"]
    assert context.certainty == "certain"
    assert [one.element.message.parts[0].text for one in context.removed] == ["result 0", "result 1"]
    calls = [part.text for row in context.elements for part in row.message.parts if part.kind == "tool_call"]
    assert calls[0] == '{"n": 0}'
    assert any("900 tokens" in note for note in context.notes)


def test_the_number_kept_is_the_requests() -> None:
    """A count that does not fit what was asked for is believed, and only likely."""
    edit = {"type": CLEAR, "keep": {"type": "tool_uses", "value": 1}}
    assert see(FIVE, [edit], [{"type": CLEAR, "cleared_tool_uses": 4}]).certainty == "certain"
    less = see(FIVE, [edit], [{"type": CLEAR, "cleared_tool_uses": 2}])
    assert (seen(less)[:3], less.certainty) == (["?", "?", "result 2"], "likely")


def test_excluded_tools_are_spared() -> None:
    """Results of tools that must not be cleared are not counted."""
    messages = [*START, *turn(0, "memory"), *turn(1), *turn(2)]
    edit = {"type": CLEAR, "exclude_tools": ["memory"], "keep": {"type": "tool_uses", "value": 1}}
    context = see(messages, [edit], [{"type": CLEAR, "cleared_tool_uses": 1}])
    assert (seen(context), context.certainty) == (["result 0", "?", "result 2"], "certain")


@pytest.mark.parametrize(("inputs", "cleared"), [(True, True), (["find"], True), (["other"], False), (False, False)])
def test_inputs_are_cleared_where_asked(inputs: Any, cleared: bool) -> None:
    """What a tool was called with goes too, if the request says so."""
    edit = {"type": CLEAR, "clear_tool_inputs": inputs}
    context = see(FIVE, [edit], [{"type": CLEAR, "cleared_tool_uses": 2}])
    calls = [part for row in context.elements for part in row.message.parts if part.kind == "tool_call"]
    assert [part.opaque for part in calls] == [cleared, cleared, False, False, False]
    assert calls[0].call_id == "t0"


def test_more_cleared_than_there_is() -> None:
    """It is said that the count cannot be followed."""
    context = see(FIVE, [{"type": CLEAR}], [{"type": CLEAR, "cleared_tool_uses": 9}])
    assert (seen(context), context.certainty) == (["?"] * 5, "a guess")


def test_an_unrecorded_answer_leaves_it_open() -> None:
    """Edits that were asked for and not reported are a doubt, not a fact."""
    context = see(FIVE, [{"type": CLEAR}], None)
    assert (context.removed, context.certainty, len(context.notes)) == ((), "a guess", 1)


def test_nothing_applied_is_nothing_removed() -> None:
    """An empty list says that everything was seen."""
    context = see(FIVE, [{"type": CLEAR}], [])
    assert (context.removed, context.certainty, context.differs) == ((), "certain", False)


def test_thinking_of_the_oldest_turns_is_cleared() -> None:
    """Where a turn is one answer, both readings agree: it is certain."""
    messages: list[Any] = []
    for number in range(3):
        think = {"type": "thinking", "thinking": f"hm {number}", "signature": "s"}
        messages += [{"role": "user", "content": f"q{number}"}]
        messages += [{"role": "assistant", "content": [think, {"type": "text", "text": f"a{number}"}]}]
    context = see(
        [*messages, {"role": "user", "content": "q"}], [{"type": THINK}], [{"type": THINK, "cleared_thinking_turns": 2}]
    )
    thoughts = [part.text for row in context.elements for part in row.message.parts if part.kind == "reasoning"]
    assert (thoughts, context.certainty) == (["hm 2"], "certain")
    assert [one.parts for one in context.removed] == [(0,), (0,)]


def test_turns_of_many_answers_are_told_by_the_count() -> None:
    """Where one turn has several answers, the count says which reading holds: likely, not certain."""
    messages = [
        *START,
        *turn(0, thinking=True),
        *turn(1, thinking=True),
        {"role": "user", "content": "next"},
        *turn(2, thinking=True),
    ]
    one_turn = see(messages, [{"type": THINK}], [{"type": THINK, "cleared_thinking_turns": 1}])
    thoughts = [part.text for row in one_turn.elements for part in row.message.parts if part.kind == "reasoning"]
    assert (thoughts, one_turn.certainty) == (["hm 2"], "likely")
    by_answer = see(messages, [{"type": THINK}], [{"type": THINK, "cleared_thinking_turns": 2}])
    assert by_answer.certainty == "likely"


def test_a_message_of_thinking_alone_goes_whole() -> None:
    """Nothing of it is left in the prompt."""
    think = {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm", "signature": "s"}]}
    messages = [*START, think, {"role": "user", "content": "q"}, *turn(1, thinking=True)]
    context = see(messages, [{"type": THINK}], [{"type": THINK, "cleared_thinking_turns": 1}])
    assert [one.whole for one in context.removed] == [True]
    assert len(context.elements) == len(messages)  # system text in, the thought out


def test_an_unknown_edit_is_said() -> None:
    """An edit of tomorrow is not silently ignored."""
    context = see(FIVE, [], [{"type": "clear_images_20270101"}])
    assert context.certainty == "a guess"
    assert any("clear_images_20270101" in note for note in context.notes)


def test_only_the_last_compaction_block_counts() -> None:
    """Everything before it is not seen, in its own message too; a failed one stands for nothing."""
    messages = [
        {"role": "user", "content": "a"},
        {"role": "assistant", "content": [{"type": "text", "text": "b"}, {"type": "compaction", "content": "so far"}]},
        {"role": "user", "content": "c"},
        {"role": "assistant", "content": [{"type": "compaction", "content": None}, {"type": "text", "text": "d"}]},
    ]
    context = see(messages, [], [])
    assert [row.message.text for row in context.elements] == ["s", "so far", "c", "\nd"]
    assert [(one.element.message.text, one.whole) for one in context.removed] == [("a", True), ("b\nso far", False)]


def test_thinking_of_earlier_turns_depends_on_the_model() -> None:
    """No response says whether it was read: it is said."""
    messages = [*START, *turn(0, thinking=True), {"role": "user", "content": "next"}]
    assert any("Thinking of earlier turns" in note for note in see(messages, [], []).notes)
    assert not see([*START, *turn(0, thinking=True)], [], []).notes
