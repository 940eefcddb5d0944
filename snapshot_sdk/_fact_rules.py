"""Rules: the same words are another rule when one of them says no, only, or at most."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from snapshot_sdk._fact_numbers import find_numbers
from snapshot_sdk._fact_text import sentences
from snapshot_sdk._fact_words import RULE_FILLERS

RuleState = Literal["kept", "restated", "distorted"]

_NOT: Final = re.compile(
    r"不要|不得|不能|不许|不可以?|不准|不应该?|不必|不用|不再|不需要?|不会|不是|别(?!的|人|处|名|墅)|勿|禁止|严禁|避免|拒绝"
    r"|没有?|无需|无须|未|杜绝|停止|取消|忽略|不(?!同|过|仅|但|管|论)"
    r"|(?<![a-z])(?:do(?:es)? not|don't|doesn't|did not|didn't|never|must not|mustn't|should not|shouldn't|cannot|can't"
    r"|can not|no longer|without|avoid|forbidden|prohibited|not|no|refuse|stop|ignore|isn't|aren't|won't|nor|neither"
    r"|free to)(?![a-z])"
)
_ONLY: Final = re.compile(r"只有|只能|只可|只许|只|仅|唯一|一律|(?<![a-z])(?:only|solely|exclusively|just)(?![a-z])")
_EXCEPT: Final = re.compile(r"除非|除了|除|以外|(?<![a-z])(?:unless|except|other than|apart from)(?![a-z])")
_BOUND: Final = re.compile(
    r"(?P<most>不超过|最多|至多|以内|以下|不高于|不大于|少于|小于|低于"
    r"|(?<![a-z])(?:at most|no more than|up to|within|under|below|less than|maximum|max|not exceed)(?![a-z]))"
    r"|(?P<least>至少|不少于|不低于|最少|以上|超过|多于|大于|高于"
    r"|(?<![a-z])(?:at least|no less than|minimum|min|more than|over|above)(?![a-z]))"
)
_WHEN: Final = re.compile(r"之前|以前|前(?!面|端|台)|之后|以后再|后再|(?<![a-z])(?:before|after)(?![a-z])")
_MAY: Final = re.compile(r"可以|允许|随意|任意|(?<![a-z])(?:may|can|allowed|permitted|optional|optionally)(?![a-z])")
_OVER: Final = re.compile(
    r"已(?:经)?(?:取消|撤销|作废|失效)|不再(?:适用|有效|要求|需要)"
    r"|(?<![a-z])(?:no longer (?:applies|needed|required|in force)|was (?:lifted|withdrawn|dropped)|is (?:lifted|void)"
    r"|revoked|rescinded)(?![a-z])"
)
"""The rule is named, and said to hold no more."""

_WORD: Final = re.compile(r"[a-z0-9_]+(?:'[a-z]+)?|[㐀-鿿]")
_MARKS: Final = re.compile(r"[\s\"'`*_#>()\[\]{}<>|:,.!?;~^。！？；，：、（）《》【】「」『』-]+")
_COVER: Final = 0.9
"""Share of a rule's words that a sentence must hold to be the same rule in other words: high, as a false
"kept" is worse than a missed one."""
_TOPIC: Final = 0.6
"""Share from which a sentence is about the rule."""
_SPAN: Final = 4.0
"""A sentence with so many times the words of the rule says more than the rule."""
_FEWEST: Final = 2
"""Words of content a rule must have to be recognised in other words."""


_NEARBY: Final = 12
"""Characters before a rule in which a "no" may turn it round."""
_PARTICLES: Final = " 的再去必须要请to"


@dataclass(frozen=True)
class RuleSighting:
    """A sentence that says a rule, or something else about the same thing."""

    state: RuleState
    start: int
    end: int
    why: str
    """What differs, in words; empty for the rule itself."""


@dataclass(frozen=True)
class _Sense:
    """What a sentence says besides its words."""

    denied: bool
    only: bool
    but: bool
    most: bool
    least: bool
    when: bool
    may: bool
    numbers: frozenset[str]

    def differs_from(self, rule: _Sense) -> str:
        """Names the first difference; empty: none."""
        if self.denied != rule.denied:
            return "the opposite is said" if rule.denied else "it is denied"
        for name, words in (
            ("only", "“only” is gone or new"),
            ("but", "an exception is gone or new"),
            ("most", "the limit is another"),
            ("least", "the limit is another"),
            ("when", "before or after is gone or new"),
        ):
            if getattr(self, name) != getattr(rule, name):
                return words
        if self.may and not rule.may:
            return "it is merely allowed"
        if self.numbers != rule.numbers:
            return "another number stands in it"
        return ""


def find_rule(rule: str, text: str) -> list[RuleSighting]:
    """Finds the sentences of a text that say a rule.

    Args:
        rule: Folded text of it.
        text: Folded text to look in.
    """
    wanted = _plain(rule)
    words = _content(rule)
    if not wanted:
        return []
    sense = _sense(rule)
    found = []
    for start, end in sentences(text):
        sentence = text[start:end]
        here = _content(sentence)
        shared = len(words & here) / len(words) if words else 0.0
        verbatim = wanted in _plain(sentence)
        if not verbatim and (shared < _TOPIC or len(words) < _FEWEST):
            continue
        if verbatim:
            why = _around(rule, sentence)
            found.append(RuleSighting("distorted" if why else "kept", start, end, why))
            continue
        why = _sense(sentence).differs_from(sense)
        if why:
            found.append(RuleSighting("distorted", start, end, why))
        elif shared >= _COVER and len(here) <= _SPAN * len(words) and _in_order(rule, sentence):
            found.append(RuleSighting("restated", start, end, ""))
    if not found and _whole(wanted, text):
        at = _whole_span(rule, text)
        found.append(RuleSighting("kept", *at, ""))
    return found


def _whole(wanted: str, text: str) -> bool:
    """A rule of several sentences."""
    return wanted in _plain(text)


def _whole_span(rule: str, text: str) -> tuple[int, int]:
    first = next((_plain(rule[a:b]) for a, b in sentences(rule)), "")
    spans = [(a, b) for a, b in sentences(text) if first and first in _plain(text[a:b])]
    return spans[0] if spans else (0, len(text))


def _around(rule: str, sentence: str) -> str:
    """Says what the words around a rule that stands word for word do to it; empty: nothing."""
    if _OVER.search(sentence) and not _OVER.search(rule):
        return "it is said to hold no more"
    rest = sentence.replace(rule, " ", 1) if rule in sentence else ""
    if not rest:
        return ""
    before = sentence[: sentence.find(rule)]
    # 不要请用中文: a "no" right before the rule, with nothing in between but particles, turns it round.
    denials = list(_NOT.finditer(before[-_NEARBY:]))
    if denials:
        between = before[-_NEARBY:][denials[-1].end() :].strip()
        if not _MARKS.search(between) and not between.strip(_PARTICLES):
            return "it is denied"
    return ""


def _sense(text: str) -> _Sense:
    bounds = {match.lastgroup for match in _BOUND.finditer(text)}
    bare = _BOUND.sub(" ", text)  # 不超过 is a limit, not a "no"
    bare = _ONLY.sub(" ", bare)
    return _Sense(
        denied=len(_NOT.findall(bare)) % 2 == 1,
        only=bool(_ONLY.search(text)),
        but=bool(_EXCEPT.search(text)),
        most="most" in bounds,
        least="least" in bounds,
        when=bool(_WHEN.search(text)),
        may=bool(_MAY.search(bare)),
        numbers=frozenset(str(number.value.normalize()) for number in find_numbers(text)),
    )


def _content(text: str) -> frozenset[str]:
    for pattern in (_BOUND, _NOT, _ONLY, _EXCEPT, _MAY):
        text = pattern.sub(" ", text)
    return frozenset(_stem(word) for word in _WORD.findall(text) if word not in RULE_FILLERS)


def _stem(word: str) -> str:
    """Takes the ending off an English word: answers, answer and answering are one."""
    if len(word) > 4:
        for ending in ("ing", "ed", "es", "s"):
            if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
                return word[: -len(ending)]
    return word


def _in_order(rule: str, sentence: str) -> bool:
    """Tells whether the content words come in the rule's order: "tea before coffee" is not "coffee before tea"."""
    wanted = [_stem(word) for word in _WORD.findall(rule) if word not in RULE_FILLERS]
    here = [_stem(word) for word in _WORD.findall(sentence)]
    at = 0
    for word in dict.fromkeys(wanted):
        if word in here[at:]:
            at = here.index(word, at) + 1
        elif word in here:
            return False
    return True


def _plain(text: str) -> str:
    return _MARKS.sub("", text)
