"""The messages of a call as analysis compares them: plain text, identity and keys."""

from __future__ import annotations

from dataclasses import dataclass

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

    @property
    def identity(self) -> Identity:
        """Content and keys."""
        return self.content, self.keys


@dataclass(frozen=True)
class CallContext:
    """The messages of one call."""

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


@dataclass(frozen=True)
class CompactedContexts:
    """The contexts a recorded compaction named."""

    id: str
    """Id of the compaction."""
    before: tuple[Block, ...] | None
    """None: the agent did not say."""
    after: tuple[Block, ...] | None
    """None: the agent did not say."""
