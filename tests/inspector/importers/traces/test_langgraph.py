"""Databases that the real LangGraph wrote: agents with tools, summaries, forks, graphs in graphs, failures."""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from inspector.importers.base import ImportedCall, ImportedCompaction, ImportedRecord, Problem
from inspector.importers.reading.documents import Document
from inspector.importers.traces.langgraph import LangGraph

graphs = pytest.importorskip("langgraph.graph", reason="the package langgraph is not installed")
sqlite = pytest.importorskip(
    "langgraph.checkpoint.sqlite", reason="the package langgraph-checkpoint-sqlite is not installed"
)
messages = pytest.importorskip("langchain_core.messages", reason="the package langchain-core is not installed")

State = dict[str, Any]


class Agent:
    """A graph around a model that is asked, and what it was asked with."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.connection = sqlite3.connect(path, check_same_thread=False)
        self.saver = sqlite.SqliteSaver(self.connection)
        self.asked: list[list[str]] = []
        """The prompts the model really got: the text of each message."""
        self.fail_at: int | None = None

    def model(self, state: State) -> State:
        """Ask the model: a question about weather makes it call a tool."""
        self.asked.append([message.content for message in state["messages"]])
        number = len(self.asked)
        if number == self.fail_at:
            raise RuntimeError("429 rate limited")
        about: dict[str, Any] = {
            "usage_metadata": {"input_tokens": 10 * number, "output_tokens": 2, "total_tokens": 10 * number + 2},
            "response_metadata": {"model_name": "gpt-4.1", "finish_reason": "stop"},
        }
        last = state["messages"][-1]
        if last.type == "human" and "天气" in last.content:
            calls = [{"id": f"c{number}", "name": "weather", "args": {"city": "北京"}}]
            return {"messages": [messages.AIMessage("", tool_calls=calls, **about)]}
        return {"messages": [messages.AIMessage(f"answer {number}", **about)]}

    def graph(self, *, keep: int | None = None) -> Any:
        """The agent: model, tool, and a node that summarises when there are more than ``keep`` messages."""

        class Summarised(graphs.MessagesState):  # type: ignore[name-defined, misc]
            summary: str

        def tool(state: State) -> State:
            call = state["messages"][-1].tool_calls[0]
            return {"messages": [messages.ToolMessage("晴", tool_call_id=call["id"], name="weather")]}

        def summarise(state: State) -> State:
            gone = [messages.RemoveMessage(id=one.id) for one in state["messages"][:-2]]
            return {"summary": f"{len(gone)} messages", "messages": gone}

        def after(state: State) -> str:
            if state["messages"][-1].tool_calls:
                return "tool"
            return "summarise" if keep is not None and len(state["messages"]) > keep else str(graphs.END)

        builder = graphs.StateGraph(Summarised)
        builder.add_node("model", self.model)
        builder.add_node("tool", tool)
        builder.add_node("summarise", summarise)
        builder.add_edge(graphs.START, "model")
        builder.add_conditional_edges("model", after, ["tool", "summarise", graphs.END])
        builder.add_edge("tool", "model")
        return builder.compile(checkpointer=self.saver)

    def read(self) -> dict[str, list[ImportedRecord]]:
        """The records of each thread; the writer is still there."""
        problems: list[Problem] = []
        found = {}
        for session in LangGraph().read([Document(self.path)], problems.append):
            found[session.session] = list(session.calls())
        assert problems == []
        return found


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[Agent]:
    """An agent with an empty database."""
    agent = Agent(tmp_path / "checkpoints.sqlite")
    with closing(agent.connection):
        yield agent


def config(thread: str) -> dict[str, Any]:
    """Where a thread is."""
    return {"configurable": {"thread_id": thread}}


def say(graph: Any, thread: str, *texts: str) -> None:
    """Ask one thing after another."""
    for text in texts:
        graph.invoke({"messages": [messages.HumanMessage(text)]}, config(thread))


def calls(records: list[ImportedRecord]) -> list[ImportedCall]:
    """The calls among records."""
    return [record for record in records if isinstance(record, ImportedCall)]


def prompts(records: list[ImportedRecord]) -> list[list[str]]:
    """The text of each message of each request."""
    found = []
    for call in calls(records):
        assert isinstance(call.request, dict)
        found.append([message["content"] or "" for message in call.request["messages"]])
    return found


def test_the_prompts(agent: Agent) -> None:
    """The request of every call is what the model was asked with, through tools and turns."""
    say(agent.graph(), "t", "北京天气?", "谢谢")

    records = agent.read()["t"]

    assert prompts(records) == agent.asked
    assert [call.turn for call in calls(records)] == [1, 1, 2]
    usage = [call.answer.body["usage"] for call in calls(records) if call.answer and call.answer.body]
    assert [one["prompt_tokens"] for one in usage] == [10, 20, 30]


def test_calls_of_tools(agent: Agent) -> None:
    """A call of a tool and its result are tied in the next request."""
    say(agent.graph(), "t", "北京天气?")

    request: Any = calls(agent.read()["t"])[1].request

    [call] = request["messages"][1]["tool_calls"]
    assert call["function"] == {"name": "weather", "arguments": '{"city": "北京"}'}
    assert request["messages"][2]["tool_call_id"] == call["id"]


def test_a_summary(agent: Agent) -> None:
    """RemoveMessage with a summary is a compaction by its node, and the next request is the shorter one."""
    say(agent.graph(keep=4), "t", "a", "b", "c", "d")

    records = agent.read()["t"]

    [compaction] = [record for record in records if isinstance(record, ImportedCompaction)]
    assert (compaction.strategy, compaction.policy) == ("summary", "summarise")
    assert compaction.before is not None
    assert compaction.after is not None
    assert (len(compaction.before), len(compaction.after)) == (6, 2)
    assert prompts(records) == agent.asked
    assert len(agent.asked[-1]) == 3


def test_threads(agent: Agent) -> None:
    """Each thread is a session of its own."""
    graph = agent.graph()
    say(graph, "one", "a")
    say(graph, "two", "b", "c")

    assert {thread: len(records) for thread, records in agent.read().items()} == {"one": 1, "two": 2}


def test_time_travel(agent: Agent) -> None:
    """A thread that was taken up again in the past goes on in a lane of its own."""
    graph = agent.graph()
    say(graph, "t", "a", "b")
    past = next(
        one for one in graph.get_state_history(config("t")) if len(one.values["messages"]) == 2 and not one.next
    )
    graph.invoke({"messages": [messages.HumanMessage("another b")]}, past.config)

    records = agent.read()["t"]

    assert [call.lane for call in calls(records)] == [None, None, "fork"]
    assert prompts(records) == agent.asked


def test_answers_by_hand(agent: Agent) -> None:
    """What update_state writes is no call."""
    graph = agent.graph()
    say(graph, "t", "a")
    graph.update_state(config("t"), {"messages": [messages.AIMessage("by hand")]})

    assert len(agent.read()["t"]) == 1


def test_a_failure(agent: Agent) -> None:
    """A call that raised is there with its error, and the one that was made again after it."""
    graph = agent.graph()
    say(graph, "t", "a")
    agent.fail_at = 2
    with pytest.raises(RuntimeError):
        say(graph, "t", "b")
    graph.invoke(None, config("t"))

    found = calls(agent.read()["t"])

    assert [call.answer.error for call in found if call.answer] == [None, "RuntimeError('429 rate limited')", None]
    assert prompts(list(found)) == agent.asked


def test_a_graph_in_a_graph(agent: Agent) -> None:
    """Its calls are in its lane, once."""
    inner = graphs.StateGraph(graphs.MessagesState)
    inner.add_node("think", agent.model)
    inner.add_edge(graphs.START, "think")
    outer = graphs.StateGraph(graphs.MessagesState)
    outer.add_node("front", agent.model)
    outer.add_node("helper", inner.compile())
    outer.add_edge(graphs.START, "front")
    outer.add_edge("front", "helper")
    say(outer.compile(checkpointer=agent.saver), "t", "a")

    records = agent.read()["t"]

    assert [call.lane for call in calls(records)] == [None, "helper"]
    assert prompts(records) == agent.asked


def test_another_serializer(agent: Agent) -> None:
    """A checkpointer that pickles is refused, and the pickle is not loaded."""

    class Pickling:
        def dumps_typed(self, value: Any) -> tuple[str, bytes]:
            return "pickle", b"\x80\x04."

        def loads_typed(self, data: tuple[str, bytes]) -> Any:
            raise AssertionError

    agent.saver = sqlite.SqliteSaver(agent.connection, serde=Pickling())
    problems: list[Problem] = []
    say(agent.graph(), "t", "a")

    assert list(LangGraph().read([Document(agent.path)], problems.append)) == []
    assert "pickled" in problems[0].reason


def test_nothing_is_written(agent: Agent) -> None:
    """While the program runs its database and the files beside it stay as they are."""
    say(agent.graph(), "t", "a", "b")

    def state() -> dict[str, bytes]:
        return {one.name: one.read_bytes() for one in agent.path.parent.iterdir()}

    before = state()
    agent.read()

    assert state() == before
    assert any(name.endswith("-wal") for name in before)


def test_many_turns(agent: Agent) -> None:
    """A long thread keeps its order."""
    say(agent.graph(), "t", *map(str, range(20)))

    sizes = [len(prompt) for prompt in prompts(agent.read()["t"])]

    assert all(later == earlier + 2 for earlier, later in itertools.pairwise(sizes))
