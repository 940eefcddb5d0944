"""What a ledger of a compaction is made of: values, rules and names with what became of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from snapshot_sdk.facts import FactKind

EntryKind = FactKind | Literal["name"]

EntryState = Literal["kept", "restated", "conflicting", "distorted", "dropped", "opaque", "invented"]
"""As the call after sees it, in the words of the glossary. ``dropped``: nothing there says it. ``opaque``: nothing that
can be read says it, and what stands for the messages cannot be read. ``invented``: no message has it."""

Column = Literal["lost", "altered", "kept", "invented"]
"""The four heads of the ledger."""

COLUMNS: Final[Mapping[EntryState, Column]] = {
    "dropped": "lost",
    "opaque": "lost",
    "distorted": "altered",
    "conflicting": "altered",
    "kept": "kept",
    "restated": "kept",
    "invented": "invented",
}
"""Under which head a state stands."""


@dataclass(frozen=True)
class Passage:
    """Where something stands."""

    place: int
    """Place of the message in its context, from 0."""
    start: int
    """First character, in the text of the message."""
    end: int
    """Character after the last."""
    text: str
    """What stands there."""


@dataclass(frozen=True)
class LedgerEntry:
    """A value, a rule or a name, and what became of it."""

    state: EntryState
    kind: EntryKind
    text: str
    """As it is written in ``source``."""
    source: Passage
    """In the context before; of an invented one, in the context after."""
    messages: int
    """Messages taken that say it; of an invented one, messages that the compaction made."""
    role: str | None
    """Role of the message of ``source``."""
    score: float
    """How much it looks like a commitment; for the order only."""
    reasons: tuple[str, ...]
    """Why it looks like one, in words, the weightiest first."""
    stands: tuple[int, ...] = ()
    """Places in the context after of the messages that say it."""
    in_summary: bool = False
    """The summary is among them."""
    instead: Passage | None = None
    """What stands in its place in the context after."""
    why: str = ""
    """What differs there, in words."""

    @property
    def column(self) -> Column:
        """The head it stands under."""
        return COLUMNS[self.state]


@dataclass(frozen=True)
class Ledger:
    """What became of all that the messages taken by a compaction said."""

    entries: tuple[LedgerEntry, ...]
    """Under each head those first that look most like a commitment."""
    slight: int = 0
    """Values that look like none (figures of long listings, bare small numbers): found, but in no entry."""
    unlisted: int = 0
    """Entries beyond the most that are judged."""
    unread: int = 0
    """Messages that were read in part or not at all, as they are too long."""
    summary: int | None = None
    """Place in the context after of what stands for the messages taken; None: nothing does."""
    opaque: bool = False
    """It cannot be read."""
    missing: tuple[str, ...] = ()
    """Parts of the prompts that the record lacks: what they say is not known, and nothing is called invented."""

    def under(self, column: Column) -> Sequence[LedgerEntry]:
        """List the entries under a head.

        Args:
            column: The head.
        """
        return [entry for entry in self.entries if entry.column == column]

    def counts(self) -> dict[Column, int]:
        """Count the entries under each head."""
        heads: tuple[Column, ...] = ("lost", "altered", "kept", "invented")
        return {head: len(self.under(head)) for head in heads}
