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
    depth: int
    """Deltas between it and a text stored whole."""
    root: Stored | None
    """The text stored whole that its chain of deltas begins with; None: itself."""
    replaced: Replaced
    redactions: int


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


@dataclass(slots=True)
class Lane:
    """The last snapshot of a lane in this file."""

    seq: int
    since_absolute: int
    order: Members
    members: Mapping[str, list[Stored]]
    """The elements stored, by member."""
    runs: Mapping[str, list[Run]]
    """The same as runs of blob numbers."""
    sizes: Mapping[str, int]
    """The same, characters of source text."""
    redactions: tuple[tuple[str, int], ...]
    """What was removed from it, by place."""
    wire: Wire | None
    """None: it came as values, or the next snapshot goes on with it."""

    @property
    def size(self) -> int:
        """Characters of source text."""
        return sum(self.sizes.values())


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
