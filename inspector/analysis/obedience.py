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
_EITHER: Final = re.compile(
    r"(?P<one>chinese|english|中文|汉语|英[文语])\s*(?:[,/、，]\s*|(?:or|and|或者?|和|都|可以?)\s*)+(?:in |用)?"
    r"(?!(?P=one))(?:chinese|english|中文|汉语|英[文语])"
)
"""A rule that names both languages demands neither."""
_NOT: Final = re.compile(
    r"(?:不(?!仅|只|但|同|错|过)|别|勿|禁[止用]|避免|(?<![a-z])(?:not|never|no|don't|avoid|without)(?![a-z]))"
    r"(?!(?:要|能|得|可以?|许)?(?:超过|多于|忘|漏|省)| (?:be )?(?:more than|exceed|fewer|less|only|forget|omit|skip))"
)
"""A limit (不要超过三个感叹号) and a reminder (don't forget the table) forbid nothing."""
_FRONTED: Final = re.compile(
    r"[都也请就一律概绝对切全部统]{0,6}(?:不要|不许|不准|不能|不得|不可以?|不用|别|勿|禁止|禁用|避免)"
    r"(?=使?用(?![错得])|[写出带加有放说]|\s*$)"
    r"|\s+(?:(?:is|are|must|should|may|can|shall|will|to)\s+){0,2}"
    r"(?:(?:not|never)\s+(?:be\s+)?(?:allowed|used|permitted|wanted|welcome|ok)|(?:be\s+)?(?:forbidden|prohibited|banned|avoided))"
)
"""What denies the mark that was named before it: 一个感叹号都不要用, exclamation marks are not allowed."""
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
_NUMBER: Final = r"(\d{1,3}(?:,\d{3})+|\d{1,6})"
_UNIT: Final = r"(个?字符?(?![节段体母幕])|词|words?|characters?|sentences?|句)"
_AT_MOST: Final = re.compile(
    rf"(?:不(?:要|得|能|可|可以|应|许)?超过|最多|至多|不多于|控制在|限制?在|少于"
    rf"|(?<![a-z])(?:within|at\s+most|(?:no|never|not)\s+(?:be\s+)?(?:more|longer)\s+than|(?:not|never)\s+exceed|up\s+to"
    rf"|max(?:imum)?(?:\s+of)?|under|below|(?:fewer|less)\s+than|limit(?:ed)?\s+(?:of|to)))\s*(?<![\d,]){_NUMBER}\s*{_UNIT}"
    rf"|(?<![\d,.]){_NUMBER}\s*{_UNIT}\s*(?:以内|之内|以下|内|at\s+most|or\s+(?:less|fewer|under)|max)"
)
_WORD: Final = re.compile(r"[^\W_㐀-鿿]+(?:['’.,-][^\W_㐀-鿿]+)*|[㐀-鿿]")
"""1,800 and well-known are one; a Chinese character counts as one, as word processors count."""
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
    return bool(_language(said) or _AT_MOST.search(said) or _forbidden(said) or _quoted(said))


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
    for clause in _clauses(_EITHER.sub(" ", rule)):
        for name, pattern in (("Chinese", _CHINESE), ("English", _ENGLISH)):
            match = pattern.search(clause)
            if match and not _NOT.search(clause[: match.end()]):
                return name
    return None


def _check_marks(rule: str, answer: str) -> str | None:
    text = CODE.sub(" ", answer)
    return next((f"it has {name}" for mark, name in _forbidden(rule) if mark.search(text)), None)


def _forbidden(rule: str) -> list[tuple[re.Pattern[str], str]]:
    found = []
    for clause in _clauses(rule):
        denial = _NOT.search(clause)
        for word, mark, name in _MARKS:
            fronted = any(_FRONTED.match(clause, named.end()) for named in word.finditer(clause))
            if fronted or (denial and word.search(clause, denial.end())):
                found.append((mark, name))
    return found


def _clauses(rule: str) -> list[str]:
    return re.split(r"[，,。；;！!\n]|\.(?=\s|\Z)", rule)


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
    most, unit = int((match[1] or match[3]).replace(",", "")), match[2] or match[4]
    if "字" in unit or unit.startswith("character"):
        count, name = len(re.sub(r"\s", "", answer)), "characters"
        if unit in ("字", "个字"):  # a word in Latin letters counts as one 字, as word processors count
            count = len(CJK.findall(answer)) + len(LATIN_WORD.findall(answer))
    elif unit.startswith("sentence") or unit == "句":
        count, name = len(_SENTENCE.findall(answer.strip())), "sentences"
    else:
        count, name = len(_WORD.findall(answer)), "words"
    return f"{count:,} {name}, {most:,} are allowed" if count > most else None


_CHECKS: Final[tuple[Callable[[str, str], str | None], ...]] = (
    _check_language,
    _check_marks,
    _check_words,
    _check_length,
)
