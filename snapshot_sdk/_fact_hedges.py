"""Words around a value that make it another claim: about 8500, more than 8500, not 8500, and ranges."""

# ruff: noqa: E501 - lists of words are read as text; Chinese counts double there

from __future__ import annotations

from typing import Final

from snapshot_sdk._fact_patterns import later

_REACH: Final = 24
"""Characters before a value in which such a word may stand; the longest are "approximately the" and "no longer"."""

_BEFORE: Final = later(
    r"(?:"
    r"(?P<denied>(?:而|并)?(?:不再?是|不再|并非|而非|不为|别用|(?:不再|不用|无需|没有?|别|未)(?:收取?|付|花|要|给|支付|需要?)|没有|忽略|无视|跳过|不算|不在|不于|而不在|除了?(?=[^,，。;]{0,60}))|(?<![a-z])(?:is|was|are)?(?:n't| not)(?: the)?|(?<![a-z])not"
    r"|(?<![a-z])(?:no longer|instead of|rather than|other than|besides|except(?: for)?|excluding|apart from|(?:all|any|anything|everything|none|nothing) but|ignore|disregard|(?:the )?wrong (?:[a-z]+ ?)?[,:]?|incorrect(?:ly)?|but not))"
    r"|(?P<limit>不得?超过|不(?:能|可|要|应)超过|不多于|不高于|不大于|最多|至多"
    r"|(?<![a-z])(?:(?:not?|never) (?:be )?(?:more than|over|above|exceed(?:ing)?)|at most|up to|maximum(?: of)?))"
    r"|(?P<floor>至少|最少|最低|起码|不少于|不低于|不小于"
    r"|(?<![a-z])(?:at least|no (?:less|fewer) than|not (?:less|fewer) than|minimum(?: of)?|from|starting at)|≥|>=)"
    r"|(?P<more>不止|不只|何止|远超|逾|突破|高出|超过|超出|多于|大于|高于|超|(?<![a-z])(?:more than|over|above|exceeds?|exceeding|upwards of)|(?<![-=>])>)"
    r"|(?P<less>不到|不足|少于|小于|低于|未满|(?<![a-z])(?:less than|fewer than|under|below)|<)"
    r"|(?P<about>大?约|大概|大致|左右约|将?近|接近|差不多|估计"
    r"|(?<![a-z])(?:about|around|approximately|approx\.?|roughly|nearly|almost|close to|circa|some|ca\.)|[~≈])"
    r")[ :]?(?:的|为|是|在|有|a|the|(?:on|at|by|for|until|with|to)(?: the)?)? ?[\"'(]?\Z"
)
_AFTER: Final = later(
    r" ?(?:(?P<about>左右|上下|(?<![a-z])or so(?![a-z]))|(?P<floor>(?:起(?![床来飞诉])|以上|及以上)|(?:or|and) (?:more|above|up)"
    r"(?![a-z]))|(?P<more>开外|有余))"
)


_WRONG: Final = later(
    r"[\"')”’*]{0,3} ?(?:\((?:a )?(?:typo|wrong|mistake|error|笔误|错误?|有误)\)|(?:这个?|号|这一)?(?:订单|编号|数字|金额|日期|价格|说法)?(?:是|写|填|记)?(?:错的?|错误的?|不对|有误|作废|搞错|弄错)了?|(?:is|was|were|are|'s)(?: the)? (?:wrong|incorrect|mistaken|(?:[a-z]+ ){0,2}(?:by mistake|in error|mistakenly)|a mistake|a typo|an error|not (?:right|correct|it|the [a-z]+|what|ours?))(?![a-z])| (?:should|ought to) (?:be|read|have been) (?=[a-z¥$€£]{0,6}[-_]?[0-9])|应[为是该]{1,2} ?(?=[a-z¥$€£]{0,6}[-_]?[0-9])|(?:isn't|wasn't) (?:right|correct|it|the (?:right|correct))(?![a-z]))"
)
"""Behind a value: it was said in error."""
_ASKED: Final = later(r"[^。！？!?;；\n]{0,8}吗")
"""不是8000元吗 asks in order to say that it is."""


def hedge_of(text: str, start: int, end: int) -> tuple[str, int, int]:
    """Gives what the words around a value make of it, and the span with them.

    A limit (不超过8500元, up to 8,500) is none: the value is said, and it is exact; so is a question that expects a yes
    (不是8500元吗).

    Args:
        text: Folded.
        start: First character of the value.
        end: Character after its last.

    Returns:
        ``denied``, ``floor``, ``more``, ``less``, ``about`` or nothing; first and last character.
    """
    before = _BEFORE.search(text, max(0, start - _REACH), start) if start else None
    if before is not None:
        kind = before.lastgroup or ""
        begin = before.start() + len(before[0]) - len(before[0].lstrip())
        said = kind == "limit" or (kind == "denied" and _ASKED.match(text, end))
        return ("", start, end) if said else (kind, begin, end)
    if _WRONG.match(text, end):
        return "denied", start, end
    after = _AFTER.match(text, end)
    return (after.lastgroup or "", start, after.end()) if after else ("", start, end)


WHY: Final = {
    "denied": "it is denied",
    "floor": "at least that much",
    "more": "more than that",
    "less": "less than that",
    "about": "no longer exact",
    "past": "it is said of the past",
    "overturned": "its sentence takes it back",
}
"""What a hedge says, in words."""

RANGE: Final = later(r" ?(?:到|至|-|~|to|and|through|until|or|或者?) ?")
"""What stands between the two ends of a range."""
BETWEEN: Final = later(r"(?:between|从|from|介于|在) ?[¥$€£]?\Z")
"""What stands before a range that is joined by "and"."""
