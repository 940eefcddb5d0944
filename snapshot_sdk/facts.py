"""Facts, and whether a text still says them: typed, so that a look-alike is never taken for the thing itself.

``ORD-2024-001`` is not ``ORD-2024-0012``; ``8,500``, ``￥8,500``, ``八千五百元`` and ``0.85万元`` are one amount;
a rule with a "not" in it is another rule. Pure functions over text, Chinese and English, standard library only. When in
doubt a fact is not ``kept``: to miss a loss is the worst error here.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from snapshot_sdk._fact_anchors import anchors_of
from snapshot_sdk._fact_bounds import bound_of
from snapshot_sdk._fact_finders import finder_of
from snapshot_sdk._fact_hedges import hedge_of
from snapshot_sdk._fact_kinds import KINDS, VALUE_KINDS, Fact, FactKind, Place
from snapshot_sdk._fact_rates import is_past
from snapshot_sdk._fact_text import Folded, fold, folded, plain
from snapshot_sdk._fact_values import find_values
from snapshot_sdk._fact_weekdays import find_relative_days

__all__ = [
    "KINDS",
    "VALUE_KINDS",
    "Fact",
    "FactKind",
    "FactState",
    "FoundFact",
    "Match",
    "Matcher",
    "Sighting",
    "find_facts",
    "guess_kind",
    "match_fact",
]

FactState = Literal["kept", "restated", "conflicting", "distorted", "absent"]
"""Of a fact in one text. ``restated``: a rule in other words. ``conflicting``: it stands there, and something else in
its place too. ``distorted``: only something else stands in its place."""


@dataclass(frozen=True)
class Sighting:
    """A place in a text."""

    start: int
    """First character, in the text as it was given."""
    end: int
    """Character after the last."""
    text: str
    """What stands there."""
    weak: bool = False
    """It is the same value, but may count something else: a bare 8500 for 8500元."""
    why: str = ""
    """Of something else in its place: what differs, in words."""
    anchored: bool = True
    """Of something else: it stands beside words that go with the fact, and not merely looks like it."""


@dataclass(frozen=True)
class Match:
    """What a text says of a fact."""

    state: FactState
    sightings: tuple[Sighting, ...] = ()
    """Where it stands."""
    rivals: tuple[Sighting, ...] = ()
    """Where something else stands in its place."""


@dataclass(frozen=True)
class FoundFact:
    """A value found in a text without being told what to look for."""

    kind: FactKind
    text: str
    """As it is written there."""
    start: int
    end: int
    key: str
    """Equal for equal values of a kind: ``8500 CNY`` for 8500元 and 八千五百元."""
    fact: Fact
    """To look for it elsewhere, with the words beside it as anchors."""


class Matcher:
    """A fact made ready to be looked for in many texts."""

    def __init__(self, fact: Fact) -> None:
        """Reads the fact.

        Args:
            fact: What to look for.

        Raises:
            ValueError: Its text is empty, no value of its kind, no valid pattern or no key path.
        """
        if not fact.text.strip():
            raise ValueError("the fact is empty")
        self.fact = fact
        self._find = finder_of(fact)

    def match(self, text: str) -> Match:
        """Looks for the fact.

        Args:
            text: Any text.
        """
        form = plain(text) if self.fact.kind in ("regex", "json") else fold(text)
        sightings, rivals, restated = self._find(form, text)
        if sightings:
            # Another value elsewhere is no conflict; one beside the words that go with the fact is.
            rivals = [rival for rival in rivals if rival.anchored]
            state: FactState = "conflicting" if rivals else "restated" if restated else "kept"
        else:
            state = "distorted" if rivals else "absent"
        return Match(state, _sightings(form, text, sightings), _sightings(form, text, rivals))


def match_fact(fact: Fact, text: str) -> Match:
    """Says whether a text still says a fact.

    Args:
        fact: What to look for.
        text: Any text.

    Raises:
        ValueError: As :class:`Matcher`.
    """
    return Matcher(fact).match(text)


def find_facts(text: str, kinds: Collection[FactKind] = VALUE_KINDS) -> tuple[FoundFact, ...]:
    """Finds the values in a text: ids, amounts, dates, addresses …, in order; none lies within another.

    An id that the text denies ("not INV-1") is no value of it, nor is what was and is no more ("was $1,200, now $900");
    of an amount the denial is a part, as "about" is.

    Args:
        text: Any text.
        kinds: Of :data:`VALUE_KINDS`.
    """
    form = fold(text)
    found = []
    for kind, start, end, key in find_values(form.text):
        if kind in kinds and not _is_gone(form.text, kind, start, end):
            if kind in _MOMENTS and (bound := bound_of(form.text, start, end)).kind:
                start, end, key = bound.start, bound.end, f"{bound.kind} {key}"
            first, last = form.original(start, end)
            fact = Fact(kind, text[first:last], anchors_of(form.text, start))
            found.append(FoundFact(kind, fact.text, first, last, key, fact))
    return tuple(sorted(found, key=lambda one: one.start))


def _is_gone(form: str, kind: FactKind, start: int, end: int) -> bool:
    if kind in _NAMES:
        return hedge_of(form, start, end)[0] == "denied"
    return is_past(form, start, end)


_MOMENTS: Final = frozenset(("date", "time"))
"""Kinds whose value may have a bound in it: "before 3 pm"."""
_NAMES: Final = frozenset(("id", "email", "url", "path", "phone"))
"""Kinds that have no hedges of their own."""


def guess_kind(text: str) -> FactKind:
    """Guesses what kind of fact a text is that somebody selected.

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


_RULE: Final = re.compile(
    r"必须|务必|不要|不得|禁止|只能|不能|以后|总是|永远|一律|请(?!问)"
    r"|(?<![a-z])(?:must|never|always|do not|don't|only|should|please|no more than|at most)(?![a-z])"
)


def _looks_like_rule(form: str) -> bool:
    return bool(_RULE.search(form))


def _sightings(form: Folded, text: str, found: Sequence[Place]) -> tuple[Sighting, ...]:
    places = []
    for one in found:
        start, end = form.original(one.start, one.end)
        places.append(Sighting(start, end, text[start:end], one.weak, one.why, one.anchored))
    return tuple(sorted(places, key=lambda place: place.start))
