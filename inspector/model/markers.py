"""The marks in a text that say what it is, with the layers they mean; ``snapshot_sdk.layer_marks`` finds them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from inspector.model.layers import Layer
from snapshot_sdk import layer_marks
from snapshot_sdk.layer_marks import (
    MAX_ATTRIBUTES,
    SUMMARY_OPENINGS,
    Mark,
    find_headings,
    find_tags,
    opens_as_summary,
)

__all__ = [
    "HEADINGS",
    "MAX_ATTRIBUTES",
    "SUMMARY_OPENINGS",
    "TAGS",
    "Mark",
    "find_headings",
    "find_tags",
    "opens_as_summary",
]

TAGS: Final[Mapping[str, Layer]] = {name: Layer(layer) for name, layer in layer_marks.TAGS.items()}
"""Tag names that mean a layer, out of the box."""

HEADINGS: Final[Mapping[str, Layer]] = {name: Layer(layer) for name, layer in layer_marks.HEADINGS.items()}
"""Headings in square (or lenticular) brackets, alone at the start of a line, that mean a layer."""
