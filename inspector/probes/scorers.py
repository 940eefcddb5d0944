"""Scorers: whether an answer says what a probe expects. Named as the field names them; typed where the field is not."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from inspector.probes.answer_sense import abstains, asks_what_not, denies, leaves_open
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
        return score(probe.expected, answer, probe.question)
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


def score(expected: Expected, answer: str, question: str = "") -> Score:
    """Judge an answer by looking at it.

    Args:
        expected: What it must be.
        answer: What the model said.
        question: What it was asked: a value that stands in it is not made up.

    Raises:
        ValueError: The scorer asks a model: :func:`score_answer`.
    """
    name = expected.scorer or default_scorer(expected)
    said = _forbidden_said(expected, answer)
    if said is not None:
        return said
    if name in JUDGED:
        raise ValueError(f"{name} asks a model as judge: use score_answer")
    if not answer.strip():
        return Score("no answer", name, "the answer is empty")
    return _SCORERS[name](expected, answer, question)


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


def _from_match(match: Match, answer: str, name: ScorerName, wanted: str, question: str) -> Score:
    if match.sightings and match.state != "conflicting":
        if all(leaves_open(answer, one.start, one.end) for one in match.sightings):
            return Score("wrong", name, f"it names {wanted} and others, and leaves open which")
        return Score("right", name, f"it says “{match.sightings[0].text}”")
    if match.rivals:
        rival = match.rivals[0]
        return Score("repeats another value", name, f"it says “{rival.text}” ({rival.why}), not {wanted}")
    return _missing(answer, name, wanted, question)


def _missing(answer: str, name: ScorerName, wanted: str, question: str) -> Score:
    if abstains(answer, question):
        return Score("abstains", name, "it says that it does not know, or asks")
    return Score("wrong", name, f"it does not say {wanted}")


def _value_match(expected: Expected, answer: str, question: str) -> Score:
    fact = expected.facts[0]
    match = Matcher(fact).match(answer)
    score = _from_match(match, answer, "value_match", f"“{fact.text}”", question)
    if score.state != "wrong" or match.sightings:
        return score
    # "The budget is 9,000": another value of the kind, and nothing else of it, is what the model took it for.
    others = _same_kind(fact, answer)
    return (
        Score("repeats another value", "value_match", f"it says “{others[0]}”, not “{fact.text}”") if others else score
    )


def _same_kind(fact: Fact, answer: str) -> list[str]:
    return [found.text for found in find_facts(answer, (fact.kind,))] if fact.kind in VALUE_KINDS else []


def _includes(expected: Expected, answer: str, question: str) -> Score:
    fact = expected.facts[0]
    return _from_match(Matcher(Fact("text", fact.text)).match(answer), answer, "includes", f"“{fact.text}”", question)


def _exact(expected: Expected, answer: str, question: str) -> Score:
    wanted = expected.facts[0].text
    same = _trimmed(answer) == _trimmed(wanted)
    return (
        Score("right", "exact", "it is the same text") if same else _missing(answer, "exact", f"“{wanted}”", question)
    )


def _match(expected: Expected, answer: str, question: str) -> Score:
    """As inspect_ai's ``match``: the answer ends with it."""
    wanted = expected.facts[0].text
    ends = _trimmed(answer).endswith(_trimmed(wanted))
    return (
        Score("right", "match", f"it ends with “{wanted}”")
        if ends
        else _missing(answer, "match", f"“{wanted}”", question)
    )


def _trimmed(text: str) -> str:
    return " ".join(text.lower().split()).strip(" .。!！?？\"'“”")


def _pattern(expected: Expected, answer: str, question: str) -> Score:
    fact = expected.facts[0]
    match = Matcher(Fact("regex", fact.text)).match(answer)
    if match.sightings and not asks_what_not(question) and all(denies(answer, s.start, s.end) for s in match.sightings):
        return Score("wrong", "pattern", f"it denies {fact_words(fact)}")
    return _from_match(match, answer, "pattern", fact_words(fact), question)


def _f1(expected: Expected, answer: str, question: str) -> Score:
    wanted = expected.facts[0].text
    value = f1(wanted, answer)
    if value >= F1_RIGHT:
        return Score("right", "f1", f"F1 {value:.2f}")
    missing = _missing(answer, "f1", f"“{wanted}”", question)
    return missing if missing.state == "abstains" else Score("wrong", "f1", f"F1 {value:.2f}, {F1_RIGHT} is asked for")


def _set_recall(expected: Expected, answer: str, question: str) -> Score:
    missed = [fact.text for fact in expected.facts if not Matcher(fact).match(answer).sightings]
    named = len(expected.facts) - len(missed)
    if not missed:
        return Score("right", "set_recall", f"all {named} are named")
    if not named and abstains(answer, question):
        return Score("abstains", "set_recall", "it says that it does not know, or asks")
    return Score("wrong", "set_recall", f"{named} of {len(expected.facts)} are named; missing: {', '.join(missed[:3])}")


def _json_match(expected: Expected, answer: str, question: str) -> Score:
    fact = expected.facts[0]
    return _from_match(Matcher(fact).match(answer), answer, "json_match", f"“{fact.path} = {fact.text}”", question)


def _abstain(expected: Expected, answer: str, question: str) -> Score:
    if abstains(answer, question):
        return Score("right", "abstain", "it says that it does not know, or asks")
    return Score("wrong", "abstain", "it says what it cannot know")


def _forbidden(expected: Expected, answer: str, question: str) -> Score:
    return Score("right", "forbidden", "it says nothing of what it must not")


_SCORERS: Final[Mapping[ScorerName, Callable[[Expected, str, str], Score]]] = {
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
