"""What is known of a fact over the calls of a session."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from inspector.analysis.lifelines import LifeEvent
from inspector.model.layers import Layer
from snapshot_sdk.facts import Fact

TraceState = Literal[
    "not yet", "kept", "restated", "summarised", "conflicting", "superseded", "distorted", "recoverable", "evicted",
    "opaque",
]  # fmt: skip
"""Of a fact in the prompt of one call, in the words of the glossary. ``not yet``: no prompt of its lane had it."""

HELD: Final[frozenset[TraceState]] = frozenset(("kept", "restated", "summarised", "conflicting"))
"""States in which the model could read the fact."""

Remains = Literal["nothing", "pointer", "another value"]
"""What stands in the place of a fact that went; a pointer leads back to it."""

AnswerUse = Literal["used", "asked for", "broken", "altered"]
"""What an answer does with a fact."""


@dataclass(frozen=True)
class Carrier:
    """A message that says the fact, or something else in its place, in some call."""

    number: int
    """``m5``: number of the message in the session."""
    lane: str
    layer: Layer
    """Layer at its last appearance."""
    role: str | None
    states: dict[int, TraceState]
    """By call: ``kept``, ``restated``, ``summarised`` (a summary says it), ``conflicting`` or ``distorted``."""
    excerpts: dict[int, str]
    """By call, where it changes: what stands around the fact, ``EXCERPT`` characters at most."""


@dataclass(frozen=True)
class CallTrace:
    """A fact in the prompt and the answer of one call."""

    call: int
    lane: str
    state: TraceState
    copies: int
    """Messages that say it."""
    depth: int | None
    """Tokens from the nearest copy to the end of the prompt; None: no copy, or a count is unknown."""
    carriers: tuple[int, ...]
    """Numbers of the messages that say it, in the order of the prompt."""
    rivals: tuple[int, ...]
    """Numbers of the messages that say something else in its place."""
    answer: AnswerUse | None
    """None: the answer says nothing of it, or is not known."""
    answer_says: str = ""
    """The sentence of the answer, or what is wrong with it."""


@dataclass(frozen=True)
class Loss:
    """A call whose prompt no longer says a fact that the call before it could read."""

    call: int
    before_call: int
    """The call it continues, which had it."""
    carriers: tuple[int, ...]
    """Numbers of the messages that carried it there."""
    event: LifeEvent | None
    """What happened to the last of them at ``call``; None: nothing that is known."""
    message: int | None
    """Number of the message of ``event``."""
    compaction: int | None
    """Number of the compaction that did it."""
    remains: Remains
    """What stands in its place."""
    remains_in: int | None
    """Number of the message that holds what remains."""
    returned_call: int | None = None
    """First call after it that could read the fact again."""


@dataclass(frozen=True)
class FactTrace:
    """The life of a fact in a session."""

    fact: Fact
    calls: tuple[CallTrace, ...]
    """In the order of the calls; side calls too."""
    carriers: tuple[Carrier, ...]
    """In order of their numbers."""
    losses: tuple[Loss, ...]
    """In the order of the calls."""
    first_call: int | None
    """First call whose prompt says it; None: none does."""
    brought_by: Literal["prompt", "answer"] | None
    """Where it stands first: ``answer``: the model brought it itself. None: nowhere."""
