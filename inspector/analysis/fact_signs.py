"""Symbols, meanings and words of what became of a fact, as every page and command writes them."""

from __future__ import annotations

from typing import Final

from inspector.analysis.fact_trace import AnswerUse, TraceState
from inspector.model.fates import Kind
from snapshot_sdk.facts import FactKind

STATE_SYMBOLS: Final[dict[TraceState, str]] = {
    "not yet": "·",
    "kept": "■",
    "restated": "▤",
    "summarised": "Σ",
    "conflicting": "≶",
    "superseded": "–",
    "distorted": "≠",
    "recoverable": "↗",
    "evicted": "✕",
    "opaque": "▨",
}

STATE_KINDS: Final[dict[TraceState, Kind]] = {
    "not yet": "same",
    "kept": "here",
    "restated": "here",
    "summarised": "condensed",
    "conflicting": "altered",
    "superseded": "same",
    "distorted": "altered",
    "recoverable": "condensed",
    "evicted": "lost",
    "opaque": "same",
}

STATE_WORDS: Final[dict[TraceState, str]] = {
    "not yet": "not yet said",
    "kept": "verbatim",
    "restated": "in other words",
    "summarised": "in a summary",
    "conflicting": "beside a different one",
    "superseded": "superseded by the user",
    "distorted": "a different one in its place",
    "recoverable": "gone, but something points back to it",
    "evicted": "gone",
    "opaque": "cannot be known from the record",
}

ANSWER_SYMBOLS: Final[dict[AnswerUse, str]] = {"used": "■", "asked for": "?", "broken": "▲", "altered": "≠"}

ANSWER_KINDS: Final[dict[AnswerUse, Kind]] = {
    "used": "here",
    "asked for": "altered",
    "broken": "lost",
    "altered": "altered",
}

ANSWER_WORDS: Final[dict[AnswerUse, str]] = {
    "used": "used",
    "asked for": "asked for again",
    "broken": "rule broken",
    "altered": "says a different one",
}

NOUNS: Final[dict[FactKind, str]] = {
    "id": "id",
    "number": "number",
    "money": "amount",
    "percent": "percentage",
    "date": "date",
    "time": "time",
    "duration": "duration",
    "email": "address",
    "phone": "phone number",
    "url": "link",
    "path": "path",
    "rule": "rule",
    "text": "text",
    "regex": "pattern",
    "json": "value",
}
"""What a sentence calls a fact of each kind."""

WORDED: Final[frozenset[FactKind]] = frozenset(("rule", "text", "regex"))
"""Kinds that are kept word for word; a value is kept whatever way it is written."""
