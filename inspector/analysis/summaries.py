"""Which messages a summary took, with the evidence."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Final, NamedTuple

from inspector.analysis.words import weigh_overlaps
from inspector.model.context import Block
from inspector.model.fates import Certainty
from inspector.model.layers import Layer

DIALOGUE: Final = frozenset(
    {
        Layer.HISTORY,
        Layer.INPUT,
        Layer.REASONING,
        Layer.TOOL_CALLS,
        Layer.TOOL_RESULTS,
        Layer.SUMMARY,
        Layer.ATTACHMENTS,
    }
)
"""Layers that a compaction shortens. The others (instructions, state, memory, retrieved documents) are put together
anew for each call: what is replaced in them was neither summarised nor compacted."""
COVERED: Final = 0.25
"""Share of a gone message's word weight in a summary from which its content is called found there."""
UNMARKED_COVERED: Final = 0.5
"""The same for a new message that nothing marks as a summary: it must say more to be taken for one."""
UNMARKED_SOURCES: Final = 3
"""An unmarked message is taken for a summary only if it covers at least this many gone messages."""


class TakenBy(NamedTuple):
    """The summary that took a message."""

    after: int
    """Place of the summary in the later context."""
    certainty: Certainty
    evidence: str
    similarity: float | None


Taken = dict[int, TakenBy]
"""Place in the earlier context → what took it."""


def find_taken(
    before: Sequence[Block],
    after: Sequence[Block],
    gone: list[int],
    new: list[int],
    last_kept: int | None = None,
    known: Container[str] | None = None,
) -> Taken:
    """Find which gone messages a new summary took.

    Args:
        before: The earlier context.
        after: The later context.
        gone: Places of the messages that are gone.
        new: Places of the messages that are new.
        last_kept: Place of the last message of the dialogue that stayed; None: none stayed.
        known: Contents of the earlier context, where ``before`` is only a part of it.

    A new message that is labelled, marked or placed as a summary took every gone message of its
    context: that is what a summary is for; whether it says what they said is a matter of facts.
    An unmarked new message must show it: it covers several gone messages' rare words, is no copy, and
    stands before what stayed (what comes after it is the next step, and an answer restates results).
    """
    if not gone or not new:
        return {}
    gone = [i for i in gone if before[i].layer in DIALOGUE]
    if not gone:
        return {}
    marked = [j for j in new if after[j].is_summary]
    if known is None:
        known = {block.content for block in before}
    candidates = marked or [
        j
        for j in new
        if after[j].role != "tool" and after[j].content not in known and (last_kept is None or j < last_kept)
    ]
    if not candidates:
        return {}
    overlaps = weigh_overlaps([before[i].text for i in gone], [after[j].text for j in candidates])
    shared = overlaps.shared
    taken: Taken = {}
    for x, i in enumerate(gone):
        weight = float(overlaps.left[x])
        shares = shared[x] / weight if weight > 0 else shared[x] * 0
        y = int(shares.argmax())
        share = float(shares[y])
        if marked:
            certainty: Certainty = "likely"
            evidence = (
                f"a new summary stands in the context and holds {round(share * 100)} % of its words"
                if share >= COVERED
                else "a new summary stands in the context; it holds little of its wording"
            )
            taken[i] = TakenBy(candidates[y], certainty, evidence, share)
        elif share >= UNMARKED_COVERED and len(before[i].text) >= 20:
            evidence = f"a new message holds {round(share * 100)} % of its words"
            taken[i] = TakenBy(candidates[y], "a guess", evidence, share)
    if not marked:
        by_summary: dict[int, int] = {}
        for item in taken.values():
            by_summary[item.after] = by_summary.get(item.after, 0) + 1
        taken = {i: t for i, t in taken.items() if by_summary[t.after] >= UNMARKED_SOURCES}
    return taken
