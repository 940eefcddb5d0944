"""Sentences of the story about calls: refused, cut off, too large, not readable."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from inspector.analysis.told import Told, and_more, quote, told_at
from inspector.model.views import CallRow, Sentence, Severity

_TOO_LONG: Final = ("context_length", "context length", "too long", "too large", "maximum context", "context window")
"""How providers say that a prompt exceeds the window."""
_CUT_OFF: Final = frozenset({"length", "max_tokens", "model_context_window_exceeded", "incomplete"})
"""Stop reasons of an answer that ended before it was done."""


def tell_failures(told: Told) -> Iterator[Sentence]:
    """Calls the provider refused, or that failed on the way."""
    causes: dict[str, list[CallRow]] = {}
    for call in told.calls:
        if call.status == "failed":
            causes.setdefault(describe_failure(call), []).append(call)
    for cause, calls in causes.items():
        yield Sentence("error", "failed_call", f"{told_at(calls)} {cause}{and_more(calls)}.", calls[0].number)


def tell_unfinished(told: Told) -> Iterator[Sentence]:
    """Answers that were cut off, or that nobody recorded."""
    cut = [c for c in told.calls if c.status == "incomplete" or (c.status == "answered" and c.stop_reason in _CUT_OFF)]
    causes: dict[str, list[CallRow]] = {}
    for call in cut:
        causes.setdefault(describe_cut(call), []).append(call)
    for cause, calls in causes.items():
        yield Sentence("warning", "incomplete_call", f"{told_at(calls)} {cause}{and_more(calls)}.", calls[0].number)
    answered = any(call.status != "no answer" for call in told.calls)
    # Where no answer at all is recorded the agent does not record them. The last call may still be under way.
    silent = [call for call in told.calls[:-1] if call.status == "no answer"] if answered else []
    if silent:
        text = f"{told_at(silent)} has no recorded answer{and_more(silent)}."
        yield Sentence("warning", "no_answer", text, silent[0].number)


def tell_size(told: Told) -> Iterator[Sentence]:
    """The context is over what the model takes, or over what the agent allows itself."""
    over_window = [
        c for c in told.main if c.tokens.count is not None and c.window is not None and c.tokens.count > c.window
    ]
    yield from _over(over_window, "window", "error", "over_window")
    over_budget = [call for call in told.main if _exceeds(call, call.budget)]
    if not over_window:
        yield from _over(over_budget, "budget", "warning", "over_budget")


def _exceeds(call: CallRow, limit: int | None) -> bool:
    return call.tokens.count is not None and limit is not None and call.tokens.count > limit


def _over(calls: Sequence[CallRow], what: str, severity: Severity, kind: str) -> Iterator[Sentence]:
    if not calls:
        return
    sizes = [(call.tokens.count or 0, (call.window if what == "window" else call.budget) or 1) for call in calls]
    largest = max(count / limit for count, limit in sizes)
    text = f"The context is over its {what} of {sizes[0][1]:,} tokens since call {calls[0].number} ({largest:.0%})."
    yield Sentence(severity, kind, text.replace("%", " %"), calls[0].number)


def tell_damages(told: Told) -> Iterator[Sentence]:
    """Lines of the trace files that could not be read: something may be missing here."""
    if told.damages:
        first = told.damages[0]
        lines = len(told.damages)
        text = (
            f"{lines:,} {'line' if lines == 1 else 'lines'} of its files could not be read as they stand; the first is "
        )
        yield Sentence("warning", "damaged_file", f"{text}{first.file}:{first.line}, {first.reason}.", None)


def describe_failure(call: CallRow) -> str:
    """Say why a call failed, as a predicate: ``was refused: 400, context too long``."""
    error = call.error or ""
    if any(mark in error.lower() for mark in _TOO_LONG):
        error = "context too long"
    refused = call.http_status is not None and call.http_status >= 400
    said = ", ".join(part for part in (str(call.http_status) if refused else "", quote(error)) if part)
    verb = "was refused" if refused else "failed"
    return f"{verb}: {said}" if said else verb


def describe_cut(call: CallRow) -> str:
    """Say how an answer was cut off, as a predicate."""
    if call.stop_reason in _CUT_OFF:
        return f"was cut off by a limit on its answer ({call.stop_reason})"
    return f"was cut off: {quote(call.error)}" if call.error else "was cut off"
