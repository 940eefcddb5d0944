"""A span processor: model calls that an OpenTelemetry instrumentation reports become snapshots.

It fits the SDK's interface of span processors without importing OpenTelemetry::

    provider.add_span_processor(SnapshotSpanProcessor(recorder))
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from typing import Any, Final

from snapshot_sdk._recorder import Recorder
from snapshot_sdk.adapters.genai_spans import SpanCall, agent_run_of, conversation_of, is_model_call, read_span_call

MAX_OPEN: Final = 10_000
"""Spans that are remembered until they end: some never do."""

MAX_TRACES: Final = 4_096
"""Traces whose turn is remembered."""

PROBLEM: Final = "tracing"
"""Kind of the event that says what was lost on the way into a span."""

_ERROR: Final = "ERROR"
"""Name of the status of a span that failed."""

_Key = tuple[int, int]
"""Trace and span."""


class SnapshotSpanProcessor:
    """Records the model calls among the spans that end; no method raises.

    A span tells values, not bytes: its snapshots are ``exact: values``, and ``missing`` names what the span lacks.
    They are written when the span ends, so a call during which the process dies is not there, and the times of
    the records are those of the ends.
    """

    def __init__(self, recorder: Recorder) -> None:
        """Takes the recorder.

        Args:
            recorder: Where to. It is not closed by :meth:`shutdown`. A client that is attached to it should not be
                traced too: its calls would be there twice.
        """
        self._recorder = recorder
        self._lock = threading.Lock()
        self._open: OrderedDict[_Key, Any] = OrderedDict()
        self._covered: OrderedDict[_Key, None] = OrderedDict()
        self._turns: OrderedDict[tuple[int, str | None], int] = OrderedDict()

    def on_start(self, span: Any, parent_context: Any = None) -> None:
        """Remembers a span, for the calls below it.

        Args:
            span: That begins.
            parent_context: Not looked at: the span names its parent.
        """
        with self._recorder._guarded, self._lock:
            self._open[_key(span.context)] = span
            while len(self._open) > MAX_OPEN:
                self._open.popitem(last=False)

    def _on_ending(self, span: Any) -> None:
        """Is called by newer SDKs before a span ends; there is nothing to do yet."""

    def on_end(self, span: Any) -> None:
        """Records a span that is a model call.

        Args:
            span: That ended.
        """
        with self._recorder._guarded:
            key = _key(span.context)
            with self._lock:
                above = list(self._above(span))
                self._open.pop(key, None)
                covered = key in self._covered
                self._covered.pop(key, None)
            attributes = span.attributes or {}
            if covered or not is_model_call(attributes):
                return  # the call inside it, which another instrumentation reported, is recorded already
            events = [(event.name, event.attributes or {}) for event in span.events or ()]
            call = read_span_call(
                attributes, events, dropped=getattr(span, "dropped_attributes", None), failure=_failure(span.status)
            )
            if call is None:
                return
            with self._lock:
                for one in above:
                    self._covered[_key(one.context)] = None
                while len(self._covered) > MAX_OPEN:
                    self._covered.popitem(last=False)
            self._record(span, call, above)

    def shutdown(self) -> None:
        """Forgets the spans that are open: they will not end."""
        with self._lock:
            self._open.clear()
            self._covered.clear()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Tells that all is written: nothing ever waits.

        Args:
            timeout_millis: Not needed.
        """
        return True

    def _above(self, span: Any) -> Iterator[Any]:
        """The open spans around one, from the inside out."""
        parent = span.parent
        while parent is not None and (found := self._open.get(_key(parent))) is not None:
            yield found
            parent = found.parent

    def _record(self, span: Any, call: SpanCall, above: list[Any]) -> None:
        named = (conversation_of(one.attributes or {}) for one in above)
        session = call.conversation or next((one for one in named if one is not None), None)
        with ExitStack() as scope:
            if session is not None:
                scope.enter_context(self._recorder.session(session))
            if above:
                scope.enter_context(self._recorder.turn(self._turn(above[-1], session)))
            snapshot = self._recorder.snapshot(
                call.request, api=call.api, exact="values", missing=list(call.missing) or None, lane=_lane(above)
            )
            ended = span.end_time is not None and span.start_time is not None
            self._recorder.response(
                snapshot,
                call.answer,
                status=None,
                duration_ms=(span.end_time - span.start_time) / 1e6 if ended else None,
                complete=call.answer is not None,
                error=call.error,
            )
            if call.problems:
                self._recorder.event(PROBLEM, snapshot=snapshot, problems=list(call.problems))

    def _turn(self, outermost: Any, session: str | None) -> int:
        """The number of a trace in its session: what is traced as a whole is one turn."""
        trace: int = outermost.context.trace_id
        with self._lock:
            numbers = self._turns
            if (trace, session) not in numbers:
                numbers[trace, session] = 1 + sum(one == session for _, one in numbers)
                while len(numbers) > MAX_TRACES:
                    numbers.popitem(last=False)
            return numbers[trace, session]


def _key(context: Any) -> _Key:
    return context.trace_id, context.span_id


def _lane(above: list[Any]) -> str | None:
    """The innermost agent run that is inside another one; the outermost agent has the main lane."""
    names = [name for one in above if (name := agent_run_of(one.attributes or {}, one.name)) is not None]
    return names[0] if len(names) > 1 else None


def _failure(status: Any) -> str | None:
    """What a failed span says of itself."""
    code = getattr(getattr(status, "status_code", None), "name", None)
    if code != _ERROR:
        return None
    description: Mapping[str, Any] | str | None = getattr(status, "description", None)
    return str(description) if description else "the span failed"
