"""Messages that are gone from a call, in their old place, and what of them the call still says."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from inspector.analysis.alignment import Alignment
from inspector.analysis.changes import SessionChanges
from inspector.analysis.lifelines import LifeEvent
from inspector.model.context import Block
from inspector.model.fates import Fate

GONE: Final = frozenset({Fate.EVICTED, Fate.SUMMARISED})
IN_PLACE: Final = frozenset({Fate.KEPT, Fate.EDITED, Fate.TRUNCATED})
FRONT: Final = -1
"""Place of what stood before everything that is left."""
SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")
SHORTEST_SENTENCE: Final = 4
"""Characters; a shorter one (``OK``) is found anywhere and says nothing."""
MOST_SENTENCES: Final = 100
"""Sentences of one message that are looked for: a tool result of a megabyte has no more to say."""


@dataclass(frozen=True)
class Ghost:
    """A message that once stood in the line of calls that led here and does not any more."""

    number: int
    """Its number in the session."""
    block: Block
    """As it stood last."""
    last_call: int
    """The last call that had it."""
    place: int
    """Its place there, from 0."""
    gone: LifeEvent
    """What took it out."""
    after: int
    """Place in this call, from 0, of the message it stands after; :data:`FRONT`: before all."""


@dataclass(frozen=True)
class StillSaid:
    """Which sentences of a text the messages of a call say, word for word."""

    sentences: tuple[str, ...]
    """Those looked for."""
    found: dict[int, tuple[str, ...]]
    """Place of a message, from 0 → the sentences it says."""

    @property
    def missing(self) -> tuple[str, ...]:
        """Sentences that no message says."""
        said = {sentence for sentences in self.found.values() for sentence in sentences}
        return tuple(sentence for sentence in self.sentences if sentence not in said)


def find_ghosts(changes: SessionChanges, call: int) -> tuple[Ghost, ...]:
    """Find the messages gone at a call or before it, in the order in which they would stand.

    Only the calls that led to this one count: a side call evicts nothing, and a new line of thought starts
    with nothing gone.

    Args:
        changes: What changed in the session.
        call: Number of the call.
    """
    life = changes.life
    lost: dict[int, tuple[int, int, int]] = {}
    for at in _led_to(changes, call):
        alignment = life.alignments[at]
        if alignment.counts.get(Fate.RETURNED):
            for number in life.numbers[at]:
                lost.pop(number, None)
        if any(alignment.counts.get(fate) for fate in GONE):
            before = life.numbers[life.previous[at]]
            for place, anchor in _losses(alignment):
                lost[before[place]] = (at, place, before[anchor] if anchor >= 0 else 0)
    own = life.numbers.get(call, ())
    for number in own:
        lost.pop(number, None)
    blocks = {context.call: context.blocks for context in changes.contexts}
    found = []
    for number, after in _in_order(lost, own):
        at, place, _ = lost[number]
        last = life.previous[at]
        gone = next(e for e in reversed(life.lifelines[number - 1].events) if e.call == at and e.fate in GONE)
        found.append(Ghost(number, blocks[last][place], last, place, gone, after))
    return tuple(found)


def _led_to(changes: SessionChanges, call: int) -> list[int]:
    """The calls that led to a call, the oldest first; those that continue none are left out."""
    chain = []
    at: int | None = call
    while at is not None and at in changes.life.alignments:
        chain.append(at)
        at = changes.life.previous.get(at)
    return chain[::-1]


def _losses(alignment: Alignment) -> Iterator[tuple[int, int]]:
    """Yield the place of each message gone, and the place of the last one before it that stayed where it was.

    The rows of an alignment are in reading order: what is gone follows just that message.
    """
    anchor = FRONT
    for row in alignment.blocks:
        if row.before is None:
            continue
        if row.fate in IN_PLACE:
            anchor = row.before
        elif row.fate in GONE:
            yield row.before, anchor


def _in_order(lost: dict[int, tuple[int, int, int]], own: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield each lost message with the place it stands after.

    What a message is anchored to may be lost later itself; then it goes where that one goes. Of two with one
    anchor the one lost first stood nearer to it: at the second loss nothing was between them any more.
    """
    children: defaultdict[int, list[int]] = defaultdict(list)
    known = {*own, *lost}
    for number, (_, _, anchor) in lost.items():
        children[anchor if anchor in known else 0].append(number)
    for numbers in children.values():
        numbers.sort(key=lambda number: lost[number][:2])
    for place, anchor in enumerate((0, *own), FRONT):
        stack = children.get(anchor, [])[::-1]
        while stack:
            number = stack.pop()
            yield number, place
            stack += children.get(number, [])[::-1]


def find_still_said(text: str, blocks: Sequence[Block]) -> StillSaid:
    """Look for the sentences of a text in the messages of a call, word for word.

    Args:
        text: The text of a message that is gone.
        blocks: The messages of the call.
    """
    pieces = (piece.strip() for piece in SENTENCE_END.split(text))
    long = dict.fromkeys(piece for piece in pieces if len(piece) >= SHORTEST_SENTENCE)
    sentences = tuple(long)[:MOST_SENTENCES] or ((text.strip(),) if text.strip() else ())
    found = {
        place: said
        for place, block in enumerate(blocks)
        if (said := tuple(sentence for sentence in sentences if sentence in block.text))
    }
    return StillSaid(sentences, found)
