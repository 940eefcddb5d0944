"""Pair messages that fill one slot of the prompt: the state table is the same message however much of it changed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from inspector.analysis.pairing import PairedBy, between_same_neighbours
from inspector.model.context import Block
from inspector.model.layers import Layer

SLOTS: Final = frozenset({Layer.SYSTEM, Layer.TOOLS, Layer.MEMORY, Layer.STATE})
"""Layers that agents write anew in place. Dialogue is never one: two turns that follow one another are two."""


def pair_by_slot(
    before: Sequence[Block],
    after: Sequence[Block],
    open_before: list[int],
    open_after: list[int],
    paired: dict[int, int],
) -> dict[int, PairedBy]:
    """Pair the one open message of a slot layer with the one that stands in its stead.

    Only where each side has exactly one open message of the layer, their roles are the same and they
    stand between the same neighbours.
    """
    lefts, rights = _by_slot(before, open_before), _by_slot(after, open_after)
    pairs: dict[int, PairedBy] = {}
    for layer, olds in lefts.items():
        news = rights.get(layer, [])
        if len(olds) != 1 or len(news) != 1 or before[olds[0]].role != after[news[0]].role:
            continue
        if between_same_neighbours(len(before), len(after), olds, news, paired)[0, 0]:
            evidence = f"the only {layer} message that is not the same, between the same neighbours"
            pairs[olds[0]] = PairedBy(news[0], "likely", evidence, None)
    return pairs


def _by_slot(blocks: Sequence[Block], places: list[int]) -> dict[Layer, list[int]]:
    slots: dict[Layer, list[int]] = defaultdict(list)
    for place in places:
        if blocks[place].layer in SLOTS:
            slots[blocks[place].layer].append(place)
    return slots
