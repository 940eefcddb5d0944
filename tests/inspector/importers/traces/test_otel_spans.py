"""Spans as files hold them."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from inspector.importers.base import Problem
from inspector.importers.reading.documents import Document
from inspector.importers.traces.otel_spans import Span, read_spans

Write = Callable[..., Path]

CONSOLE = {
    "name": "chat",
    "context": {"trace_id": "0xaa", "span_id": "0x01", "trace_state": "[]"},
    "kind": "SpanKind.CLIENT",
    "parent_id": None,
    "start_time": "2026-01-02T03:04:05.000006Z",
    "end_time": "2026-01-02T03:04:06Z",
    "status": {"status_code": "ERROR", "description": "refused"},
    "attributes": {"gen_ai.request.model": "模型"},
    "events": [{"name": "exception", "timestamp": "2026-01-02T03:04:06Z", "attributes": {"exception.type": "E"}}],
    "links": [],
    "resource": {"attributes": {"service.name": "shop"}, "schema_url": ""},
}


def read(path: Path) -> tuple[list[Span], list[Problem]]:
    """The spans of a file, and what was wrong with it."""
    problems: list[Problem] = []
    return list(read_spans(Document(path), problems.append, [])), problems


def written(tmp_path: Path, text: str) -> Path:
    """A file with this text."""
    path = tmp_path / "spans.log"
    path.write_text(text, encoding="utf-8")
    return path


def test_console(tmp_path: Path) -> None:
    """Objects over many lines, one after another, are spans; ids have no ``0x``."""
    text = "".join(json.dumps({**CONSOLE, "name": name}, indent=4) + "\n" for name in ("a", "b"))

    spans, problems = read(written(tmp_path, text))

    assert [span.name for span in spans] == ["a", "b"]
    assert problems == []
    span = spans[0]
    assert (span.trace, span.span, span.parent, span.failure, span.service) == ("aa", "01", None, "refused", "shop")
    assert span.start == datetime(2026, 1, 2, 3, 4, 5, 6, UTC)
    assert (span.attributes, span.events) == (
        {"gen_ai.request.model": "模型"},
        (("exception", {"exception.type": "E"}),),
    )


def test_damaged_console(tmp_path: Path) -> None:
    """Behind an object that breaks off the next is found; the line of the damage is said."""
    one = json.dumps(CONSOLE, indent=4)

    spans, problems = read(written(tmp_path, f"{one}\n{one[:80]}\n{one}\n"))

    assert len(spans) == 2
    assert [problem.line for problem in problems] == [one.count("\n") + 2]


def test_console_as_an_array(write_json: Write) -> None:
    """An array of the same objects is read too."""
    spans, problems = read(write_json("t.json", [CONSOLE, CONSOLE]))

    assert (len(spans), problems) == (2, [])


def test_typed_values(write_json: Write) -> None:
    """OTLP's values keep their types: numbers of 64 bits are text there, lists and objects nest."""
    values = {
        "int": {"intValue": "9007199254740993"},
        "double": {"doubleValue": 0.5},
        "bool": {"boolValue": False},
        "list": {"arrayValue": {"values": [{"stringValue": "a"}, {"intValue": 1}]}},
        "object": {"kvlistValue": {"values": [{"key": "k", "value": {"stringValue": "v"}}]}},
        "empty": {"arrayValue": {}},
        "bytes": {"bytesValue": "aGk="},
    }
    attributes = [{"key": key, "value": value} for key, value in values.items()]
    span = {"traceId": "aa", "spanId": "01", "name": "x", "attributes": attributes, "droppedAttributesCount": 3}

    spans, _ = read(write_json("t.json", {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}))

    assert spans[0].attributes == {
        "int": 9007199254740993,
        "double": 0.5,
        "bool": False,
        "list": ["a", 1],
        "object": {"k": "v"},
        "empty": [],
        "bytes": "hi",
    }
    assert spans[0].dropped == 3


def test_snake_case(write_json: Write) -> None:
    """Protobuf's own names are read as well, and a time of 0 is unknown."""
    span: dict[str, Any] = {
        "trace_id": "aa",
        "span_id": "01",
        "parent_span_id": "",
        "start_time_unix_nano": "0",
        "attributes": [{"key": "a", "value": {"string_value": "b"}}],
    }

    spans, _ = read(write_json("t.json", {"resource_spans": [{"scope_spans": [{"spans": [span]}]}]}))

    assert (spans[0].trace, spans[0].parent, spans[0].start, spans[0].attributes) == ("aa", None, None, {"a": "b"})


def test_phoenix(write_json: Write, write_lines: Write) -> None:
    """Phoenix's interface and its table say the same span; the kind stands in a column of its own."""
    answer = {
        "data": [
            {
                "name": "x",
                "context": {"trace_id": "aa", "span_id": "01"},
                "span_kind": "LLM",
                "parent_id": "02",
                "start_time": "2026-01-02T03:04:05+00:00",
                "status_code": "OK",
                "status_message": "",
                "attributes": {"llm.model_name": "m"},
                "events": [],
            }
        ],
        "next_cursor": None,
    }
    row = {
        "name": "x",
        "context.trace_id": "aa",
        "context.span_id": "01",
        "span_kind": "LLM",
        "parent_id": "02",
        "start_time": 1767323045000,
        "status_code": "OK",
        "attributes.llm.model_name": "m",
        "attributes.llm.tools": None,
    }

    [one], _ = read(write_json("t.json", answer))
    [two, three], _ = read(write_lines("t.jsonl", row, row))

    assert one == two == three
    assert one.attributes == {"llm.model_name": "m", "openinference.span.kind": "LLM"}


def test_what_is_no_span(write_lines: Write) -> None:
    """A line that holds none is said, with its number."""
    spans, problems = read(write_lines("t.jsonl", CONSOLE, {"level": "info"}))

    assert len(spans) == 1
    assert [(problem.line, "`level`" in problem.reason) for problem in problems] == [(2, True)]


@pytest.mark.parametrize(
    ("damaged", "spans", "lost"),
    [
        ("{0}{0}\n{0}\n", 3, []),
        ('{0}\n{{"name": "x", "conte{0}\n', 2, [2]),
        ("{0}\n\x00\x00\x00{0}\n", 2, []),
        ('{0}\n{0}\n{{"name": "x", "context', 2, []),
        ("\ufeff{0}\n{0}\n", 2, []),
    ],
)
def test_damaged_lines(tmp_path: Path, damaged: str, spans: int, lost: list[int]) -> None:
    """Glued, torn and cut lines, NULs and a byte order mark cost what is broken and no span more."""
    one = json.dumps({**CONSOLE, "attributes": {"said": "a\u2028b"}}, ensure_ascii=False)

    found, problems = read(written(tmp_path, damaged.format(one)))

    assert (len(found), [problem.line for problem in problems]) == (spans, lost)
    assert {span.attributes["said"] for span in found} == {"a\u2028b"}


def test_numbers_that_are_none(write_json: Write) -> None:
    """OTLP writes numbers that JSON has not as text."""
    attributes = [{"key": "a", "value": {"doubleValue": "NaN"}}, {"key": "b", "value": {"intValue": "x"}}]
    span = {"traceId": "aa", "spanId": "01", "attributes": attributes}

    [found], _ = read(write_json("t.json", {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}))

    assert (str(found.attributes["a"]), found.attributes["b"]) == ("nan", "x")
