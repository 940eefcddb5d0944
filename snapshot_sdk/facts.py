"""Facts, and whether a text still says them: typed, so that a look-alike is never taken for the thing itself.

``ORD-2024-001`` is not ``ORD-2024-0012``; ``8,500``, ``￥8,500``, ``八千五百元`` and ``0.85万元`` are one amount;
a rule with a "not" in it is another rule. Pure functions over text, Chinese and English, standard library only. When in
doubt a fact is not ``kept``: to miss a loss is the worst error here.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal

from snapshot_sdk._fact_finders import finder_of
from snapshot_sdk._fact_kinds import KINDS, VALUE_KINDS, Fact, FactKind, FoundFact, Place
from snapshot_sdk._fact_text import Folded, fold, plain
from snapshot_sdk._fact_traces import NumberFinder, NumberTraces

__all__ = [
    "KINDS",
    "VALUE_KINDS",
    "Fact",
    "FactKind",
    "FactState",
    "FoundFact",
    "Match",
    "Matcher",
    "ReadyText",
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


class ReadyText:
    """A text made ready to be looked through for many facts: what all of them need of it is found out once."""

    def __init__(self, text: str) -> None:
        """Takes the text.

        Args:
            text: Any text.
        """
        self.text = text

    @cached_property
    def form(self) -> Folded:
        """The text as facts are compared in it."""
        return fold(self.text)

    @cached_property
    def traces(self) -> NumberTraces:
        """What of its numbers can be told at once."""
        return NumberTraces(self.form.text)


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

    def match(self, text: str | ReadyText) -> Match:
        """Looks for the fact.

        Args:
            text: Any text; one that many facts are looked for in is best made ready once.
        """
        ready = text if isinstance(text, ReadyText) else ReadyText(text)
        if ready is text and isinstance(self._find, NumberFinder) and self._find.is_absent(ready.form, ready.traces):
            return _ABSENT
        text = ready.text
        form = plain(text) if self.fact.kind in ("regex", "json") else ready.form
        sightings, rivals, restated = self._find(form, text)
        if sightings:
            # Another value elsewhere is no conflict; one beside the words that go with the fact is.
            rivals = [rival for rival in rivals if rival.anchored]
            state: FactState = "conflicting" if rivals else "restated" if restated else "kept"
        else:
            state = "distorted" if rivals else "absent"
        return Match(state, _sightings(form, text, sightings), _sightings(form, text, rivals))


_ABSENT: Final = Match("absent")


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

    An id that the text denies ("not INV-1") is no value of it, nor is what was and is no more ("was $1,200, now $900")
    or what its sentence takes back ("Thursday fell through"); of an amount the denial is a part, as "about" is.

    Args:
        text: Any text.
        kinds: Of :data:`VALUE_KINDS`.
    """
    from snapshot_sdk._fact_found import find  # what reads values takes a tenth of a second to load

    return find(text, kinds)


def guess_kind(text: str) -> FactKind:
    """Guesses what kind of fact a text is that somebody selected.

    Args:
        text: The selection.
    """
    from snapshot_sdk._fact_found import guess  # as above

    return guess(text)


def _sightings(form: Folded, text: str, found: Sequence[Place]) -> tuple[Sighting, ...]:
    places = []
    for one in found:
        start, end = form.original(one.start, one.end)
        places.append(Sighting(start, end, text[start:end], one.weak, one.why, one.anchored))
    return tuple(sorted(places, key=lambda place: place.start))
