"""OpenTelemetry spans of model calls: GenAI conventions of every generation, OpenLLMetry, OpenInference.

A conversation (``gen_ai.conversation.id``, ``session.id``), else a trace, is a session; in it every span of a model
call is a call, in the order in which they began. Where a program traced nothing but its calls each is a trace of its
own: then those with the same opening (everything before the first answer) are a session. What a span means is read
by :mod:`snapshot_sdk.adapters.genai_spans`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from inspector.importers.base import ImportedSession, Problem, Report, reporting
from inspector.importers.reading.documents import Document
from inspector.importers.reading.growing import GrowingLog
from inspector.importers.traces.otel_calls import HeldCall, Traces
from inspector.importers.traces.otel_spans import CONSOLE, is_spans, read_spans

_NO_CONTENT: Final = (
    "{} span(s) of model calls hold no messages: their content was not captured "
    "(OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT, TRACELOOP_TRACE_CONTENT, OPENINFERENCE_HIDE_INPUTS)"
)

_LOST: Final = (
    "{} call(s) of session {!r} lost parts on the way into their spans, the first: {} (a tracing library keeps 128 "
    "attributes a span unless OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT says otherwise)"
)


class OpenTelemetry:
    """The files of a folder are read together: a trace may be spread over several."""

    name = "otel"
    title = (
        "OpenTelemetry spans of model calls: OTLP/JSON (`resourceSpans`), the console exporter's, Phoenix's; "
        "GenAI conventions, OpenLLMetry, OpenInference"
    )

    def recognises(self, sample: Any) -> bool:
        """Look for spans, or for logs of spans."""
        return is_spans(sample)

    def recognises_head(self, head: bytes) -> bool:
        """Look for the begin of a console exporter's span: such a file of several is no JSON."""
        return CONSOLE.match(head) is not None

    def read(self, documents: Sequence[Document], report: Report) -> Iterator[ImportedSession]:
        """Read the conversations in the files of a folder."""
        traces = Traces()
        repairs: dict[Path, list[str]] = {}
        for document in documents:
            spans = 0
            with reporting(document.path, report):
                for span in read_spans(document, report, repairs.setdefault(document.path, [])):
                    traces.add(span, document.path)
                    spans += 1
            if spans and not traces.models_in(document.path):
                report(Problem(str(document.path), f"{spans} span(s) or logs, none of them a model's call"))
        hidden = traces.without_content()
        for path, count in hidden.items():
            report(Problem(str(path), _NO_CONTENT.format(count)))
        for name, calls in traces.sessions():
            yield _session(name, calls, traces, repairs, report)


def _session(
    name: str, calls: Sequence[HeldCall], traces: Traces, repairs: dict[Path, list[str]], report: Report
) -> ImportedSession:
    paths = list(dict.fromkeys(call.path for call in calls))
    source = paths[0].name if len(paths) == 1 else paths[0].resolve().parent.name
    torn = [problem for call in calls for problem in call.problems[:1]]
    if torn:
        report(Problem(str(paths[0]), _LOST.format(len(torn), name, torn[0])))
    log = GrowingLog(paths[0], tuple(call.digest for call in calls))
    services = list(dict.fromkeys(call.service for call in calls if call.service))
    wrappers = sum(call.wrappers for call in calls)
    return ImportedSession(
        session=name,
        format=OpenTelemetry.name,
        source=source,
        digest=log.digest,
        logs=(log,),
        calls=lambda: traces.calls(calls),
        agent=traces.main_agent(calls) or (services[0] if len(services) == 1 else None),
        repairs=tuple(f"{path.name}: {repair}" for path in paths for repair in repairs[path]),
        meta={"spans around calls": wrappers} if wrappers else {},
    )
