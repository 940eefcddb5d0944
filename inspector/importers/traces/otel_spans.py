"""Spans as files hold them: OTLP/JSON, what Python's console exporter prints, and what Phoenix exports."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from inspector.importers.base import Problem, Report
from inspector.importers.reading.describing import looks_like
from inspector.importers.reading.documents import Document
from inspector.importers.reading.json_pieces import read_items
from inspector.importers.reading.moments import moment
from inspector.importers.reading.values import objects

CONTAINERS: Final = frozenset({"resourceSpans", "resource_spans", "resourceLogs", "resource_logs", "data", "spans"})
"""Arrays that hold spans or logs: OTLP's, and those around Phoenix's answers."""

CONSOLE: Final = re.compile(
    rb'\A\s*\[?\s*\{\s*"name"\s*:\s*"(?:[^"\\]|\\.)*"\s*,\s*"context"\s*:\s*\{\s*"trace_id"', re.DOTALL
)
"""How a file of the console exporter begins. Its objects stand one after another, over many lines, with nothing
between them: it is no JSON."""

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_ERRORS: Final = frozenset({2, "2", "ERROR", "STATUS_CODE_ERROR", "StatusCode.ERROR"})
_NEXT: Final = re.compile(r"^\{", re.MULTILINE)
_DECODER: Final = json.JSONDecoder(strict=False)


@dataclass(frozen=True)
class Span:
    """One span, or the log record of one (``is_log``)."""

    trace: str
    span: str
    """Both ids as the file writes them, without ``0x``."""
    parent: str | None = None
    name: str = ""
    start: datetime | None = None
    end: datetime | None = None
    attributes: Mapping[str, Any] = field(default_factory=dict)
    events: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    """Name and attributes of each."""
    dropped: int | None = None
    """Attributes that the tracing library says it dropped."""
    failure: str | None = None
    """Description of the status, where that is an error."""
    service: str | None = None
    """``service.name`` of the resource."""
    is_log: bool = False
    """A log record: its ``name`` and ``attributes`` are an event of the span with these ids."""


def is_spans(value: Any) -> bool:
    """Say whether a file's first value, or the first item of its array, holds spans or logs of spans."""
    first = value[0] if isinstance(value, list) and value else value
    if not isinstance(first, dict):
        return False
    if _is_span(first) or any(isinstance(first.get(name), list) for name in ("resourceSpans", "resourceLogs")):
        return True
    inside: list[Any] = next((first[name] for name in ("data", "spans") if isinstance(first.get(name), list)), [])
    one = inside[0] if inside else None
    return isinstance(one, dict) and (_is_span(one) or {"traceId", "spanId"} <= one.keys())


def read_spans(document: Document, report: Report, repairs: list[str]) -> Iterator[Span]:
    """Give the spans of a file, in its order.

    Args:
        document: The file.
        report: Told of each value that holds none.
        repairs: Gets what was mended.

    Raises:
        UnreadableError: It is no JSON at all.
        OSError: It cannot be read.
    """
    if not document.by_lines and CONSOLE.match(document.head()) and not document.head().lstrip().startswith(b"["):
        values: Iterator[tuple[Any, int | None]] = ((value, None) for value in _concatenated(document, report))
    else:
        values = (
            (item.value, item.piece.line)
            for item in read_items(document, CONTAINERS, report, repairs)
            if item.container != ""
        )
    for value, line in values:
        found = list(_spans_in(value)) if isinstance(value, dict) else []
        if not found and not (isinstance(value, dict) and CONTAINERS & value.keys()):
            report(Problem(str(document.path), f"no span but {looks_like(value)}", line))
        yield from found


def _concatenated(document: Document, report: Report) -> Iterator[Any]:
    """Give objects that stand one after another; behind a damaged one the next that begins a line is looked for."""
    source = document.text()
    at = 0
    while (begin := source.find("{", at)) >= 0:
        try:
            value, at = _DECODER.raw_decode(source, begin)
        except (ValueError, RecursionError) as error:
            line = source.count("\n", 0, begin) + 1
            report(Problem(str(document.path), f"a span that cannot be read: {error}", line))
            following = _NEXT.search(source, begin + 1)
            if following is None:
                return
            at = following.start()
            continue
        yield value


def _spans_in(value: Mapping[str, Any]) -> Iterator[Span]:
    if _is_span(value):
        yield _exported(value)
        return
    if "traceId" in value or "trace_id" in value:
        yield _otlp(value, None)
        return
    for name in CONTAINERS & value.keys():
        for inner in objects(value[name]):
            yield from _spans_in(inner)
    service = _attributes(_member(value.get("resource"), "attributes")).get("service.name")
    for scope in objects(_member(value, "scopeSpans", "scope_spans", "instrumentationLibrarySpans")):
        for span in objects(scope.get("spans")):
            yield _otlp(span, service)
    for scope in objects(_member(value, "scopeLogs", "scope_logs")):
        for log in objects(_member(scope, "logRecords", "log_records")):
            yield _log(log)


def _is_span(value: Mapping[str, Any]) -> bool:
    """Say whether an object is a span of the console exporter or of Phoenix."""
    context = value.get("context")
    return (
        isinstance(context, dict) and "trace_id" in context and "attributes" in value
    ) or "context.trace_id" in value


def _exported(value: Mapping[str, Any]) -> Span:
    """Read a span of the console exporter, of Phoenix's interface, or a row of its table (``attributes.…``)."""
    context = value.get("context")
    context = context if isinstance(context, dict) else {}
    attributes = value.get("attributes")
    attributes = dict(attributes) if isinstance(attributes, dict) else {}
    attributes.update(
        (name.removeprefix("attributes."), found)
        for name, found in value.items()
        if name.startswith("attributes.") and found is not None
    )
    if isinstance(value.get("span_kind"), str):  # Phoenix keeps it in a column of its own
        attributes.setdefault("openinference.span.kind", value["span_kind"])
    status = value.get("status")
    status = status if isinstance(status, dict) else {}
    said = status.get("description") or value.get("status_message")
    code = status.get("status_code") or value.get("status_code")
    resource = _member(value.get("resource"), "attributes")
    return Span(
        trace=_identity(context.get("trace_id") or value.get("context.trace_id")) or "",
        span=_identity(context.get("span_id") or value.get("context.span_id")) or "",
        parent=_identity(value.get("parent_id")),
        name=str(value.get("name") or ""),
        start=moment(value.get("start_time")),
        end=moment(value.get("end_time")),
        attributes=attributes,
        events=tuple(
            (str(event.get("name")), event["attributes"] if isinstance(event.get("attributes"), dict) else {})
            for event in objects(value.get("events"))
        ),
        failure=str(said or "error") if code in _ERRORS else None,
        service=resource.get("service.name") if isinstance(resource, dict) else None,
    )


def _otlp(value: Mapping[str, Any], service: Any) -> Span:
    status = value.get("status")
    status = status if isinstance(status, dict) else {}
    dropped = _member(value, "droppedAttributesCount", "dropped_attributes_count")
    return Span(
        trace=_identity(_member(value, "traceId", "trace_id")) or "",
        span=_identity(_member(value, "spanId", "span_id")) or "",
        parent=_identity(_member(value, "parentSpanId", "parent_span_id")),
        name=str(value.get("name") or ""),
        start=_nano(_member(value, "startTimeUnixNano", "start_time_unix_nano")),
        end=_nano(_member(value, "endTimeUnixNano", "end_time_unix_nano")),
        attributes=_attributes(value.get("attributes")),
        events=tuple(
            (str(event.get("name")), _attributes(event.get("attributes"))) for event in objects(value.get("events"))
        ),
        dropped=dropped if isinstance(dropped, int) else None,
        failure=str(status.get("message") or "error") if status.get("code") in _ERRORS else None,
        service=service if isinstance(service, str) else None,
    )


def _log(value: Mapping[str, Any]) -> Span:
    """Read a log record as the event it is: conventions of 2024 and 2025 told messages so."""
    attributes = _attributes(value.get("attributes"))
    name = _member(value, "eventName", "event_name") or attributes.get("event.name")
    return Span(
        trace=_identity(_member(value, "traceId", "trace_id")) or "",
        span=_identity(_member(value, "spanId", "span_id")) or "",
        name=str(name or ""),
        attributes={**attributes, "body": _value(value.get("body"))},
        is_log=True,
    )


def _attributes(values: Any) -> dict[str, Any]:
    """Read OTLP's list of keys and typed values; a plain object is taken as it is."""
    if isinstance(values, dict):
        return values
    return {str(one["key"]): _value(one.get("value")) for one in objects(values) if "key" in one}


def _value(value: Any) -> Any:
    """Read a typed value of OTLP."""
    if not isinstance(value, dict) or len(value) != 1:
        return value
    [(kind, inner)] = value.items()
    kind = kind.replace("_v", "V")
    if kind in ("intValue", "doubleValue"):  # 64-bit numbers are text in OTLP's JSON, and so is NaN
        try:
            return int(inner) if kind == "intValue" else float(inner)
        except (TypeError, ValueError):
            return inner
    if kind == "arrayValue":
        return [_value(one) for one in objects(_member(inner, "values"))]
    if kind == "kvlistValue":
        return _attributes(_member(inner, "values") or [])
    if kind == "bytesValue":
        return _text(inner)
    return inner if kind in ("stringValue", "boolValue") else value


def _text(data: Any) -> Any:
    """Read bytes that are text, as those of most instrumentations are."""
    try:
        return base64.b64decode(data).decode(errors="replace")
    except (TypeError, ValueError):
        return data


def _nano(value: Any) -> datetime | None:
    """Read nanoseconds since 1970, as text or number; 0 stands for unknown."""
    try:
        nanoseconds = int(value)
        return _EPOCH + timedelta(microseconds=nanoseconds // 1000) if nanoseconds > 0 else None
    except (TypeError, ValueError, OverflowError):
        return None


def _identity(value: Any) -> str | None:
    text = str(value).removeprefix("0x") if value else ""
    return text if text.strip("0") else None


def _member(value: Any, *names: str) -> Any:
    return next((value[name] for name in names if name in value), None) if isinstance(value, dict) else None
