"""How values are looked for: in the lines that can hold them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from snapshot_sdk._fact_kinds import FactKind, Finder, Place, Places
from snapshot_sdk._fact_lines import NumberSigns
from snapshot_sdk._fact_name_finder import LineFinder, name_finder
from snapshot_sdk._fact_pieces import LineFilter, PieceFilter, lines_of
from snapshot_sdk._fact_text import Folded
from snapshot_sdk._fact_traces import NumberFinder
from snapshot_sdk._fact_value_finder import moment_finder, quantity_finder

_NAMES: Final = frozenset(("id", "email", "url", "path", "phone"))
_MOMENTS: Final = frozenset(("date", "time"))


def line_finder(kind: FactKind, form: str, written: str, anchors: Sequence[str]) -> Finder:
    """Gives the way to look for a value.

    Args:
        kind: Of :data:`snapshot_sdk._fact_kinds.VALUE_KINDS`.
        form: Folded.
        written: As it is given.
        anchors: Folded.

    Raises:
        ValueError: It is none of its kind.
    """
    if kind in _NAMES:
        return by_line(*name_finder(kind, form, written, anchors))
    if kind in _MOMENTS:
        return by_line(*moment_finder(kind, form, anchors))
    return by_line(*quantity_finder(kind, form, anchors))


def by_line(find: LineFinder, may: LineFilter) -> Finder:
    """Gives a way to look into the lines that can hold a fact, and into no other.

    Args:
        find: Looks into a line.
        may: Tells which lines can hold the fact.
    """

    def find_in_lines(form: Folded, text: str) -> Places:
        same: list[Place] = []
        others: list[Place] = []
        for begin, end in lines_of(form.text, may):

            def raw(start: int, stop: int, begin: int = begin) -> str:
                first, last = form.original(begin + start, begin + stop)
                return text[first:last]

            found = find(form.text[begin:end], raw)
            same += [place.shifted(begin) for place in found.same]
            others += [place.shifted(begin) for place in found.others]
        return Places(same, others)

    if isinstance(may, PieceFilter) and isinstance(may.may, NumberSigns):
        return NumberFinder(find_in_lines, may.may.numbers, may.may.anchors)
    return find_in_lines
