"""The slots of a task state."""

from __future__ import annotations

from collections.abc import Callable

from inspector.analysis.state_slots import read_slots, split_state
from inspector.model.context import Block
from inspector.model.layers import Layer


def test_lines_are_slots() -> None:
    """With either colon, as a list or not; a sentence without one is none."""
    state = "<task_state>\nbudget: 8000元\n- 目的地：三亚\n先查机票\n</task_state>"

    assert read_slots(state) == {"budget": "8000元", "目的地": "三亚"}


def test_json_is_slots() -> None:
    """Nested names are joined by dots; lists stay as they are, null is no value."""
    state = '<state>{"trip": {"budget": 8000, "to": "SYX"}, "nights": [1, 2], "hotel": null}</state>'

    assert read_slots(state) == {"trip.budget": "8000", "trip.to": "SYX", "nights": "[1, 2]"}


def test_a_heading_is_no_slot() -> None:
    """What follows it is."""
    assert read_slots("【任务状态】\nbudget: 8000元") == {"budget": "8000元"}


def test_broken_json_has_the_lines_that_can_be_read() -> None:
    """It does not raise."""
    assert read_slots('{"budget": 8000') == {}


def test_a_state_is_cut_out_of_its_message(block: Callable[..., Block]) -> None:
    """What stands around it is no state."""
    made = block("Help.\n<task_state>\na: 1\n</task_state>\nBe kind.", "system", layer=Layer.SYSTEM)

    rest, states = split_state(made)

    assert rest == "Help.\n\nBe kind."
    assert states == ("<task_state>\na: 1\n</task_state>",)


def test_a_message_of_the_layer_is_a_state_as_a_whole(block: Callable[..., Block]) -> None:
    """The agent said so."""
    assert split_state(block("a: 1", "system", layer=Layer.STATE)) == ("", ("a: 1",))


def test_a_tool_result_holds_no_state(block: Callable[..., Block]) -> None:
    """Marks in it are other people's."""
    made = block("<state>a: 1</state>", keys=("result:1",), layer=Layer.TOOL_RESULTS)

    assert split_state(made) == (made.text, ())
