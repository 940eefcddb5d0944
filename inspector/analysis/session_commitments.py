"""What a session commits itself to, message by message: found without any pin, and within bounds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from inspector.analysis.commitments import Commitment, find_commitments
from inspector.analysis.lifelines import SessionLife
from inspector.analysis.pins import PinLife
from inspector.model.context import CallContext
from inspector.model.layers import Layer

READ_OF_ONE: Final = 20_000
"""Characters of a message that are read."""
READ_OF_ALL: Final = 400_000
"""Characters that are read of a session: a second or two, the user's words first of all."""
MOST: Final = 40
"""Commitments that are told."""
_UNREAD: Final = frozenset((Layer.TOOLS, Layer.TOOL_RESULTS, Layer.RETRIEVED, Layer.REASONING, Layer.ATTACHMENTS))
"""Layers that hold no rule of this session: what a tool returns counts where the user or a tool call takes it up."""


@dataclass(frozen=True)
class NumberedCommitment:
    """A commitment and the message that says it."""

    commitment: Commitment
    number: int
    """``m5``: number of the message in the session."""
    watched: bool
    """A pin or a watch looks after it already."""


def number_commitments(
    contexts: Sequence[CallContext],
    life: SessionLife,
    pins: Sequence[PinLife],
    pause: Callable[[], None] = lambda: None,
) -> tuple[NumberedCommitment, ...]:
    """Find what looks most like a commitment, and where it is said.

    Args:
        contexts: The calls in display order.
        life: Their lifelines.
        pins: Pins and watches of the session.
        pause: Called at each call: it takes a second or two in a long session. May raise to end it.
    """
    places: dict[str, tuple[int, int]] = {}
    for context in contexts:
        for number, block in zip(life.numbers[context.call], context.blocks, strict=True):
            places.setdefault(block.content, (context.call, number))
    texts = ["".join(pin.text.split()) for pin in pins if pin.text]
    return tuple(
        NumberedCommitment(one, places[one.content][1], _is_among(one.text, texts))
        for one in find_commitments(_bounded(contexts, pause))[:MOST]
    )


def _bounded(contexts: Sequence[CallContext], pause: Callable[[], None]) -> Iterator[CallContext]:
    """The calls with each message where it comes first, as far as is read of it."""
    known: set[str] = set()
    left = READ_OF_ALL
    for context in contexts:
        pause()
        fresh = []
        for block in context.blocks:
            if block.content in known or block.layer in _UNREAD or left <= 0:
                continue
            known.add(block.content)
            text = block.text[: min(READ_OF_ONE, left)]
            left -= len(text)
            fresh.append(replace(block, text=text))
        yield replace(context, blocks=tuple(fresh))


def _is_among(text: str, pinned: Sequence[str]) -> bool:
    own = "".join(text.split())
    return any(pin in own or own in pin for pin in pinned)
