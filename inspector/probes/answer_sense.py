"""What an answer does, apart from its words: admits not to know, asks, makes something up, guesses, denies."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from snapshot_sdk.facts import VALUE_KINDS, find_facts

_ADMITS: Final = re.compile(
    r"不知道|不清楚|不确定|不记得|没有(?:提到|提及|说|提供|给出|相关|这方面|记录|找到)|没(?:提到|提过|说过|找到)"
    r"|未(?:曾)?(?:提及|提到|提供|说明|找到)|无法(?:确定|得知|回答|提供|确认)|没法(?:确定|知道|回答)"
    r"|(?:您|你)(?:还)?没(?:有)?(?:告诉|提供|说)"
    r"|(?<![a-z])(?:(?:do not|don't|don’t|cannot|can't|can’t|couldn't|could not) (?:know|see|find|have|recall|remember"
    r"|determine|tell|access|answer)"
    r"|not (?:sure|mentioned|provided|specified|available|known|stated|given|in (?:the|this|our))"
    r"|(?:never|n't|n’t) (?:told|mentioned|provided|said|been (?:told|mentioned|given))"
    r"|no (?:information|mention|record|idea)|unknown|unsure|n/a)(?![a-z])",
    re.IGNORECASE,
)
"""It says that it does not know."""
_ASKS: Final = re.compile(
    r"请(?:您|你)?(?:再次|重新|先)?(?:提供|告诉|告知|发(?:给)?)(?!我?(?:们)?(?:是否|要不要|可否|能否|接下来|下一步))"
    r"|(?<![a-z])(?:(?:could|can|would|will) you (?:please )?(?:provide|tell|share|give|send)"
    r"|please (?:provide|share|tell|send|give)"
    r"|(?:could|can|would) you (?:please )?(?:confirm|remind me of) (?:your|the|which|what)"
    r"|(?:what|which) (?:is|are|was) (?:your|the))(?![a-z])",
    re.IGNORECASE,
)
"""It asks for what it should know; whether it may go on is another question."""
_NEEDS: Final = re.compile(
    r"需要|麻烦|抱歉|对不起|您好|你好|好的|才能|以便|请问|[?？]\s*$"
    r"|(?<![a-z])(?:need|require|help|sorry|apolog|thank|hello|hi|of course|sure|happy to|let me know)",
    re.IGNORECASE,
)
"""A sentence beside a question that states nothing."""
_CLAUSE: Final = re.compile(
    r"(?:[。！!;；\n]+|[?？]+|\.(?=\s|$)|,?\s*(?<![a-z])(?:but|however|though|although|perhaps|maybe|probably|possibly"
    r"|likely)(?![a-z])|[，,]?\s*(?:但是?|不过|然而|可能|也许|大概|或许|应该是|估计))",
    re.IGNORECASE,
)
"""Where one statement ends: what follows a "but" or a "maybe" is said all the same."""
_OPEN: Final = r"(?:or|或者?|还是|/)"
_LATER: Final = re.compile(
    rf"^\s*[,，、]?\s*{_OPEN}\s*(?:maybe |perhaps |可能是?|也许是?)?[^\s,，。.]*\d", re.IGNORECASE
)
_BEFORE: Final = re.compile(
    rf"\d[^\s,，。.]*\s*[,，、]?\s*{_OPEN}\s*(?:maybe |perhaps |可能是?|也许是?)?$", re.IGNORECASE
)
"""Another value that the answer leaves open beside the right one."""
_DENIES: Final = re.compile(
    r"不要|不得|不能|不许|不准|不可以?|不用|(?<![特分区个级类差辨告])别|禁止|勿|不是|并非"
    r"|(?<![a-z])(?:not(?! only)|never|no|without|avoid|cannot|[a-z]+n['’]t)(?![a-z])",
    re.IGNORECASE,
)
_EXCEPT: Final = re.compile(r"以外|之外|除了?|(?<![a-z])(?:except|other than|anything but|but)(?![a-z])", re.IGNORECASE)
"""It denies all but what is named."""
_TURN: Final = re.compile(r"[,，.。;；:：!！?？\n]|而是|而要|(?<![a-z])(?:but|rather|instead)(?![a-z])", re.IGNORECASE)
"""Where a denial ends."""


def abstains(answer: str, question: str = "") -> bool:
    """Say whether an answer admits not to know, or asks for what it should know, and makes nothing up beside.

    Args:
        answer: What the model said.
        question: What it was asked; a value that stands in it is not made up.
    """
    admits = bool(_ADMITS.search(answer))
    if not admits and not _ASKS.search(answer):
        return False
    known = {word for found in find_facts(question, VALUE_KINDS) for word in (found.key, found.text)}
    for clause in _clauses(answer):
        if _ADMITS.search(clause):
            continue
        values = find_facts(clause, VALUE_KINDS)
        if any(found.key not in known and found.text not in known for found in values):
            return False
        if not admits and not (_ASKS.search(clause) or _NEEDS.search(clause)):
            return False
    return True


def _clauses(answer: str) -> Iterator[str]:
    start = 0
    for match in _CLAUSE.finditer(answer):
        # A mark that ends a sentence belongs to it, a word that begins the next to the next.
        mark = match.end() if match[0].strip()[:1] in "?？" else match.start()
        if answer[start:mark].strip(" ,，.。"):
            yield answer[start:mark]
        start = match.end()
    if answer[start:].strip(" ,，.。"):
        yield answer[start:]


def leaves_open(answer: str, start: int, end: int) -> bool:
    """Say whether an answer names other values beside the right one and leaves open which it is.

    Args:
        answer: What the model said.
        start: Where the right one stands.
        end: Its end.
    """
    return bool(_LATER.search(answer[end:]) or _BEFORE.search(answer[:start]))


def denies(answer: str, start: int, end: int) -> bool:
    """Say whether an answer denies what stands at a place: 不要用中文, never in Chinese.

    Args:
        answer: What the model said.
        start: Where it stands.
        end: Its end.
    """
    turns = [match.end() for match in _TURN.finditer(answer, 0, start)]
    before = answer[turns[-1] if turns else 0 : start]
    following = _TURN.search(answer, end)
    after = answer[end : following.start() if following else len(answer)]
    if not _DENIES.search(before):
        return False
    return not (_EXCEPT.search(before) or _EXCEPT.search(after))


def asks_what_not(question: str) -> bool:
    """Say whether a question asks for what must not be: its answer may say so.

    Args:
        question: What is asked.
    """
    return bool(_DENIES.search(question))
