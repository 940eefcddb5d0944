"""ShareGPT and Alpaca rows as calls."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inspector.importers import import_paths
from inspector.importers.base import ImportedCall, Problem
from inspector.importers.reading.documents import Document
from inspector.importers.training.sharegpt import ShareGPT

Write = Callable[..., Path]

PARAMETERS = {"type": "object", "properties": {"city": {"type": "string"}}}
WEATHER = {"name": "weather", "description": "天气", "parameters": PARAMETERS}
CALLED = {
    "conversations": [
        {"from": "human", "value": "北京天气?"},
        {"from": "function_call", "value": '{"name": "weather", "arguments": {"city": "北京"}}'},
        {"from": "observation", "value": '{"sky": "晴"}'},
        {"from": "gpt", "value": "晴。"},
        {"from": "human", "value": "谢谢"},
        {"from": "gpt", "value": "不客气"},
    ],
    "tools": json.dumps([WEATHER], ensure_ascii=False),
}


def read(path: Path) -> tuple[dict[str, list[ImportedCall]], list[Problem]]:
    """The calls of each session, and the problems."""
    problems: list[Problem] = []
    sessions = ShareGPT().read([Document(path)], problems.append)
    return {session.session: list(session.calls()) for session in sessions}, problems  # type: ignore[misc]


def answer(call: ImportedCall) -> dict[str, Any]:
    """The one message of an answer."""
    assert call.answer is not None
    [message] = call.answer.messages
    return dict(message)


def test_turns(write_json: Write) -> None:
    """Each answer is a call with what stands before it, in its turn; calls of tools are answers too."""
    sessions, problems = read(write_json("chats.json", [CALLED]))

    [calls] = sessions.values()
    requests: list[Any] = [call.request for call in calls]
    assert [len(request["messages"]) for request in requests] == [1, 3, 5]
    assert [call.turn for call in calls] == [1, 1, 2]
    assert answer(calls[1]) == {"role": "assistant", "content": "晴。"}
    assert {call.exact for call in calls} == {"rebuilt"}
    assert calls[0].missing == ("model", "parameters")
    assert problems == []


def test_tools(write_json: Write) -> None:
    """Definitions come out of their string; a call and its result are tied by ids that are made for it."""
    sessions, _ = read(write_json("chats.json", [CALLED]))

    request: Any = sessions["chats 1"][1].request
    assert request["tools"] == [{"type": "function", "function": WEATHER}]
    [call] = request["messages"][1]["tool_calls"]
    assert call["function"] == {"name": "weather", "arguments": '{"city": "北京"}'}
    assert request["messages"][2] == {"role": "tool", "tool_call_id": call["id"], "content": '{"sky": "晴"}'}


def test_several_calls_at_once(write_json: Write) -> None:
    """A list of calls has its results in order."""
    calls = json.dumps([{"name": "f", "arguments": {}}, {"name": "g", "arguments": "{}"}])
    said = [("human", "a"), ("function_call", calls), ("observation", "1"), ("observation", "2"), ("gpt", "b")]
    row = {"conversations": [{"from": who, "value": what} for who, what in said]}

    sessions, _ = read(write_json("chats.json", [row]))

    request: Any = sessions["chats 1"][1].request
    ids = [call["id"] for call in request["messages"][1]["tool_calls"]]
    assert [message["tool_call_id"] for message in request["messages"][2:]] == ids


def test_a_call_that_is_no_json(write_json: Write) -> None:
    """What cannot be read as a call stays the text it is."""
    row = {"conversations": [{"from": "human", "value": "a"}, {"from": "function_call", "value": "weather(北京)"}]}

    sessions, _ = read(write_json("chats.json", [row]))

    assert answer(sessions["chats 1"][0]) == {"role": "assistant", "content": "weather(北京)"}


def test_preferences(write_json: Write) -> None:
    """The better and the worse answer have one request; the worse is in a lane of its own."""
    row = {
        "conversations": [{"from": "system", "value": "s"}, {"from": "human", "value": "q"}],
        "chosen": {"from": "gpt", "value": "good"},
        "rejected": {"from": "gpt", "value": "bad"},
    }

    sessions, _ = read(write_json("dpo.json", [row]))

    [better, worse] = sessions["dpo 1"]
    assert better.request == worse.request
    assert (better.lane, answer(better)["content"]) == (None, "good")
    assert (worse.lane, answer(worse)["content"]) == ("rejected", "bad")


@pytest.mark.parametrize("name", ["system", None])
def test_system(write_json: Write, name: str | None) -> None:
    """A system prompt may be a message or a member of the row; it is there once."""
    chat = [{"from": "human", "value": "q"}, {"from": "gpt", "value": "a"}]
    row = (
        {"system": "s", "conversations": chat} if name else {"conversations": [{"from": "system", "value": "s"}, *chat]}
    )

    sessions, _ = read(write_json("t.json", [row]))

    request: Any = sessions["t 1"][0].request
    assert [message["content"] for message in request["messages"]] == ["s", "q"]


def test_alpaca(write_json: Write) -> None:
    """Instruction and input are one message; the template around them is not in the row."""
    rows = [
        {"instruction": "翻译", "input": "你好", "output": "hello"},
        {"instruction": "q", "input": "", "output": "a", "history": [["x", "y"]], "system": "s"},
    ]

    sessions, _ = read(write_json("alpaca.json", rows))

    [call] = sessions["alpaca 1"]
    assert call.request == {"messages": [{"role": "user", "content": "翻译\n你好"}]}
    assert (answer(call)["content"], call.missing) == ("hello", ("model", "parameters", "wire form"))
    request: Any = sessions["alpaca 2"][-1].request
    assert [message["content"] for message in request["messages"]] == ["s", "x", "y", "q"]


def test_rows_that_are_none(write_lines: Write) -> None:
    """A bad line and a row of another kind cost themselves only, and the names of the rest stay."""
    row = {"instruction": "a", "output": "b"}
    path = write_lines("t.jsonl", row, '{"instruction": "c', {"conversations": [{"from": "nobody", "value": "x"}]}, row)

    sessions, problems = read(path)

    assert list(sessions) == ["t 1", "t 4"]
    assert [problem.line for problem in problems] == [2, 3]


def test_labels(write_json: Write) -> None:
    """Whether an answer is wanted (KTO) is kept in the header."""
    row = {"conversations": [{"from": "human", "value": "q"}, {"from": "gpt", "value": "a"}], "label": False}
    path = write_json("kto.json", [row])

    [session] = ShareGPT().read([Document(path)], lambda problem: None)

    assert session.meta == {"label": False}


@pytest.mark.realdata
@pytest.mark.parametrize(
    ("name", "rows", "calls"),
    [("alpaca_zh_demo", 1000, 1000), ("dpo_zh_demo", 300, 600), ("glaive_toolcall_zh_demo", 300, None)],
)
def test_real(realdata: Path, name: str, rows: int, calls: int | None) -> None:
    """Every row of the real files is a session; as many calls as there are answers."""
    path = realdata / "sharegpt" / f"{name}.json"

    sessions, problems = read(path)

    if calls is None:
        told = [one for entry in Document(path).entries() for one in entry.value["conversations"]]
        calls = sum(one["from"] in ("gpt", "function_call") for one in told)
    assert (len(sessions), sum(map(len, sessions.values())), problems) == (rows, calls, [])


@pytest.mark.realdata
def test_real_tools(realdata: Path) -> None:
    """In the real chats every result is tied to a call that stands before it, but where the data has none."""
    sessions, _ = read(realdata / "sharegpt" / "glaive_toolcall_zh_demo.json")

    orphans = set()
    for name, calls in sessions.items():
        request: Any = calls[-1].request
        known: set[str] = set()
        for message in request["messages"]:
            known.update(call["id"] for call in message.get("tool_calls", ()))
            if message["role"] == "tool" and message.get("tool_call_id") not in known:
                orphans.add(name)
    assert orphans == {"glaive_toolcall_zh_demo 198", "glaive_toolcall_zh_demo 294"}


def test_thousands(write_json: Write, tmp_path: Path) -> None:
    """Rows that are the same are sessions of their own, and all of them are known the second time."""
    path = write_json("many.json", [{"instruction": f"q{n % 50}", "output": "a"} for n in range(100)])

    first = import_paths([path], tmp_path / "traces")
    second = import_paths([path], tmp_path / "traces")

    assert (len(first.sessions), first.calls) == (100, 100)
    assert {session.outcome for session in second.sessions} == {"already imported"}
