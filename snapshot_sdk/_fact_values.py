"""All values in a text, none within another: a date is no number, an order number no amount."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple, cast

from snapshot_sdk._fact_dates import find_moments
from snapshot_sdk._fact_kinds import FactKind
from snapshot_sdk._fact_names import find_names
from snapshot_sdk._fact_quantities import find_quantities
from snapshot_sdk._fact_text import Taken
from snapshot_sdk._fact_weekdays import RelativeDay, find_relative_days


class Value(NamedTuple):
    """A value in a folded text."""

    kind: FactKind
    start: int
    end: int
    key: str
    """Equal for equal values of a kind."""


def find_values(form: str) -> Iterator[Value]:
    """Gives the values of a folded text, in no order that matters.

    Args:
        form: Folded text.
    """
    taken = Taken()
    for moment in sorted(find_moments(form), key=lambda one: one.start - one.end):
        if taken.take(moment.start, moment.end):
            key = "|".join(sorted("-".join("?" if n is None else str(n) for n in one) for one in moment.readings))
            key = " ".join(part for part in (key, moment.zone, moment.hedge) if part)
            yield Value(cast(FactKind, moment.kind), moment.start, moment.end, key)
    for day in find_relative_days(form):
        if day.promises and not _beside(taken, day) and taken.take(day.start, day.end):
            yield Value("date", day.start, day.end, day.key)
    for name in find_names(form):
        if taken.take(name.start, name.end):
            yield Value(cast(FactKind, name.kind), name.start, name.end, name.value)
    for quantity in find_quantities(form):
        if taken.take(quantity.start, quantity.end):
            unit = "|".join(sorted(quantity.unit)) if quantity.unit else ""
            until = "" if quantity.until is None else f"..{quantity.until.normalize():f}"
            per = f" per {quantity.per}" if quantity.per else ""
            key = f"{quantity.hedge} {quantity.value.normalize():f}{until} {unit}{per}".strip()
            yield Value(quantity.kind, quantity.start, quantity.end, key)


_APART: Final = 2
"""Characters between a date and its weekday: 12月2日（周三）, Wednesday, 2 December."""


def _beside(taken: Taken, day: RelativeDay) -> bool:
    """Tells whether a weekday only repeats the date that it stands at."""
    return not taken.free(max(0, day.start - _APART), day.end + _APART)
