"""The messages of a call as analysis compares them: plain text, identity and keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress
from operator import is_not

from inspector.model.fates import Certainty
from inspector.model.layers import Layer

Identity = tuple[str, tuple[str, ...]]
"""Content hash and keys of a message: what makes it this very message."""


@dataclass(frozen=True, slots=True)
class Block:
    """One message of a context, as alignment sees it. All tool definitions are one block."""

    content: str
    """Content hash: role and parts, no cache marker, no ids."""
    role: str | None
    layer: Layer
    """Layer with the most tokens."""
    text: str
    """Text of all parts."""
    keys: tuple[str, ...] = ()
    """Ids that name this very message: ``call:<id>`` of its tool calls, ``result:<id>`` of its results."""
    tokens: int | None = None
    """Tokens of the message; None: unknown."""
    is_summary: bool = False
    """Labelled, marked or placed as a summary of earlier messages."""
    estimated: bool = False
    """``tokens`` are an estimate: the model's tokenizer is not public."""

    @property
    def identity(self) -> Identity:
        """Content and keys."""
        return self.content, self.keys


@dataclass(frozen=True)
class ServerChange:
    """What a server did to a prompt before the model read it."""

    removed: Mapping[Identity, tuple[str, Certainty]] = field(default_factory=dict)
    """By the message as it was: why the model did not see it, or not wholly, and how sure that is."""
    made: frozenset[Identity] = frozenset()
    """Messages that stand for what a compaction took."""
    sent: tuple[Block, ...] = ()
    """The prompt as it was sent, in its order: what of it no call saw is in no other context."""


@dataclass(frozen=True)
class CallContext:
    """The messages of one call, as the model saw them."""

    call: int
    """Number of the call in its session, from 1."""
    id: str
    """Snapshot id."""
    previous: str | None
    """Snapshot id of the call this one continues; None: it begins a line of thought."""
    lane: str
    blocks: tuple[Block, ...]
    """In the order of the prompt."""
    purpose: str | None = None
    """Of a side call: ``summary``, ``title`` …; such calls are told apart from the dialogue they serve."""
    missing: tuple[str, ...] = ()
    """Parts of the prompt that the log it was imported from lacks: every rule that needs one stays silent."""
    server: ServerChange | None = None
    """What a server changed; None: the model saw what was sent."""


@dataclass(frozen=True)
class CompactedContexts:
    """The contexts a recorded compaction named."""

    id: str
    """Id of the compaction."""
    before: tuple[Block, ...] | None
    """None: the agent did not say."""
    after: tuple[Block, ...] | None
    """None: the agent did not say."""


def changed_places(before: tuple[Block, ...], after: tuple[Block, ...]) -> Sequence[int]:
    """Return the places of a context at which another one has not the very same message, in order.

    Args:
        before: The other context, best one that this one repeats.
        after: The context.
    """
    both = min(len(before), len(after))
    if before[:both] == after[:both]:  # a prompt that only grew: told in no time, as the messages are the same objects
        return range(both, len(after))
    return [*compress(range(both), map(is_not, before, after)), *range(both, len(after))]
