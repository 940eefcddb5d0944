"""Judges by the whole call after a compaction whether something is still said: word for word, otherwise, or not."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from inspector.analysis.commitments import find_rules
from inspector.analysis.ledger_entries import EntryState, Passage
from inspector.analysis.ledger_ranges import days_of_ranges
from inspector.analysis.ledger_reading import READ_OF_AFTER, READ_OF_ALL, Reader, Saying, sentences_of
from inspector.analysis.words import weigh_overlaps
from inspector.model.context import Block
from inspector.model.layers import Layer
from snapshot_sdk.facts import Fact, FactKind, Match, Matcher

SETTLING: Final = frozenset((Layer.SYSTEM, Layer.STATE, Layer.SUMMARY, Layer.MEMORY))
"""Layers whose word on a value counts: another value there takes its place, elsewhere it is just another value."""

_CANDIDATE: Final = 0.4
"""Share of a rule's word weight from which a sentence is looked at: the rule in other words shares more."""
_AROUND: Final = 120
"""Characters to either side of a value that are looked at with it: its clause."""
_MOST_CLAUSES: Final = 300
"""Clauses that are compared with one value."""
_CLAUSE_END: Final = re.compile(r"[。！？!?；;\n]+|\.(?=\s)")
_QUANTITIES: Final = frozenset(("money", "number", "percent", "duration"))
_MOMENTS: Final = frozenset(("date", "time"))


@dataclass(frozen=True)
class Judgement:
    """What the call after says of something."""

    state: EntryState
    stands: tuple[int, ...] = ()
    instead: Passage | None = None
    why: str = ""


class _Clause(NamedTuple):
    """A value of the call after, with the words around it."""

    place: int
    kind: FactKind
    key: str
    start: int
    end: int
    around: int
    """Where ``text`` begins in its message."""
    text: str


class _Rival(NamedTuple):
    """What stands in the place of a value."""

    clause: _Clause
    instead: Passage
    why: str


IsGrounded = Callable[[str, str], bool]
"""Whether the user, a tool or a document said a value, by kind and key."""


class Standing:
    """The call after a compaction, ready to be asked what it still says."""

    def __init__(self, after: Sequence[Block], reader: Reader) -> None:
        """Reads the messages.

        Args:
            after: The whole context after.
            reader: Reads values.
        """
        self._after = after
        self._reader = reader
        self._places: dict[tuple[str, str], list[int]] = {}
        self._by_number: dict[str, list[_Clause]] = {}
        self._moments: list[_Clause] = []
        self._settled: list[_Clause] = []
        # What settles a value first, then the latest: where there is too much to read, that is what counts.
        order = sorted(range(len(after)), key=lambda at: (not _settles(after[at]), -at))
        for place in order:
            self._read(place, after[place])
        self._days = [(place, day) for place, block in enumerate(after) for day in days_of_ranges(block.text)]
        self._lowered = [block.text.casefold() for block in after]
        self._judged: dict[tuple[Saying, _Clause], Match] = {}
        self._matchers: dict[Fact, Matcher] = {}

    def _read(self, place: int, block: Block) -> None:
        for found in self._reader.values(block, spare=READ_OF_ALL - READ_OF_AFTER):
            places = self._places.setdefault((found.kind, found.key), [])
            if place not in places:
                places.append(place)
            begin, end = _clause(block.text, found.start, found.end)
            clause = _Clause(place, found.kind, found.key, found.start, found.end, begin, block.text[begin:end])
            if _settles(block):
                self._settled.append(clause)
            if found.kind in _QUANTITIES:
                self._by_number.setdefault(_number(found.key), []).append(clause)
            elif found.kind in _MOMENTS:
                self._moments.append(clause)

    def places_of(self, kind: str, key: str) -> Sequence[int]:
        """Give the places of the messages that say a value.

        Args:
            kind: Its kind.
            key: Its key.
        """
        return sorted(self._places.get((kind, key), ()))

    def judge(self, saying: Saying, is_grounded: IsGrounded, *, may_differ: bool = True) -> Judgement:
        """Judge a value, a name or a text.

        Args:
            saying: What a message taken said.
            is_grounded: Tells whether another value has a source of its own: then it is another fact, no distortion.
            may_differ: Whether another value in its place counts as one.
        """
        if saying.kind in ("name", "text"):
            stands = self._word_for_word(saying)
            return Judgement("kept" if stands else "dropped", tuple(stands))
        stands = list(self.places_of(saying.kind, saying.key)) or self._in_other_form(saying)
        rival = self._rival(saying, strict=bool(stands)) if may_differ else None
        if rival is None or is_grounded(rival.clause.kind, rival.clause.key):
            # Another value that the user or a tool said as well is another fact, not this one gone wrong.
            return Judgement("kept" if stands else "dropped", tuple(stands))
        return Judgement("conflicting" if stands else "distorted", tuple(stands), rival.instead, rival.why)

    def _in_other_form(self, saying: Saying) -> list[int]:
        """Find a value that is written so that its key differs: without its unit, without its year, glued to others."""
        if saying.kind in _QUANTITIES:
            clauses: Iterable[_Clause] = self._by_number.get(_number(saying.key), ())
        elif saying.kind in _MOMENTS:
            clauses = self._moments
        else:
            return self._word_for_word(saying)
        found = {
            clause.place
            for clause in list(clauses)[:_MOST_CLAUSES]
            if self._match(saying, clause).state in ("kept", "conflicting")
        }
        if not found and saying.kind == "date":
            matcher = self._matcher(saying.fact)
            found = {place for place, day in self._days if matcher.match(day).sightings}
        return sorted(found) or self._word_for_word(saying, unread_only=True)

    def _word_for_word(self, saying: Saying, *, unread_only: bool = False) -> list[int]:
        wanted = saying.text.casefold().strip()
        if saying.kind == "path" and not unread_only and (tails := self._tails(wanted)):
            return tails
        found = []
        for place, text in enumerate(self._lowered):
            if unread_only and self._after[place].content not in self._reader.unread:
                continue
            at = text.find(wanted)
            while at >= 0:
                around = text[max(0, at - _AROUND) : at + len(wanted) + _AROUND]
                if self._matcher(saying.fact).match(around).sightings:
                    found.append(place)
                    break
                at = text.find(wanted, at + 1)
        return found

    def _tails(self, path: str) -> list[int]:
        """Find where a path stands without its beginning, or with another one: two parts of it name a file."""
        found = {
            place
            for (kind, other), places in self._places.items()
            if kind == "path" and is_tail(path, other)
            for place in places
        }
        return sorted(found)

    def _rival(self, saying: Saying, *, strict: bool) -> _Rival | None:
        """Find what stands in the place of a value in the layers whose word counts.

        Args:
            saying: The value.
            strict: It stands somewhere too: then all words that go with it must stand beside the other.
        """
        if saying.kind in ("path", "url"):
            return None  # a session names many files: another one is another one
        anchors = [anchor.casefold() for anchor in saying.fact.anchors]
        near = 0
        for clause in self._settled:
            if clause.kind != saying.kind and not (clause.kind == "number" and saying.kind in _QUANTITIES):
                continue
            if clause.key == saying.key or near >= _MOST_CLAUSES:
                continue
            text = clause.text.casefold()
            beside = [anchor for anchor in anchors if anchor in text]
            if strict and (not anchors or len(beside) < len(anchors)):
                continue
            if not beside and not _looks_like(saying, clause):
                continue
            near += 1
            for rival in self._match(saying, clause).rivals:
                start, end = clause.around + rival.start, clause.around + rival.end
                if start < clause.end and clause.start < end and (rival.anchored or not strict):
                    passage = Passage(clause.place, start, end, rival.text)
                    return _Rival(clause, passage, rival.why)
        return None

    def _match(self, saying: Saying, clause: _Clause) -> Match:
        known = self._judged.get((saying, clause))
        if known is None:
            known = self._judged[saying, clause] = self._matcher(saying.fact).match(clause.text)
        return known

    def _matcher(self, fact: Fact) -> Matcher:
        matcher = self._matchers.get(fact)
        if matcher is None:
            matcher = self._matchers[fact] = Matcher(fact)
        return matcher

    def judge_rules(self, rules: Sequence[Saying]) -> list[Judgement]:
        """Judge rules: the same words, the same in other words, or something else about the same thing.

        A sentence that does more than rule ("first a rule: …", "good, book it, but …") stands where all of its clauses
        that look like a rule do: what is said around them need not be repeated.

        Args:
            rules: Sentences that messages taken said.
        """
        cores = [core_of(rule.fact.text) for rule in rules]
        texts = [rule.fact.text for rule in rules] + [core for of_one in cores for core in of_one]
        judged = self._judge_sentences([Fact("rule", text) for text in texts])
        found = judged[: len(rules)]
        at = len(rules)
        for number, of_one in enumerate(cores):
            parts = judged[at : at + len(of_one)]
            at += len(of_one)
            if parts and not found[number].stands and all(part.stands for part in parts):
                places = dict.fromkeys(place for part in parts for place in part.stands)
                found[number] = Judgement("restated", tuple(sorted(places)))
        return found

    def _judge_sentences(self, rules: Sequence[Fact]) -> list[Judgement]:
        spans = [(place, *span) for place, block in enumerate(self._after) for span in _sentences(block)]
        texts = [self._after[place].text[start:end] for place, start, end in spans]
        if not rules or not texts:
            return [Judgement("dropped") for _ in rules]
        overlaps = weigh_overlaps([rule.text for rule in rules], texts)
        judged = []
        for rule, weights, whole in zip(rules, overlaps.shared, overlaps.left, strict=True):
            near = np.flatnonzero((weights > 0) & (weights >= _CANDIDATE * whole)).tolist()
            judged.append(self._judge_rule(rule, [spans[at] for at in near]))
        return judged

    def _judge_rule(self, rule: Fact, spans: Sequence[tuple[int, int, int]]) -> Judgement:
        matcher = Matcher(rule)
        kept: list[int] = []
        restated: list[int] = []
        instead: tuple[Passage, str] | None = None
        for place, start, end in spans:
            match = matcher.match(self._after[place].text[start:end])
            if match.state in ("kept", "conflicting"):
                kept.append(place)
            elif match.state == "restated":
                restated.append(place)
            elif match.state == "distorted" and instead is None and _settles(block := self._after[place]):
                instead = Passage(place, start, end, block.text[start:end]), match.rivals[0].why
        stands = tuple(dict.fromkeys(kept or restated))
        if stands:
            return Judgement("kept" if kept else "restated", stands)
        if instead is None:
            return Judgement("dropped")
        return Judgement("distorted", (), *instead)


_CLAUSE: Final = re.compile(r"[^，,：:；;]+")
_BOUND_TOGETHER: Final = re.compile(
    r"除非|除了|以外|之前|之后|如果|要是|的话"
    r"|(?<![a-z])(?:unless|except|other than|apart from|before|after|until|if)(?![a-z])",
    re.IGNORECASE,
)
"""What makes one clause depend on another: then they are one rule."""


def core_of(rule: str) -> tuple[str, ...]:
    """Return the clauses of a sentence that look like a rule by themselves; none where that is all of it.

    Args:
        rule: The sentence.
    """
    clauses = [match[0].strip() for match in _CLAUSE.finditer(rule)]
    if len(clauses) < 2 or _BOUND_TOGETHER.search(rule):
        return ()
    ruling = tuple(clause.lstrip("但而且并") for clause in clauses if find_rules(clause))
    return ruling if len(ruling) < len(clauses) else ()


def _settles(block: Block) -> bool:
    return block.layer in SETTLING or block.is_summary


def _sentences(block: Block) -> Iterable[tuple[int, int]]:
    # Rules are kept in words, not in tool traffic; what a tool says is no rule either.
    if block.layer in (Layer.TOOL_CALLS, Layer.TOOL_RESULTS, Layer.TOOLS, Layer.REASONING):
        return ()
    return sentences_of(block.text)


def _clause(text: str, start: int, end: int) -> tuple[int, int]:
    begin = max(0, start - _AROUND)
    for match in _CLAUSE_END.finditer(text, begin, start):
        begin = match.end()
    after = _CLAUSE_END.search(text, end, min(len(text), end + _AROUND))
    return begin, after.start() if after else min(len(text), end + _AROUND)


def is_tail(path: str, other: str) -> bool:
    """Tell whether of two paths one is the end of the other, by two parts at least: it is the same file.

    Args:
        path: A path.
        other: Another one.
    """
    short, long = sorted((path.casefold().strip("./"), other.casefold().strip("./")), key=len)
    return "/" in short and long.endswith(f"/{short}")


def _number(key: str) -> str:
    return key.lstrip("~").split(" ", 1)[0]


def _looks_like(saying: Saying, clause: _Clause) -> bool:
    """Tell whether a value may be a careless copy of another, though nothing beside it says so."""
    if saying.kind in _QUANTITIES:
        one, other = _number(saying.key), _number(clause.key)
        return one.rstrip("0.") == other.rstrip("0.")  # another unit, or a digit too many
    if saying.kind in _MOMENTS:
        return True  # another year, perhaps
    return saying.key[:2] == clause.key[:2]
