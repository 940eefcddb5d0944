"""Trees of spans are told apart into sessions, turns and agents."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from inspector.importers.traces.traced_forest import Forest, Node, NodeKind, TracedSession
from inspector.importers.traces.traced_lanes import Lanes

START = datetime(2026, 1, 1, tzinfo=UTC)


def node(key: str, parent: str | None = None, kind: NodeKind = "call", second: int = 0, **more: Any) -> Node:
    """A span."""
    return Node(
        key, more.pop("trace", "T"), parent, kind, more.pop("name", key), START + timedelta(seconds=second), **more
    )


def grow(*nodes: Node) -> list[TracedSession]:
    """Give the sessions of a forest of these spans."""
    forest = Forest()
    for one in nodes:
        forest.put(one)
    return forest.sessions()


def ids(session: TracedSession) -> list[str]:
    """Give the calls of a session."""
    return [call.node.id for call in session.calls]


def test_order_of_the_format() -> None:
    """The order that a format gives beats the clock."""
    [session] = grow(node("a", second=1, order="2"), node("b", second=2, order="1"))
    assert ids(session) == ["b", "a"]


def test_calls_within_a_call() -> None:
    """A call that holds calls is the loop around them, unless what it holds has no prompt."""
    [session] = grow(node("loop"), node("a", "loop", second=1), node("b", "loop", second=2))
    assert ids(session) == ["a", "b"]
    [session] = grow(node("outer"), node("inner", "outer", bare=True))
    assert ids(session) == ["outer", "inner"]


def test_session_of_a_span_around() -> None:
    """A session that only the root names is that of the calls in it."""
    [session] = grow(node("root", kind="other", session="s"), node("a", "root"))
    assert session.name == "s"


def test_turns() -> None:
    """Traces of a session are its turns by time; a trace alone has none, so that its prompts tell them."""
    one, two = node("a", session="s", second=5), node("b", session="s", trace="U")
    [session] = grow(one, two)
    assert [(call.node.id, call.turn) for call in session.calls] == [("b", 1), ("a", 2)]
    [session] = grow(one)
    assert [call.turn for call in session.calls] == [None]


def test_leader_is_who_calls_most() -> None:
    """Of agents beside each other the one with most calls leads; what runs within it never does."""
    [session] = grow(
        node("A", kind="agent"), node("B", kind="agent", second=1), node("C", "B", "agent"),
        node("a", "A", second=1), node("b1", "B", second=2), node("b2", "B", second=3),
        *(node(f"c{i}", "C", second=4 + i) for i in range(5)),
    )  # fmt: skip
    assert {call.node.id for call in session.calls if call.main} == {"b1", "b2"}


def test_agent_as_a_tool_of_a_graph() -> None:
    """A graph that runs in the step of tools has the name of the tool."""
    ns = ("tools:1", "agent:2")
    [session] = grow(
        node("a", second=0, namespace=("agent:0",)),
        node("b", second=3, namespace=("agent:3",)),
        node("t", kind="tool", name="research", namespace=("tools:1",)),
        node("c", "t", second=1, namespace=ns),
    )
    assert [(call.owner.name if call.owner else None, call.main) for call in session.calls] == [
        (None, True),
        ("research", False),
        (None, True),
    ]


@pytest.mark.parametrize("parents", [("b", "a"), ("a", "a"), ("gone", "gone")])
def test_parents_that_lead_nowhere(parents: tuple[str, str]) -> None:
    """Parents in a circle, or that are not there, cost no call but what holds calls."""
    [session] = grow(node("a", parents[0], "agent"), node("b", parents[1], "agent"), node("c", "a"), node("d", "b"))
    assert sorted(ids(session)) == ["c", "d"]
    lanes = Lanes(session)
    assert len([lanes.lane_of(call, {"messages": []}) for call in session.calls]) == 2


def test_calls_in_a_circle() -> None:
    """Calls that are each within the other are both kept."""
    [session] = grow(node("a", "b"), node("b", "a"))
    assert sorted(ids(session)) == ["a", "b"]


def test_no_times() -> None:
    """Spans without times keep the order in which they came."""
    [session] = grow(*(replace(node(key), start=None) for key in "cab"))
    assert ids(session) == ["c", "a", "b"]
