"""Slots of the state that changed although nobody had said so."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from inspector.analysis.changes import trace_session
from inspector.analysis.story_state import tell_drifted_state
from inspector.analysis.told import Told
from inspector.model.context import Block, CallContext
from inspector.model.layers import Layer
from inspector.model.views import PinRow

ASKED = "总预算8000元，不能超。"
QUOTED = "合计约8500元。"


@pytest.fixture
def tell(block: Callable[..., Block], call_row: Callable[..., Any], told: Callable[..., Told]) -> Callable[..., Any]:
    """What is said of two calls whose states are these, the second after more messages."""

    def tell_of(before: str, after: str, *more: Block, asked: str = ASKED, missing: Sequence[str] = ()) -> list[Any]:
        states = [block(text, "system", layer=Layer.STATE) for text in (before, after)]
        said = block(asked)
        contexts = [
            CallContext(1, "id-1", None, "main", (states[0], said), missing=tuple(missing)),
            CallContext(2, "id-2", "id-1", "main", (states[1], said, *more), missing=tuple(missing)),
        ]
        rows = [call_row(1), call_row(2, caller="agent/state.py:88")]
        return list(tell_drifted_state(told(rows, contexts)))

    return tell_of


def test_a_value_nobody_gave_is_told(tell: Callable[..., Any], block: Callable[..., Block]) -> None:
    """With old and new, who gave the one and wrote the other, the call, its caller, and the comparison."""
    (sentence,) = tell("budget: 8000元", "budget: 8500元", block(QUOTED, "assistant"))

    assert (sentence.severity, sentence.kind, sentence.call, sentence.page) == ("error", "state_drift", 2, "compare")
    assert sentence.text == (
        "“budget” in the state went from “8000元” (given in m2) to “8500元” at call 2 (agent/state.py:88): no user and "
        "no tool had said so; only the assistant wrote it, in m3."
    )
    assert sentence.message == 1


def test_a_value_in_json_is_told(tell: Callable[..., Any]) -> None:
    """The number has no unit there; nobody wrote the new one."""
    (sentence,) = tell('{"trip": {"budget": 8000}}', '{"trip": {"budget": 8500}}')

    assert "“trip.budget” in the state went from “8000”" in sentence.text
    assert sentence.text.endswith("had said so.")


@pytest.mark.parametrize("said", ["预算改成8500元吧", "Make it about 8,500 yuan", "预算涨到八千五百元"])
def test_what_the_user_said_is_no_drift(tell: Callable[..., Any], block: Callable[..., Block], said: str) -> None:
    """In whatever writing."""
    assert tell("budget: 8000元", "budget: 8500元", block(said)) == []


def test_what_a_tool_said_is_no_drift(tell: Callable[..., Any], block: Callable[..., Block]) -> None:
    """An account was looked up."""
    result = block('{"limit": 8500.0}', "tool", keys=("result:1",), layer=Layer.TOOL_RESULTS)

    assert tell("budget: 8000元", "budget: 8500元", result) == []


def test_a_value_that_nobody_had_given_is_the_agents_own(tell: Callable[..., Any]) -> None:
    """A total that it works out may change as it likes."""
    assert tell("total: 7240元", "total: 8460元") == []


def test_counters_and_dates_are_no_drift(tell: Callable[..., Any]) -> None:
    """A step is small, a date is said in other words than it is kept in."""
    asked = "Book 3 nights from 2026-12-04."

    assert tell("step: 3\nfrom: 2026-12-04", "step: 4\nfrom: 2026-12-05", asked=asked) == []


def test_a_slot_that_loses_or_gains_a_value_is_no_drift(tell: Callable[..., Any]) -> None:
    """Nothing was put in its place."""
    assert tell("budget: 8000元", "budget: 待定") == []
    assert tell("budget: 8000元", "budget: 8000元，另加 500元") == []


def test_the_same_amount_in_other_writing_is_no_drift(tell: Callable[..., Any]) -> None:
    """It is the same value."""
    assert tell("budget: 8000元", "budget: 8,000 元") == []


@pytest.mark.parametrize("missing", ["messages", "system"])
def test_a_log_that_lacks_what_was_said_says_nothing(tell: Callable[..., Any], missing: str) -> None:
    """The user may have said it in a message that was not kept."""
    assert tell("budget: 8000元", "budget: 8500元", missing=[missing]) == []


def test_a_pin_that_tells_it_is_enough(block: Callable[..., Block], told: Callable[..., Told]) -> None:
    """One cause is told once."""
    states = [block(f"budget: {amount}", "system", layer=Layer.STATE) for amount in ("8000元", "8500元")]
    asked = block(ASKED)
    contexts = [
        CallContext(1, "id-1", None, "main", (states[0], asked)),
        CallContext(2, "id-2", "id-1", "main", (states[1],)),
    ]
    pin = PinRow("p", "8000元", None, None, 1, None, (2,), {"text": "8000元"})
    bare = told([], contexts)

    assert len(list(tell_drifted_state(bare))) == 1
    assert list(tell_drifted_state(replace(bare, changes=trace_session(contexts, pin_rows=[pin])))) == []
