"""Sentences of the story about summaries that stand beside one another where one should stand for the other."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from inspector.analysis.alignment import Alignment
from inspector.analysis.changes import SessionChanges
from inspector.analysis.lifelines import SessionLife
from inspector.analysis.told import Told
from inspector.analysis.words import weigh_overlaps
from inspector.model.context import Block, CallContext
from inspector.model.fates import Fate
from inspector.model.views import Sentence

ALIKE: Final = 0.4
"""Share of the word weight of the shorter of two summaries that the other must hold to be of the same conversation
(measured on the samples: 0.64 to 0.82 for two of one session, at most 0.22 for those of different ones)."""
NAMED: Final = 3
"""Figures named in a sentence."""
LEAST_DIGITS: Final = 3
"""Digits of a figure that is named: shorter ones are counts and hours, which say little out of their sentence."""

_FIGURE: Final = re.compile(r"(?<![\w.,])(?:[A-Z]{1,6}-\d[\w-]*|\d[\d.,]*\d)(?![\w])")
"""Ids such as ``Q-771``, and numbers: what a reader compares first."""


class Beside(NamedTuple):
    """A new summary that was put in beside an older one and took nothing out."""

    call: int
    older: int
    """Message number."""
    newer: int
    """Message number."""
    only_older: tuple[str, ...]
    """Ids and figures that only the older one has."""
    only_newer: tuple[str, ...]

    @property
    def differences(self) -> str:
        """What only one of them says, in words; empty: no figure tells them apart."""
        sides = ((self.older, self.only_older), (self.newer, self.only_newer))
        return ", ".join(f"only m{number} says {' and '.join(said[:NAMED])}" for number, said in sides if said)


def tell_summaries_beside(told: Told) -> Iterator[Sentence]:
    """Two summaries of one conversation in the same prompt: a compaction done twice."""
    found = list(find_summaries_beside(told.changes))
    if not found:
        return
    first = found[0]
    differences = first.differences
    text = f"Two summaries of the same conversation, m{first.older} and m{first.newer}, since call {first.call}"
    text += f": {differences}." if differences else ", the second took nothing out."
    compaction = next((c.number for c in told.changes.compactions if c.call == first.call), None)
    yield Sentence(
        "error",
        "summary_twice",
        text,
        first.call,
        message=first.newer,
        compaction=compaction,
        page="compare" if compaction is not None else "call",
    )


def find_summaries_beside(changes: SessionChanges) -> Iterator[Beside]:
    """Find calls whose prompt gets a summary while an older one of the same conversation stays.

    One that took messages is not meant: agents that keep a summary per stretch of the conversation do that.

    Args:
        changes: What changed in the session.
    """
    life = changes.life
    for context in changes.contexts:
        alignment = life.alignments.get(context.call)
        if alignment is None or context.purpose is not None or not _may_stand_beside(context, life):
            continue
        older, newer = _summaries(context, alignment)
        if not older or not newer:
            continue
        texts = [[context.blocks[place].text for place in places] for places in (older, newer)]
        overlaps = weigh_overlaps(*texts)
        shared = overlaps.shared
        for j, place in enumerate(newer):
            i = int(shared[:, j].argmax())
            if shared[i, j] < ALIKE * min(overlaps.left[i], overlaps.right[j]):
                continue
            old, new = context.blocks[older[i]], context.blocks[place]
            numbers = life.numbers[context.call]
            yield Beside(context.call, numbers[older[i]], numbers[place], _only(old, new), _only(new, old))


def _may_stand_beside(context: CallContext, life: SessionLife) -> bool:
    """Tell whether a prompt has several summaries and not all of them stood in the call before: few prompts do."""
    places = [place for place, block in enumerate(context.blocks) if block.is_summary]
    if len(places) < 2:
        return False
    numbers, known = life.numbers[context.call], life.numbers[life.previous[context.call]]
    return not {numbers[place] for place in places}.issubset(known)


def _summaries(context: CallContext, alignment: Alignment) -> tuple[list[int], list[int]]:
    """Places of the summaries that stayed, and of the new ones that took nothing."""
    took = {row.after for row in alignment.blocks if row.fate is Fate.SUMMARISED}
    older, newer = [], []
    for row in alignment.blocks:
        if row.after is None or not context.blocks[row.after].is_summary:
            continue
        if row.fate in (Fate.KEPT, Fate.MOVED):
            older.append(row.after)
        elif row.fate is Fate.ADDED and row.after not in took:
            newer.append(row.after)
    return older, newer


def _only(block: Block, other: Block) -> tuple[str, ...]:
    """Ids and figures of a text that another text lacks, in order."""
    there = _figures(other)
    return tuple(figure for figure in dict.fromkeys(_figures(block)) if figure not in there)


def _figures(block: Block) -> Sequence[str]:
    found = _FIGURE.findall(block.text)
    return [figure for figure in found if sum(map(str.isdigit, figure)) >= LEAST_DIGITS]
