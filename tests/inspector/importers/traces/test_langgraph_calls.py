"""Checkpoints as calls: answers and their contexts, forks, graphs in graphs, removals, failures."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from inspector.importers import import_paths
from inspector.importers.base import ImportedCall, ImportedCompaction, ImportedRecord, Problem
from inspector.importers.follow import follow_paths
from inspector.importers.reading.documents import Document
from inspector.importers.traces.langgraph import LangGraph

TABLES = (
    "CREATE TABLE checkpoints (thread_id TEXT, checkpoint_ns TEXT, checkpoint_id TEXT, parent_checkpoint_id TEXT, "
    "type TEXT, checkpoint BLOB, metadata BLOB)",
    "CREATE TABLE writes (thread_id TEXT, checkpoint_ns TEXT, checkpoint_id TEXT, task_id TEXT, idx INTEGER, "
    "channel TEXT, type TEXT, value BLOB, task_path TEXT)",
)


def human(identity: str, text: str) -> dict[str, Any]:
    """A message of the user, flat, as MessagePack holds it."""
    return {"type": "human", "id": identity, "content": text}


def ai(identity: str, text: str, **more: Any) -> dict[str, Any]:
    """A message of the model."""
    return {"type": "ai", "id": identity, "content": text, "tool_calls": [], **more}


class Graph:
    """Writes a database as a graph's checkpointer would, and reads it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._count = 0
        with closing(sqlite3.connect(path)) as connection:
            for table in TABLES:
                connection.execute(table)

    def checkpoint(
        self, parent: str | None, *, source: str = "loop", namespace: str = "", metadata: Any = None, **values: Any
    ) -> str:
        """Store the next checkpoint; its id is the next number."""
        self._count += 1
        identity = f"{self._count:04d}"
        stored = {"ts": f"2026-01-01T00:00:{self._count:02d}+00:00", "channel_values": values}
        told = {"source": source, **(metadata or {})}
        row = ("t", namespace, identity, parent, "json", json.dumps(stored), json.dumps(told))
        with closing(sqlite3.connect(self.path)) as connection:
            connection.execute("INSERT INTO checkpoints VALUES (?, ?, ?, ?, ?, ?, ?)", row)
            connection.commit()
        return identity

    def write(self, at: str, node: str, channel: str, value: Any, task: str = "a") -> None:
        """Store what a task that began at a checkpoint wrote."""
        row = ("t", "", at, task, 0, channel, "json", json.dumps(value), f"~__pregel_pull, {node}")
        with closing(sqlite3.connect(self.path)) as connection:
            connection.execute("INSERT INTO writes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
            connection.commit()

    def read(self) -> tuple[list[ImportedRecord], list[Problem]]:
        """The records of its one thread, and the problems."""
        problems: list[Problem] = []
        found: list[ImportedRecord] = []
        for session in LangGraph().read([Document(self.path)], problems.append):
            found += session.calls()
        return found, problems

    def calls(self) -> list[ImportedCall]:
        """The calls only."""
        return [record for record in self.read()[0] if isinstance(record, ImportedCall)]


@pytest.fixture
def graph(tmp_path: Path) -> Graph:
    """A database without checkpoints."""
    return Graph(tmp_path / "checks.db")


def contents(call: ImportedCall) -> list[Any]:
    """What the messages of a request say."""
    assert isinstance(call.request, dict)
    return [message["content"] for message in call.request["messages"]]


def errors(graph: Graph) -> list[str | None]:
    """The errors of all answers."""
    return [call.answer.error for call in graph.calls() if call.answer is not None]


def test_an_answer(graph: Graph) -> None:
    """A message of the model that the parent has not was asked for with the parent's messages."""
    start = graph.checkpoint(None, source="input", __start__={"messages": []})
    first = graph.checkpoint(start, messages=[human("1", "你好")])
    about = {"model_name": "gpt-4.1", "finish_reason": "stop", "id": "chatcmpl-1"}
    usage = {"input_tokens": 10, "output_tokens": 2, "input_token_details": {"cache_read": 4}}
    said = ai("2", "hi", response_metadata=about, usage_metadata=usage)
    graph.checkpoint(first, messages=[human("1", "你好"), said])

    [call] = graph.calls()

    assert call.request == {"model": "gpt-4.1", "messages": [{"role": "user", "content": "你好"}]}
    assert (call.exact, call.missing, call.turn) == ("rebuilt", ("system", "tools", "parameters"), 1)
    assert call.answer is not None
    assert call.answer.body == {
        "id": "chatcmpl-1",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": "hi"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 4}},
    }
    assert (str(call.time), str(call.answer.time)) == ("2026-01-01 00:00:02+00:00", "2026-01-01 00:00:03+00:00")


def test_answers_that_were_put_in(graph: Graph) -> None:
    """What a person put in, or changed afterwards, is no answer."""
    start = graph.checkpoint(None, source="input", __start__={"messages": []})
    given = [human("1", "a"), ai("2", "canned"), human("3", "b")]
    first = graph.checkpoint(start, messages=given)
    second = graph.checkpoint(first, messages=[*given, ai("4", "real")])
    graph.checkpoint(second, source="update", messages=[*given, ai("4", "real"), ai("5", "by hand")])

    [call] = graph.calls()

    assert contents(call) == ["a", "canned", "b"]


def test_a_channel_of_any_name(graph: Graph) -> None:
    """Messages are found in whatever channel holds them, also as LangChain's constructors."""
    said = {"HumanMessage": {"content": "a", "id": "1"}, "AIMessage": {"content": "b", "id": "2"}}
    told = [
        {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", name], "kwargs": kwargs}
        for name, kwargs in said.items()
    ]
    first = graph.checkpoint(None, chat=told[:1], other=[1, 2], text="x")
    graph.checkpoint(first, chat=told, other=[1, 2], text="x")

    [call] = graph.calls()

    assert contents(call) == ["a"]


def test_one_task(graph: Graph) -> None:
    """What a task wrote before its answer was in the prompt; what another task wrote at the same time was not."""
    first = graph.checkpoint(None, messages=[human("1", "a")])
    graph.write(first, "one", "messages", [human("2", "hint"), ai("3", "x")], task="a")
    graph.write(first, "two", "messages", ai("4", "y"), task="b")
    graph.checkpoint(first, messages=[human("1", "a"), human("2", "hint"), ai("3", "x"), ai("4", "y")])

    assert [contents(call) for call in graph.calls()] == [["a", "hint"], ["a"]]


def test_a_prepared_prompt(graph: Graph) -> None:
    """Messages that a hook prepared for the model were sent in place of the state's."""
    state = [human("1", "long"), human("2", "b")]
    first = graph.checkpoint(None, messages=state, llm_input_messages=[human("9", "short")])
    graph.checkpoint(first, messages=[*state, ai("3", "x")])

    assert [contents(call) for call in graph.calls()] == [["short"]]


def test_removed_messages(graph: Graph) -> None:
    """Messages that leave the state are a compaction, by the node that removed them."""
    before = [human("1", "a"), ai("2", "b"), human("3", "c"), ai("4", "d")]
    first = graph.checkpoint(None, messages=before[:3])
    second = graph.checkpoint(first, messages=before)
    graph.write(second, "trim", "messages", [{"type": "remove", "id": "1", "content": ""}])
    graph.checkpoint(second, messages=before[2:])

    compaction = graph.read()[0][-1]

    assert isinstance(compaction, ImportedCompaction)
    assert (compaction.strategy, compaction.policy) == ("trim", "trim")
    assert compaction.before is not None
    assert compaction.after is not None
    assert (len(compaction.before), len(compaction.after)) == (4, 2)


@pytest.mark.parametrize(
    ("after", "more"),
    [
        ([human("4", "d")], {"summary": "so far: a, b"}),
        ([{"type": "system", "id": "9", "content": "so far: a, b"}, human("4", "d")], {}),
    ],
)
def test_summaries(graph: Graph, after: list[Any], more: dict[str, Any]) -> None:
    """A summary that takes their place stands in a message, or in a channel of its own."""
    before = [human("1", "a"), ai("2", "b"), human("4", "d")]
    first = graph.checkpoint(None, messages=before[:1])
    second = graph.checkpoint(first, messages=before)
    graph.checkpoint(second, messages=after, **more)

    compaction = graph.read()[0][-1]

    assert isinstance(compaction, ImportedCompaction)
    assert compaction.strategy == "summary"


def test_a_fork(graph: Graph) -> None:
    """Who goes back in time begins another lane, with the context of there."""
    first = graph.checkpoint(None, source="input", messages=[human("1", "a")])
    second = graph.checkpoint(first, messages=[human("1", "a"), ai("2", "b")])
    third = graph.checkpoint(second, source="input", messages=[human("1", "a"), ai("2", "b"), human("3", "c")])
    graph.checkpoint(third, messages=[human("1", "a"), ai("2", "b"), human("3", "c"), ai("4", "d")])
    fork = graph.checkpoint(first, source="fork", messages=[human("1", "a")])
    graph.checkpoint(fork, messages=[human("1", "a"), ai("5", "e")])

    found = graph.calls()

    assert [(call.lane, contents(call)) for call in found] == [
        (None, ["a"]),
        (None, ["a", "b", "c"]),
        ("fork", ["a"]),
    ]
    assert not any(isinstance(record, ImportedCompaction) for record in graph.read()[0])


def test_a_graph_in_a_graph(graph: Graph) -> None:
    """Its answers are in its lane, and not told again when the outer graph takes them over."""
    outer = graph.checkpoint(None, source="input", messages=[human("1", "a")])
    inner = {"parents": {"": outer}}
    for task in ("x", "y"):
        within = graph.checkpoint(None, namespace=f"child:{task}", metadata=inner, messages=[human("1", "a")])
        said = [human("1", "a"), ai(task, "b")]
        graph.checkpoint(within, namespace=f"child:{task}", metadata=inner, messages=said)
    graph.checkpoint(outer, messages=[human("1", "a"), ai("x", "b"), ai("y", "b")])

    assert [(call.lane, call.turn) for call in graph.calls()] == [("child", 1), ("child 2", 1)]


def test_a_failure(graph: Graph) -> None:
    """A node that asks a model and failed is a call without an answer; the call that was made again follows."""
    first = graph.checkpoint(None, messages=[human("1", "a")])
    graph.write(first, "model", "messages", ai("2", "b"))
    second = graph.checkpoint(first, messages=[human("1", "a"), ai("2", "b")])
    third = graph.checkpoint(second, messages=[human("1", "a"), ai("2", "b"), human("3", "c")])
    graph.write(third, "model", "__error__", "RateLimitError('429')")

    [_, failed] = graph.calls()
    assert contents(failed) == ["a", "b", "c"]
    assert errors(graph) == [None, "RateLimitError('429')"]

    graph.checkpoint(third, messages=[human("1", "a"), ai("2", "b"), human("3", "c"), ai("4", "d")])
    assert errors(graph) == [None, "RateLimitError('429')", None]


def test_null_content(graph: Graph) -> None:
    """An answer of calls only has no text, and keeps its calls."""
    calls = [{"id": "c1", "name": "f", "args": {"城": 1}, "type": "tool_call"}]
    first = graph.checkpoint(None, messages=[human("1", "a")])
    graph.checkpoint(first, messages=[human("1", "a"), ai("2", "", tool_calls=calls)])

    [call] = graph.calls()

    assert call.answer is not None
    assert call.answer.body is not None
    [told] = call.answer.body["choices"][0]["message"]["tool_calls"]
    assert told["function"] == {"name": "f", "arguments": '{"城": 1}'}


def test_no_messages(graph: Graph) -> None:
    """A thread without messages is refused with the reason."""
    graph.checkpoint(graph.checkpoint(None, count=1), count=2)

    records, [problem] = graph.read()

    assert records == []
    assert "no answer of a model" in problem.reason


def test_stored_changes(graph: Graph) -> None:
    """Channels stored as changes are said to be why nothing is found."""
    graph.checkpoint(None, metadata={"counters_since_delta_snapshot": {"messages": [1, 1]}}, other=1)

    assert "DeltaChannel" in graph.read()[1][0].reason


def test_pickled_checkpoints(graph: Graph) -> None:
    """Checkpoints that cannot be read are counted; the answers of the others are there."""
    first = graph.checkpoint(None, messages=[human("1", "a")])
    graph.checkpoint(first, messages=[human("1", "a"), ai("2", "b")])
    with closing(sqlite3.connect(graph.path)) as connection:
        connection.execute("INSERT INTO checkpoints VALUES ('t', '', '9998', NULL, 'pickle', x'80', NULL)")
        connection.execute("INSERT INTO checkpoints VALUES ('t', '', '9999', NULL, 'pickle', x'80', NULL)")
        connection.commit()

    records, [problem] = graph.read()

    assert len(records) == 1
    assert "2 checkpoint(s) not read: pickled" in problem.reason


def test_a_thread_that_goes_on(graph: Graph, tmp_path: Path, records_in: Callable[..., list[dict[str, Any]]]) -> None:
    """What a thread has more is added to its session, compactions too."""
    first = graph.checkpoint(None, messages=[human("1", "a")])
    second = graph.checkpoint(first, messages=[human("1", "a"), ai("2", "b")])
    import_paths([graph.path], tmp_path / "traces")
    third = graph.checkpoint(second, messages=[human("1", "a"), ai("2", "b"), human("3", "c")])
    fourth = graph.checkpoint(third, messages=[human("1", "a"), ai("2", "b"), human("3", "c"), ai("4", "d")])
    graph.checkpoint(fourth, messages=[human("3", "c"), ai("4", "d")])

    [session] = import_paths([graph.path], tmp_path / "traces").sessions

    assert (session.session, session.outcome, session.calls) == ("t", "extended", 1)
    assert len(records_in(tmp_path / "traces", "compaction")) == 1
    assert import_paths([graph.path], tmp_path / "traces").sessions[0].outcome == "already imported"


def test_a_database_that_is_followed(graph: Graph, tmp_path: Path) -> None:
    """A running program's checkpoints are picked up while they stand in the write-ahead log only."""
    first = graph.checkpoint(None, messages=[human("1", "a")])
    graph.checkpoint(first, messages=[human("1", "a"), ai("2", "b")])
    steps = ["more", "stop"]

    with closing(sqlite3.connect(graph.path)) as running:
        running.execute("PRAGMA journal_mode=WAL")
        running.execute("SELECT count(*) FROM checkpoints").fetchone()

        def wait() -> bool:
            if steps.pop(0) == "stop":
                return False
            third = graph.checkpoint("0002", messages=[human("1", "a"), ai("2", "b"), human("3", "c")])
            graph.checkpoint(third, messages=[human("1", "a"), ai("2", "b"), human("3", "c"), ai("4", "d")])
            return True

        summaries = list(follow_paths([graph.path], tmp_path / "traces", wait=wait))

    assert [[session.outcome for session in summary.sessions] for summary in summaries] == [["imported"], ["extended"]]
