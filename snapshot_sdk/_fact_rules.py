"""Rules: the same words are another rule when one of them says no, only, or at most."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Final, Literal

from snapshot_sdk._fact_lines import may_hold_number
from snapshot_sdk._fact_numbers import find_numbers
from snapshot_sdk._fact_patterns import later
from snapshot_sdk._fact_rule_frame import in_string, unframed, what_changes, what_is_new, without_subject
from snapshot_sdk._fact_rule_sense import BOUND, EXCEPTION, LIMIT, OVER, WORD, Reading, other_order, read
from snapshot_sdk._fact_rule_talk import is_talk
from snapshot_sdk._fact_text import sentences

RuleState = Literal["kept", "restated", "distorted"]

_TOPIC: Final = 0.6
"""Share of a rule's words and values from which a sentence is about the rule. It says the rule only with all of them:
a false "kept" is worse than a missed one."""
_HALF: Final = 0.5
"""Of a rule of two words the one that stays is enough, if the rest is the same: only answer in English."""
_SPAN: Final = 4.0
"""A stretch with so many times the words of the rule says more than the rule."""
_FEWEST: Final = 2
"""Words of content a rule, or a part of it, must have to be recognised in other words."""
_CLAUSE: Final = later(r"[,:](?![0-9])|[，、]|(?<![a-z])(?:and|but)(?![a-z])|并且?|而且|同时")
_MARKS: Final = r"[\s$¥€£%\"'`*_#>()\[\]{}<|:,.!?;~^。！？；，：、（）《》【】「」『』-]"
_NUMERAL: Final = r"[0-9][0-9,.:]*|[零〇一二三四五六七八九十百千万亿两点]+|[a-z]+(?:[ -][a-z]+){0,3}?"
_NEARBY: Final = 48
"""Characters before a rule, in its clause, in which a "no" may turn it round."""
_WIDTH: Final = 160
"""Characters before a rule, in its sentence, that may hold a condition for it."""
_AFTERWARDS: Final = 48
"""Characters of the next sentence that may take the rule back."""
_LONGEST: Final = 40
"""Clauses of a sentence that are looked at one by one; more are a list."""


@dataclass(frozen=True)
class RuleSighting:
    """A sentence that says a rule, or something else about the same thing."""

    state: RuleState
    start: int
    end: int
    why: str
    """What differs, in words; empty for the rule itself."""


class RuleFinder:
    """A rule made ready to be looked for in many texts."""

    def __init__(self, rule: str) -> None:
        """Reads the rule.

        Args:
            rule: Folded.
        """
        self._rule = read(rule)
        self._written = rule
        self._words = frozenset(self._rule.words)
        self._parts = [words for words in _parts(rule) if len(words) >= _FEWEST and words != self._words]
        sense = self._rule.sense
        self._firm = sense.only or sense.denied or sense.every or sense.most
        self._clauses = len(list(_clauses(rule, 0, len(rule))))
        self._wanted = [words for words in _parts(rule, denied=False) if words < self._words]
        self._told_to = _told_to(self._rule)
        self._verbatim = _verbatim(rule)
        limit = len(self._words) < _FEWEST and len(sense.values) == 1 and (sense.most or sense.least)
        self._only_word = re.compile("|".join(map(re.escape, self._words))) if self._words else None
        self._limit = may_hold_number([number.value for number in find_numbers(rule)], ()) if limit else None

    def find(self, text: str) -> list[RuleSighting]:
        """Finds the sentences of a text that say the rule.

        Args:
            text: Folded.
        """
        found = list(self._word_for_word(text))
        spans = [(one.start, one.end) for one in found]
        if len(self._words) >= _FEWEST:
            near = [span for span in self._candidates(text) if not any(a < span[1] and span[0] < b for a, b in spans)]
            found += self._in_other_words(text, near)
        elif self._limit is not None:  # "at most 800 words" has no word but its limit
            near = [span for span in self._limits(text) if not any(a < span[1] and span[0] < b for a, b in spans)]
            found += [one for one in self._in_other_words(text, near) if one.why in ("", LIMIT)]
        return sorted(found, key=lambda one: one.start)

    def _word_for_word(self, text: str) -> Iterator[RuleSighting]:
        if self._verbatim is None:
            return
        for match in self._verbatim.finditer(text):
            here = read(match[0])
            if here.sense.values == self._rule.sense.values and here.words == self._rule.words:
                start, end = _sentence(text, match.start(), match.end())
                why = self._around(text, start, match, end)
                yield RuleSighting("distorted" if why else "kept", start, end, why)

    def _around(self, text: str, start: int, match: re.Match[str], end: int) -> str:
        """Says what the words around a rule that stands word for word do to it; empty: nothing."""
        before, after = in_string(text[start : match.start()], text[match.end() : end])
        following = _next(text, end) if text.startswith(after, match.end()) and match.end() + len(after) == end else ""
        rest = f"{before} . {after} . {following}"
        if OVER.search(rest):
            return "it is said to hold no more"
        clause = re.split(r"[:,，]", before[-_NEARBY:])[-1]
        around = read(clause).sense
        if around.denied:
            return "it is denied"
        if around.better:
            return "it is merely advised"
        if around.may and not self._rule.sense.may:
            return "it is merely allowed"
        if not self._rule.sense.asked and (after.rstrip("\"'”」) \n").endswith("?") or around.asked):
            return "it is asked, not said"
        behind = read(after.split(":")[0]).sense if after.strip() else None
        if (behind is not None and behind.but) or around.but or EXCEPTION.match(following):
            return "an exception is gone or new"
        if (behind is not None and behind.condition) or read(before[-_WIDTH:]).sense.condition:
            return "a condition is gone or new"
        joined = _JOINED.match(after)
        if joined and (joined[1] or (self._rule.sense.only and joined[2])):
            return "an alternative is gone or new"
        why = what_changes(text, match.span(), (start, end), following)
        return why or what_is_new(before, match[0], after, self._rule, self._written)

    def _limits(self, text: str) -> list[tuple[int, int]]:
        """Gives the sentences with a limit that may be that of a rule which has next to no words."""
        if self._limit is None:
            return []
        spans: set[tuple[int, int]] = set()
        for hit in (self._only_word or BOUND).finditer(text):
            span = _sentence(text, *hit.span())
            if span not in spans and self._limit.search(text, *span) and BOUND.search(text, *span):
                spans.add(span)
        return sorted(spans)

    def _candidates(self, text: str) -> list[tuple[int, int]]:
        """Gives the sentences that may be about the rule, found by the words of it that are rarest in the text.

        A sentence with ``least`` of n words has one of any n - least + 1 of them; a part of the rule is there only
        whole, and so has its rarest word.
        """
        # A part read by itself may have words that the whole has not: an address is cut at its colon.
        rarity = {word: text.count(word) for word in self._words.union(*self._parts)}
        rare = sorted(self._words, key=lambda word: rarity[word])
        size = len(self._words) + len(self._rule.sense.values)
        share = _HALF if size == _FEWEST else _TOPIC
        least = max(1, int(-(-share * size // 1)) - len(self._rule.sense.values))
        wanted = set(rare[: len(rare) - least + 1]) | {min(part, key=lambda word: rarity[word]) for part in self._parts}
        spans: set[tuple[int, int]] = set()
        for word in wanted:
            at = text.find(word) if rarity[word] else -1
            while at >= 0:
                span = _sentence(text, at, at + len(word))
                spans.add(span)
                at = text.find(word, max(span[1], at + 1))
        return sorted(spans)

    def _in_other_words(self, text: str, spans: list[tuple[int, int]]) -> list[RuleSighting]:
        found = []
        for start, end in spans:
            why = self._judge(text, start, end)
            if why is not None:
                found.append(RuleSighting("distorted" if why else "restated", start, end, why))
        if any(one.state == "restated" for one in found) or not self._parts:
            return found
        for one, other in pairwise(found):  # a rule that is split over two sentences
            if one.end >= other.start - 1 and self._says(text[one.start : other.end]) == "":
                both = RuleSighting("restated", one.start, other.end, "")
                return [left for left in found if left not in (one, other)] + [both]
        return found

    def _judge(self, text: str, start: int, end: int) -> str | None:
        """Says what is wrong with a sentence; empty: nothing, None: it is about something else."""
        sentence = text[start:end]
        clauses = list(_clauses(sentence, 0, len(sentence)))
        whole = self._says(sentence)
        if whole == "":
            return self._beside(text, (start, end), (start, end))
        if len(clauses) == 1 or len(clauses) > _LONGEST:
            return whole
        best = whole
        for first in range(len(clauses)):
            for last in range(first, min(first + self._clauses + 1, len(clauses))):
                piece = start + clauses[first][0], start + clauses[last][1]
                why = self._says(text[piece[0] : piece[1]])
                if why == "":
                    return self._outside(sentence) or self._beside(text, piece, (start, end))
                best = best or why
        return best

    def _beside(self, text: str, piece: tuple[int, int], sentence: tuple[int, int]) -> str:
        """Says what stands around the clauses that say the rule; marks at their ends are looked at with the rest."""
        first, last = piece
        while first < last and text[first] in _QUIET:
            first += 1
        while last > first and text[last - 1] in _QUIET:
            last -= 1
        return what_changes(text, (first, last), sentence, _next(text, sentence[1]))

    def _outside(self, sentence: str) -> str:
        """Says what the rest of a sentence does to the rule in it."""
        if OVER.search(sentence):
            return "it is said to hold no more"
        around, rule = read(sentence).sense, self._rule.sense
        if around.asked and not rule.asked:
            return "it is asked, not said"
        if around.but != rule.but:
            return "an exception is gone or new"
        return "a condition is gone or new" if around.condition != rule.condition else ""

    def _says(self, piece: str) -> str | None:
        """Says what is wrong with a piece of a sentence; empty: it says the rule, None: it is about something else."""
        here = read(piece)
        words = frozenset(here.words)
        values = self._rule.sense.values
        if len(words) + len(here.sense.values) > _SPAN * (len(self._words) + len(values)):
            return None
        shared, of = self._words & words, len(self._words) + len(values)
        share = (len(shared) + len(values & here.sense.values)) / of
        part = any(part <= words for part in self._parts)
        if share < _TOPIC and not part and not (self._firm and share >= _HALF and of == _FEWEST):
            return None
        if len(shared) + len(values & here.sense.values) < min(_FEWEST, len(self._words)) and share > _HALF:
            return None
        if share <= _HALF and not part and here.sense.differs_from(self._rule.sense):
            return None
        if OVER.search(piece):
            return "it is said to hold no more"
        why = here.sense.differs_from(self._rule.sense)
        if why:
            turned = self._rule.sense.denied and not here.sense.denied
            half = any(part <= words for part in self._wanted)
            return None if turned and not half and is_talk(piece, self._words, self._told_to) else why
        if shared != self._words:
            return "a part of it is gone or replaced"
        if _inserted(here, self._words):
            return "words are new in it"
        if _other_deed(here, self._words):
            return "something else is denied"
        if not self._words.issuperset(read(without_subject(unframed(piece), self._written)).words):
            return "words are new beside it"
        return "its words stand in another order" if other_order(self._rule, here) else ""


@cache
def _finder(rule: str) -> RuleFinder:
    return RuleFinder(rule)


def find_rule(rule: str, text: str) -> list[RuleSighting]:
    """Finds the sentences of a text that say a rule.

    Args:
        rule: Folded text of it.
        text: Folded text to look in.
    """
    return _finder(rule).find(text)


def _told_to(rule: Reading) -> frozenset[str]:
    """The first word of a rule, and those right behind each "not": what is to be done or not."""
    behind = (word for mark, word in pairwise(rule.sequence) if mark == "<not>" and word[0] not in "<=")
    return frozenset((*behind, *rule.words[:1]))


def _inserted(here: Reading, words: frozenset[str]) -> bool:
    """Tells whether other words stand between those of a rule: "the angry customer" is not every customer."""
    places = [place for place, word in enumerate(here.words) if word in words]
    return bool(places) and any(word not in words for word in here.words[places[0] : places[-1]])


def _other_deed(here: Reading, words: frozenset[str]) -> bool:
    """Tells whether what stands behind the last "not" is none of a rule's words: 感叹号都不用改 forbids no 感叹号."""
    if "<not>" not in here.sequence:
        return False
    last = len(here.sequence) - here.sequence[::-1].index("<not>")
    behind = {word for word in here.sequence[last:] if word[0] not in "<="}
    return bool(behind) and not behind & words


_JOINED: Final = later(r"\s*,?\s*(?:(或者?|(?<![a-z])or(?![a-z]))|(和|与|及|以及|跟|(?<![a-z])and(?![a-z])))")


def _parts(rule: str, *, denied: bool = True) -> list[frozenset[str]]:
    """The words of each clause; what only sets a condition is no part that could be all that is left of the rule.

    Args:
        rule: Folded.
        denied: Also of those that deny something.
    """
    clauses = [read(rule[start:end]) for start, end in _clauses(rule, 0, len(rule))]
    stand_alone = [one for one in clauses if not one.sense.but and not one.sense.condition]
    return [frozenset(one.words) for one in stand_alone if one.words and (denied or not one.sense.denied)]


def _clauses(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    begin = start
    for match in _CLAUSE.finditer(text, start, end):
        if text[begin : match.start()].strip():
            yield begin, match.start()
        begin = match.end()
    if text[begin:end].strip():
        yield begin, end


def _verbatim(rule: str) -> re.Pattern[str] | None:
    """The words of a rule in their order, with any marks and white space between, and numbers in any writing."""
    spans = {number.start: number.end for number in find_numbers(rule)}
    pieces, at = [], 0
    while at < len(rule):
        word = WORD.match(rule, at)
        if at in spans:
            pieces.append(rf"(?:{_NUMERAL})")
            at = max(spans[at], at + 1)
        elif word is not None:
            pieces.append(re.escape(word[0]))
            at = word.end()
        else:
            at += 1
    if not pieces:
        return None
    before = r"(?<![a-z0-9])" if pieces[0][0] <= "~" else ""
    after = r"(?!'?[a-z0-9])" if pieces[-1][-1] <= "~" else ""
    return re.compile(before + f"{_MARKS}{{0,8}}".join(pieces) + after)


def _sentence(text: str, start: int, end: int) -> tuple[int, int]:
    """The sentence around a span, in which a single line end may stand."""
    begin = max((text.rfind(mark, 0, start) for mark in _ENDS), default=-1) + 1
    dot = text.rfind(". ", 0, start)
    ends = [place for mark in _ENDS if (place := text.find(mark, end)) >= 0]
    full = _DOT.search(text, end, min(ends, default=len(text)))
    return max(begin, dot + 1), (full.end() if full else min(ends, default=len(text) - 1) + 1)


_QUIET: Final = " \t\n~\"'`*_<>()[]{}.。!?;-"
_ENDS: Final = "。!?;\n"
_DOT: Final = later(r"\.(?=\s|$)")


def _next(text: str, end: int) -> str:
    """The sentence after one, if it is short or its beginning takes something back."""
    rest = text[end : end + _AFTERWARDS]
    first = next(sentences(rest), None)
    return rest[first[0] : first[1]] if first else ""


__all__ = ["Reading", "RuleFinder", "RuleSighting", "find_rule"]
