"""Bounds of dates and times: "before March 5" is another value than "March 5"."""

# ruff: noqa: E501 - lists of words are read as text; Chinese counts double there

from __future__ import annotations

from typing import Final, NamedTuple

from snapshot_sdk._fact_patterns import later

_REACH: Final = 28
"""Characters before a date in which such a word may stand; the longest are "no later than" with a weekday behind."""
_BETWEEN: Final = r"(?: the)?(?: (?:end|start|close|morning|evening) of)?(?: the)?(?: [a-z]{3,9}day,?)? ?[\"'(*]{0,3}"
"""What may stand between the word and the date: a weekday, marks."""
_BEFORE: Final = later(
    r"(?:(?P<by>(?<![a-z])(?:by|up to|until|till|through|no later than|not later than|at the latest by|(?:on|at) or before)(?![a-z])|不晚于|不迟于|最晚|最迟|至迟)"
    r"|(?P<before>(?<![a-z])(?:before|prior to|earlier than|ahead of)(?![a-z])|早于)"
    r"|(?P<since>(?<![a-z])(?:since|(?:days?|weeks?|months?|years?|hours?|minutes?) from|from|starting(?: on| at| from)?|beginning(?: on| at)?|no (?:earlier|sooner) than|not earlier than|not before|(?:on|at) or after|(?:on|at) and after|as of|effective)(?![a-z])|不早于|最早|自从?)"
    r"|(?P<after>(?<![a-z])(?:after|later than|past|following)(?![a-z])|晚于|迟于)"
    r"|(?P<near>(?<![a-z])(?:within [a-z0-9 ]{1,16} of|close to|near)(?![a-z])|临近))"
    rf"{_BETWEEN}\Z"
)
_AFTER: Final = later(
    r"[\"'*]{0,3} ?(?:\((?:周|星期)[一二三四五六日天]\) ?)?(?:"
    r"(?P<by>(?:or|and) (?:earlier|before|sooner)(?![a-z])|at the latest(?![a-z])|(?:及|或|和)(?:之前|以前|更早)|(?:为止|截止(?!日)))"
    r"|(?P<before>(?:之前|以前|前(?!往|台|端|面|来|去|后|天|夜|一|提|景|列)))"
    r"|(?P<since>(?:or|and|on) (?:later|after|onwards?)(?![a-z])|onwards?(?![a-z])|at the earliest(?![a-z])|(?:及|或|和)(?:之后|以后|更晚)|以来|起(?![床来飞诉草点码]))"
    r"|(?P<near>前后|上下|左右)"
    r"|(?P<after>(?:之后|以后|后(?!台|端|面|来|天|续|勤|果|悔|半))))"
)
_BLOCKS: Final = frozenset(("from", "effective", "starting", "as of", "beginning"))
"""Words after which a date also is one: only "from … on" bounds it."""
_ON: Final = later(r"[\"'*]{0,3} ?(?:onwards?(?![a-z])|forward(?![a-z])|on(?=\s*(?:[.,;:!?)]|\Z)))")
_DUE: Final = later(
    r"(?<![a-z])(?:due|deadline|latest|expir(?:y|es?)|ends?|closes?|closing|cut-?off|delivery|deliver_by)|截止|截至|期限|最迟|最晚|到期|交期|交付|送达|deadline|due"
)
"""Beside such a word a plain date is the last day that is meant."""
_START: Final = later(
    r"(?<![a-z])(?:starts?|starting|start_date|begins?|beginning|launch(?:es|ed)?|opens?|opening|effective|valid_from|available|goes live|from)(?![a-z])|开始|上市|开售|上线|生效|起始|开放|启用|发售|开业|开张|复工"
)
"""Beside such a word it is the first."""
_DUE_REACH: Final = 32
"""Characters before a plain date in which such a word may stand."""
_DUE_BEHIND: Final = 8
"""Characters behind it: 10月8日上市."""
_WORDS_OF: Final = {"by": _DUE, "before": _DUE, "since": _START}
"""Words by which a plain date says a bound."""


_SHIFTED: Final = later(
    r"[\"'*]{0,3} ?(?:(?:的|之)?(?:前|后|次|第二)(?:[一两二三]?[天日周]|夕)|(?:的|之)?(?:当周|前夕|翌日)|(?:是|就|都|也)?(?:不行|不可|不成|不合适|不方便|没空|没戏|排不开|休息|除外)"
    r"|(?:当[天日]|那天|这天)?(?:的[一-鿿]{1,4})?(?:已|都|就|也|暂)?(?:不|没|取消|改期|推迟|延期|顺延|作废)"
    r"|(?:was|is|got|has been|were) (?:cancell?ed|off|moved|postponed|rescheduled|changed|dropped|ruled out|called off)(?![a-z])"
    r"|(?:(?:does|do|did|is|was|will|would|can|could)(?: not|n't)|no longer|cannot|won't|can't)(?! (?:only|just|before|until))(?![a-z]))"
)
"""Behind a date: another day is meant, or it is said of the day that it will not do."""


def is_shifted(text: str, end: int) -> bool:
    """Tells whether words behind a date or time mean another one or deny it: 3月5日的前一天, March 5 does not work.

    Args:
        text: Folded.
        end: Character after its last.
    """
    return _SHIFTED.match(text, end) is not None


class Bound(NamedTuple):
    """A bound of a date or a time, and its span with the words that set it."""

    kind: str
    """``by``, ``before``, ``since``, ``after``, ``near``; empty: it is none."""
    start: int
    end: int


def bound_of(text: str, start: int, end: int) -> Bound:
    """Gives the bound that a date or a time is.

    Args:
        text: Folded.
        start: First character of it.
        end: Character after its last.
    """
    before = _BEFORE.search(text, max(0, start - _REACH), start) if start else None
    after = _AFTER.match(text, end)
    if before is not None and not _names(text, before.end(), start, end):
        kind = before.lastgroup or ""
        word = before[kind]
        if not any(word.startswith(one) for one in _BLOCKS):
            return Bound(kind, before.start(kind), after.end() if after is not None else end)
        if (on := _ON.match(text, end)) is not None:
            return Bound(kind, before.start(kind), on.end())
    if after is not None:
        return Bound(after.lastgroup or "", start, after.end())
    return Bound("", start, end)


_A_TIME: Final = later(r"[0-9]:[0-9]|[0-9] ?[ap]\.?m")


def _names(text: str, before: int, start: int, end: int) -> bool:
    """Tells whether an hour is the name of something: "since the 14:00 rollout"."""
    return text.endswith("the ", 0, start) and before == start and _A_TIME.search(text, start, end) is not None


def same_bound(wanted: str, other: Bound, text: str) -> bool:
    """Tells whether two bounds are one.

    A plain date beside "due" or 截止 is the last day of "by" and "before", one beside "starts" or 上市 the first of "since".

    Args:
        wanted: The one that is looked for.
        other: The one that stands in the text.
        text: Folded.
    """
    if wanted == other.kind:
        return True
    if other.kind or wanted not in _WORDS_OF:
        return False
    return _WORDS_OF[wanted].search(text, max(0, other.start - _DUE_REACH), other.end + _DUE_BEHIND) is not None


WHY_BOUND: Final = {
    "by": "it is a last day or hour, not the day or hour itself",
    "before": "before it, not then",
    "since": "from then on, not then",
    "after": "after it, not then",
    "near": "no longer exact",
    "": "its “before” or “after” is gone",
}
"""What a bound says, in words."""
