"""Counts the rows of a prompt, segment by segment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from inspector.index.contents import TOOL_MEMBERS
from inspector.index.sums import Costs, merge
from inspector.model.layering import Segment
from inspector.model.layers import Layer
from inspector.model.request import Element, Message
from inspector.model.tokens import Tokenizer, count_message, message_overhead, tools_cost
from inspector.model.views import TokenCount
from snapshot_sdk.reading import parse_source

StoredSegment = tuple[int, int, int, str, int | None, str, str | None, str]
"""Part, start, end, layer, tokens, origin, source, why."""

_DIALOGUE: Final = frozenset({Layer.HISTORY, Layer.INPUT})


@dataclass(frozen=True)
class CountedRow:
    """A row of a prompt, counted."""

    segments: tuple[StoredSegment, ...]
    counts: Sequence[TokenCount]
    """Of each segment."""
    overhead: tuple[int | None, str]
    costs: Costs
    spoken: bool
    """A user message with text that no mark or label says is something else."""


def count_row(
    api: str,
    element: Element,
    segments: Sequence[Segment],
    tokenizer: Tokenizer,
    *,
    system: str | None,
    known: Sequence[TokenCount] | None = None,
) -> CountedRow:
    """Count a message, or all tool definitions as one.

    Args:
        api: Dialect of the request.
        element: The message.
        segments: All its segments.
        tokenizer: The model's.
        system: For tool definitions: the end of the text they are written behind; None: there is none.
        known: Counts of segments cut at the same places, whatever their layers; None: to be counted.
    """
    message = element.message
    counts = count_message(api, message, segments, tokenizer) if known is None else known
    if element.member in TOOL_MEMBERS:
        definitions = [parse_source(part.text) for part in message.parts]
        overhead = tools_cost(api, definitions, tokenizer, system).frame
    else:
        overhead = message_overhead(api, message, tokenizer)
    stored = tuple(
        (s.part, s.start, s.end, s.layer.value, count.count, count.origin, s.source, s.why)
        for s, count in zip(segments, counts, strict=True)
    )
    figures = [(s.layer.value, count.origin, count.count) for s, count in zip(segments, counts, strict=True)]
    if overhead.count != 0:
        figures.append((Layer.OVERHEAD.value, overhead.origin, overhead.count))
    spoken = message.role == "user" and any(_is_spoken(message, segment) for segment in segments)
    return CountedRow(stored, counts, (overhead.count, overhead.origin), merge(figures), spoken)


def _is_spoken(message: Message, segment: Segment) -> bool:
    part = message.parts[segment.part]
    return segment.layer in _DIALOGUE and part.kind == "text" and bool(part.text[segment.start : segment.end].strip())
