"""How dates, times, amounts and other numbers are looked for: by value, and what is one sign away beside."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Final

from snapshot_sdk._fact_anchors import beside, is_anchored
from snapshot_sdk._fact_bounds import WHY_BOUND, bound_of, is_shifted, same_bound
from snapshot_sdk._fact_dates import Moment, find_dates, find_moments, how_moments_differ, same_moment
from snapshot_sdk._fact_hedges import WHY
from snapshot_sdk._fact_kinds import FactKind, Place, Places
from snapshot_sdk._fact_lines import may_hold_day, may_hold_duration, may_hold_hour, may_hold_number
from snapshot_sdk._fact_name_finder import LineFinder
from snapshot_sdk._fact_names import find_names
from snapshot_sdk._fact_overturned import is_overturned
from snapshot_sdk._fact_patterns import later
from snapshot_sdk._fact_pieces import LineFilter, PieceFilter
from snapshot_sdk._fact_quantities import Quantity, find_quantities, same_quantity
from snapshot_sdk._fact_rates import currency_beside, how_it_is_rated, is_past, rates_in
from snapshot_sdk._fact_successors import Said
from snapshot_sdk._fact_text import Taken, clause_of
from snapshot_sdk._fact_units import MONEY_WORDS
from snapshot_sdk._fact_weekdays import HINT, RelativeDay, find_relative_days, how_relative_days_differ

_DENIED: Final = "denied"
"""Such a value takes no place of another one."""


def moment_finder(kind: FactKind, form: str, anchors: Sequence[str]) -> tuple[LineFinder, LineFilter]:
    """Gives the way to look for a date or a time, and what a line must have to be looked at.

    Args:
        kind: ``date`` or ``time``.
        form: Folded.
        anchors: Folded.

    Raises:
        ValueError: It is none.
    """
    wanted = next((one for one in find_moments(form) if one.kind == kind), None)
    if wanted is None:
        relative = next(iter(find_relative_days(form)), None) if kind == "date" else None
        if relative is None:
            raise ValueError(f"no {kind}: {form!r}")
        return _relative_finder(relative, bound_of(form, relative.start, relative.end).kind, anchors)
    written = form[wanted.start : wanted.end]
    until = bound_of(form, wanted.start, wanted.end).kind
    past = is_past(form, *wanted.core)
    shifted = is_shifted(form, wanted.end)

    def differs(text: str, one: Moment, said: Sequence[Said]) -> str:
        """Says what the words around the same date or time make of it; empty: nothing."""
        bound = bound_of(text, one.start, one.end)
        if not same_bound(until, bound, text):
            return WHY_BOUND[bound.kind]
        if is_shifted(text, one.end) != shifted:
            return WHY["denied"]
        if is_past(text, *one.core) != past:
            return WHY["past"]
        judged = "" if until or wanted.hedge else kind  # "nobody leaves before 9:00" says the bound by its "no"
        here = Said(*one.core, one.readings)
        return WHY["overturned"] if is_overturned(text, here, judged, said) else ""

    def find(text: str, _: Callable[[int, int], str]) -> Places:
        if (
            kind == "date"
            and not (anchors and any(anchor in text for anchor in anchors))
            and not _has_day(wanted, text)
        ):
            return Places([], [])
        moments = [one for one in find_moments(text) if one.kind == kind]
        said = [Said(*one.core, one.readings) for one in moments if one.hedge != _DENIED]
        alike = [
            (one, differs(text, one, said))
            for one in moments
            if same_moment(wanted, one, as_written=text[one.start : one.end] == written)
        ]
        changed = {one.start: why for one, why in alike if why}
        same = [Place(one.start, one.end, weak=not one.certain) for one, why in alike if not why]
        there = Taken((place.start, place.end) for place in same)
        others = []
        for one in moments:
            if not there.free(one.start, one.end):
                continue
            anchored = is_anchored(text, one.start, one.end, anchors, there)
            why = changed.get(one.start) or how_moments_differ(wanted, one)
            if anchored or why:
                others.append(Place(one.start, one.end, anchored=anchored, why=why or f"another {kind}"))
        return Places(same, others)

    def look(piece: str) -> bool:
        if kind == "date" and not any(anchor in piece for anchor in anchors):
            return _has_day(wanted, piece)
        return any(one.kind == kind for one in find_moments(piece))

    may = may_hold_day if kind == "date" else may_hold_hour
    return find, PieceFilter(may(_numbers(wanted), anchors), look)


def _relative_finder(wanted: RelativeDay, until: str, anchors: Sequence[str]) -> tuple[LineFinder, LineFilter]:
    """Gives the way to look for 下周三: a date beside an anchor may be that very day, so it speaks not against it."""

    def find(text: str, _: Callable[[int, int], str]) -> Places:
        days = find_relative_days(text)
        alike = [one for one in days if one.key == wanted.key]
        bounds = {one.start: bound_of(text, one.start, one.end) for one in alike}
        changed = {at: WHY_BOUND[bound.kind] for at, bound in bounds.items() if not same_bound(until, bound, text)}
        if alike and not until and not wanted.hedge:
            said = [Said(one.start, one.end, one.key) for one in days if one.hedge != _DENIED]
            changed |= {one.start: WHY["overturned"] for one in alike if _is_gone(text, one, said)}
        same = [Place(one.start, one.end) for one in alike if one.start not in changed]
        there = Taken((place.start, place.end) for place in same)
        others = []
        for one in days:
            if not there.free(one.start, one.end):
                continue
            anchored = is_anchored(text, one.start, one.end, anchors, there)
            why = changed.get(one.start) or how_relative_days_differ(wanted, one)
            if anchored or why:
                others.append(Place(one.start, one.end, anchored=anchored, why=why or "another day"))
        return Places(same, others)

    return find, HINT


def _is_gone(text: str, one: RelativeDay, said: Sequence[Said]) -> bool:
    """Tells whether its sentence takes a day back."""
    if is_past(text, one.start, one.end):
        return True
    return is_overturned(text, Said(one.start, one.end, one.key), "date", said)


def _has_day(wanted: Moment, text: str) -> bool:
    """Tells whether a date of the same month and day stands in a line, before it is looked at closely."""
    days = {(month, day) for _, month, day in wanted.readings}
    return any((month, day) in days for one in find_dates(text) for _, month, day in (*one.readings, *one.until))


def _numbers(wanted: Moment) -> set[int]:
    """Days of a date (the year of a whole month), hours of a time with those of the other half of the day."""
    if wanted.kind == "time":
        return {h % 24 for hour, *_ in wanted.readings for h in ((hour or 0), (hour or 0) + 12)} | {12, 24}
    return {number for year, month, day in wanted.readings for number in ((day,) if day else (month, year or 0))}


def quantity_finder(kind: FactKind, form: str, anchors: Sequence[str]) -> tuple[LineFinder, LineFilter]:
    """Gives the way to look for a number with what it counts, and what a line must have to be looked at.

    Args:
        kind: ``money``, ``percent``, ``duration`` or ``number``.
        form: Folded.
        anchors: Folded.

    Raises:
        ValueError: It is none.
    """
    wanted = _wanted(kind, form)
    sought = replace(wanted, named=False)
    rates = rates_in(anchors) if not wanted.per else frozenset()

    def as_asked(one: Quantity) -> Quantity:
        """Takes off what the words that go with the fact say themselves: 月薪."""
        return replace(one, per="") if one.per in rates else one

    def find(text: str, _: Callable[[int, int], str]) -> Places:
        everything = find_quantities(text)
        here = [one for one in map(as_asked, everything) if _matters(sought, one, text, anchors)]
        if not here:
            return Places([], [])
        busy = Taken()
        for moment in find_moments(text):
            busy.take(*moment.core)
        for name in find_names(text):
            busy.take(name.start, name.end)
        here = [one for one in here if busy.free(*one.core)]
        alike = [
            one
            for one in here
            if (same_quantity(sought, one) or _is_its_number(sought, one, text, anchors))
            and _counts(sought, one, text, anchors)
            and _is_currency(sought, one, text)
        ]
        gone = _gone(sought, alike, text, everything) if alike and not sought.hedge else frozenset()
        same = [Place(one.start, one.end, weak=_is_weak(sought, one)) for one in alike if one.start not in gone]
        there = Taken((place.start, place.end) for place in same)
        others = []
        for one in here:
            if not there.free(one.start, one.end) or one.named:
                continue
            anchored = one.kind in (kind, "number") and is_anchored(text, one.start, one.end, anchors, there)
            if one.kind != kind and one.unit is not None:
                anchored = False
            why = WHY["overturned"] if one.start in gone else how_it_differs(sought, one, text, anchors)
            if anchored or why:
                others.append(Place(one.start, one.end, anchored=anchored, why=why or f"another {kind}"))
        return Places(same, others)

    def look(piece: str) -> bool:
        return any(_matters(sought, one, piece, anchors) for one in map(as_asked, find_quantities(piece)))

    if kind == "duration":
        return find, PieceFilter(may_hold_duration(anchors), look)
    ends = [end for end in (wanted.value, wanted.until) if end is not None]
    return find, PieceFilter(may_hold_number((*ends, *_as_written(wanted)), anchors), look)


def _gone(sought: Quantity, alike: Sequence[Quantity], text: str, everything: Sequence[Quantity]) -> frozenset[int]:
    """Gives where quantities begin that their sentence takes back; a bare number may take the place of any other."""
    said = [
        Said(*one.core, one.value)
        for one in everything
        if (one.kind == sought.kind or one.unit is None) and one.hedge != _DENIED and not one.named
    ]
    return frozenset(one.start for one in alike if is_overturned(text, Said(*one.core, one.value), sought.kind, said))


def _matters(sought: Quantity, one: Quantity, text: str, anchors: Sequence[str]) -> bool:
    """Tells whether a quantity may be the one that is looked for, or stand in its place.

    Only then is it worth a look what else the line holds.
    """
    if same_quantity(sought, one) or (anchors and beside(text, one.start, one.end, anchors)):
        return True
    return bool(how_it_differs(sought, one, text, anchors))


def _as_written(wanted: Quantity) -> list[Decimal]:
    return [wanted.written] if wanted.until is None else []


def _wanted(kind: FactKind, form: str) -> Quantity:
    quantities = find_quantities(form)
    wanted = next((one for one in quantities if one.kind == kind), None)
    if wanted is None and kind == "money":  # a bare number that the user calls an amount
        bare = next((one for one in quantities if one.kind == "number"), None)
        wanted = replace(bare, kind="money", unit=None, named=False) if bare is not None else None
    if wanted is None:
        raise ValueError(f"no {kind}: {form!r}")
    return wanted


def _is_its_number(sought: Quantity, one: Quantity, text: str, anchors: Sequence[str]) -> bool:
    """Tells whether a bare number beside an anchor may be a rate: what it is per is left out, as its currency is."""
    if not sought.per or one.per or one.kind != "number" or one.unit is not None:
        return False
    return same_quantity(replace(sought, per=""), one) and beside(text, one.start, one.end, anchors)


def _is_currency(sought: Quantity, one: Quantity, text: str) -> bool:
    """Tells whether a bare number is of the currency that is looked for, where a key beside it names one."""
    if one.kind == sought.kind or sought.unit is None or sought.kind != "money":
        return True
    named = currency_beside(text, *one.core)
    return named is None or named in sought.unit


def _is_weak(sought: Quantity, one: Quantity) -> bool:
    return one.kind != sought.kind or one.unit is None or sought.unit is None


_WORDS: Final = later(r"[a-z]{3,}|[㐀-鿿]")
_SAYS_NOTHING: Final = frozenset(
    ["its", "the", "that", "this", "was", "answer", "是", "它", "答", "案", "为", "的", "约", "共"]
)


def _counts(sought: Quantity, one: Quantity, text: str, anchors: Sequence[str]) -> bool:
    """Tells whether a bare number may be the amount: it stands beside an anchor or a word of money, or alone."""
    if one.kind == sought.kind or sought.kind != "money":
        return True
    if anchors:
        return beside(text, one.start, one.end, anchors)
    begin, after = clause_of(text, one.start, one.end)
    around = text[begin : one.start] + " " + text[one.end : after]
    return bool(MONEY_WORDS.search(around)) or not set(_WORDS.findall(around)) - _SAYS_NOTHING


_TELLING: Final = 10
"""Numbers from which the same number with another unit is no chance: 72 minutes for 72 hours, not 3 days for 3."""
_MONTH_DAYS: Final = 30
_DAY: Final = 86_400


def how_it_differs(wanted: Quantity, other: Quantity, text: str, anchors: Sequence[str]) -> str:
    """Names what a careless copy changes: the unit, the scale, the sign, or that it is exact; empty: another value.

    Args:
        wanted: What is looked for.
        other: Not the same.
        text: Where it stands, folded.
        anchors: Folded.
    """
    bare = other.kind == "number" and other.unit is None and wanted.kind in ("money", "percent")
    changed = bare and bool(other.scaled or other.hedge)
    if bare and not _is_currency(wanted, other, text) and same_quantity(wanted, other):
        return "another currency" if _counts(wanted, other, text, anchors) else ""
    if other.kind != wanted.kind and not (changed and _counts(wanted, other, text, anchors)):
        return ""
    if not bare and wanted.per != other.per and same_quantity(wanted, replace(other, per=wanted.per)):
        return f"it is {how_it_is_rated(other.per)}" if other.per else f"“{how_it_is_rated(wanted.per)}” is gone"
    if wanted.kind == "duration":
        return _how_long_differs(wanted, other)
    if wanted.until is not None and other.until is None and other.value in (wanted.value, wanted.until):
        return WHY.get(other.hedge, "one end of a range")
    if wanted.value in (other.value, other.until):
        return WHY.get(other.hedge, "a range") if other.hedge else "another unit" if not bare else ""
    if other.value == -wanted.value != 0:
        return "the sign is another"
    if wanted.unit and other.unit and not wanted.unit & other.unit and wanted.kind == "money":
        return ""
    if (wanted.scaled or other.scaled) and _digits(wanted.value) == _digits(other.value):
        return "another scale"
    return ""


def _digits(value: Decimal) -> str:
    return str(abs(value)).replace(".", "").strip("0")


def _how_long_differs(wanted: Quantity, other: Quantity) -> str:
    if (wanted.value == other.value and wanted.unit == other.unit) or wanted.value == other.until:
        return WHY.get(other.hedge, "a range") if other.hedge else ""
    seconds = "second" in (wanted.unit or ())
    if other.word in ("workday", "night") and seconds and other.value * _DAY == wanted.value:
        return "working days or nights, not days"
    if wanted.word in ("workday", "night") and "second" in (other.unit or ()) and wanted.value * _DAY == other.value:
        return "working days or nights, not days"
    months, days = (other, wanted) if seconds else (wanted, other)
    month = "month" in (months.unit or ()) and "second" in (days.unit or ())
    if month and months.value * _MONTH_DAYS * _DAY == days.value:
        return "a month is not 30 days"
    if wanted.written == other.written >= _TELLING and wanted.word and other.word and wanted.word != other.word:
        return "another unit"
    return ""
