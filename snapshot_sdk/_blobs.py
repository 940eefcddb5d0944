"""What a file holds as far as later records may refer to it: stored elements, lanes, and what one record adds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from snapshot_sdk._elements import Prepared, Replaced
from snapshot_sdk._values import pointer
from snapshot_sdk.schema import Run, Style

Place = tuple[str | int, ...]
"""Keys and indexes from the body in."""


class Stored(NamedTuple):
    """An element that stands in the file."""

    n: int
    source: str
    raw: str
    """Source text before redaction, by which the element is known again; held in memory only."""
    depth: int = 0
    """Deltas between it and a text stored whole."""
    root: Stored | None = None
    """The text stored whole that its chain of deltas begins with; None: itself."""
    replaced: Replaced = ()
    redactions: int = 0


Members = list[tuple[str, bool, list[Stored] | str]]
"""Name, whether it is an array spread out, and its elements (or the JSON that stands inline)."""


class Wire(NamedTuple):
    """The body of a snapshot that came as bytes: one that begins alike is cut only where it is new."""

    data: bytearray
    """The body up to the last of the ends. It is the recorder's own, and grows: to hold the client's bytes would mean
    to free a megabyte at every call, which takes as long as to compare it."""
    style: Style
    grown: str
    """Its longest array."""
    ends: list[int]
    """Where each element of that array ends, bytes."""
    tail: bytes
    """What follows after that array's last element."""
    model: str | None
    """As the body names it, before redaction."""


class Frame(NamedTuple):
    """What the records of a lane have in common while only its longest array grows."""

    head: str
    """JSON of ``body`` up to the runs of that array."""
    tail: str
    """What follows after them."""


@dataclass(slots=True)
class Lane:
    """The last snapshot of a lane in this file. Where the next one only adds elements, it becomes that one."""

    seq: int
    since_absolute: int
    order: Members
    members: Mapping[str, list[Stored]]
    """The elements stored, by member."""
    runs: dict[str, list[Run]]
    """The same as runs of blob numbers."""
    sizes: dict[str, int]
    """The same, characters of source text."""
    redactions: tuple[tuple[str, int], ...]
    """What was removed from it, by place."""
    model: str | None
    """As its record names it."""
    wire: Wire | None
    """None: it came as values, or the next snapshot goes on with it."""
    frame: Frame | None = None
    """None: nobody asked yet."""

    @property
    def size(self) -> int:
        """Characters of source text."""
        return sum(self.sizes.values())


class Growth(NamedTuple):
    """What a snapshot adds to the one before in its lane, where it differs in nothing else."""

    lane: str
    seq: int
    since_absolute: int
    data: bytes
    """The body."""
    fresh: list[Stored]
    """The elements added to the longest array."""
    size: int
    """Characters of their source text."""
    runs: list[Run]
    """That array, the new elements too."""
    ends: list[int]
    """Where the new elements end, bytes."""


@dataclass
class Batch:
    """What one record adds."""

    known: dict[Any, Stored]
    lanes: dict[str, Lane]
    keyframe: bool = False
    new: dict[Any, Stored] = field(default_factory=dict)
    blobs: list[bytes] = field(default_factory=list)
    """The record's ``blobs``, each as JSON."""
    size: int = 0
    """Characters of ``blobs``."""
    replaced: list[tuple[str, str]] = field(default_factory=list)
    redactions: list[tuple[str, int]] = field(default_factory=list)
    lane: tuple[str, Lane] | None = None
    growth: Growth | None = None

    def find(self, key: Any) -> Stored | None:
        """Returns the element with this key, if the file has it."""
        return self.known.get(key) or self.new.get(key)

    def noted(self, stored: Stored, place: Place) -> Stored:
        """Notes what was replaced or removed in an element that stands in this record."""
        if stored.replaced or stored.redactions:
            self.note(stored, place)
        return stored

    def note(self, element: Stored | Prepared, place: Place) -> None:
        """Likewise, for an element that is not stored as a blob."""
        prefix = pointer(*place)
        self.replaced += [(prefix + path, kind) for path, kind in element.replaced]
        if element.redactions:
            self.redactions.append((prefix, element.redactions))
