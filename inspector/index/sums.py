"""Sums of token counts, each with its origin."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final, Literal

from inspector.model.layers import Layer
from inspector.model.views import TokenCount

Costs = tuple[tuple[str, str, int | None], ...]
"""Layer, origin and tokens (None: unknown)."""

UNKNOWN_ORIGIN: Final = "unknown"
PARTLY: Final = "estimate:some parts cannot be counted"
"""Origin of a sum that leaves something out."""

_WEAKNESS: Final = {"provider": 0, "tokenizer": 1, "formula": 2, "estimate": 3, "unknown": 4}


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
