"""Spans sorted into conversations: what exporters get wrong about ids and times."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from inspector.importers.traces.otel_calls import Traces
from inspector.importers.traces.otel_spans import Span

PATH = Path("spans.json")
START = datetime(2026, 1, 1, tzinfo=UTC)


def call(number: int, *, parent: str | None = None, trace: str = "t", said: str = "q", **more: Any) -> Span:
    """A span of a model's call at second ``number``."""
    messages = [{"role": "user", "parts": [{"type": "text", "content": said}]}]
    attributes = {"gen_ai.operation.name": "chat", "gen_ai.input.messages": json.dumps(messages), **more}
    start = START + timedelta(seconds=number)
    return Span(trace, str(number), parent, "chat", start, start + timedelta(milliseconds=500), attributes)


def sorted_out(*spans: Span) -> dict[str, list[Any]]:
    """What each session's calls asked."""
    traces = Traces()
    for span in spans:
        traces.add(span, PATH)
    traces.without_content()
    return {
        name: [made.request["messages"][-1]["content"] for made in traces.calls(held)]  # type: ignore[index]
        for name, held in traces.sessions()
    }


def test_parents_in_a_circle() -> None:
    """Ids that go round in a circle end."""
    assert sorted_out(call(1, parent="2"), call(2, parent="1"), call(3)) == {"spans": ["q"]}


def test_a_parent_that_is_not_there() -> None:
    """A span whose parent was sampled away is a call all the same."""
    assert sorted_out(call(1, parent="9", said="a"), call(2, parent="9", said="b")) == {"spans": ["a", "b"]}


def test_a_span_that_came_twice() -> None:
    """An exporter that sends a span again after a failure has not made another call."""
    assert sorted_out(call(1, said="a"), call(2, said="b"), call(1, said="a")) == {"spans": ["a", "b"]}


def test_no_times() -> None:
    """Spans without times keep the order of the file, behind those that have one."""
    untimed = [replace(call(number, said=said), start=None, end=None) for number, said in ((1, "x"), (2, "y"))]

    assert sorted_out(*untimed, call(3, said="z")) == {"spans": ["z", "x", "y"]}


def test_an_agent_named_by_the_call() -> None:
    """Where no span of an agent's run is there, the call may name its agent."""
    traces = Traces()
    for number, agent in ((1, "boss"), (2, "helper"), (3, "boss")):
        traces.add(call(number, **{"gen_ai.agent.name": agent}), PATH)
    traces.without_content()

    [(_, held)] = traces.sessions()

    assert [made.lane for made in traces.calls(held)] == [None, "helper", None]
    assert traces.main_agent(held) == "boss"
