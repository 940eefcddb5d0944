"""A value that another one of its kind behind it succeeds: moved from Monday to Friday; 周六不行，改周日; $4,200 -> $5,000."""

# ruff: noqa: E501 - lists of words are read as text; Chinese counts double there

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from typing import Final, NamedTuple

from snapshot_sdk._fact_patterns import later

_REACH: Final = 48
"""Characters behind a value, in its sentence, in which its successor may begin."""
_NEAR: Final = 40
"""Characters before a value that are read."""
_STOP: Final = later(r"[。!?\n]|\.(?=\s|$)")
_END: Final = r"[\"'(*]{0,2}[¥$€£]?\Z"
_ARROW: Final = later(rf"(?:->|=>|→|⇒|➜|➔|>>) ?{_END}")
_INTO: Final = later(
    rf"[\"'”’)*]{{0,2}}(?: (?![a-z ]*(?:convert|equal|amount|compar|add(?:ed|s)? to|close to|due to|next to|similar|relat|link|assign|attach|respon))(?:[a-z-]+ ){{1,3}}(?:to|into|until|till)(?: (?:the|a|only|about))?(?: [a-z]+day,?)? ?{_END}"
    rf"|(?![^,]*(?:[算合折兑值分拆存]|等于|相当))(?!到|至)[一-鿿]{{1,4}}(?:到|至|成)了? ?{_END})"
)
"""Between two values in one clause: whatever it is that leads from the first to the second, the first is no more than
the beginning."""
_CHANGES: Final = r"(?:(?<![a-z])(?:mov(?:e|ed|es|ing)|push(?:ed|es)?|slip(?:s|ped)?|shift(?:s|ed)?|bump(?:ed|s)?|chang(?:e|es|ed)|postponed?|delay(?:ed|s)?|rescheduled?|rais(?:e|es|ed)|lower(?:s|ed)?|cut|slash(?:ed|es)?|increased?|decreased?|reduced?|brought|drop(?:s|ped)?|went|goes|grew|rose|fell|revised?|updated?|corrected|amended|extended|shortened|swap(?:s|ped)?|switch(?:ed|es)?|replaced|adjusted|trimmed|knocked|deferred|put (?:off|back)|pulled|became|becomes|turned into|upped|bargained|negotiated|beaten|whittled|scaled|slid|slides?|merged|folded|renamed|renumbered|reissued|superseded|consolidated|absorbed)(?![a-z])|(?<![a-z])[a-z]+(?:ed|t|en) (?:down|up)(?![a-z]))"
_CHANGED: Final = later(
    r"(?:(?:改|换|挪|移|推|拖|延|调|顺延|提前|提早|变|更|订正|压缩?|砍|[涨升降减缩削增加])[一-鿿]{0,2}(?:到|为|成|至|在|了)|(?:改|换|挪|移|推|调|延)(?:期|用|约|订|定)?)[一-鿿]{0,2}? ?[\"'(]?[¥$€£]?\Z"
    rf"|{_CHANGES}(?: (?:it|them|that|this|the [a-z]+|everything|back|forward|out|over|again|later|down|up))?(?: (?:to|until|till|for|with|into|by|at))?(?: (?:the|a|next|only|just|around))?(?: [a-z]+day,?)? ?[¥$€£]?\Z"
    r"|, ?(?:(?:so|hence|thus|therefore)(?: (?:it|that)(?: is|'s)| make it| use)?|所以|因此|于是|那就) ?[¥$€£]?\Z"
    r"|\A[\"'”’)*]{0,2},? ?\(?(?:now|today|currently|现[在为价是]?|如今)(?: is| at|是|为)? ?[¥$€£]?\Z"
    r"|太[短长多少高低贵紧]|不够"
)
"""Between two values: the second has taken the place of the first."""
_OF_IT: Final = later(
    r"(?:.*[,;:])?[\"'”’)*\] ]*(?:(?:已经?|又|后来|现在?|再|就|故|所以|因此|直接|那就|干脆|还是|最终|最后|决定|建议|被|要|得|想|可以?|能|故而|于是|统一){0,3}|(?:(?:it|they|he|she|we|which|that|is|was|were|has|have|had|been|be|being|got|gets?|and|but|then|now|so|later|since|will|would|could|had to|again|just|let's|please|better|finally|therefore|both|all|the [a-z]+|[a-z]+ly) )*)"
    r"|[^,;:]*",
    re.DOTALL,
)
"""Between a value and the word of change: no other subject that changes, "…, arrival becomes Wednesday"."""
_CHOSEN: Final = later(
    rf"(?<![a-z])(?:settled (?:on|for)|went with|ended up (?:with|on|at)|landed (?:on|at)|opted for|chose|picked|agreed on|plumped for|make it|made it|going with)(?: the)? ?{_END}"
    rf"|(?:最后|最终|结果|后来|还是)(?:只|才|又|就)?(?:定|选|敲|谈|约|批|签|砍|降|调|改|成交)[一-鿿]{{0,2}}?(?:到|在|为|成|了|的)? ?{_END}"
)
"""Between two values: the second was the one in the end."""
_MOVED_FROM: Final = later(
    rf"{_CHANGES}(?: (?:it|them|that|this|back|forward|out|over|again|down|up|(?:the |our |my )?[a-z]+(?: [a-z]+)?))? from(?: the)? ?[¥$€£]?\Z"
)
"""Before the first of two values with "to" between them, which are no range then."""
_TO: Final = later(r" (?:down |up |back |all the way )?to(?: the)? [¥$€£]?")
_TRADED: Final = later(
    r"(?<![a-z])(?:dropp?(?:ed|s)?|swap(?:ped|s)?|traded?s?|exchanged?s?|gave up|giv(?:es?|ing) up|ditch(?:ed|es)?|abandon(?:ed|s)?|left)(?: the| their| our)? [¥$€£]?\Z"
)
_FOR: Final = later(r" (?:for|in favou?r of)(?: the| a)? [¥$€£]?")
_INSTEAD: Final = later(
    r"[^0-9,.;。!?\n]{0,16}(?<![a-z])instead(?! of)(?![a-z])|[^0-9,.;。!?\n]{0,8}(?:代替|替代|顶上|取而代之|为准|成交|拿下|敲定)"
)
"""Behind the second of two values."""
_MEANT: Final = later(
    r"(?:本来|原本|起初|一开始|当初|先前|最早说|说好|(?<!还)想要|计划过|申请了?|(?<![a-z])(?:(?:was|were) (?:going|supposed|meant|due|planned|scheduled) (?:to|for)(?: be| have)?|was to be|had (?:been|hoped|planned|asked|wanted)|wanted|hoped for|asked for|originally|initially|at first|first|started (?:out )?(?:at|with|from)|began at))[^,.;。!?\n0-9]{0,16}\Z"
)
"""Before the first: it is what was meant once; whether it still holds says the rest."""
_BUT: Final = later(
    r"(?<![a-z])(?:but(?! also| not)|now|only|ended|settled|actually|in the end|finally|eventually|then)(?![a-z])|最后|最终|结果|现在|如今|后来|只|实际|可是?|但|却|谁知|没想到|成交|变|要"
)
_BEGINS: Final = later(r"(?:\A|[,;。!?\n:]|\.\s)\s*(?:[-*•] |把|本|the |on |our )?\Z")
"""Before a value that begins its clause: what comes next is said of it."""
_LONE: Final = later(
    rf"[\"'”’)*]{{0,2}}[^,;:]{{2,36}}[,;:-] ?(?:(?:so|let's|we|i|say|do|make it|try|how about|maybe|better|rather|then|only|and|but|use|take) ){{0,3}}(?:就|那就|只好|改|换|还是|不如|要不){{0,2}} ?{_END}"
)
"""Between two values: something is said of the first, and the second begins a clause."""
_ALONE: Final = later(
    r"[\"'”’)*]{0,2} ?(?:it is|then|is better|is fine|works|will do|did|does|instead|it'll be|吧|见|好了|也行|再[一-鿿]|补上|可以|行)? ?(?:[,;.。!?\n]|\Z)"
)
"""Behind the second: nothing of its own is said of it."""


class Said(NamedTuple):
    """A value where it stands in a folded text."""

    start: int
    end: int
    what: object
    """Equal for equal values of its kind."""


def was_moved(text: str, start: int) -> bool:
    """Tells whether a value is where something was moved from: "cut from $1,000 to $950" is no range.

    Args:
        text: Folded.
        start: First character of the value.
    """
    return _MOVED_FROM.search(text, max(0, start - _NEAR), start) is not None


def is_succeeded(text: str, one: Said, others: Sequence[Said]) -> bool:
    """Tells whether another value of its kind takes the place of a value in its sentence.

    Args:
        text: Folded.
        one: The value.
        others: All values of its kind that the text says and does not deny, in order.
    """
    start, end, _ = one
    at = bisect_left(others, end, key=lambda other: other.start)
    while at < len(others) and others[at].what == one.what:
        at += 1
    if at == len(others) or others[at].start > end + _REACH or _STOP.search(text, end, others[at].start):
        return False
    successor = others[at]
    between, before = text[end : successor.start], max(0, start - _NEAR)
    if _ARROW.search(between) or _INTO.fullmatch(between) or _CHOSEN.search(between):
        return True
    if _INSTEAD.match(text, successor.end) or (_TO.fullmatch(between) and was_moved(text, start)):
        return True
    if _FOR.fullmatch(between) and _TRADED.search(text, before, start):
        return True
    if (change := _CHANGED.search(between)) is not None and _OF_IT.fullmatch(between, 0, change.start()):
        return True
    if _LONE.fullmatch(between) and _ALONE.match(text, successor.end) and _BEGINS.search(text, before, start):
        return True
    return _MEANT.search(text, before, start) is not None and _BUT.search(between) is not None
