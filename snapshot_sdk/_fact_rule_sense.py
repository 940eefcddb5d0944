"""What a rule says besides its words: no, only, at most, before, unless, may, and the values in it."""

# ruff: noqa: E501 - lists of words are read as text; Chinese counts double there

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from typing import Final

from snapshot_sdk._fact_emphasis import without_emphasis
from snapshot_sdk._fact_patterns import later
from snapshot_sdk._fact_values import find_values
from snapshot_sdk._fact_words import RULE_FILLERS


def _pattern(chinese: str, english: str) -> re.Pattern[str]:
    return later(rf"{chinese}|(?<![a-z])(?:{english})(?![a-z])")


_MOST: Final = _pattern(
    "(?:不得|不能|不可以?|不许|不要|不应该?|不准|别|切勿|勿|禁止)(?:超过|多于|高于|大于|超出)|不超过|最多|至多|以内|之内|不多于|不高于|不大于"
    "|(?<!不)(?:少于|小于|低于)|以下|上限",
    "(?:must|may|should|can|do|does|shall|will)(?:n't| not) (?:exceed|go over|be (?:more than|over|above))"
    "|(?:never|not)(?: (?:be|go|use|write|take|spend|exceed))? (?:more than|over|above|exceed(?:ing)?)"
    "|cannot exceed|never exceed|not (?:to )?exceed|not exceeding|at most|no more than|not more than|up to|within|under|below"
    "|(?<!no )(?<!not )(?:less|fewer) than|maximum(?: of)?|max",
)
_LEAST: Final = _pattern(
    "(?:不得|不能|不可以?|不许|不要|不应该?|不准|别|切勿|勿|禁止)(?:低于|少于|小于)|至少|不少于|不低于|最少|以上|超过|超出|多于|大于|高于|起码",
    "at least|no less than|no fewer than|not less than|minimum(?: of)?|min|more than|over|above|exceeds?|exceeding",
)
BOUND: Final = later(f"{_MOST.pattern}|{_LEAST.pattern}")
"""What sets a limit, upper or lower."""
_ONLY: Final = _pattern("只有|只能|只可|只许|只|仅仅?|唯一", "only|solely|exclusively|just|nothing but")
_EXCEPT: Final = _pattern(
    "除非|除了|除(?=[^，,。]{1,16}(?:之?外|以外))|以外|之外|例外",
    "unless|except(?: for)?|other than|apart from|excluding",
)
_IF: Final = _pattern(
    "如果|假如|若(?!干)|倘若|只要|万一|直到|的话|一旦|要是|每当|遇到|的时候",
    "if|provided|in case|as long as|until|whenever|when|once",
)
_BEFORE: Final = _pattern("之前|以前|前(?=[^面端台往进]|$)", "before|prior to|ahead of|earlier than")
_AFTER: Final = _pattern("之后|(?<![以今然最此背])后(?=[^台面端续]|$)|以后(?=再|才)", "after|later than|following")
_WITHOUT: Final = _pattern("未经|没有(?=.{1,12}(?:时|之前|不))", "without")
_MAY: Final = _pattern(
    "可以|允许|随意|任意|不妨|可(?=不)", "may|can|could|might|allowed|permitted|optional(?:ly)?|free to|feel free"
)
_BETTER: Final = _pattern(
    "最好|尽量|尽可能|力求|争取|吧(?=[。.!?！？]|$)|建议|推荐|可考虑|倾向",
    "ideally|preferably|(?:try|aim|attempt|strive)(?: to|(?= (?:not|never) to))|if possible|consider|suggested|recommended|might want",
)
_EVERY: Final = _pattern(
    "所有|全部|一切|每(?=[个次份张位条单笔一天日])|始终|总是|永远|任何时候", "all|every|each|always|at all times"
)
_SOME: Final = _pattern(
    "太(?=[多少长短早晚大高])|过多|过于|过度|部分|有些|某些|一些|有时|偶尔|大多数?|通常|一般|原则上|基本上|多半",
    "too (?:many|much|long|often)|excessive(?:ly)?|some|sometimes|occasionally|most|mostly|partly|usually|often"
    "|generally|normally|typically|in principle|in general|by default|as a rule|mainly|largely|rarely",
)
_OR: Final = _pattern("或者?|或是", "or")
_ASKED: Final = _pattern(
    "[?]|是否|是不是|能不能|要不要|吗(?=[?。]|$)|难道", "whether|should (?:i|we|you)|do (?:i|we) (?:have|need) to|is it"
)
_NOT: Final = _pattern(
    "不要|不得|不能|不许|不可以?|不准|不应该?|不必|不用|不再|不需要?|不会|不是|别(?!的|人|处|名|墅)|切勿|切莫|切不可|勿|莫(?!非|名)|禁止|严禁|避免|拒绝|没有?|无需|无须|未"
    "|杜绝|停止|取消|忽略|不(?!同|过|仅|但|管|论)",
    "do not ever|don't ever|do(?:es)? not|don't|doesn't|did not|didn't|never|must not|mustn't|should not|shouldn't|cannot|can't"
    "|can not|no longer|avoid|forbidden|prohibited|not|no|refuse|stop|ignore|isn't|aren't|won't|nor|neither|wrong|false",
)
_TOLD: Final = _pattern(
    "没(?!法|人|问题|完)|未(?!经|来|知|必|成年)", "did not|didn't|(?:was|were|has|have|had)(?: not|n't)(?! to(?![a-z]))"
)
"""A "no" that tells what did not happen, and demands nothing."""
_TWICE: Final = _pattern(
    "(?:不要|不得|不能|不可以?|不准|不许|不应该?|不会|不必|不用|不|别|勿|切勿|莫|没有?|未)(?:再|要|会|能)?"
    "(?:忘记?了?|遗?漏掉?|害?怕|犹豫|遗忘|吝啬|顾虑|忽略|省略|错过|介意|客气|担心|忽视|嫌)",
    "(?:do not|don't|does not|doesn't|did not|didn't|never|must not|mustn't|should not|shouldn't|cannot|can't|will not|won't|not)"
    "(?: ever| be)? (?:forget|hesitate|fail|neglect|omit|skip|miss|overlook|afraid|shy|scared|reluctant|fear|mind)"
    "(?:ting|ing|ped|ed|s)?(?: (?:to|about|of))?",
)
"""Not to forget is to do: such a pair says no "no"."""
_FEARLESS: Final = later("怕|犹豫|吝啬|顾虑|介意|客气|担心|嫌|hesitate|afraid|shy|scared|reluctant|fear|mind")
"""Who need not fear a thing may do it."""
_PAST: Final = _pattern("曾经?|原先|原来|当初|过去(?!的?话)|那时", "was|were|used to|formerly|previously")
OVER: Final = _pattern(
    "已(?:经)?(?:被)?(?:取消|撤销|作废|失效|废除|解除|过期|停用)|(?:取消|撤销|作废|失效|废除)了|不再(?:适用|有效|要求|需要|执行)|不用(?:遵守|管)",
    "no longer (?:applies|apply|needed|required|in force|valid)|(?:was|were|been|is|are) (?:lifted|withdrawn|dropped|void"
    "|cancell?ed|revoked|rescinded|removed|outdated)|does(?: not|n't) apply|not apply|used to|revoked|rescinded|expired",
)
"""The rule is named, and said to hold no more."""
EXCEPTION: Final = later(rf"\s*(?:但是?|不过|but )?\s*(?:{_EXCEPT.pattern}|{_IF.pattern})")
"""What begins a sentence that takes something back of the one before."""

_BINDING: Final = (_BEFORE, _AFTER, _WITHOUT, _EXCEPT)
_DIRECTED: Final = _pattern(
    "到|给|向|比|优于|而不是|而非|被", "to|from|into|than|over|instead of|rather than|by|for|with"
)
"""Words whose sides cannot be swapped."""

WORD: Final = later(r"[a-z0-9_]+(?:'[a-z]+)?|[㐀-鿿]")
_SAYS_NOTHING: Final = _pattern("否则|那么|任何|所以|因此|要求|表示", "otherwise|therefore")
_SHORTEST: Final = 3
"""Letters that stay when the ending is taken off a word."""


@dataclass(frozen=True)
class Sense:
    """What a clause says besides its words."""

    denied: bool
    only: bool
    but: bool
    condition: bool
    most: bool
    least: bool
    before: bool
    after: bool
    without: bool
    may: bool
    better: bool
    every: bool
    some: bool
    either: bool
    asked: bool
    told: bool
    past: bool
    values: frozenset[str]

    def differs_from(self, rule: Sense) -> str:
        """Names the first difference.

        Args:
            rule: Of the rule.

        Returns:
            Empty: there is none.
        """
        for field in fields(self):
            mine, its = getattr(self, field.name), getattr(rule, field.name)
            if mine != its and not (field.name == "every" and mine):
                return _WHY[field.name] if field.name != "denied" else _DENIED[its]
        return ""


_DENIED: Final = {True: "the opposite is said", False: "it is denied"}
LIMIT: Final = "the limit is another"
_WHY: Final = {
    "only": "“only” is gone or new",
    "but": "an exception is gone or new",
    "condition": "a condition is gone or new",
    "most": LIMIT,
    "least": LIMIT,
    "before": "before or after is gone or new",
    "after": "before or after is gone or new",
    "without": "“without” is gone or new",
    "may": "it is merely allowed",
    "better": "it is merely advised",
    "every": "“all” or “always” is gone",
    "some": "it holds only in part",
    "either": "an alternative is gone or new",
    "asked": "it is asked, not said",
    "told": "it is told, not demanded",
    "past": "it is told of the past",
    "values": "another value stands in it",
}


@dataclass(frozen=True)
class Reading:
    """A rule or a clause, read."""

    sense: Sense
    words: tuple[str, ...]
    """Stems of the words of content, in order; not those that the sense holds."""
    sequence: tuple[str, ...]
    """Words of content and values in order, with marks ``<before>``, ``<not>`` between them."""


def read(text: str) -> Reading:
    """Reads a rule or a clause.

    Args:
        text: Folded.
    """
    text = without_emphasis(text)
    values = {}
    blank = list(text)
    for value in find_values(text):
        values[value.start] = f"{value.kind}:{value.key}"
        blank[value.start : value.end] = " " * (value.end - value.start)
    bare = "".join(blank)
    marks: list[tuple[int, str]] = [(start, f"={key}") for start, key in values.items()]
    flags: dict[str, bool] = {}
    hedges = text  # limits are looked for with their numbers: "at most" is read as words beside a value
    for name, pattern in _FLAGS:
        source = hedges if name in ("most", "least") else bare
        hits = list(pattern.finditer(source))
        flags[name] = bool(hits)
        for hit in hits:
            width = hit.end() - hit.start()
            bare = bare[: hit.start()] + " " * width + bare[hit.end() :]
            hedges = hedges[: hit.start()] + " " * width + hedges[hit.end() :]
            marks.append((hit.start(), f"<{name}>"))
    told, past = bool(_TOLD.search(bare)), bool(_PAST.search(bare))
    twice = list(_TWICE.finditer(bare))
    for hit in twice:
        bare = bare[: hit.start()] + " " * (hit.end() - hit.start()) + bare[hit.end() :]
    denials = list(_NOT.finditer(bare))
    for hit in denials:
        bare = bare[: hit.start()] + " " * (hit.end() - hit.start()) + bare[hit.end() :]
        marks.append((hit.start(), "<not>"))
    bare = _SAYS_NOTHING.sub(lambda hit: " " * len(hit[0]), bare)
    fearless = any(_FEARLESS.search(hit[0]) for hit in twice)
    may, bare = fearless or bool(_MAY.search(bare)), _MAY.sub(lambda hit: " " * len(hit[0]), bare)
    marks += [(hit.start(), f"<{hit[0]}>") for hit in _DIRECTED.finditer(bare)]
    bare = _DIRECTED.sub(lambda hit: " " * len(hit[0]), bare)
    words = [(hit.start(), stem(hit[0])) for hit in WORD.finditer(bare) if hit[0] not in RULE_FILLERS]
    sense = Sense(
        denied=len(denials) % 2 == 1, may=may, told=told, past=past, values=frozenset(values.values()), **flags
    )
    return Reading(sense, tuple(word for _, word in words), tuple(word for _, word in sorted((*marks, *words))))


_FLAGS: Final = (
    ("most", _MOST), ("least", _LEAST), ("but", _EXCEPT), ("only", _ONLY), ("condition", _IF), ("better", _BETTER),
    ("without", _WITHOUT), ("every", _EVERY), ("some", _SOME), ("before", _BEFORE), ("after", _AFTER), ("asked", _ASKED),
    ("either", _OR),
)  # fmt: skip
"""The order counts: what one has read the next does not see; 不得超过 is a limit and no "no"."""


def stem(word: str) -> str:
    """Takes the ending off an English word: answers, answer and answering are one.

    Args:
        word: Lower case.
    """
    if len(word) > _SHORTEST + 1:
        for ending in ("ing", "ed", "es", "s"):
            if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST and not word.endswith("ss"):
                return word[: -len(ending)].removesuffix("e")
    return word.removesuffix("e") if len(word) > _SHORTEST else word


def other_order(rule: Reading, other: Reading) -> bool:
    """Tells whether the words are in an order that makes it another rule: "A before B" is not "B before A".

    Args:
        rule: The rule.
        other: It has all words of the rule.
    """
    run: list[str] = []
    for word in (*rule.sequence, "<end>"):
        if word[0] != "<":
            run.append(word)
        elif word[1:-1] not in ("to", "for", "with", "给", "向"):
            if not _turned(run, other.sequence):
                return True
            run = []
    for mark in set(rule.sequence) & set(other.sequence):
        if mark[0] == "<" and mark not in _LOOSE and _bound(mark, rule.sequence) != _bound(mark, other.sequence):
            return True
    return _exchanged("<not>", rule.sequence, other.sequence)


_LOOSE: Final = frozenset(
    ("<not>", "<only>", "<every>", "<most>", "<least>", "<some>", "<or>", "<for>", "<with>", "<to>")
)
"""Marks whose place in a sentence is free, or that only English word order puts before what they go with."""


def _turned(run: list[str], sequence: tuple[str, ...]) -> bool:
    """Tells whether words stand in their order, or in two pieces that are swapped: 中文回答, 回答…中文."""
    places = [sequence.index(word) for word in dict.fromkeys(run) if word in sequence]
    falls = sum(after < before for before, after in zip(places, (*places[1:], *places[:1]), strict=True))
    return falls <= 1


def _bound(mark: str, sequence: tuple[str, ...]) -> str:
    """What a mark goes with: in English what follows it; 九点之前 has it before."""
    at = sequence.index(mark)
    words = [word for word in sequence[at + 1 :] if word[0] != "<"]
    before = [word for word in sequence[:at] if word[0] != "<"]
    if mark in ("<before>", "<after>"):
        near = [word for word in (*words[:1], *before[-1:]) if word[0] == "="]
        if near:
            return near[0]
    return words[0] if words else ""


def _exchanged(mark: str, rule: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Tells whether words have changed sides of a "not": "staging, not production" turned round."""
    if mark not in rule or mark not in other:
        return False
    at, there = rule.index(mark), other.index(mark)
    left, right, now_left, now_right = set(rule[:at]), set(rule[at:]), set(other[:there]), set(other[there:])
    return bool((left - right) & (now_right - now_left)) and bool((right - left) & (now_left - now_right))
