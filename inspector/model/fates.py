"""What became of a message between two contexts, in the words used everywhere."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, Literal

Certainty = Literal["certain", "likely", "a guess"]
"""How sure an inferred statement is, in words; never a percentage."""

Source = Literal["recorded", "inferred", "server"]
"""Who says so: the SDK, the analysis from two snapshots, or the provider's answer: its server did it."""

Kind = Literal["lost", "altered", "condensed", "here", "same"]
"""Meaning of a fate: decides the colour; the symbol tells the exact fate."""


class Fate(StrEnum):
    """What became of a message from one context to the next."""

    KEPT = "kept"
    MOVED = "moved"
    EDITED = "edited"
    TRUNCATED = "truncated"
    SUMMARISED = "summarised"
    EVICTED = "evicted"
    RETURNED = "returned"
    ADDED = "added"


FATE_SYMBOLS: Final[dict[Fate, str]] = {
    Fate.KEPT: "·",
    Fate.MOVED: "⇅",
    Fate.EDITED: "≈",
    Fate.TRUNCATED: "✂",
    Fate.SUMMARISED: "Σ",
    Fate.EVICTED: "✕",
    Fate.RETURNED: "↺",
    Fate.ADDED: "+",
}

FATE_KINDS: Final[dict[Fate, Kind]] = {
    Fate.KEPT: "same",
    Fate.MOVED: "same",
    Fate.EDITED: "altered",
    Fate.TRUNCATED: "altered",
    Fate.SUMMARISED: "condensed",
    Fate.EVICTED: "lost",
    Fate.RETURNED: "here",
    Fate.ADDED: "here",
}
