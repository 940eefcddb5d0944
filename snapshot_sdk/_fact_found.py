"""The values of a text, and what kind of fact a text is, without being told what to look for."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Sequence
from typing import Final

from snapshot_sdk._fact_anchors import anchors_of
from snapshot_sdk._fact_bounds import bound_of
from snapshot_sdk._fact_hedges import hedge_of
from snapshot_sdk._fact_kinds import Fact, FactKind, FoundFact
from snapshot_sdk._fact_near import is_near, same_shape
from snapshot_sdk._fact_overturned import is_overturned
from snapshot_sdk._fact_patterns import later
from snapshot_sdk._fact_rates import is_past
from snapshot_sdk._fact_successors import Said
from snapshot_sdk._fact_text import fold, folded
from snapshot_sdk._fact_values import find_values
from snapshot_sdk._fact_weekdays import find_relative_days


def find(text: str, kinds: Collection[FactKind]) -> tuple[FoundFact, ...]:
    """Finds the values in a text; see :func:`snapshot_sdk.facts.find_facts`.

    Args:
        text: Any text.
        kinds: Which are wanted.
    """
    form = fold(text)
    found = []
    values = tuple(find_values(form.text))
    said: dict[FactKind, list[Said]] = {}
    for kind, start, end, key in sorted(values, key=lambda one: one.start):
        said.setdefault(kind, []).append(Said(start, end, key))
    for kind, start, end, key in values:
        if kind in kinds and not _is_gone(form.text, kind, Said(start, end, key), said[kind]):
            if kind in _MOMENTS and (bound := bound_of(form.text, start, end)).kind:
                start, end, key = bound.start, bound.end, f"{bound.kind} {key}"
            first, last = form.original(start, end)
            fact = Fact(kind, text[first:last], anchors_of(form.text, start))
            found.append(FoundFact(kind, fact.text, first, last, key, fact))
    return tuple(sorted(found, key=lambda one: one.start))


def _is_gone(form: str, kind: FactKind, one: Said, said: Sequence[Said]) -> bool:
    if kind in _NAMES:
        at = bisect_left(said, one.end, key=lambda other: other.start)
        rivals = [other for other in said[at : at + 1] if _may_succeed(kind, str(one.what), str(other.what))]
        return hedge_of(form, one.start, one.end)[0] == "denied" or is_overturned(form, one, "", rivals)
    if is_past(form, one.start, one.end):
        return True
    bounded = kind in _MOMENTS and bound_of(form, one.start, one.end).kind
    return is_overturned(form, one, "" if bounded else kind, said)


def _may_succeed(kind: FactKind, name: str, other: str) -> bool:
    """Tells whether a name may take the place of another: one of its series, or near it."""
    return is_near(kind, name, other) or (kind == "id" and name != other and same_shape(name, other))


_MOMENTS: Final = frozenset(("date", "time"))
"""Kinds whose value may have a bound in it: "before 3 pm"."""
_NAMES: Final = frozenset(("id", "email", "url", "path", "phone"))
"""Kinds that have no hedges of their own."""


def guess(text: str) -> FactKind:
    """Guesses what kind of fact a text is; see :func:`snapshot_sdk.facts.guess_kind`.

    Args:
        text: The selection.
    """
    form = folded(text).strip()
    whole = [kind for kind, start, end, _ in find_values(form) if _is_all(form, kind, start, end)]
    if whole:
        return whole[0]
    if any(one.start == 0 and one.end >= len(form) for one in find_relative_days(form)):
        return "date"
    return "rule" if _looks_like_rule(form) else "text"


def _is_all(form: str, kind: FactKind, start: int, end: int) -> bool:
    if kind in _MOMENTS:
        _, start, end = bound_of(form, start, end)
    return start == 0 and end >= len(form)


_RULE: Final = later(
    r"必须|务必|不要|不得|禁止|只能|不能|以后|总是|永远|一律|请(?!问)"
    r"|(?<![a-z])(?:must|never|always|do not|don't|only|should|please|no more than|at most)(?![a-z])"
)


def _looks_like_rule(form: str) -> bool:
    return bool(_RULE.search(form))
