"""Whether an answer breaks a rule, for the rules that can be checked by looking: language, length, marks, words."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

CJK: Final = re.compile(r"[㐀-鿿]")
LATIN_WORD: Final = re.compile(r"[A-Za-z]{2,}")
CODE: Final = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`|https?://\S+|^\w+\(\{.*?\}\)$", re.DOTALL | re.MULTILINE)
"""What is in no language, tool calls among it: it counts for none."""

MOSTLY: Final = 0.5
"""Share of an answer's words (a Chinese character counts as half of one) from which it is in that language."""
FEWEST: Final = 3
"""Words of the other language below which an answer breaks no rule of language: names are allowed."""

_CHINESE: Final = re.compile(
    r"(?:只|仅|都|统一|一律|请|务必|必须)[^，。！？\n]{0,8}(?:中文|汉语|简体)|(?:用|以|使用|说)(?:中文|汉语|简体中文)"
    r"|(?<![a-z])(?:only|always|must|please|answer|reply|respond|write|speak)[^.!?\n]{0,40}(?<![a-z])(?:in )?chinese"
)
_ENGLISH: Final = re.compile(
    r"(?:只|仅|都|统一|一律|请|务必|必须)[^，。！？\n]{0,8}(?:英文|英语)|(?:用|以|使用|说)(?:英文|英语)"
    r"|(?<![a-z])(?:only|always|must|please|answer|reply|respond|write|speak)[^.!?\n]{0,40}(?<![a-z])(?:in )?english"
)
_NOT: Final = re.compile(r"不|别|勿|禁止|避免|(?<![a-z])(?:not|never|no|don't|avoid|without)(?![a-z])")
_MARKS: Final = (
    (re.compile(r"感叹号|exclamation (?:marks?|points?)"), re.compile(r"[!！]"), "an exclamation mark"),
    (re.compile(r"问号|question marks?"), re.compile(r"[?？]"), "a question mark"),
    (re.compile(r"表情(?:符号)?|emojis?"), re.compile(r"[\U0001F300-\U0001FAFF☀-➿]"), "an emoji"),
    (re.compile(r"列表|项目符号|bullet (?:points?|lists?)"), re.compile(r"^\s*(?:[-*•]|\d+[.、)])\s", re.M), "a list"),
    (re.compile(r"表格|(?<![a-z])tables?(?![a-z])"), re.compile(r"^\s*\|.*\|\s*$", re.M), "a table"),
    (re.compile(r"破折号|em[ -]dash(?:es)?"), re.compile("—"), "a dash"),
)
_QUOTED: Final = re.compile(r"[“\"「『]([^”\"」』\n]{1,40})[”\"」』]")
_NEARBY: Final = 40
"""Characters before a quoted word in which it may be forbidden."""
_STOP: Final = re.compile(r"[。！？!?;；\n]|\.\s")
_SAY: Final = re.compile(r"说|提|使用|用|出现|称呼|say|use|mention|write|call")
_AT_MOST: Final = re.compile(
    r"(?:不超过|最多|至多|不多于|控制在|within|at most|no more than|up to|maximum(?: of)?|under)\s*(\d{1,5})\s*"
    r"(个?字|words?|characters?|sentences?|句)"
    r"|(\d{1,5})\s*(个?字|词|句|words?|characters?|sentences?)\s*(?:以内|之内|以下|or (?:less|fewer)|max)"
)
_SENTENCE: Final = re.compile(r"[^。！？.!?\n]*[^。！？.!?\s][^。！？.!?\n]*(?:[。！？!?\n]+|\.(?=\s|\Z)|\Z)")


def find_breach(rule: str, answer: str) -> str | None:
    """Say how an answer breaks a rule.

    Args:
        rule: Text of the rule, Chinese or English.
        answer: Text of the answer.

    Returns:
        What is wrong, in words; None: nothing that can be seen. Most rules cannot be checked by looking: None does
        not mean that they were kept.
    """
    if not answer.strip():
        return None
    said = rule.lower()
    return next((broken for check in _CHECKS if (broken := check(said, answer)) is not None), None)


def can_check(rule: str) -> bool:
    """Say whether a rule is of a kind that can be checked by looking at an answer.

    Args:
        rule: Text of the rule.
    """
    said = rule.lower()
    return bool(_language(said) or _AT_MOST.search(said) or (_NOT.search(said) and (_forbidden(said) or _quoted(said))))


def _check_language(rule: str, answer: str) -> str | None:
    wanted = _language(rule)
    if wanted is None:
        return None
    text = CODE.sub(" ", answer)
    chinese, english = len(CJK.findall(text)) / 2, len(LATIN_WORD.findall(text))
    other = english if wanted == "Chinese" else chinese
    if other < FEWEST or other <= MOSTLY * (chinese + english):
        return None
    return f"not in {wanted}"


def _language(rule: str) -> str | None:
    for clause in re.split(r"[，,。；;\n]", rule):
        for name, pattern in (("Chinese", _CHINESE), ("English", _ENGLISH)):
            match = pattern.search(clause)
            if match and not _NOT.search(clause[: match.end()]):
                return name
    return None


def _check_marks(rule: str, answer: str) -> str | None:
    if not _NOT.search(rule):
        return None
    text = CODE.sub(" ", answer)
    return next((f"it has {name}" for mark, name in _forbidden(rule) if mark.search(text)), None)


def _forbidden(rule: str) -> list[tuple[re.Pattern[str], str]]:
    found = []
    for clause in re.split(r"[，,。；;\n]", rule):
        denial = _NOT.search(clause)
        if denial:
            found += [(mark, name) for word, mark, name in _MARKS if word.search(clause, denial.end())]
    return found


def _check_words(rule: str, answer: str) -> str | None:
    text = answer.lower()
    return next((f"it says “{word}”" for word in _quoted(rule) if word in text), None)


def _quoted(rule: str) -> list[str]:
    """Words in quotation marks that a rule forbids to say."""
    found = []
    for match in _QUOTED.finditer(rule):
        before = _STOP.split(rule[max(0, match.start() - _NEARBY) : match.start()])[-1]
        denial = _NOT.search(before)
        if denial and _SAY.search(before, denial.end()):
            found.append(match[1])
    return found


def _check_length(rule: str, answer: str) -> str | None:
    match = _AT_MOST.search(rule)
    if match is None:
        return None
    most, unit = int(match[1] or match[3]), match[2] or match[4]
    if "字" in unit or unit.startswith("character"):
        count, name = len(re.sub(r"\s", "", answer)), "characters"
        if "字" in unit:  # a word in Latin letters counts as one 字, as word processors count
            count = len(CJK.findall(answer)) + len(LATIN_WORD.findall(answer))
    elif unit.startswith("sentence") or unit == "句":
        count, name = len(_SENTENCE.findall(answer.strip())), "sentences"
    else:
        count, name = len(re.findall(r"[A-Za-z0-9'’-]+", answer)) + len(CJK.findall(answer)), "words"
    return f"{count:,} {name}, {most:,} are allowed" if count > most else None


_CHECKS: Final[tuple[Callable[[str, str], str | None], ...]] = (
    _check_language,
    _check_marks,
    _check_words,
    _check_length,
)
