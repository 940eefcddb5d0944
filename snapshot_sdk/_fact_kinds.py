"""What a fact is, and where one was found in a folded text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, Literal, NamedTuple, get_args

from snapshot_sdk._fact_text import Folded

FactKind = Literal[
    "id", "number", "money", "percent", "date", "time", "duration", "email", "phone", "url", "path", "rule", "text",
    "regex", "json",
]  # fmt: skip
KINDS: Final[tuple[FactKind, ...]] = get_args(FactKind)

VALUE_KINDS: Final[tuple[FactKind, ...]] = (
    "url", "email", "path", "phone", "date", "time", "id", "money", "percent", "duration", "number",
)  # fmt: skip
"""Kinds that can be found in a text without being told, the most particular first."""


@dataclass(frozen=True)
class Fact:
    """Something that should be known."""

    kind: FactKind
    text: str
    """As it was written; for ``json`` the expected value, as JSON or bare."""
    anchors: tuple[str, ...] = ()
    """Words that stand beside it (``budget``, ``预算``): another value of its kind beside one of them has taken its
    place."""
    path: str | None = None
    """Key path, for ``json`` only: ``order.items[*].id``."""


@dataclass(frozen=True)
class FoundFact:
    """A value found in a text without being told what to look for."""

    kind: FactKind
    text: str
    """As it is written there."""
    start: int
    end: int
    key: str
    """Equal for equal values of a kind: ``8500 CNY`` for 8500元 and 八千五百元."""
    fact: Fact
    """To look for it elsewhere, with the words beside it as anchors."""


@dataclass(frozen=True)
class Place:
    """Where something stands in the folded text."""

    start: int
    end: int
    weak: bool = False
    """It is the same value, but may count something else."""
    anchored: bool = True
    """Of something else: it stands beside words that go with the fact."""
    why: str = ""
    """Of something else: what differs, in words."""

    def shifted(self, by: int) -> Place:
        """Gives the place in a text of which this one's is a part.

        Args:
            by: Where the part begins.
        """
        return replace(self, start=self.start + by, end=self.end + by)


class Places(NamedTuple):
    """What a text has of a fact."""

    same: list[Place]
    """Where the fact stands."""
    others: list[Place]
    """Where something else may stand in its place."""
    restated: bool = False
    """It stands there in other words only."""


Finder = Callable[[Folded, str], Places]
"""Looks into a folded text and its original."""
