"""Finds how far a body repeats the one before, at memory speed, so that only what is new is cut."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Final

from snapshot_sdk._blobs import Wire
from snapshot_sdk._delta import agreeing
from snapshot_sdk._json import STYLES
from snapshot_sdk._split import Split
from snapshot_sdk.schema import Style

_STARTS: Final = 1
"""The ``{`` of a body, and the ``[`` of an array: one byte."""


def same_elements(data: bytes, wire: Wire) -> int:
    """Counts the elements of the longest array that stand unchanged, all before them unchanged too.

    Args:
        data: The body.
        wire: The one before.
    """
    ends, before = wire.ends, wire.data
    count = len(ends)
    if not data.startswith(before):
        common = agreeing(min(len(data), ends[-1]), lambda a, b: data[a:b] == before[a:b])
        count = bisect_right(ends, common)
    # A number may go on where it ended before: 1 became 12.
    while count and data[ends[count - 1] : ends[count - 1] + 1] not in (b",", b"]"):
        count -= 1
    return count


def remember(data: bytes, cut: Split, model: str | None) -> Wire | None:
    """Notes where the elements of the longest array end.

    Args:
        data: The body.
        cut: The same, cut.
        model: As the body names it.
    """
    writing = STYLES[cut.style]
    position, longest = _STARTS, 0
    grown: tuple[str, list[int]] | None = None
    for name, spread, elements in cut.members:
        position += len(writing.dumps(name).encode()) + len(writing.key)
        start = position
        if spread:
            ends = further_ends(position + _STARTS, elements_sources(cut, name), cut.style)
            position = ends[-1] + 1
            if position - start > longest:
                longest, grown = position - start, (name, ends)
        else:
            position += _length(elements[0].source)
        position += len(writing.item)
    return wire_of(data, bytearray(), cut.style, *grown, model) if grown else None


def wire_of(data: bytes, before: bytearray, style: Style, grown: str, ends: list[int], model: str | None) -> Wire:
    """Notes a body, of which only what is new is copied.

    Args:
        data: The body.
        before: What it begins with, up to the end of an element; it grows.
        style: How it is written.
        grown: Its longest array.
        ends: Where the elements of that end.
        model: As the body names it.
    """
    before += memoryview(data)[len(before) : ends[-1]]
    return Wire(before, style, grown, ends, data[ends[-1] :], model)


def elements_sources(cut: Split, name: str) -> list[str]:
    """Returns the source texts of a member's elements."""
    return [element.source for member, _, elements in cut.members if member == name for element in elements]


def further_ends(start: int, sources: Sequence[str], style: Style) -> list[int]:
    """Returns where elements end that follow one another, bytes.

    Args:
        start: Where the first begins.
        sources: Their source texts.
        style: How they are separated.
    """
    gap = len(STYLES[style].item)
    ends = []
    for source in sources:
        start += len(source) if source.isascii() else _length(source)
        ends.append(start)
        start += gap
    return ends


def _length(source: str) -> int:
    return len(source.encode("utf-8", "surrogateescape"))
