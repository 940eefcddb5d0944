"""Ids of one series that stood beside a fact where it was said: they name other things, and took nobody's place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from inspector.model.context import Block
from inspector.model.layers import Layer
from snapshot_sdk.facts import Fact, FactKind, Match, find_facts

_IDS: Final[tuple[FactKind, ...]] = ("id",)


def without_siblings(fact: Fact, blocks: Sequence[Block], matches: Sequence[Match]) -> list[Match]:
    """Leave out of what stands in the place of an id the other ids that its own source lists.

    A user or a tool that says ``orders_01`` and ``orders_02`` in one message speaks of two things.

    Args:
        fact: What is followed.
        blocks: Distinct messages.
        matches: What each of them says of the fact, in their order.
    """
    if fact.kind != "id" or not any(match.rivals for match in matches):
        return list(matches)
    siblings = {
        found.key
        for block, match in zip(blocks, matches, strict=True)
        if match.sightings and _is_source(block)
        for found in find_facts(block.text, _IDS)
    }
    return [_without(match, siblings) for match in matches]


def _is_source(block: Block) -> bool:
    """Tell whether a message is the word of a user or of a tool."""
    if block.is_summary or block.layer in (Layer.SUMMARY, Layer.STATE, Layer.MEMORY):
        return False
    return block.role == "user" or block.layer in (Layer.TOOL_RESULTS, Layer.RETRIEVED, Layer.INPUT)


def _without(match: Match, siblings: set[str]) -> Match:
    rivals = tuple(
        [
            rival
            for rival in match.rivals
            if rival.why == "it is denied" or not {one.key for one in find_facts(rival.text, _IDS)} & siblings
        ]
    )
    if len(rivals) == len(match.rivals):
        return match
    if rivals:
        return replace(match, rivals=rivals)
    return Match("kept" if match.sightings else "absent", match.sightings)
