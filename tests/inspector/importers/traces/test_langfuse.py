"""Facts about Langfuse's exports, in each of their shapes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from importing import answer_body, body, calls_of, only_call, read_as

from inspector.importers.base import ImportedCall, ImportedSession, Problem
from inspector.importers.run import import_paths
from inspector.importers.traces.langfuse import Langfuse
from inspector.index import open_index

Write = Callable[..., Path]
HI = [{"role": "user", "content": "Hi"}]


def observation(key: str, second: int = 0, **members: Any) -> dict[str, Any]:
    """A generation, unless the members say otherwise."""
    return {
        "id": key, "traceId": "T", "type": "GENERATION", "name": "llm", "parentObservationId": None,
        "startTime": f"2026-01-01T00:00:{second:02}.000Z", "endTime": f"2026-01-01T00:00:{second:02}.500Z",
        "model": "gpt-4o", "modelParameters": {}, "input": HI, "output": {"role": "assistant", "content": "Hello"},
        "usageDetails": {"input": 9, "output": 2, "total": 11}, "level": "DEFAULT", "statusMessage": None,
        "metadata": {}, **members,
    }  # fmt: skip


def trace(*observations: dict[str, Any], **members: Any) -> dict[str, Any]:
    """A trace as the API gives it."""
    head = {"id": "T", "name": "chat", "timestamp": "2026-01-01T00:00:00.000Z", "sessionId": None, "projectId": "p"}
    return {**head, **members, "observations": list(observations)}


def read(*paths: Path) -> tuple[list[ImportedSession], list[Problem]]:
    """Read files as the format does."""
    return read_as(Langfuse(), *paths)


def call(write_json: Write, **members: Any) -> ImportedCall:
    """Read a generation that stands alone."""
    return only_call(Langfuse(), write_json("trace.json", trace(observation("g", **members))))


def answer(found: ImportedCall) -> dict[str, Any]:
    """Give the message of a call's answer."""
    message = answer_body(found)["choices"][0]["message"]
    assert isinstance(message, dict)
    return message


SNAKE = {
    "id": "g", "trace_id": "T", "type": "GENERATION", "start_time": "2026-01-01 00:00:00.000000",
    "end_time": "2026-01-01 00:00:01.000000", "provided_model_name": "gpt-4o", "input": json.dumps(HI),
    "output": json.dumps({"role": "assistant", "content": "Hello"}), "usage_details": {"input": "9", "output": "2"},
    "model_parameters": '{"temperature": 0.5}', "parent_observation_id": None,
}  # fmt: skip
"""A generation as it is exported to a bucket."""

SHAPES: dict[str, Any] = {
    "a trace of the API": trace(observation("g")),
    "a trace of the app": {"trace": trace(observation("g")), "observations": [observation("g")]},
    "an array of traces": [trace(observation("g")), trace(observation("h", traceId="U"), id="U")],
    "a page of observations": {"data": [observation("g")], "meta": {"page": 1, "totalItems": 1}},
    "an array of observations": [observation("g")],
    "an observation": observation("g"),
    "an export to a bucket": [SNAKE],
}


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes(write_json: Write, shape: str) -> None:
    """The call is the same in each shape of export, and each is recognised."""
    value = SHAPES[shape]
    sessions, problems = read(write_json("x.json", value))
    first = calls_of(sessions[0])[0]
    assert Langfuse().recognises(value)
    assert problems == []
    assert (sessions[0].session, body(first)["model"], body(first)["messages"]) == ("T", "gpt-4o", HI)
    assert answer(first) == {"role": "assistant", "content": "Hello"}
    assert first.answer is not None
    assert first.answer.body is not None
    assert first.answer.body["usage"]["prompt_tokens"] == 9


@pytest.mark.parametrize("shape", SHAPES)
def test_lines(write_lines: Write, shape: str) -> None:
    """So it is where each value stands on a line."""
    value = SHAPES[shape]
    values = value if isinstance(value, list) else [value]
    sessions, problems = read(write_lines("x.jsonl", *values, *values))  # twice: pages overlap
    assert (problems, len(calls_of(sessions[0]))) == ([], 1)


@pytest.mark.parametrize(
    "sample",
    [
        {"messages": HI, "model": "m"},
        {"type": "SPAN", "id": "x"},
        {"id": "x", "name": "n"},
        [{"role": "user", "parts": [{"text": "Hi"}]}],
        {"data": [{"id": "m", "object": "model"}]},
        {"id": "b", "input": {"success": True, "data": HI}},
        {"id": "r", "timestamp": 1, "sessionId": "s", "request": {"model": "m", "messages": HI}},
        7,
    ],
)
def test_other_formats(sample: Any) -> None:
    """Other JSON is not taken for an export."""
    assert not Langfuse().recognises(sample)


def test_sessions(write_json: Write) -> None:
    """Traces of one session are its turns, in the order in which they began."""
    later = trace(observation("g2", 9, traceId="U"), id="U", sessionId="s")
    [session], _ = read(write_json("x.json", [later, trace(observation("g1"), sessionId="s")]))
    assert session.session == "s"
    assert [found.turn for found in calls_of(session)] == [1, 2]
    assert session.meta["traces"] == ["T", "U"]


def test_session_in_another_file(write_lines: Write) -> None:
    """Where traces and observations are exported apart, the trace still names the session."""
    head = {"id": "T", "timestamp": "2026-01-01 00:00:00.000000", "session_id": "s", "project_id": "p"}
    traces, observations = write_lines("traces.jsonl", head, head), write_lines("observations.jsonl", SNAKE, SNAKE)
    [session], problems = read(observations, traces)
    assert (session.session, problems) == ("s", [])


def test_a_trace_without_session_is_one(write_json: Write) -> None:
    """Traces without a session are sessions of their own, and none passes for another."""
    both = [trace(observation("g")), trace(observation("h", traceId="U"), id="U")]
    sessions, _ = read(write_json("x.json", both))
    assert [one.session for one in sessions] == ["T", "U"]
    assert len({one.digest for one in sessions}) == 2


def test_order(write_json: Write) -> None:
    """Calls are in the order in which they were made, whatever the order of the export."""
    [session], _ = read(write_json("x.json", trace(observation("b", 5, model="b"), observation("a", 1, model="a"))))
    assert [body(found)["model"] for found in calls_of(session)] == ["a", "b"]


def agent(key: str, name: str, parent: str | None = None, kind: str = "AGENT") -> dict[str, Any]:
    """An agent, or a tool."""
    return observation(key, type=kind, name=name, parentObservationId=parent, input=None, output=None)


def lanes(write_json: Write, *observations: dict[str, Any]) -> list[str | None]:
    """Give the lanes of the calls of a trace."""
    [session], _ = read(write_json("x.json", trace(*observations)))
    return [found.lane for found in calls_of(session)]


def said(*texts: str) -> list[dict[str, Any]]:
    """A conversation that goes on."""
    return [{"role": ("user", "assistant")[i % 2], "content": text} for i, text in enumerate(texts)]


def test_sub_agents(write_json: Write) -> None:
    """An agent within an agent has a lane of its own; each of its runs on another task has one, too."""
    assert lanes(
        write_json,
        agent("A", "boss"), agent("t1", "research", "A", "TOOL"), agent("B1", "searcher", "t1"),
        agent("B2", "searcher", "A"),
        observation("g1", 1, parentObservationId="A", input=said("Plan")),
        observation("g2", 2, parentObservationId="B1", input=said("Find x")),
        observation("g3", 3, parentObservationId="B2", input=said("Find y")),
        observation("g4", 4, parentObservationId="A", input=said("Plan", "x, y", "Go on")),
    ) == [None, "searcher", "searcher 2", None]  # fmt: skip


def test_whole_body(write_json: Write) -> None:
    """Where the input is the whole body the call is exact, and nothing of a client's is in it."""
    given = {"model": "gpt-4o", "messages": HI, "temperature": 0, "timeout": 5, "extra_headers": None}
    found = call(write_json, input=json.dumps(given))
    assert (found.exact, found.missing) == ("imported", ())
    assert found.request == {"model": "gpt-4o", "messages": HI, "temperature": 0}


def test_messages_only(write_json: Write) -> None:
    """Messages alone are no body: tools and parameters may be missing, and are named."""
    found = call(write_json, modelParameters={"temperature": "0.5", "max_tokens": 100})
    assert (found.exact, found.missing) == ("rebuilt", ("tools", "parameters"))
    assert body(found) == {"model": "gpt-4o", "messages": HI, "temperature": 0.5, "max_tokens": 100}


def test_tools_among_the_messages(write_json: Write) -> None:
    """LangChain's exporter writes tools as messages; a real result that looks like one stays."""
    tool = {"type": "function", "function": {"name": "find", "parameters": {"type": "object"}}}
    result = {"role": "tool", "tool_call_id": "c", "content": json.dumps(tool)}
    found = call(write_json, input=[*HI, result, {"role": "tool", "content": tool}])
    assert body(found)["messages"] == [*HI, result]
    assert body(found)["tools"] == [tool]


def test_known_tools(write_json: Write) -> None:
    """Tools that the exporter lists are the prompt's; a list that is empty says that there were none."""
    metadata = {"attributes": {"model_request_parameters": json.dumps({"function_tools": []})}}
    assert call(write_json, metadata=json.dumps(metadata)).missing == ("parameters",)
    named = call(write_json, toolDefinitions={"find": json.dumps({"description": "Finds", "parameters": {}})})
    assert body(named)["tools"][0]["function"]["name"] == "find"


def test_prompt_in_the_attributes(write_json: Write) -> None:
    """Where the input is empty the attributes of the span hold the prompt and the answer."""
    attributes = {
        "gen_ai.prompt.0.role": "system", "gen_ai.prompt.0.content": "Be brief",
        "gen_ai.prompt.1.role": "user", "gen_ai.prompt.1.content": "Hi",
        "gen_ai.prompt.10.role": "user", "gen_ai.prompt.10.content": "Bye",
        "gen_ai.prompt.2.role": "assistant", "gen_ai.prompt.2.tool_calls.0.id": "c",
        "gen_ai.prompt.2.tool_calls.0.name": "find", "gen_ai.prompt.2.tool_calls.0.arguments": "{}",
        "gen_ai.completion.0.role": "assistant", "gen_ai.completion.0.content": "Hello",
    }  # fmt: skip
    found = call(write_json, input=None, output=None, metadata={"attributes": attributes})
    messages = body(found)["messages"]
    assert [one["role"] for one in messages] == ["system", "user", "assistant", "user"]
    assert messages[2]["tool_calls"][0]["function"] == {"name": "find", "arguments": "{}"}
    assert answer(found)["content"] == "Hello"


def test_no_prompt(write_json: Write) -> None:
    """Generations without a prompt are told of by number, and the others are read."""
    broken = observation("b", 1, input={"content": "role"})
    path = write_json("x.json", trace(broken, observation("e", 2, input=None), observation("g", 3)))
    [session], problems = read(path)
    assert len(calls_of(session)) == 1
    [problem] = problems
    assert "2 of the generations of session 'T' hold no prompt, the first b" in problem.reason


def test_no_generations(write_json: Write) -> None:
    """A trace without generations is refused with the reason."""
    sessions, problems = read(write_json("x.json", [observation("s", type="SPAN")]))
    assert sessions == []
    assert "without any generations" in problems[0].reason


def test_error(write_json: Write) -> None:
    """A generation that failed is a failed call, in Langfuse's words."""
    found = call(write_json, output=None, level="ERROR", statusMessage="context_length_exceeded")
    assert found.answer is not None
    assert (found.answer.body, found.answer.error) == (None, "context_length_exceeded")


def test_pending(write_json: Write) -> None:
    """A generation that has no output and no usage has no answer."""
    assert call(write_json, output=None, endTime=None, usageDetails={}).answer is None


def test_null_members(write_json: Write) -> None:
    """Nulls where a list or a text is expected lose no message and no call."""
    message = {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c", "function": None}],
        "function_call": None,
    }
    given = [*HI, message, {"role": "assistant", "content": None, "tool_calls": None}]
    assert len(body(call(write_json, input=given))["messages"]) == 3


def test_odd_text(tmp_path: Path, write_json: Write) -> None:
    """Separators, NULs, lone surrogates and numbers that are none come through to the page."""
    text = "a\u2028b\u0085c\x00d \\u0000"
    path = write_json("x.json", trace(observation("g", input=[{"role": "user", "content": text}])))
    raw = path.read_text(encoding="utf-8").replace('"Hello"', '"\\ud83d"').replace('"modelParameters": {}', '"x": NaN')
    path.write_text(raw, encoding="utf-8")
    import_paths([path], tmp_path / "out")
    index = open_index(tmp_path / "out")
    try:
        index.refresh()
        view = index.call("T", 1)
    finally:
        index.close()
    assert view.messages[0].message.text == text
    assert view.answer is not None


def test_byte_order_mark(write_lines: Write) -> None:
    """A byte order mark costs no record."""
    path = write_lines("x.jsonl", "\ufeff" + json.dumps(observation("a")), observation("b", 1))
    [session], problems = read(path)
    assert (len(calls_of(session)), problems) == (2, [])


def test_damaged_lines(write_lines: Write) -> None:
    """Of a damaged file every whole record is read, and what is lost is said."""
    lines = [
        json.dumps(observation("a")) + json.dumps(observation("b", 1)),
        observation("c", 2),
        json.dumps(observation("lost"))[:80],
        observation("d", 3),
        json.dumps(observation("being written"))[:80],
    ]
    [session], problems = read(write_lines("x.jsonl", *lines))
    assert len(calls_of(session)) == 4
    assert [problem.line for problem in problems] == [3, 5]


def test_same_bytes_twice(tmp_path: Path, write_json: Write) -> None:
    """An export imported again is there already."""
    path = write_json("x.json", [trace(observation("g")), trace(observation("h", traceId="U"), id="U")])
    import_paths([path], tmp_path / "out")
    again = import_paths([path], tmp_path / "out")
    assert [one.outcome for one in again.sessions] == ["already imported"] * 2


def test_beside_another_export(tmp_path: Path, write_json: Write) -> None:
    """An export that was imported alone is known again beside another."""
    import_paths([write_json("x.json", trace(observation("g")))], tmp_path / "out")
    write_json("y.json", trace(observation("h", traceId="U"), id="U"))
    again = import_paths([tmp_path / "logs"], tmp_path / "out")
    assert {one.session: one.outcome for one in again.sessions} == {"T": "already imported", "U": "imported"}


ODD: list[Any] = [None, 7, "x", [], ["x"], {}, {"a": None}, [{"type": ["x"]}], "{", "\ud83d"]


NAMES = (
    "input", "output", "metadata", "usageDetails", "modelParameters", "startTime", "name", "level", "model", "type",
    "parentObservationId", "toolDefinitions",
)  # fmt: skip


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("name", NAMES)
def test_members_of_odd_types(write_lines: Write, name: str, odd: Any) -> None:
    """A member of a type that no export has costs at most its own generation."""
    path = write_lines("x.json", trace(observation("a"), observation("b", 1, **{name: odd})))
    [session], _ = read(path)
    assert len(calls_of(session)) in ((1, 2) if name in ("input", "type") else (2,))


def test_name_that_cannot_be_written(tmp_path: Path, write_lines: Write) -> None:
    """A session whose name holds a lone surrogate is imported under a name that can be written."""
    summary = import_paths([write_lines("x.json", trace(observation("g"), sessionId="s \ud83d"))], tmp_path / "out")
    assert [(one.session, one.calls) for one in summary.sessions] == [("s ?", 1)]


def test_circle_of_parents(write_json: Write) -> None:
    """Observations that are each other's parents do not hang the import."""
    pair = [observation("a", parentObservationId="b"), observation("b", 1, parentObservationId="a")]
    [session], _ = read(write_json("x.json", trace(*pair)))
    assert len(calls_of(session)) == 2


def test_trace_that_breaks_off_gives_the_observations_before(tmp_path: Path) -> None:
    """A trace that is cut is still known for one, and what is whole of it is read."""
    path = tmp_path / "trace.json"
    path.write_text(json.dumps(trace(observation("a"), observation("b", 1)))[:-200])
    [session], problems = read(path)

    assert len(calls_of(session)) == 1
    assert "breaks off" in problems[0].reason


def test_bad_byte_costs_no_observation(tmp_path: Path) -> None:
    """A byte that is no UTF-8 is replaced, and said."""
    path = tmp_path / "trace.json"
    path.write_bytes(json.dumps(trace(observation("a"))).encode().replace(b'"Hi"', b'"H\xff"'))
    [session], problems = read(path)

    assert (len(calls_of(session)), session.replaced, problems) == (1, True, [])
