"""Sums of token counts, each with its origin."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from inspector.index.contents import TOOL_MEMBERS
from inspector.model.layering import Segment
from inspector.model.layers import Layer
from inspector.model.request import Element, Message
from inspector.model.tokens import Tokenizer, count_message, message_overhead, tools_cost
from inspector.model.views import TokenCount
from snapshot_sdk.reading import parse_source

Costs = tuple[tuple[str, str, int | None], ...]
"""Layer, origin and tokens (None: unknown)."""

StoredSegment = tuple[int, int, int, str, int | None, str, str | None, str]
"""Part, start, end, layer, tokens, origin, source, why."""

UNKNOWN_ORIGIN: Final = "unknown"
PARTLY: Final = "estimate:some parts cannot be counted"
"""Origin of a sum that leaves something out."""

_WEAKNESS: Final = {"provider": 0, "tokenizer": 1, "formula": 2, "estimate": 3, "unknown": 4}
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


def merge(figures: Iterable[tuple[str, str, int | None]]) -> Costs:
    """Add up figures of the same layer and origin."""
    sums: dict[tuple[str, str], int | None] = {}
    for layer, origin, count in figures:
        key = (layer, UNKNOWN_ORIGIN if count is None else origin)
        sums[key] = None if count is None else (sums.get(key) or 0) + count
    return tuple((layer, origin, count) for (layer, origin), count in sums.items())


def weakest(origins: Iterable[str]) -> str:
    """Return the origin that says least of those given."""
    return max(origins, key=weakness, default=UNKNOWN_ORIGIN)


def weakness(origin: str) -> int:
    """Rank an origin: the larger, the less it says."""
    return _WEAKNESS.get(origin.partition(":")[0], _WEAKNESS["unknown"])


def total_of(layers: Iterable[tuple[int, str]]) -> TokenCount:
    """Add up layers.

    The sum is as weak as its weakest part, formulas for the chat template aside: they are a small part of every
    prompt, and would hide who counted the text. It is named after the part with the most tokens.
    """
    known = list(layers)
    if not known:
        return TokenCount(0, "formula:empty prompt")
    total = sum(count for count, _ in known)
    parts = [(count, origin) for count, origin in known if not origin.startswith("formula:")] or known
    worst = weakest(origin for _, origin in parts)
    if worst == UNKNOWN_ORIGIN:
        return TokenCount(total, PARTLY)
    sizes: dict[str, int] = {}
    for count, origin in parts:
        sizes[origin] = sizes.get(origin, 0) + count
    largest = max(sizes, key=lambda origin: sizes[origin])
    return TokenCount(total, f"{worst.partition(':')[0]}:{largest.partition(':')[2]}")


def add_costs(
    costs: dict[tuple[str, str], int], unknown: Counter[tuple[str, str]], figures: Costs, sign: Literal[1, -1]
) -> None:
    """Add figures to a sum, or take them out; unknown ones are counted, so that they can be taken out again."""
    for layer, origin, count in figures:
        if count is None:
            unknown[layer, origin] += sign
        else:
            costs[layer, origin] = costs.get((layer, origin), 0) + sign * count


def by_layer(
    costs: Mapping[tuple[str, str], int], unknown: Mapping[tuple[str, str], int]
) -> dict[str, tuple[int, str]]:
    """Reduce to one figure a layer, in stack order; what is unknown weakens the origin and adds nothing."""
    sums: dict[str, int] = {}
    origins: dict[str, list[str]] = {}
    for (layer, origin), count in costs.items():
        if count:
            sums[layer] = sums.get(layer, 0) + count
            origins.setdefault(layer, []).append(origin)
    for (layer, _), times in unknown.items():
        if times:
            sums.setdefault(layer, 0)
            origins.setdefault(layer, []).append(UNKNOWN_ORIGIN)
    return {layer.value: (sums[layer.value], weakest(origins[layer.value])) for layer in Layer if layer.value in sums}
