"""Calls of sub-agents and side calls have lanes apart from the conversation that is led."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from inspector.importers.traces.traced_forest import Forest, Node, NodeKind
from inspector.importers.traces.traced_lanes import Lanes

START = datetime(2026, 1, 1, tzinfo=UTC)


class Story:
    """Spans of a session, one a second, and the prompts of those that are calls."""

    def __init__(self) -> None:
        self.forest = Forest()
        self.prompts: dict[str, list[dict[str, Any]]] = {}
        self.second = 0

    def span(self, key: str, kind: NodeKind, parent: str | None = None, *, name: str = "", **more: Any) -> Story:
        """Add an agent or a tool."""
        self.second += 1
        at = START + timedelta(seconds=self.second)
        trace = more.pop("trace", "T")
        self.forest.put(Node(key, trace, parent, kind, name or key, at, session="s", **more))
        return self

    def call(self, key: str, parent: str | None, *texts: str, name: str = "llm", **more: Any) -> Story:
        """Add a call with a conversation of these texts, behind the same instructions."""
        said = [{"role": ("user", "assistant")[i % 2], "content": text} for i, text in enumerate(texts)]
        self.prompts[key] = [{"role": "system", "content": "Be brief"}, *said]
        return self.span(key, "call", parent, name=name, **more)

    def lanes(self) -> list[str | None]:
        """Give the lanes of the calls, in order."""
        [session] = self.forest.sessions()
        lanes = Lanes(session)
        return [lanes.lane_of(call, {"messages": self.prompts[call.node.id]}) for call in session.calls]


def test_an_agent_around_the_agent() -> None:
    """A workflow around the only agent that calls a model is no lane."""
    assert Story().span("W", "agent").span("A", "agent", "W").call("g", "A", "Hi").lanes() == [None]


def test_call_by_a_tool() -> None:
    """A call that a tool makes is not of the conversation of the agent."""
    story = Story().span("A", "agent").call("a1", "A", "Hi").span("summarise", "tool", "A")
    story.call("t", "summarise", "Text").call("a2", "A", "Hi", "1", "2")
    assert story.lanes() == [None, "summarise", None]


def test_runs_of_one_sub_agent() -> None:
    """Each run of a sub-agent on a task of its own is a lane, also where the task is the same again."""
    story = Story().span("A", "agent").call("a1", "A", "Plan").call("a2", "A", "Plan", "1", "2")
    for run, task in enumerate(["x", "y", "x"]):
        story.span(f"B{run}", "agent", "A", name="searcher").call(f"b{run}", f"B{run}", task)
        story.call(f"c{run}", f"B{run}", task, "1", "2")
    assert story.lanes()[2:] == ["searcher"] * 2 + ["searcher 2"] * 2 + ["searcher 3"] * 2


def test_hand_over_and_back() -> None:
    """An agent that a conversation comes back to goes on in its lane, in a later turn, too."""
    story, texts = Story(), ["Hi"]
    for turn in range(3):
        trace = f"T{turn}"
        story.span(f"A{turn}", "agent", name="front", trace=trace)
        story.call(f"a{turn}", f"A{turn}", *texts, trace=trace).call(f"d{turn}", f"A{turn}", *texts, trace=trace)
        story.span(f"B{turn}", "agent", f"A{turn}", name="expert", trace=trace)
        story.call(f"b{turn}", f"B{turn}", *texts, trace=trace)
        texts += ["answer", "question"]
    assert story.lanes() == [None, None, "expert"] * 3


def test_a_supervisor_that_is_entered_again() -> None:
    """A leading agent whose every entry is a run of its own stays in the main lane."""
    story = Story().call("s1", None, "Hi", namespace=("supervisor:1", "agent:2"))
    story.call("r", None, "Find", namespace=("research:3", "agent:4"))
    story.call("s2", None, "Hi", "1", "2", namespace=("supervisor:5", "agent:6"))
    assert story.lanes() == [None, "research", None]


def test_steps_of_a_graph() -> None:
    """Steps of one graph are one lane, though each is an agent to the exporter."""
    story = Story()
    for step in range(3):
        namespace = (f"agent:{step}",)
        story.span(f"s{step}", "agent", name="agent", namespace=namespace)
        story.call(f"g{step}", f"s{step}", f"trimmed {step}", namespace=namespace)
    assert story.lanes() == [None, None, None]


def test_side_calls() -> None:
    """A call named unlike most, on something else, is no part of the conversation; one on the same thing is."""
    story = Story().call("g1", None, "Hi").call("t", None, "Name this chat", name="title")
    story.call("f", None, "Hi", "1", "2", name="fallback").call("g2", None, "Hi", "1", "2", "3", "4")
    assert story.lanes() == [None, "title", None, None]


def test_side_traces() -> None:
    """So it is with a trace of another name in the session."""
    story = Story()
    for turn, (name, text) in enumerate([("chat", "Hi"), ("title", "Name this"), ("chat", "Trimmed")]):
        trace = f"T{turn}"
        story.span(f"R{turn}", "other", name=name, trace=trace).call(f"g{turn}", f"R{turn}", text, trace=trace)
    assert story.lanes() == [None, "title", None]


def test_call_outside_of_the_agent() -> None:
    """A call before the agent that leads the trace has a lane by its name."""
    story = Story().call("g", None, "Is this allowed?", name="guard").span("A", "agent")
    story.call("a1", "A", "Hi").call("a2", "A", "Hi", "1", "2")
    assert story.lanes() == ["guard", None, None]


def test_names_that_are_all_different() -> None:
    """Names that are there once each say nothing: a conversation that was trimmed stays one."""
    assert Story().call("a", None, "Hi", name="1").call("b", None, "Trimmed", name="2").lanes() == [None, None]
