"""What a session commits itself to, found without any pin: rules, goals, and the identifiers and amounts it turns on.

A finder, not a judge: every hit says why it is one, and the score ranks them by how much each looks like a commitment.
The weights are plain numbers in one table; nothing is learnt.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal, NamedTuple

from inspector.analysis.answers import SENTENCE
from inspector.model.context import Block, CallContext
from inspector.model.layers import Layer
from snapshot_sdk.facts import Fact, FactKind, FoundFact, find_facts

CommitmentKind = Literal["rule", "goal", "id", "amount", "date"]

_FOREVER: Final = re.compile(
    r"以后|从现在起|从今(?:往后|以后)|永远|总是|每次|始终|全程|记住|无论如何"
    r"|(?<![a-z])(?:always|from now on|under no circumstances|at all times|every time|without exception"
    r"|no matter what|remember)(?![a-z])",
    re.IGNORECASE,
)
"""It holds from now on."""
_FORBIDS: Final = re.compile(
    r"不要|不得|不许|(?<!拿)不准|不能(?!够)|禁止|严禁|切勿|勿|绝不|(?<![差区个特级性类告分识派])别(?!的|人|处|名|墅|克|针|扭|致|忘)|不用(?:英文|中文)|一个.{1,8}都不"
    r"|(?<![a-z])(?:never|do not|don't|don’t|must not|mustn't|may not|not allowed|forbidden|prohibited|no one may"
    r"|nobody may"
    r"|nothing (?:over|before|after|else)|touch nothing|not before|refuse|avoid)(?![a-z])",
    re.IGNORECASE,
)
_DEMANDS: Final = re.compile(
    r"必须|务必|一律|一定要|只能|只许|只可以|只用|只要(?!是|有)|只(?:用|说|写)?(?:中文|英文)|(?:要|得)先(?:问|经过|征得)"
    r"|(?<![a-z])(?:must|has to|have to|only (?:in|when|after|if|use|answer|reply|the)|needs? (?:a|an|to|my)"
    r"|require[sd]?"
    r"|unless|before i say|make sure|ask me (?:first|before)|insist)(?![a-z])",
    re.IGNORECASE,
)
LIMITS: Final = re.compile(
    r"不超过|不能超|最多|至多|至少|上限|下限|以内|之内|封顶|不低于|不少于|不高于"
    r"|(?<![a-z])(?:at most|more than|less than|fewer than|at least|up to|within|maximum|minimum|not exceed"
    r"|no later than)(?![a-z])",
    re.IGNORECASE,
)
"""It sets a bound."""
_DANGER: Final = re.compile(
    r"过敏|忌口|轮椅|孕|保密|法务|冻结|留存"
    r"|(?<![a-z])(?:allerg\w*|wheelchairs?|pregnan\w*|confidential|legal hold|nda|vegetarian|vegan)(?![a-z])",
    re.IGNORECASE,
)
"""What harms somebody when it is forgotten."""
_WISH: Final = re.compile(
    r"(?:我|我们)(?:想|要|打算|需要|计划|准备|希望)|帮我|帮忙|麻烦|请(?:你|您)?帮"
    r"|(?<![a-z])(?:i|we)(?:'d| would| want| need| am| are|'m|'re)? ?(?:like to|want to|need to|need|plan to|planning"
    r"|going to|trying to|looking (?:for|to))(?![a-z])|(?<![a-z])(?:help me|please (?:help|plan|write|find|book|fix))",
    re.IGNORECASE,
)
_QUESTION: Final = re.compile(r"[?？]\s*$|[吗呢么]\s*[?？。]?\s*$")
_BULLET: Final = re.compile(r"^(?:[-*•·]+|\d{1,2}[.、)）])\s*")
_CODE: Final = re.compile(r"^\s*[\[{<\"`|#/]|[{};]\s*$|^\s*\w+\(|\"\s*:\s*")

_KINDS: Final[Mapping[FactKind, CommitmentKind]] = {
    "id": "id", "email": "id", "phone": "id", "path": "id", "money": "amount", "percent": "amount", "date": "date",
}  # fmt: skip
_WEIGHTS: Final[Mapping[str, float]] = {
    "forever": 2.0, "forbids": 2.0, "demands": 1.5, "limits": 1.5, "danger": 2.0,
}  # fmt: skip
_BY_WHOM: Final[Mapping[str, float]] = {"user": 2.0, "system": 0.5}
"""A rule of the user outweighs one of the instructions: those stand in a place that is seldom compacted."""
_MOST_USES: Final = 4
"""Further messages with the same value that count."""
_LONGEST: Final = 240
"""Characters of a sentence that is still one rule."""
_SHORTEST: Final = 4
_MOST_TEXT: Final = 200_000
"""Characters of a message that are searched."""
_GOALS: Final = 2
"""Messages of the user in which the goal is looked for."""


@dataclass(frozen=True)
class Commitment:
    """Something the agent should not forget."""

    kind: CommitmentKind
    text: str
    """The sentence, or the value as it is written."""
    fact: Fact
    """To follow it."""
    content: str
    """Content hash of the message that says it first."""
    call: int
    """First call whose prompt has that message."""
    role: str | None
    """Whose message that is."""
    layer: Layer
    start: int
    """First character in the message's text."""
    end: int
    sentence: str
    """The sentence it stands in."""
    score: float
    """How much it looks like a commitment; for ranking only."""
    why: str
    """Why it was found, in words."""
    copies: int = 1
    """Distinct messages that hold it."""


class RuleMark(NamedTuple):
    """A sentence that looks like a rule."""

    start: int
    end: int
    text: str
    score: float
    why: str


def find_rules(text: str) -> tuple[RuleMark, ...]:
    """Find the sentences of a text that look like rules, in order.

    Args:
        text: Of one message.
    """
    return tuple(_rules(text))


FindFacts = Callable[[str, Collection[FactKind]], tuple[FoundFact, ...]]
"""Gives the values of a text, of some kinds."""


def find_commitments(contexts: Iterable[CallContext], find: FindFacts = find_facts) -> tuple[Commitment, ...]:
    """Find what the prompts of a session commit it to, what looks most like it first.

    Args:
        contexts: The calls in display order; side calls are left out.
        find: Finds values; one that has read the texts before knows them.
    """
    seen: set[str] = set()
    values: dict[tuple[FactKind, str], _Value] = {}
    sentences: dict[str, Commitment] = {}
    asked = 0
    for context in contexts:
        for block in context.blocks if context.purpose is None else ():
            if block.content in seen or block.layer is Layer.TOOLS:
                continue
            seen.add(block.content)
            text = block.text[:_MOST_TEXT]
            is_user = block.role == "user" and block.layer in (Layer.HISTORY, Layer.INPUT) and not _is_result(block)
            if is_user or block.layer in (Layer.SYSTEM, Layer.MEMORY, Layer.STATE):
                for rule in _rules(text):
                    _add_sentence(sentences, _from_rule(rule, block, context.call, is_user=is_user))
            if is_user:
                asked += 1
                if asked <= _GOALS and (goal := _goal(text)) is not None:
                    _add_sentence(sentences, _from_goal(goal, block, context.call))
            for found in find(text, tuple(_KINDS)):
                values.setdefault((found.kind, found.key), _Value()).add(found, block, context.call, text, is_user)
    ranked = [*sentences.values(), *(one for value in values.values() if (one := value.close()) is not None)]
    return tuple(sorted(ranked, key=lambda one: (-one.score, one.call, one.start)))


def _is_result(block: Block) -> bool:
    """A tool result, which Anthropic and Gemini send in the user's name."""
    return any(key.startswith("result:") for key in block.keys)


def _rules(text: str) -> Iterator[RuleMark]:
    for match in SENTENCE.finditer(text):
        sentence = _BULLET.sub("", match[0].strip())
        if not _SHORTEST <= len(sentence) <= _LONGEST or _QUESTION.search(sentence) or _CODE.search(sentence):
            continue
        said = {
            "forever": _FOREVER.search(sentence),
            "forbids": _FORBIDS.search(sentence),
            "demands": _DEMANDS.search(sentence),
            "limits": LIMITS.search(sentence),
            "danger": _DANGER.search(sentence),
        }
        names = [name for name, hit in said.items() if hit]
        if not names or names == ["forever"]:
            continue
        start = match.start() + match[0].find(sentence)
        words = ", ".join(f"“{hit[0]}”" for hit in said.values() if hit)
        yield RuleMark(start, start + len(sentence), sentence, sum(_WEIGHTS[n] for n in names), f"it says {words}")


def _goal(text: str) -> RuleMark | None:
    for match in SENTENCE.finditer(text):
        sentence = match[0].strip()
        if _SHORTEST <= len(sentence) <= _LONGEST and (wish := _WISH.search(sentence)):
            start = match.start() + match[0].find(sentence)
            return RuleMark(start, start + len(sentence), sentence, 1.0, f"it says “{wish[0]}” at the beginning")
    return None


def _from_rule(rule: RuleMark, block: Block, call: int, *, is_user: bool) -> Commitment:
    score = rule.score + _BY_WHOM["user" if is_user else "system"]
    fact = Fact("rule", rule.text.rstrip("。.!！；; "))
    return _commitment("rule", rule, fact, block, call, score)


def _from_goal(goal: RuleMark, block: Block, call: int) -> Commitment:
    return _commitment("goal", goal, Fact("text", goal.text), block, call, goal.score + _BY_WHOM["user"])


def _commitment(kind: CommitmentKind, mark: RuleMark, fact: Fact, block: Block, call: int, score: float) -> Commitment:
    return Commitment(
        kind, mark.text, fact, block.content, call, block.role, block.layer, mark.start, mark.end, mark.text, score,
        mark.why,
    )  # fmt: skip


def _add_sentence(found: dict[str, Commitment], one: Commitment) -> None:
    key = "".join(one.text.split()).lower()
    before = found.get(key)
    found[key] = one if before is None else replace(before, copies=before.copies + 1)


@dataclass
class _Value:
    """A value and where it stands."""

    first: tuple[FoundFact, Block, int, str] | None = None
    by_user: tuple[FoundFact, Block, int, str] | None = None
    anchors: dict[str, None] = field(default_factory=dict)
    copies: int = 0
    used: int = 0
    """Tool calls that pass it."""
    results: int = 0
    """Tool results that hold it."""
    limited: bool = False

    def add(self, found: FoundFact, block: Block, call: int, text: str, is_user: bool) -> None:
        where = (found, block, call, text)
        self.first = self.first or where
        if is_user and self.by_user is None:
            self.by_user = where
            self.limited = bool(LIMITS.search(_sentence(text, found)))
        self.copies += 1
        self.used += any(key.startswith("call:") for key in block.keys) or block.layer is Layer.TOOL_CALLS
        self.results += _is_result(block) or block.layer is Layer.TOOL_RESULTS
        # What other messages call the same value: the state says budget where the user said 预算.
        if block.role in ("user", "system", "developer") and not _is_result(block):
            self.anchors.update(dict.fromkeys(found.fact.anchors))

    def close(self) -> Commitment | None:
        if self.first is None or (self.by_user is None and self.used == 0):
            return None  # one of the many values of a result that nobody came back to
        found, block, call, text = self.by_user or self.first
        kind = _KINDS[found.kind]
        if self.by_user is None and (kind != "id" or not self.results):
            return None
        score = min(self.copies - 1, _MOST_USES) * 0.25 + min(self.used, _MOST_USES) * 0.25
        score += (_BY_WHOM["user"] if self.by_user else 0.0) + (1.5 if self.limited else 0.0)
        score += {"id": 1.0, "amount": 0.75, "date": 0.5}[kind]
        said = ["said by the user"] if self.by_user else ["in a tool result"]
        said += ["as a limit"] if self.limited else []
        said += [f"passed to {self.used} tool call{'s' if self.used > 1 else ''}"] if self.used else []
        said += [f"in {self.copies} messages"] if self.copies > 1 else []
        fact = replace(found.fact, anchors=tuple(self.anchors) or found.fact.anchors)
        return Commitment(
            kind, found.text, fact, block.content, call, block.role, block.layer, found.start, found.end,
            _sentence(text, found), score, ", ".join(said), self.copies,
        )  # fmt: skip


def _sentence(text: str, found: FoundFact) -> str:
    """The sentence a value stands in, a line of it at most."""
    begin = max(text.rfind("\n", 0, found.start) + 1, found.start - _LONGEST)
    stop = text.find("\n", found.end)
    line = text[begin : min(stop if stop >= 0 else len(text), found.end + _LONGEST)]
    at = found.start - begin
    inside = (match for match in SENTENCE.finditer(line) if match.start() <= at < match.end())
    return next((match[0].strip() for match in inside), line.strip())
