"""Amounts per something, and amounts of the past: $1,200 a month and "was $1,200" are not $1,200."""

# ruff: noqa: E501 - lists of words are read as text; Chinese counts double there

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from snapshot_sdk._fact_patterns import later
from snapshot_sdk._fact_units import CURRENCY

_PER: Final = {
    "person": "person people head guest capita pax attendee traveller traveler member user seat student child adult passenger pp 人 位 名 人头 人均 客 每人 单人 口",
    "day": "day daily diem 天 日 日均 日薪 日租 日租金 日工资",
    "night": "night nightly 晚 夜 间夜",
    "week": "week weekly wk 周 星期 礼拜 周薪 周均",
    "month": "month monthly mo mth 月 个月 月薪 月租 月付 首月 月租金 月供 月费 月均 月工资 月付 月收入",
    "quarter": "quarter quarterly 季度 季 季付",
    "year": "year yearly annual annually annum yr pa 年 年薪 年付 首年 年费 年租金 年均 年收入 年租",
    "hour": "hour hourly hr h 小时 时薪 钟头 课时",
    "minute": "minute min 分钟",
    "each": "each apiece unit item piece 个 件 单价 只 支 枚 条 均价 份",
}  # fmt: skip
_NAMES: Final = {word: name for name, words in _PER.items() for word in words.split()}
"""How a rate may be said → what it is per."""
_CHINESE_UNITS: Final = "个月|人头|人次|人|位|名|天|日|晚|间夜|夜|周|星期|礼拜|月|季度|年|小时|课时|钟头|分钟|个|件|只|支|枚|条|份|间|套|瓶|箱|盒|台|次|张|本|桌|席|单|笔|场|页|节|章|户|辆|平米|平方米?|平|公里|千克|公斤|斤|克|吨|升|米|字|词|轮|组|队|批|桶|杯|餐|顿"
SLASHED: Final = "person|people|head|guest|pax|day|night|week|month|mo|year|yr|hour|hr|h|unit|item|piece|seat|user|room|kg|km|page|call|request|ticket|order"
_AFTER: Final = later(
    rf" ?(?:/ ?(?:每 ?)?(?P<zh>{_CHINESE_UNITS})|/ ?(?P<slash>{SLASHED})(?![a-z])|(?:\(?每|一(?=人|天|晚|个?月|年|小时|位|间))(?P<every>{_CHINESE_UNITS})"
    r"|,? ?\(?(?<![a-z])per (?:each |single |additional )?(?P<per>[a-z]+)|(?<![a-z])an? (?P<a>person|head|day|night|week|month|year|hour|piece|unit|seat|room|pop|ticket|page|minute|quarter)(?![a-z])"
    r"|,? ?\(?(?P<top>(?:plus|excluding|excl\.?|before|without|net of|\+) ?(?:tax(?:es)?|vat|fees?|tips?|shipping|gst)(?![a-z])|(?:不含|未含|另加) ?(?:税费?|运费|小费|服务费)|税前|税后)|(?:for |,? ?)?(?P<each>(?:each|every) (?:person|day|night|week|month|year|hour|guest|room|item|one|unit))(?![a-z])|\(?(?P<off>(?:的)?(?:优惠|折扣|差价|补贴|代金|红包|券)|(?<![a-z])(?:off|discount|cheaper|dearer|more|less|rebate|cashback|extra|voucher|coupon)(?![a-z]))|\(?(?P<abroad>p\.m\.|p\.a\.|p\.w\.|pcm|pw)(?![a-z])|\(?(?P<word>each|apiece|monthly|daily|weekly|yearly|annually|hourly|nightly|pp)(?![a-z]))"
)
"""What says behind an amount that it is a rate."""
_REACH: Final = 24
_BEFORE: Final = later(
    rf"(?:(?:每一?|(?<![第十百千万0-9一二三四五六七八九零统唯单])一(?=人|天|晚|个月|位))(?P<zh>{_CHINESE_UNITS}|(?<=每)[一-鿿]{{1,2}})(?!以[上下内])(?:的)?"
    r"|(?P<word>人均|日均|月均|年均|周均|月薪|月付|季付|年付|首月|首年|年薪|日薪|时薪|周薪|月租金?|年租金?|日租金?|月供|月费|年费|单价|均价|月工资|月收入|年收入)"
    r"|(?P<off>立减|减免?|(?<!不)满|优惠|折扣|抵扣?|节?省|便宜|返现?|补贴|涨价?|降价?|(?<![至最不])[多少]|贵|(?<![a-z])(?:minus|saves?|saving|discount of|reduced by|raised by|increase of|cut of|rebate of)(?![a-z]))(?=[了:是 ]{0,2}[¥$€£]?\Z)|(?<![a-z])(?P<en>daily|weekly|monthly|annual|yearly|hourly|nightly|per[ _-](?:person|head|day|night|week|month|year|hour|item|unit|guest|room|capita|diem)|(?:each|every) (?:person|guest|day|night|week|month|year|hour|room|item|one|unit))(?![a-z]))"
    r"[^,.。;!?()\n0-9¥$€£]{0,14}[¥$€£]?\Z"
)
"""What says so before it, in the same clause."""

_WAS: Final = later(
    r"(?:原价|原来|原先|原定|原为|原本|原计划|曾经?|旧价|从前|(?<![a-z])(?:originally|previously|formerly|initially|used to (?:be|cost)|old (?:price|fee|rate|budget|amount|total|cost|date|deadline)|former (?:price|fee|rate|budget|amount|date)))"
    r"(?:是|为|的|在|价|定于|定在|[a-z ]{0,16})[ :]?[~(]?\Z"
)
"""Before a value: it is one of the past."""
_WAS_IF: Final = later(
    r"(?:之前|以前|此前|先前|上次|昨天|(?<![a-z])(?:was|were|had been|before|earlier|from|down from|up from))(?:是|为|的|[:])? ?\Z"
)
"""The same where a value of now follows."""
_NOW: Final = later(
    r"[^。.!?;\n]{0,24}?(?:现价|现在?[是为]?|如今|目前|今[是为]|改[为成到]|调整?[为到至]|降[到至为]|涨[到至]|(?<![a-z])(?:is|now|currently|today|instead|cut to|raised to|changed to|reduced to|moved to|lowered to)(?![a-z]))(?=[^。!?;\n]{0,16}[0-9零一二三四五六七八九十百千万])"
)
_CHANGED: Final = later(
    r"[\"')]{0,2}(?:,? ?(?:后来|之后|现已|已)?(?:改[为成到]|[上下]?调整?[为到至]|[降涨减增][到至为]|打折后|折后|变[为成])|,? ?(?:(?:was|and|but|then|later|has been|since) ){0,2}(?:later |since )?(?:reduced|cut|raised|changed|lowered|increased|moved|corrected|updated) to(?![a-z])"
    r"|,? ?before (?:the |any )?(?:discount|reduction|rebate)(?![a-z])|,? ?打折前|,? ?折前| ?[(](?:previously|formerly|before|old|earlier|原价?|旧价?|之前|以前)[)])"
)
"""Behind a value: another one came after it."""
_CURRENCY_WORDS: Final = "|".join(re.escape(word) for word in sorted(CURRENCY, key=len, reverse=True))
_CURRENCY: Final = later(
    rf"(?:currency|curr|ccy|币种|货币)[a-z_]*[\"']?(?: is|为|是)? ?[:=]?[ \"']{{0,3}}({_CURRENCY_WORDS}|[a-z]{{3}})(?![a-z])"
)
_CURRENCY_REACH: Final = 60
"""Characters around a bare number in which its currency may be named by a key of its own."""


class Rate(NamedTuple):
    """What an amount is per, and its span with the words that say so."""

    per: str
    """Empty: nothing."""
    start: int
    end: int


def rate_of(text: str, start: int, end: int) -> Rate:
    """Gives what an amount is per: a month, a person.

    Args:
        text: Folded.
        start: First character of it.
        end: Character after its last.
    """
    after = _AFTER.match(text, end)
    if after is not None:
        if after["top"]:
            return Rate(_ON_TOP, start, after.end())
        if after["off"]:
            return Rate(DIFFERENCE, start, after.end())
        if after["abroad"]:
            return Rate(
                {"a": "year", "w": "week"}.get(after["abroad"].replace(".", "")[1:], "month"), start, after.end()
            )
        said = next(group for group in after.groups() if group)
        return Rate(_name(said), start, after.end())
    before = _BEFORE.search(text, max(0, start - _REACH), start) if start else None
    if before is not None and before["off"]:
        return Rate(DIFFERENCE, before.start(), end)
    if before is not None:
        return Rate(_name(before[before.lastgroup or 0]), before.start(), end)
    return Rate("", start, end)


def _name(said: str) -> str:
    bare = re.sub(r"^(?:per|each|every)[ _-](?=[a-z])", "", said)
    return _NAMES.get(bare) or _NAMES.get(bare.removesuffix("s")) or ("each" if bare == "one" else bare)


def how_it_is_rated(per: str) -> str:
    """Says in words what an amount is per.

    Args:
        per: As :class:`Rate` has it.
    """
    if per == DIFFERENCE:
        return "a difference, not the amount itself"
    return "without what comes on top" if per == _ON_TOP else f"per {per}"


_ON_TOP: Final = "on top"
DIFFERENCE: Final = "difference"
"""300元 in 立减300元: what is taken off or comes on top."""
_DIFFERENCES: Final = later(r"减|优惠|折扣|抵扣|补贴|差价|discount|rebate|saving|surcharge|voucher|coupon|cashback")


def rates_in(words: Sequence[str]) -> frozenset[str]:
    """Gives what words that stand beside a fact say that it is per: 月薪, per person.

    Args:
        words: Folded.
    """
    found = [_BEFORE.search(word) for word in words]
    named = {_name(hit[hit.lastgroup or 0]) for hit in found if hit is not None and not hit["off"]}
    return frozenset(named | {DIFFERENCE} if any(map(_DIFFERENCES.search, words)) else named)


def is_past(text: str, start: int, end: int) -> bool:
    """Tells whether a value is said of the past only: "was $1,200, now $900".

    Args:
        text: Folded.
        start: First character of it.
        end: Character after its last.
    """
    begin = max(0, start - _REACH)
    if _CHANGED.match(text, end):
        return True
    if _WAS.search(text, begin, start):
        return True
    return _WAS_IF.search(text, begin, start) is not None and _NOW.match(text, end) is not None


def currency_beside(text: str, start: int, end: int) -> str | None:
    """Gives the currency that a key beside a bare number names; None: none does.

    Args:
        text: Folded.
        start: First character of the number.
        end: Character after its last.
    """
    hits = list(_CURRENCY.finditer(text, max(0, start - _CURRENCY_REACH), min(len(text), end + _CURRENCY_REACH)))
    if not hits:
        return None
    nearest = min(hits, key=lambda hit: min(abs(hit.start() - end), abs(start - hit.end())))
    return CURRENCY.get(nearest[1], nearest[1].upper())
