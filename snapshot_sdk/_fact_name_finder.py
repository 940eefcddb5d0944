"""How ids, addresses, paths and phone numbers are looked for: whole, and what looks like them beside."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from snapshot_sdk._fact_anchors import beside, is_anchored
from snapshot_sdk._fact_dates import find_moments
from snapshot_sdk._fact_hedges import WHY, hedge_of
from snapshot_sdk._fact_kinds import FactKind, Place, Places
from snapshot_sdk._fact_lines import may_hold_any, may_hold_id, may_hold_phone
from snapshot_sdk._fact_names import ID, Name, find_names, plain_name
from snapshot_sdk._fact_near import is_near, same_shape
from snapshot_sdk._fact_overturned import is_overturned
from snapshot_sdk._fact_patterns import later
from snapshot_sdk._fact_pieces import LineFilter, NameFilter
from snapshot_sdk._fact_quantities import find_quantities
from snapshot_sdk._fact_successors import Said
from snapshot_sdk._fact_text import Taken

LineFinder = Callable[[str, Callable[[int, int], str]], Places]
"""Looks into a line; the second gives a span as it was written."""

_MAY: Final = {
    "email": ("@",),
    "url": ("://",),
    "path": (r"[/\\]",),
}
_LONG_NUMBER: Final = 6
"""Digits from which a bare number is a name whatever stands beside it, but a unit."""
_DIGITS: Final = later(r"(?<![\w.+-])\+?[0-9][0-9 ().-]{5,18}[0-9](?![\w-])", re.ASCII)


def name_finder(kind: FactKind, form: str, written: str, anchors: Sequence[str]) -> tuple[LineFinder, LineFilter]:
    """Gives the way to look for a name, and what a line must have to be looked at.

    Args:
        kind: Of :data:`snapshot_sdk._fact_kinds.VALUE_KINDS`, a name.
        form: Folded.
        written: As it is given.
        anchors: Folded.

    Raises:
        ValueError: It is none.
    """
    wanted = _wanted(kind, form)
    if kind == "id":
        may = may_hold_id(wanted, anchors)
        head = wanted[0] > "~"  # it begins with a sign that is no part of a name: 粤B12345
        return _id_finder(wanted, anchors), may if head else NameFilter(may, wanted, _near_to(wanted, anchors))
    case = _path_case(kind, written)

    def find(text: str, raw: Callable[[int, int], str]) -> Places:
        names = [name for name in find_names(text) if name.kind == kind]
        others = []
        same = [
            Place(name.start, name.end)
            for name in names
            if name.value == wanted and case == _path_case(kind, raw(name.start, name.end))
        ]
        there = Taken((place.start, place.end) for place in same)
        for name in (*names, *(_numbers(text) if kind == "phone" else ())):
            if there.free(name.start, name.end):
                anchored = is_anchored(text, name.start, name.end, anchors, there)
                why = "other capital letters" if name.value == wanted else f"another {kind}"
                if name.value == wanted or is_near(kind, wanted, name.value) or (anchored and name in names):
                    others.append(Place(name.start, name.end, anchored=anchored, why=why))
        return deny(text, Places(same, others))

    return find, may_hold_phone(wanted, anchors) if kind == "phone" else may_hold_any(*_MAY[kind], anchors=anchors)


def _wanted(kind: FactKind, form: str) -> str:
    found = [name for name in find_names(form) if name.kind == kind]
    if len(found) == 1:
        rest = form[: found[0].start] + form[found[0].end :]
        if kind != "id" or not (len(rest) == 1 and rest > "~"):  # 粤B12345 is one name
            return found[0].value
    if kind in ("id", "path") and form and " " not in form:
        return plain_name(kind, form)  # the user says that it is one
    raise ValueError(f"no {kind}: {form!r}")


def _path_case(kind: FactKind, written: str) -> str:
    """What of a name has a case that counts: all of a path but on Windows, and of a URL what follows the host."""
    if kind not in ("url", "path"):
        return ""
    plain = re.sub("[\u200b-\u200d\u2060\ufeff\u00ad]", "", unicodedata.normalize("NFKC", written)).replace("\\/", "/")
    if kind == "path":
        return "" if re.match(r"[A-Za-z]:", plain) else plain_name("path", plain)
    return plain.partition("://")[2].partition("/")[2].rstrip("/")


def _numbers(text: str) -> Iterator[Name]:
    """Runs of digits that are no phone number but may be one with a digit lost or too many."""
    for match in _DIGITS.finditer(text):
        yield Name("phone", plain_name("phone", match[0]), match.start(), match.end())


def _near_to(wanted: str, anchors: Sequence[str]) -> Callable[[str, int, str], bool]:
    head = 1 if wanted[:1] > "~" else 0

    def near(text: str, at: int, value: str) -> bool:
        """Tells whether a token may be a slip of the id, before it is known that it is an id."""
        if is_near("id", wanted, text[max(0, at - head) : at] + value):
            return True
        return bool(anchors) and same_shape(wanted, value)

    return near


def _id_finder(wanted: str, anchors: Sequence[str]) -> LineFinder:
    pattern = _whole_name(wanted)
    head = 1 if wanted[:1] > "~" else 0
    near = _near_to(wanted, anchors)

    def find(text: str, _: Callable[[int, int], str]) -> Places:
        same = [Place(match.start(), match.end()) for match in pattern.finditer(text)] if wanted in text else []
        if wanted.isdigit() and same:
            same = _named(text, same, anchors, wanted)
        if not any(near(text, token.start(), plain_name("id", token[0])) for token in ID.finditer(text)):
            return deny(text, Places(same, []))
        there = Taken((place.start, place.end) for place in same)
        others = []
        for name in find_names(text):
            start = max(0, name.start - head)
            value = text[start : name.start] + name.value
            if name.kind != "id" or not there.free(name.start, name.end):
                continue
            anchored = is_anchored(text, name.start, name.end, anchors, there)
            if _is_its_part(wanted, value, text[max(0, start - _HEAD) : start]):
                continue  # tables of a schema that is named before them: "exports: orders_daily_01"
            if is_near("id", wanted, value) or (anchored and same_shape(wanted, name.value)):
                others.append(Place(start, name.end, anchored=anchored, why="another id"))
        return deny(text, Places(same, others))

    return find


_HEAD: Final = 240
"""Characters before the last part of an id in which its first part may head a list."""


def _is_its_part(wanted: str, value: str, before: str) -> bool:
    """Tells whether a name is the last part of an id whose first part stands before it as a word of its own."""
    first = wanted.removesuffix(value)
    if first == wanted or not first or first[-1] not in "./:":
        return False
    return re.search(rf"(?<![a-z0-9_-]){re.escape(first[:-1])}(?![a-z0-9_-])", before) is not None


def _whole_name(wanted: str) -> re.Pattern[str]:
    """An id that is whole: no letter, digit or joint that would make it another one.

    What a path or URL holds between slashes is whole.
    """
    before = "(?<![a-z0-9_@.-])#?" if wanted[0] <= "~" else ""
    return re.compile(rf"{before}{re.escape(wanted)}(?![a-z0-9_@-]|[.:][a-z0-9]|/[0-9])")


def _named(text: str, places: Sequence[Place], anchors: Sequence[str], wanted: str) -> list[Place]:
    """Of digits alone: those that are a name, and no amount, date or part of a longer number."""
    busy = [(one.start, one.end) for one in find_moments(text)]
    busy += [(name.start, name.end) for name in find_names(text) if name.kind != "id"]
    counted = {one.core: one for one in find_quantities(text)}
    named = []
    for place in places:
        if any(start < place.end and place.start < end for start, end in busy):
            continue
        if re.search(r"[0-9] \Z", text[: place.start][-2:]) or re.match(r" [0-9]", text[place.end :][:2]):
            continue
        one = next((q for (a, b), q in counted.items() if a <= place.start and place.end <= b), None)
        sure = text[place.start] == "#" or beside(text, place.start, place.end, anchors)
        unitless = one is None or (one.kind == "number" and (one.named or one.unit is None or sure))
        if unitless or (one is not None and one.kind == "number" and len(wanted) >= _LONG_NUMBER):
            named.append(place)
    return named


def deny(text: str, places: Places) -> Places:
    """Moves what its sentence denies to what stands in its place: "not ORD-1", "ORD-1 was changed to ORD-2".

    Args:
        text: Folded.
        places: Found in it.
    """
    same, others = [], list(places.others)
    rivals = [Said(other.start, other.end, other) for other in sorted(places.others, key=lambda other: other.start)]
    for one in places.same:
        if hedge_of(text, one.start, one.end)[0] == "denied":
            others.append(replace(one, why=WHY["denied"], anchored=True))
        elif is_overturned(text, Said(one.start, one.end, one), "", rivals):
            others.append(replace(one, why=WHY["overturned"], anchored=True))
        else:
            same.append(one)
    return Places(same, others)
