"""Spans as sessions: conversations, lanes, order, what was lost, and logs that grow."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inspector.importers import import_paths
from inspector.importers.traces.otel import OpenTelemetry

Write = Callable[..., Path]
Requests = Callable[[Path], list[tuple[dict[str, Any], Any]]]
Records = Callable[..., list[dict[str, Any]]]

SECOND = 1_000_000_000
START = 1_750_000_000 * SECOND


def typed(value: Any) -> dict[str, Any]:
    """A value of OTLP."""
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    if isinstance(value, list):
        return {"arrayValue": {"values": [typed(one) for one in value]}}
    return {"stringValue": value}


def pairs(attributes: dict[str, Any]) -> list[dict[str, Any]]:
    """Attributes of OTLP."""
    return [{"key": key, "value": typed(value)} for key, value in attributes.items()]


def span(
    number: int, attributes: dict[str, Any], *, trace: str = "aa", parent: int | None = None, **more: Any
) -> dict[str, Any]:
    """A span of OTLP that begins at second ``number`` and lasts half a second."""
    return {
        "traceId": trace * 16,
        "spanId": f"{number:016x}",
        **({"parentSpanId": f"{parent:016x}"} if parent is not None else {}),
        "name": f"span {number}",
        "startTimeUnixNano": str(START + number * SECOND),
        "endTimeUnixNano": str(START + number * SECOND + SECOND // 2),
        "attributes": pairs(attributes),
        **more,
    }


def otlp(*spans: dict[str, Any]) -> dict[str, Any]:
    """One batch of an exporter."""
    resource = {"attributes": pairs({"service.name": "shop"})}
    return {"resourceSpans": [{"resource": resource, "scopeSpans": [{"scope": {"name": "x"}, "spans": list(spans)}]}]}


def chat(*said: str, **more: Any) -> dict[str, Any]:
    """Attributes of a call; what is said is by the user and the assistant in turn."""
    roles = ("user", "assistant")
    messages = [
        {"role": roles[place % 2], "parts": [{"type": "text", "content": one}]} for place, one in enumerate(said)
    ]
    return {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "m",
        "gen_ai.input.messages": json.dumps(messages, ensure_ascii=False),
        "gen_ai.output.messages": json.dumps([{"role": "assistant", "parts": [{"type": "text", "content": "ok"}]}]),
        "gen_ai.usage.input_tokens": 7,
        **more,
    }


@pytest.fixture
def run(tmp_path: Path) -> Callable[[Path], Any]:
    """Import into ``traces`` and give the summary."""
    return lambda path: import_paths([path], tmp_path / "traces")


def test_a_trace(write_json: Write, run: Callable[[Path], Any], requests_in: Requests, tmp_path: Path) -> None:
    """Calls of a trace are a session in the order in which they began, whatever the order of export."""
    path = write_json(
        "spans.json",
        otlp(
            span(3, chat("一", "ok", "二"), parent=1),
            span(2, chat("一"), parent=1),
            span(1, {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "planner"}),
        ),
    )

    summary = run(path)

    assert [(s.session, s.calls, s.answers, s.exact) for s in summary.sessions] == [("spans", 2, 2, ("rebuilt",))]
    found = requests_in(tmp_path / "traces")
    assert [len(body["messages"]) for _, body in found] == [1, 3]
    assert found[0][0]["time"] == "2025-06-15T15:06:42.000000Z"
    assert (found[0][0]["lane"], found[0][0]["missing"]) == ("main", ["system", "tools", "parameters"])


def test_conversations(write_lines: Write, run: Callable[[Path], Any], records_in: Records, tmp_path: Path) -> None:
    """Traces of one conversation are one session, each a turn; an agent's span may name it for its calls."""
    path = write_lines(
        "t.jsonl",
        otlp(span(1, chat("a", **{"gen_ai.conversation.id": "c-1"}), trace="aa")),
        otlp(span(3, chat("other"), trace="bb", parent=2), span(2, {"session.id": "c-2"}, trace="bb")),
        otlp(span(4, chat("a", "ok", "b", **{"gen_ai.conversation.id": "c-1"}), trace="cc")),
    )

    summary = run(path)

    assert [(s.session, s.calls) for s in summary.sessions] == [("c-1", 2), ("c-2", 1)]
    turns = {r["id"]: r["turn"] for r in records_in(tmp_path / "traces", "snapshot")}
    assert sorted(turns.values(), key=str) == [1, 2, None]


def test_calls_that_are_all_there_is(write_lines: Write, run: Callable[[Path], Any]) -> None:
    """A program that traces nothing but its calls: those with one opening are a session."""
    path = write_lines(
        "t.jsonl",
        otlp(span(1, chat("a"), trace="aa")),
        otlp(span(2, chat("x"), trace="bb")),
        otlp(span(3, chat("a", "ok", "b"), trace="cc")),
    )

    assert [(s.session, s.calls) for s in run(path).sessions] == [("t", 2), ("t 2", 1)]


def test_agents(write_json: Write, run: Callable[[Path], Any], records_in: Records, tmp_path: Path) -> None:
    """A sub-agent has a lane, and each of its runs one of its own; the outer agent keeps its lane."""
    agent = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "boss"}
    sub = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "helper"}
    path = write_json(
        "t.json",
        otlp(
            span(1, agent),
            span(2, chat("a"), parent=1),
            span(3, sub, parent=1),
            span(4, chat("find"), parent=3),
            span(5, sub, parent=1),
            span(6, chat("find more"), parent=5),
            span(7, chat("a", "ok", "b"), parent=1),
        ),
    )

    run(path)

    lanes = [r["lane"] for r in records_in(tmp_path / "traces", "snapshot")]
    assert lanes == ["main", "helper", "helper 2", "main"]
    assert records_in(tmp_path / "traces", "header")[0]["agent"] == "boss"


def test_two_instrumentations(
    write_json: Write, run: Callable[[Path], Any], requests_in: Requests, tmp_path: Path
) -> None:
    """Of two spans that tell of one call the inner is taken: it is nearer to what was sent."""
    body = {"model": "m", "messages": [{"role": "user", "content": "a"}], "seed": 3}
    inner = {"openinference.span.kind": "LLM", "input.value": json.dumps(body), "input.mime_type": "application/json"}
    path = write_json("t.json", otlp(span(1, chat("a")), span(2, inner, parent=1)))

    summary = run(path)

    [(record, request)] = requests_in(tmp_path / "traces")
    assert (request, record["exact"]) == (body, "imported")
    assert summary.problems == ()


def test_two_instrumentations_apart(
    write_lines: Write, run: Callable[[Path], Any], requests_in: Requests, tmp_path: Path
) -> None:
    """A framework's span that is no parent of the client's is known by its time and its question."""
    body = {"model": "m", "messages": [{"role": "user", "content": "a"}], "seed": 3}
    apart = {"openinference.span.kind": "LLM", "input.value": json.dumps(body)}
    within = {"startTimeUnixNano": str(START + SECOND + 10_000), "endTimeUnixNano": str(START + SECOND + 20_000)}
    later = {"startTimeUnixNano": str(START + 9 * SECOND), "endTimeUnixNano": str(START + 10 * SECOND)}
    chain = {"openinference.span.kind": "CHAIN", "session.id": "s"}
    path = write_lines(
        "t.jsonl",
        otlp(span(7, apart, trace="bb", **within), span(8, apart, trace="cc", **later)),
        otlp(span(1, chat("a"), parent=2), span(2, chain)),
    )

    summary = run(path)

    assert [(session.session, session.calls) for session in summary.sessions] == [("s", 1), ("t", 1)]
    assert [request for _, request in requests_in(tmp_path / "traces")] == [body, body]
    assert {record["turn"] for record, _ in requests_in(tmp_path / "traces")} == {None}


def test_an_inner_span_without_content(write_json: Write, run: Callable[[Path], Any]) -> None:
    """A client's own span that holds no messages neither hides the one around it nor counts as lost."""
    bare = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"}
    path = write_json("t.json", otlp(span(1, chat("a")), span(2, bare, parent=1)))

    summary = run(path)

    assert (summary.calls, summary.problems) == (1, ())


def test_content_that_was_not_captured(write_json: Write, run: Callable[[Path], Any]) -> None:
    """Calls without messages are counted, and it is said what would capture them."""
    bare = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"}
    path = write_json("t.json", otlp(span(1, bare), span(2, bare), span(3, chat("a"))))

    [problem] = run(path).problems

    assert "2 span(s)" in problem.reason
    assert "CAPTURE_MESSAGE_CONTENT" in problem.reason


def test_no_model(write_json: Write, run: Callable[[Path], Any]) -> None:
    """Spans of a web server are refused with the reason."""
    [problem] = run(write_json("t.json", otlp(span(1, {"http.method": "GET"})))).problems

    assert "none of them a model's call" in problem.reason


def test_dropped_attributes(write_json: Write, run: Callable[[Path], Any], records_in: Records, tmp_path: Path) -> None:
    """A prompt whose first messages fell to the limit says so, in the call and in the summary."""
    messages = {
        f"gen_ai.prompt.{n}.{name}": value
        for n in range(40, 100)
        for name, value in (("role", "user"), ("content", f"q{n}"))
    }
    path = write_json("t.json", otlp(span(1, {"llm.request.type": "chat", **messages}, droppedAttributesCount=85)))

    summary = run(path)

    assert "earlier messages" in records_in(tmp_path / "traces", "snapshot")[0]["missing"]
    assert any("begins with message 40" in problem.reason and problem.lost for problem in summary.problems)


def test_an_error(write_json: Write, run: Callable[[Path], Any], records_in: Records, tmp_path: Path) -> None:
    """A call that failed is there, with the exception; no answer is made up."""
    attributes = {name: value for name, value in chat("a").items() if "output" not in name and "usage" not in name}
    told = {"exception.type": "RateLimitError", "exception.message": "429"}
    event = {"name": "exception", "attributes": pairs(told)}
    path = write_json("t.json", otlp(span(1, attributes, status={"code": 2}, events=[event])))

    run(path)

    [response] = records_in(tmp_path / "traces", "response")
    assert (response["error"], response["complete"], response["usage"]) == ("RateLimitError: 429", False, None)


def test_logged_events(write_lines: Write, run: Callable[[Path], Any], requests_in: Requests, tmp_path: Path) -> None:
    """Messages that were logged beside their span belong to it, also from another file of the folder."""
    bare = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m", "gen_ai.system": "openai"}
    record = {
        "traceId": "aa" * 16,
        "spanId": f"{1:016x}",
        "eventName": "gen_ai.user.message",
        "body": {"kvlistValue": {"values": [{"key": "content", "value": {"stringValue": "hi"}}]}},
    }
    path = write_lines("spans.jsonl", otlp(span(1, bare)))
    write_lines("logs.jsonl", {"resourceLogs": [{"scopeLogs": [{"logRecords": [record]}]}]})

    summary = run(path.parent)

    [(_, request)] = requests_in(tmp_path / "traces")
    assert request["messages"] == [{"role": "user", "content": "hi"}]
    assert summary.problems == ()


def test_twice(write_lines: Write, run: Callable[[Path], Any]) -> None:
    """The same spans are not imported again."""
    path = write_lines("t.jsonl", otlp(span(1, chat("a"))))
    run(path)

    assert [s.outcome for s in run(path).sessions] == ["already imported"]


def test_a_file_that_grows(
    write_lines: Write, run: Callable[[Path], Any], requests_in: Requests, tmp_path: Path
) -> None:
    """What a conversation has more is added to its session; another conversation is left alone."""
    one, two = {"session.id": "c-1"}, {"session.id": "c-2"}
    lines = [otlp(span(1, chat("a", **one))), otlp(span(2, chat("b", **two), trace="bb"))]
    run(write_lines("t.jsonl", *lines))
    path = write_lines("t.jsonl", *lines, otlp(span(3, chat("a", "ok", "c", **one))))

    outcomes = {s.session: s.outcome for s in run(path).sessions}

    assert outcomes == {"c-1": "extended", "c-2": "already imported"}
    assert len(requests_in(tmp_path / "traces")) == 3


def test_a_damaged_line(write_lines: Write, run: Callable[[Path], Any]) -> None:
    """A line that breaks off costs itself only."""
    path = write_lines(
        "t.jsonl", otlp(span(1, chat("a"))), '{"resourceSpans": [{"res', otlp(span(2, chat("a", "ok", "b")))
    )

    summary = run(path)

    assert summary.calls == 2
    assert [problem.line for problem in summary.problems] == [2]


def test_recognised() -> None:
    """OTLP, a console exporter's object and Phoenix's answers are known; a chat body is not."""
    importer = OpenTelemetry()
    console = {"name": "x", "context": {"trace_id": "0x1", "span_id": "0x2"}, "attributes": {}}

    assert importer.recognises(otlp())
    assert importer.recognises([console])
    assert importer.recognises({"data": [console], "next_cursor": None})
    assert importer.recognises({"context.trace_id": "a", "attributes.llm.model_name": "m"})
    assert not importer.recognises({"model": "m", "messages": []})
    assert importer.recognises_head(json.dumps(console, indent=4).encode())
    assert not importer.recognises_head(b'{"name": "x", "messages": []}')


def test_odd_characters(write_lines: Write, run: Callable[[Path], Any], requests_in: Requests, tmp_path: Path) -> None:
    """Half a character, a NUL and an exotic line separator in a prompt come through."""
    said = "a\ud83d b\u0000 c\u2028"
    messages = [{"role": "user", "parts": [{"type": "text", "content": said}]}]
    attributes = {"gen_ai.operation.name": "chat", "gen_ai.input.messages": json.dumps(messages)}

    run(write_lines("t.jsonl", otlp(span(1, attributes))))

    [(_, request)] = requests_in(tmp_path / "traces")
    assert request["messages"][0]["content"] == said
