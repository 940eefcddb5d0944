"""Scorers: whether an answer says what a probe expects. Named as the field names them; typed where the field is not."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from inspector.probes.probe import JUDGED, Expected, Probe, ScorerName
from inspector.probes.verdict import AnswerState
from inspector.probes.wording import fact_words
from snapshot_sdk.facts import VALUE_KINDS, Fact, FactKind, Match, Matcher, find_facts

Judge = Callable[[Probe, str], bool | None]
"""Asked whether an answer to a probe is right: a model, where the user asks for one; None: it gave no grade."""

F1_RIGHT: Final = 0.8
"""Token F1 from which an answer counts as right."""

_WORD: Final = re.compile(r"[0-9a-z]+(?:[.,:'-][0-9a-z]+)*|[㐀-鿿぀-ヿ가-힯]")
"""A word of letters and digits; of Chinese, Japanese and Korean each character (whitespace tokens score 0 there)."""
_ARTICLES: Final = frozenset(("a", "an", "the", "and", "的", "了", "是"))
"""Left out, as LoCoMo's F1 does with articles."""

_ABSTAINS: Final = re.compile(
    r"不知道|不清楚|不确定|没有(?:提到|提及|说|提供|给出|相关|这方面|记录|找到)|未(?:提及|提到|提供|说明|找到)|无法(?:确定|得知|回答|提供)"
    r"|没法(?:确定|知道)|请(?:您)?(?:再次|重新)?(?:提供|告诉|告知)|(?:您|你)(?:还)?没(?:有)?(?:告诉|提供|说)"
    r"|(?<![a-z])(?:(?:i )?(?:do not|don't|don’t|cannot|can't|can’t|couldn't|could not) (?:know|see|find|have|recall"
    r"|determine|tell|access)"
    r"|not (?:sure|mentioned|provided|specified|available|known|stated|given|in (?:the|this|our))"
    r"|no (?:information|mention|record)|unknown|unsure|(?:could|can|would) you (?:please )?(?:provide|tell|share|give"
    r"|confirm)|please (?:provide|share|tell)|haven't (?:told|provided|mentioned)|n/a)(?![a-z])",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Score:
    """How one answer was judged."""

    state: AnswerState
    scorer: ScorerName
    why: str
    """In words: what was found, or what was missing."""
    unjudged: bool = False
    """A judge was wanted and there was none, or it gave no grade: nothing is known of the answer."""


def score_answer(probe: Probe, answer: str, judge: Judge | None = None) -> Score:
    """Judge an answer to a probe, by a model where its scorer wants one.

    Args:
        probe: What was asked.
        answer: What the model said.
        judge: Asked where the scorer is a model-graded one; None: such an answer is left unjudged.
    """
    name = probe.expected.scorer
    if name not in JUDGED:
        return score(probe.expected, answer)
    said = _forbidden_said(probe.expected, answer)
    if said is not None:
        return said
    if not answer.strip():
        return Score("no answer", name, "the answer is empty")
    if judge is None:
        return Score("no answer", name, f"not judged: {name} asks a model, and none was named as judge", unjudged=True)
    right = judge(probe, answer)
    if right is None:
        return Score("no answer", name, "not judged: the judge gave no grade", unjudged=True)
    return Score("right" if right else "wrong", name, "as the judge says")


def expected_text(expected: Expected) -> str:
    """Write for a judge what an answer must be.

    Args:
        expected: Of a probe.
    """
    facts = " · ".join(f"{fact.path} = {fact.text}" if fact.path else fact.text for fact in expected.facts)
    return facts or ("that it is not known" if expected.must_abstain else "an answer to the question")


def _forbidden_said(expected: Expected, answer: str) -> Score | None:
    said = [fact for fact in expected.must_not_say if Matcher(fact).match(answer).sightings]
    return Score("wrong", "forbidden", f"it says “{said[0].text}”, which it must not") if said else None


def score(expected: Expected, answer: str) -> Score:
    """Judge an answer by looking at it.

    Args:
        expected: What it must be.
        answer: What the model said.

    Raises:
        ValueError: The scorer asks a model: :func:`score_answer`.
    """
    name = expected.scorer or default_scorer(expected)
    said = _forbidden_said(expected, answer)
    if said is not None:
        return said
    if name in JUDGED:
        raise ValueError(f"{name} asks a model as judge: use score_answer")
    if name != "abstain" and not answer.strip():
        return Score("no answer", name, "the answer is empty")
    return _SCORERS[name](expected, answer)


def default_scorer(expected: Expected) -> ScorerName:
    """Name the scorer that fits what is expected.

    Args:
        expected: Of a probe.
    """
    if expected.must_abstain:
        return "abstain"
    if not expected.facts:
        return "forbidden"
    if len(expected.facts) > 1:
        return "set_recall"
    kind = expected.facts[0].kind
    return _BY_KIND.get(kind, "value_match")


_BY_KIND: Final[Mapping[FactKind, ScorerName]] = {"text": "includes", "regex": "pattern", "json": "json_match"}


def abstains(answer: str) -> bool:
    """Say whether an answer admits not to know, or asks for what it should know.

    Args:
        answer: What the model said.
    """
    return bool(_ABSTAINS.search(answer))


def f1(expected: str, answer: str) -> float:
    """Give the harmonic mean of token precision and recall, 0 to 1; of Chinese each character is a token.

    Args:
        expected: What the answer should be.
        answer: What it is.
    """
    wanted, said = _tokens(expected), _tokens(answer)
    shared = sum((wanted & said).values())
    if not shared:
        return float(not wanted and not said)
    precision, recall = shared / sum(said.values()), shared / sum(wanted.values())
    return 2 * precision * recall / (precision + recall)


def _tokens(text: str) -> Counter[str]:
    return Counter(word for word in _WORD.findall(text.lower()) if word not in _ARTICLES)


def _from_match(match: Match, answer: str, name: ScorerName, wanted: str) -> Score:
    if match.sightings and match.state != "conflicting":
        return Score("right", name, f"it says “{match.sightings[0].text}”")
    if match.rivals:
        rival = match.rivals[0]
        return Score("repeats another value", name, f"it says “{rival.text}” ({rival.why}), not {wanted}")
    return _missing(answer, name, wanted)


def _missing(answer: str, name: ScorerName, wanted: str) -> Score:
    if abstains(answer):
        return Score("abstains", name, "it says that it does not know, or asks")
    return Score("wrong", name, f"it does not say {wanted}")


def _value_match(expected: Expected, answer: str) -> Score:
    fact = expected.facts[0]
    score = _from_match(Matcher(fact).match(answer), answer, "value_match", f"“{fact.text}”")
    if score.state != "wrong":
        return score
    # "The budget is 9,000": another value of the kind, and nothing else of it, is what the model took it for.
    others = _same_kind(fact, answer)
    return (
        Score("repeats another value", "value_match", f"it says “{others[0]}”, not “{fact.text}”") if others else score
    )


def _same_kind(fact: Fact, answer: str) -> list[str]:
    return [found.text for found in find_facts(answer, (fact.kind,))] if fact.kind in VALUE_KINDS else []


def _includes(expected: Expected, answer: str) -> Score:
    fact = expected.facts[0]
    return _from_match(Matcher(Fact("text", fact.text)).match(answer), answer, "includes", f"“{fact.text}”")


def _exact(expected: Expected, answer: str) -> Score:
    wanted = expected.facts[0].text
    same = _trimmed(answer) == _trimmed(wanted)
    return Score("right", "exact", "it is the same text") if same else _missing(answer, "exact", f"“{wanted}”")


def _match(expected: Expected, answer: str) -> Score:
    """As inspect_ai's ``match``: the answer ends with it."""
    wanted = expected.facts[0].text
    ends = _trimmed(answer).endswith(_trimmed(wanted))
    return Score("right", "match", f"it ends with “{wanted}”") if ends else _missing(answer, "match", f"“{wanted}”")


def _trimmed(text: str) -> str:
    return " ".join(text.lower().split()).strip(" .。!！?？\"'“”")


def _pattern(expected: Expected, answer: str) -> Score:
    fact = expected.facts[0]
    return _from_match(Matcher(Fact("regex", fact.text)).match(answer), answer, "pattern", fact_words(fact))


def _f1(expected: Expected, answer: str) -> Score:
    wanted = expected.facts[0].text
    value = f1(wanted, answer)
    if value >= F1_RIGHT:
        return Score("right", "f1", f"F1 {value:.2f}")
    missing = _missing(answer, "f1", f"“{wanted}”")
    return missing if missing.state == "abstains" else Score("wrong", "f1", f"F1 {value:.2f}, {F1_RIGHT} is asked for")


def _set_recall(expected: Expected, answer: str) -> Score:
    missed = [fact.text for fact in expected.facts if not Matcher(fact).match(answer).sightings]
    named = len(expected.facts) - len(missed)
    if not missed:
        return Score("right", "set_recall", f"all {named} are named")
    if not named and abstains(answer):
        return Score("abstains", "set_recall", "it says that it does not know, or asks")
    return Score("wrong", "set_recall", f"{named} of {len(expected.facts)} are named; missing: {', '.join(missed[:3])}")


def _json_match(expected: Expected, answer: str) -> Score:
    fact = expected.facts[0]
    return _from_match(Matcher(fact).match(answer), answer, "json_match", f"“{fact.path} = {fact.text}”")


def _abstain(expected: Expected, answer: str) -> Score:
    if not answer.strip() or abstains(answer):
        return Score("right", "abstain", "it says that it does not know, or asks")
    return Score("wrong", "abstain", "it answers what it cannot know")


def _forbidden(expected: Expected, answer: str) -> Score:
    return Score("right", "forbidden", "it says nothing of what it must not")


_SCORERS: Final[Mapping[ScorerName, Callable[[Expected, str], Score]]] = {
    "exact": _exact,
    "includes": _includes,
    "match": _match,
    "pattern": _pattern,
    "f1": _f1,
    "value_match": _value_match,
    "set_recall": _set_recall,
    "json_match": _json_match,
    "abstain": _abstain,
    "forbidden": _forbidden,
}
