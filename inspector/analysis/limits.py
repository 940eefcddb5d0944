"""Pinned rules that can be checked by counting: a cap on the words of an answer, its language."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

NUMBER: Final = r"(\d{1,3}(?:,\d{3})+|\d{1,6})"
CAP_WORDS: Final = re.compile(
    rf"\b(?:at\s+most|no\s+more\s+than|never\s+more\s+than|not\s+more\s+than|under|below|up\s+to|within|max(?:imum)?"
    rf"(?:\s+of)?|limit(?:ed)?\s+(?:of|to)|not\s+exceed)\s+{NUMBER}\s+words?\b"
    rf"|\b{NUMBER}\s+words?\s+(?:at\s+most|or\s+(?:less|fewer)|max(?:imum)?)\b",
    re.IGNORECASE,
)
CAP_CHARACTERS: Final = re.compile(
    rf"(?:不超过|不要超过|不得超过|不能超过|最多|至多|控制在|限制在|少于)\s*{NUMBER}\s*个?字|{NUMBER}\s*个?字\s*(?:以内|之内|以下|内)"
)
CHINESE_ONLY: Final = re.compile(
    r"(?:只|全程|必须|请|都)用中文|\b(?:only\s+in\s+chinese|in\s+chinese\s+only)\b", re.IGNORECASE
)
ENGLISH_ONLY: Final = re.compile(
    r"(?:只|全程|必须|请|都)用英[文语]|\b(?:only\s+in\s+english|in\s+english\s+only)\b", re.IGNORECASE
)
CJK: Final = re.compile(r"[㐀-䶿一-鿿]")
LATIN: Final = re.compile(r"[A-Za-z]+")
WORDS: Final = re.compile(r"[^\W_]+(?:['’.,\-][^\W_]+)*")
FEWEST: Final = 20
"""Words below which the language of an answer is not judged: it may be names only."""
FOREIGN: Final = 0.1
"""Share of the demanded language's words under which an answer is in another language."""


class Broken(NamedTuple):
    """How an answer breaks a rule."""

    measured: str
    """What was found, as a predicate: ``has 2,013 words``."""


def check_answer(rule: str, answer: str) -> Broken | None:
    """Say how an answer breaks a rule that can be counted; None: it does not, or the rule cannot be counted.

    Args:
        rule: The pinned text.
        answer: Text of the answer.
    """
    cap = CAP_WORDS.search(rule)
    if cap:
        count = len(WORDS.findall(answer))
        return Broken(f"has {count:,} words") if count > _number(cap) else None
    cap = CAP_CHARACTERS.search(rule)
    if cap:
        count = len(CJK.findall(answer))
        return Broken(f"has {count:,} characters") if count > _number(cap) else None
    chinese, latin = len(CJK.findall(answer)), len(LATIN.findall(answer))
    if chinese + latin < FEWEST:
        return None
    if CHINESE_ONLY.search(rule) and chinese < FOREIGN * (chinese + latin):
        return Broken("is not in Chinese")
    if ENGLISH_ONLY.search(rule) and latin < FOREIGN * (chinese + latin):
        return Broken("is not in English")
    return None


def _number(cap: re.Match[str]) -> int:
    return int(next(group for group in cap.groups() if group).replace(",", ""))
