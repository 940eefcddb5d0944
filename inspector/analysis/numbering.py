"""The messages of contexts as numbers: prompts repeat nearly all of what they hold, and numbers compare at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import is_
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from inspector.analysis.summaries import DIALOGUE
from inspector.model.context import Block, CallContext, changed_places
from inspector.model.layers import Layer

Numbers = NDArray[np.int32]

PASSING: Final = frozenset({Layer.INPUT, Layer.HISTORY})
"""Layers that a message passes through without being touched: the user's input becomes history by itself."""
UNKNOWN: Final = -1
"""Tokens of a message that nobody counted."""


@dataclass(frozen=True)
class NumberedContexts:
    """Contexts whose distinct messages are numbered."""

    contexts: tuple[CallContext, ...]
    blocks: tuple[Block, ...]
    """Each message once, in the order of first appearance; one that differs in layer or count is another."""
    rows: tuple[Numbers, ...]
    """For each context, at each place: which of ``blocks`` stands there."""

    @cached_property
    def contents(self) -> Numbers:
        """For each of ``blocks``: number of its content."""
        return _number([block.content for block in self.blocks])

    @cached_property
    def likes(self) -> Numbers:
        """For each of ``blocks``: equal for those that alignment takes for one message that nobody touched."""
        return _number(
            [
                (block.content, block.keys, block.role, Layer.HISTORY if block.layer in PASSING else block.layer)
                for block in self.blocks
            ]
        )

    @cached_property
    def tokens(self) -> NDArray[np.int64]:
        """For each of ``blocks``: its tokens, or :data:`UNKNOWN`."""
        counts = (UNKNOWN if block.tokens is None else block.tokens for block in self.blocks)
        return np.fromiter(counts, np.int64, len(self.blocks))

    @cached_property
    def dialogue(self) -> NDArray[np.bool_]:
        """For each of ``blocks``: whether it is of the dialogue."""
        return np.fromiter((block.layer in DIALOGUE for block in self.blocks), np.bool_, len(self.blocks))

    @cached_property
    def keyed(self) -> NDArray[np.bool_]:
        """For each of ``blocks``: whether it carries ids of calls or results."""
        return np.fromiter((bool(block.keys) for block in self.blocks), np.bool_, len(self.blocks))

    def is_of(self, contexts: Sequence[CallContext]) -> bool:
        """Tell whether these are just the contexts that were numbered."""
        return len(contexts) == len(self.contexts) and all(map(is_, contexts, self.contexts))

    def sum_tokens(self, at: int, place: int = 0) -> int | None:
        """Return the tokens from a place of a context to its end; None: a count is unknown.

        Args:
            at: Place of the context.
            place: Place of the message.
        """
        counts = self.tokens[self.rows[at][place:]]
        return None if counts.size and counts.min() < 0 else int(counts.sum())


def number_contexts(contexts: Sequence[CallContext]) -> NumberedContexts:
    """Number the distinct messages of contexts.

    Args:
        contexts: Best with each message one object in all of them; an equal one that is another object may count twice.
    """
    numbers: dict[int, int] = {}
    blocks: list[Block] = []
    rows: list[Numbers] = []
    before: tuple[Block, ...] = ()
    row = np.zeros(0, np.int32)
    for context in contexts:
        own = context.blocks
        both = min(len(before), len(own))
        row = np.concatenate((row[:both], np.zeros(len(own) - both, np.int32)))
        for place in changed_places(before, own):
            number = numbers.get(id(own[place]))
            if number is None:
                number = numbers[id(own[place])] = len(blocks)
                blocks.append(own[place])
            row[place] = number
        before = own
        rows.append(row)
    return NumberedContexts(tuple(contexts), tuple(blocks), tuple(rows))


def shared_head(one: Numbers, other: Numbers) -> int:
    """Return how many numbers two rows have in common at their beginning.

    Args:
        one: A row.
        other: Another.
    """
    size = min(one.size, other.size)
    if not size:
        return 0
    first = int((one[:size] != other[:size]).argmax())  # where they differ first; 0 where they do nowhere
    return size if one[first] == other[first] else first


def _number(values: Sequence[Any]) -> Numbers:
    known: dict[Any, int] = {}
    return np.fromiter((known.setdefault(value, len(known)) for value in values), np.int32, len(values))
