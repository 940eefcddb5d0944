"""Where a fact went: the call, the message that carried it, the compaction, what remains."""

from __future__ import annotations

from collections.abc import Callable

from inspector.analysis.fact_trace import HELD, FactTrace
from inspector.analysis.lifelines import trace_lifelines
from inspector.analysis.tracing import trace_fact
from inspector.model.context import CallContext
from inspector.model.fates import Fate
from inspector.model.layers import Layer
from snapshot_sdk.facts import Fact, Matcher

ORDER = Fact("id", "ORD-2024-001", ("order",))


def follow(contexts: list[CallContext], fact: Fact = ORDER) -> FactTrace:
    """Follow a fact without answers and compactions."""
    return trace_fact(Matcher(fact), contexts, trace_lifelines(contexts))


def test_the_carrier_and_its_end_are_named(block: Callable, calls: Callable) -> None:
    """The last message that said it, and what happened to it."""
    trace = follow(calls([block("my order is ORD-2024-001"), block("hi")], [block("hi")]))
    [loss] = trace.losses
    assert (loss.call, loss.before_call, loss.carriers, loss.message) == (2, 1, (1,), 1)
    assert loss.event is not None
    assert loss.event.fate is Fate.EVICTED


def test_a_copy_that_stays_is_no_loss(block: Callable, calls: Callable) -> None:
    """One of two messages that say it is enough."""
    one, two = block("my order is ORD-2024-001"), block("ok, ORD-2024-001", role="assistant")
    assert follow(calls([one, two], [two])).losses == ()


def test_it_may_return(block: Callable, calls: Callable) -> None:
    """The first call after the loss that can read it again; then it may go once more."""
    one, hi = block("my order is ORD-2024-001"), block("hi")
    losses = follow(calls([one, hi], [hi], [hi], [one, hi], [hi])).losses
    assert [(loss.call, loss.returned_call) for loss in losses] == [(2, 4), (5, None)]


def test_what_a_call_never_had_it_cannot_lose(block: Callable, calls: Callable) -> None:
    """A fact that comes later is not yet lost before."""
    assert follow(calls([block("hi")], [block("hi"), block("my order is ORD-2024-001")])).losses == ()


def test_another_lane_loses_nothing(block: Callable, calls: Callable) -> None:
    """A side call that was never told it has not lost it."""
    main = calls([block("my order is ORD-2024-001")])
    side = calls([block("summarise this")], lane="side", first=2)
    assert follow([*main, *side]).losses == ()


def test_another_value_in_its_place_is_what_remains(block: Callable, calls: Callable) -> None:
    """A state that names another order."""
    state = block("order: ORD-2024-0012", role="system", layer=Layer.STATE)
    [loss] = follow(calls([block("my order is ORD-2024-001")], [state])).losses
    assert (loss.remains, loss.remains_in) == ("another value", 2)


def test_a_call_after_a_loss_holds_nothing(block: Callable, calls: Callable) -> None:
    """Losses stand exactly where a call that continues one that had it no longer does."""
    one, hi = block("my order is ORD-2024-001"), block("hi")
    trace = follow(calls([one, hi], [one, hi], [hi], [hi]))
    held = [call.state in HELD for call in trace.calls]
    falls = [n + 1 for n in range(1, len(held)) if held[n - 1] and not held[n]]
    assert [loss.call for loss in trace.losses] == falls == [3]
