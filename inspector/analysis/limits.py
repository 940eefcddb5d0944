"""Pinned rules that can be checked on an answer: a cap on its words, its language, forbidden marks and words."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from inspector.analysis.obedience import find_breach

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
LANGUAGE: Final = r"(?:chinese|english|中文|英[文语])"
EITHER_LANGUAGE: Final = re.compile(rf"{LANGUAGE}\s*(?:[,/、]|or|and|或者?|和|都|可以?)+\s*{LANGUAGE}", re.IGNORECASE)
"""A rule that names two languages demands neither."""
FRONTED: Final = re.compile(
    r"([^，,。；;：:\n]{1,20}?)(?:都|也|一律|就)?(不要|不许|不能|不得|不可以?|别|勿|禁止)(?=[用写出使带加])"
)
"""What is forbidden, said before the denial as Chinese likes to: ``一个感叹号都不要用``."""
CJK: Final = re.compile(r"[㐀-䶿一-鿿]")
WORDS: Final = re.compile(r"[^\W_]+(?:['’.,\-][^\W_]+)*")


class Broken(NamedTuple):
    """How an answer breaks a rule."""

    measured: str
    """What was found, as a predicate: ``has 2,013 words``."""


def check_answer(rule: str, answer: str) -> Broken | None:
    """Say how an answer breaks a rule that can be checked by looking.

    Args:
        rule: The pinned text.
        answer: Text of the answer.

    Returns:
        None: it does not, or the rule cannot be checked.
    """
    for cap, unit, name in ((CAP_WORDS, WORDS, "words"), (CAP_CHARACTERS, CJK, "characters")):
        if match := cap.search(rule):
            count = len(unit.findall(answer))
            if count > _number(match):
                return Broken(f"has {count:,} {name}")
    # A cap has been judged here, where 1,800 is one number.
    rest = CAP_CHARACTERS.sub(" ", CAP_WORDS.sub(" ", rule))
    breach = find_breach(FRONTED.sub(r"\2\1", EITHER_LANGUAGE.sub(" ", rest)), answer)
    return Broken(_as_predicate(breach)) if breach is not None else None


def _as_predicate(breach: str) -> str:
    """``it has a list``, ``not in Chinese`` and ``9 words, 5 are allowed`` as what an answer does."""
    if breach.startswith("it "):
        return breach.removeprefix("it ")
    return f"is {breach}" if breach.startswith("not ") else f"has {breach}"


def _number(cap: re.Match[str]) -> int:
    return int(next(group for group in cap.groups() if group).replace(",", ""))
