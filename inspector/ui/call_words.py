"""The Call page's plain words: how far the bytes are proved, how the call ended, what the figures are."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final, Literal

from inspector.model.dialects import dialect_named
from inspector.model.layers import Layer
from inspector.model.views import CallRow, TokenCount
from inspector.ui.format import format_change, format_duration, format_tokens

ONE_LINE_LIMIT: Final = 200
"""Characters of a foreign error text that are shown in the header; the whole is in the tooltip."""
MISSING_WORDS: Final = {
    "system": "system prompt",
    "tools": "tool definitions",
    "messages": "messages",
    "parameters": "parameters",
}
TOO_LONG_MARKS: Final = ("context_length_exceeded", "prompt is too long", "maximum context length", "context window")
"""How providers say that the prompt did not fit."""

Tone = Literal["plain", "good", "strong", "error", "warning"]


@dataclass(frozen=True)
class Fact:
    """One chip of the header line."""

    text: str
    """What is shown."""
    title: str = ""
    """The long form, as tooltip."""
    tone: Tone = "plain"
    """How loud it is."""
    copy: str | None = None
    """What a click puts on the clipboard; None: not clickable."""


def _short(text: str, limit: int = ONE_LINE_LIMIT) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"


def _lacks(missing: tuple[str, ...]) -> str:
    return " and ".join(f"no {MISSING_WORDS.get(part, part)}" for part in missing)


def provenance(call: CallRow, replaced: tuple[tuple[str, str], ...], *, raw: bool) -> Fact:
    """Say how far the stored request is proved to be what the model was sent.

    Args:
        call: The call.
        replaced: Path and type of each value that was no JSON.
        raw: The body is no JSON object and is kept as its source text.
    """
    if call.exact == "bytes":
        if raw:
            return Fact("stored raw", "The body is no JSON object; its source text is stored as it is.", "good")
        return Fact("exact bytes ✓", "Reproduces the body that left, byte for byte.", "good")
    if call.exact == "values":
        title = "Handed over as Python values: nothing was seen on a wire."
        if replaced:
            title += f" {len(replaced)} values were no JSON and are stored as JSON or as their repr."
        if call.missing:  # a span of a tracing library, most often
            return Fact(f"handed over as values: {_lacks(call.missing)}", title, "strong")
        return Fact("handed over by your code", title)
    if call.exact == "redacted":
        return Fact("redacted before writing", "Parts were removed by the recorder before the disk.", "warning")
    if call.exact == "rebuilt":
        lacks = f": this log has {_lacks(call.missing)}" if call.missing else ""
        return Fact(
            f"rebuilt from a log{lacks}", "Put together from a log; what the log lacks cannot be shown.", "strong"
        )
    lacks = f": this log has {_lacks(call.missing)}" if call.missing else ""
    return Fact(f"imported{lacks}", "From a log that carries the whole body.", "strong" if lacks else "plain")


def outcome(call: CallRow) -> Fact | None:
    """Say how a call ended that has no complete answer; None for an answered one."""
    error = call.error or ""
    if call.status == "failed":
        reason = "context too long" if any(mark in error.lower() for mark in TOO_LONG_MARKS) else _short(error)
        head = f"refused: {call.http_status}" if call.http_status else "failed"
        joint = ", " if call.http_status else ": "
        return Fact(head + (joint + reason if reason else ""), error, "error")
    if call.status == "incomplete":
        after = f" after {format_duration(call.duration_ms)}" if call.duration_ms is not None else ""
        if error:
            return Fact(f"broke off{after}: {_short(error)}", error, "error")
        return Fact(f"cut off by the caller{after}", "The stream was closed before the protocol's own end.", "warning")
    if call.status == "no answer":
        return Fact("no answer recorded", "The trace holds no response to this call.", "warning")
    return None


def parameter_facts(parameters: dict[str, Any]) -> list[Fact]:
    """One chip per parameter, short values shown, long ones in the tooltip."""
    facts = []
    for name, value in parameters.items():
        written = value if isinstance(value, str) else _json(value)
        facts.append(Fact(f"{name} {_short(written, 40)}", f"{name}: {written[:2_000]}"))
    return facts


def _json(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (ValueError, RecursionError):  # an integer of thousands of digits, a value nested too deep
        return "… (see JSON)"


def usage_line(call: CallRow) -> str:
    """Say what the provider counted: ``11,352 in (2,816 cached) · 214 out by the provider``."""
    usage = call.usage
    if usage.input_tokens is None and usage.output_tokens is None:
        return ""
    cached = [f"{format_tokens(usage.cached_read)} cached"] if usage.cached_read else []
    if usage.cached_write:
        cached.append(f"{format_tokens(usage.cached_write)} written to the cache")
    inside = f" ({', '.join(cached)})" if cached else ""
    reasoning = f" ({format_tokens(usage.reasoning_tokens)} reasoning)" if usage.reasoning_tokens else ""
    taken, given = format_tokens(usage.input_tokens), format_tokens(usage.output_tokens)
    return f"{taken} in{inside} · {given} out{reasoning} by the provider"


def usage_remarks(call: CallRow) -> list[str]:
    """Say what is odd about the provider's usage: values that cannot be, and figures that are only bounds."""
    return [*(f"impossible usage: {problem}" for problem in call.usage_problems), *call.usage_notes]


def usage_table(call: CallRow) -> list[list[str]]:
    """Set the provider's figures side by side where they are several: the context, each pass, what is billed.

    Returns:
        Rows of what, tokens in, cached, written to the cache, out; nothing where one line says it all.
    """
    report = dialect_named(call.api).usage_report(call.usage_raw)
    if not report.passes and report.billed == report.context:
        return []
    named = [("context", report.context)]
    named += [(f"pass {n}: {one.kind}", one.usage) for n, one in enumerate(report.passes, 1)]
    named.append(("billed", report.billed))
    rows = []
    for name, usage in named:
        figures = (usage.input_tokens, usage.cached_read, usage.cached_write, usage.output_tokens)
        rows.append([name, *map(format_tokens, figures)])
    return rows


@dataclass(frozen=True)
class LedgerLine:
    """One line of the token ledger."""

    label: str
    tokens: str
    """Formatted."""
    origin: str
    """Who says so."""
    inner: bool = False
    """Part of the line above it."""


def ledger(call: CallRow) -> list[LedgerLine]:
    """Set counted against provider: counted by origin, provider, unattributed, calibrated."""
    by_origin: dict[str, int] = {}
    for layer, tokens in call.composition.items():
        origin = call.origins.get(layer, call.counted.origin)
        by_origin[origin] = by_origin.get(origin, 0) + tokens
    lines = [_line("counted", call.counted)]
    if len(by_origin) > 1:
        lines += [
            LedgerLine("of these", format_tokens(tokens), origin, inner=True)
            for origin, tokens in sorted(by_origin.items(), key=lambda item: -item[1])
        ]
    lines.append(_line("by the provider", call.provider))
    lines.append(LedgerLine("unattributed", format_change(call.unattributed), "provider − counted"))
    lines.append(_line("calibrated", call.calibrated))
    return lines


def _line(label: str, tokens: TokenCount) -> LedgerLine:
    return LedgerLine(label, format_tokens(tokens.count), tokens.origin if tokens.count is not None else "")


def layer_title(layer: Layer, tokens: TokenCount, why: str, source: str | None) -> str:
    """Say of a segment what it is, how large, and which rule decided it."""
    parts = [str(layer), f"{format_tokens(tokens.count)} tokens ({tokens.origin})"]
    if why:
        parts.append(f"layer by {why}")
    if source:
        parts.append(f"source {source}")
    return " · ".join(parts)
