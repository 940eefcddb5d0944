"""The words of the Session page: states, provenance and figures, as a reader would say them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from inspector.analysis.lifelines import SessionLife
from inspector.analysis.servers import describe_effect
from inspector.model.fates import Fate
from inspector.model.views import CallRow, SessionRow, TokenCount, is_estimate
from inspector.ui.format import format_count, format_duration, format_estimate, format_share, format_tokens, one_line

_EXACT: Final = {
    "bytes": "exact bytes",
    "values": "handed over by your code",
    "redacted": "parts were removed before it was written",
    "imported": "imported from a log of whole requests",
    "rebuilt": "rebuilt from a log",
}
_NAMED: Final = 6
"""Calls that are named in a sentence; the others are counted."""
_TAKEN: Final = (Fate.EVICTED, Fate.SUMMARISED)
_REWRITTEN: Final = (Fate.EDITED, Fate.TRUNCATED)
_MISSING: Final = {"system": "no system prompt", "tools": "no tool definitions"}


def origin_words(origin: str) -> str:
    """Return who says a figure: ``o200k_base`` for a tokenizer, ``estimate: o200k_base`` for an estimate."""
    kind, _, name = origin.partition(":")
    if kind == "tokenizer":
        return name
    return f"{kind}: {name}" if name else kind


def status_words(call: CallRow) -> str:
    """Return how a call ended where it did not simply answer, else an empty string."""
    reason = f", {one_line(call.error, 200)}" if call.error else ""
    after = f" after {format_duration(call.duration_ms)}" if call.duration_ms is not None else ""
    match call.status:
        case "failed" if call.http_status is not None and 400 <= call.http_status < 500:
            return f"refused: {call.http_status}{reason}"
        case "failed":
            code = f": {call.http_status}" if call.http_status is not None else ""
            return f"failed{code}{reason}"
        case "incomplete":
            return f"cut off{after}{reason}"
        case "no answer":
            return f"no answer recorded{reason}"
        case "answered":
            return ""


def provenance_words(exact: str, missing: Sequence[str]) -> str:
    """Return how far the stored request is proved to be what was sent."""
    words = _EXACT.get(exact, exact)
    if missing:
        words += ": this log has " + " and ".join(_MISSING.get(part, f"no {part}") for part in missing)
    return words


def tokens_words(call: CallRow) -> str:
    """Return the figures of a call side by side, each with who says it."""
    parts = []
    if call.counted.count is not None:
        figure = (format_estimate if is_estimate(call.counted.origin) else format_tokens)(call.counted.count)
        parts.append(f"{figure} counted ({origin_words(call.counted.origin)})")
    if call.calibrated.count is not None:
        parts.append(f"{format_estimate(call.calibrated.count)} calibrated")
    if call.provider.count is not None:
        parts.append(f"{call.provider.count:,} by the provider")
    if call.unattributed is not None:
        parts.append(f"{format_tokens(call.unattributed)} unattributed")
    return " · ".join(parts) if parts else "tokens unknown: no tokenizer for this model, no figure by the provider"


def server_words(call: CallRow) -> str:
    """Return what a server made of the prompt before the model read it; empty where nothing is known of that."""
    effect = call.server
    if effect is None:
        return ""
    figure = (format_estimate if is_estimate(effect.sent.origin) else format_tokens)(effect.sent.count)
    return f"{describe_effect(effect)}; {figure} counted as sent. What the server did is {effect.certainty}"


def usage_words(call: CallRow) -> str:
    """Return what the provider charged beside the prompt: cached and answered tokens."""
    usage = call.usage
    parts = [
        f"{count:,} {word}"
        for count, word in (
            (usage.cached_read, "read from the cache"),
            (usage.cached_write, "written to the cache"),
            (usage.output_tokens, "out"),
            (usage.reasoning_tokens, "of them reasoning"),
        )
        if count
    ]
    return " · ".join(parts)


def quiet_words(row: SessionRow, calls: int, life: SessionLife) -> str:
    """Return what is said where no sentence of the story exists: the peak, the pins, what was taken out.

    Args:
        row: The session.
        calls: How many calls it has, in all lanes.
        life: The lives of its messages.
    """
    limit = row.budget or row.window
    peak = format_share(row.peak.count / limit) if row.peak.count is not None and limit else None
    facts = [f"Peak {peak}" if peak else _peak_words(row.peak)]
    if row.pins:
        facts.append(f"{format_count(row.pins - row.pins_gone, 'pin')} held")
    changed = f" A server changed the prompt of {format_count(row.server_calls, 'call')}." if row.server_calls else ""
    return f"No findings. {', '.join(facts)}. {_taken_words(calls, life)}{changed}"


def _taken_words(calls: int, life: SessionLife) -> str:
    taken: set[int] = set()
    rewritten: set[int] = set()
    at: set[int] = set()
    for line in life.lifelines:
        for event in line.events:
            if event.fate in _TAKEN:
                taken.add(line.number)
                at.add(event.call)
            elif event.fate in _REWRITTEN:
                rewritten.add(line.number)
    if taken:
        named = ", ".join(str(call) for call in sorted(at)[:_NAMED]) + (" …" if len(at) > _NAMED else "")
        return f"{format_count(len(taken), 'message')} taken out, at {'call' if len(at) == 1 else 'calls'} {named}."
    words = f"Nothing was taken out in {format_count(calls, 'call')}"
    return f"{words}; {format_count(len(rewritten), 'message')} rewritten." if rewritten else f"{words}."


def _peak_words(peak: TokenCount) -> str:
    return "Peak unknown" if peak.count is None else f"Peak {peak.count:,} tokens"
