"""Questions for what a draft found, in the language of what was said: Chinese or English."""

from __future__ import annotations

import re
from typing import Final

from inspector.analysis.answers import BEFORE, FILLERS
from inspector.analysis.commitments import LIMITS
from inspector.probes.probe import Expected
from snapshot_sdk.facts import Fact, FactKind, find_facts

_CJK: Final = re.compile(r"[㐀-鿿]")
_LATIN: Final = re.compile(r"[A-Za-z]{2,}")
_LANGUAGE: Final = (
    (re.compile(r"中文|汉语|(?<![a-z])chinese(?![a-z])", re.IGNORECASE), "中文|汉语|(?i:chinese)"),
    (re.compile(r"英文|英语|(?<![a-z])english(?![a-z])", re.IGNORECASE), "英文|英语|(?i:english)"),
)
_ANSWER: Final = re.compile(
    r"回答|回复|说话|沟通|交流|用(?:中文|英文|英语)|(?<![a-z])(?:answer|reply|respond|write|speak)", re.IGNORECASE
)
_DENIED: Final = re.compile(r"不要|不得|不能|不许|不准|别|禁止|(?<![a-z])(?:never|not|don't)(?![a-z])", re.IGNORECASE)
"""It says which language it must not be."""
_COUNTED: Final[tuple[FactKind, ...]] = ("money", "percent", "duration", "number", "date", "time")
_NOUN_CJK: Final = re.compile(r"([㐀-䶿一-鿿]{2,8}?)\s*(是|为|:|：|=)?\s*[「“\"]?$")
_NOUN_ENGLISH: Final = re.compile(
    r"((?:[a-z]+ ){0,2}[a-z]+)\s+(?:is|was|no\.?|number|id|#)\s*[#:(\"]*\s*$", re.IGNORECASE
)
"""What stands right before a value and names it; in English only with a word that says so."""
_UNNAMED: Final = frozenset({"money", "id", "phone"})
"""Kinds that a Chinese noun names without a word between: 总预算8000元. A date after a noun says when, not what."""
_FEWEST: Final = 6
"""Letters and Chinese characters around a blank that make it a fair question."""
_AROUND: Final = 48
"""Characters left and right of a blank."""
_LEADING: Final = "我你您他她它的这那此本把将"


def is_chinese(text: str) -> bool:
    """Tell whether a text is rather Chinese than English.

    Args:
        text: Any text.
    """
    return len(_CJK.findall(text)) / 2 >= max(1, len(_LATIN.findall(text)))


def ask_about_rule(rule: str, chinese: bool | None = None) -> tuple[str, Expected]:
    """Ask for a rule without saying it.

    A rule on the language is asked for by that name, one with a single figure by its blank, every other one as a rule.

    Args:
        rule: Text of the rule.
        chinese: In Chinese; else in English; None: as the rule is.

    Returns:
        The question, and what the answer must say.
    """
    chinese = is_chinese(rule) if chinese is None else chinese
    named = [pattern for word, pattern in _LANGUAGE if word.search(rule)]
    if len(named) == 1 and _ANSWER.search(rule) and not _DENIED.search(rule):
        question = "应该用哪种语言回答用户？" if chinese else "Which language must the answers to the user be in?"
        return question, Expected((Fact("regex", named[0]),))
    figures = find_facts(rule, _COUNTED)
    if len(figures) == 1 and (figures[0].kind != "number" or LIMITS.search(rule)):
        return _blank(rule, figures[0].start, figures[0].end, chinese), Expected((figures[0].fact,))
    if chinese:
        question = "有哪些必须遵守的要求和限制？请逐条照原话列出。"
    else:
        question = "Which rules and limits must be kept here? List each of them word for word."
    return question, Expected((Fact("rule", rule),))


def ask_about_value(fact: Fact, sentence: str, chinese: bool | None = None) -> str:
    """Ask for a value by the word that names it, else by a blank in what was said.

    Args:
        fact: The value.
        sentence: What it stands in.
        chinese: In Chinese; else in English; None: as the sentence is.
    """
    chinese = is_chinese(sentence) if chinese is None else chinese
    start = sentence.find(fact.text)
    if start < 0:
        found = find_facts(sentence, (fact.kind,))
        if not found:
            return _by_anchor(fact, chinese)
        start, end = found[0].start, found[0].end
    else:
        end = start + len(fact.text)
    noun = _noun(sentence[max(0, start - BEFORE) : start], fact.kind)
    if noun is None:
        return _by_anchor(fact, chinese) if sentence.strip() == fact.text else _blank(sentence, start, end, chinese)
    named = noun if is_chinese(noun) == chinese else f"“{noun}”"
    if chinese:
        return f"{named}{'是哪一天' if fact.kind == 'date' else '是多少'}？"
    return f"What is {'the ' if named == noun else ''}{named}?"


def ask_about_state(key: str, chinese: bool) -> str:
    """Ask for a value of the state.

    Args:
        key: Its key.
        chinese: In Chinese; else in English.
    """
    if chinese:
        return f"任务状态里的“{key}”现在是什么？"
    return f"What is “{key.replace('_', ' ')}” at this point of the task?"


def ask_for_goal(chinese: bool) -> str:
    """Ask what the whole is about.

    Args:
        chinese: In Chinese; else in English.
    """
    return "用户最初想要完成什么？" if chinese else "What did the user want to get done in the first place?"


def _by_anchor(fact: Fact, chinese: bool) -> str:
    named = " ".join(fact.anchors[-2:])
    if chinese:
        return f"{named or '前面确认过的那个编号或数值'}是多少？"
    return f"What is the {named or 'number or value that was agreed'}?"


def _noun(before: str, kind: FactKind) -> str | None:
    """The word that stands right before a value and names it; None: none does."""
    chinese = _NOUN_CJK.search(before)
    if chinese is not None:
        noun = chinese[1].rpartition("的")[2].lstrip(_LEADING)
        named = chinese[2] is not None or kind in _UNNAMED
        return noun if named and 2 <= len(noun) <= 6 else None
    english = _NOUN_ENGLISH.search(before)
    if english is None:
        return None
    words = english[1].lower().split()
    at = max((n for n, word in enumerate(words) if word in FILLERS), default=-1)
    number = re.search(r"\b(number|id)\b\W*$", before, re.IGNORECASE)
    return " ".join([*words[at + 1 :], *([number[1].lower()] if number else [])]) or None


def is_fair(question: str) -> bool:
    """Tell whether a question with a blank says enough to be answered; one without is.

    Args:
        question: As drafted here.
    """
    quoted = question.partition("“")[2]
    return "____" not in quoted or len(re.findall(r"[^\W_]", quoted)) >= _FEWEST


def _blank(sentence: str, start: int, end: int, chinese: bool) -> str:
    before, after = sentence[max(0, start - _AROUND) : start], sentence[end : end + _AROUND]
    text = f"{'…' if start > _AROUND else ''}{before}____{after}{'…' if len(sentence) > end + _AROUND else ''}"
    text = " ".join(text.split())
    if chinese:
        return f"前面说过的这句话里，空白处是什么？“{text}”"
    return f"What belongs in the blank of what was said earlier? “{text}”"
