"""Words that only press a "no": 一个感叹号都不要用 says no more than 不要用感叹号."""

from __future__ import annotations

import re
from typing import Final

from snapshot_sdk._fact_patterns import later

_NO: Final = "不|别|勿|莫|禁止|严禁|不得|切勿"
_ANY: Final = later(
    rf"(?<!除了)(?<!除)(?<!只有)(?<!超过)(?<![第每另哪某同任有是只仅唯][^一])(?<![第每另哪某同任有是只仅唯除十百千万两二三四五六七八九0-9])"
    rf"[一半](?:个|句|字|次|张|条|点儿?|丝|毫|份|位|名|件|家|行|页|段|笔|种|门|项|遍)"
    rf"(?=[^,，。;；:：!！?？、0-9]{{0,12}}(?:都|也)(?:{_NO}))"
)
"""一个…都不, 半句…也别: not even one. 除了一个…都不 is an exception and stays."""
_CASES: Final = later(rf"(?:在)?任何(?:情况|时候|条件|场合)下?(?:都|也|均)?(?=[^,，。;；!！?？]{{0,4}}?(?:{_NO}))")
_FIRMLY: Final = later(
    rf"(?:(?<![零一二三四五六七八九十百千万亿两几数0-9])千万|绝对|坚决|无论如何都?|绝(?=不))(?=(?:{_NO}))"
)
_NEVER: Final = later(r"(?<![a-z])under no circumstances(?![a-z])")
_EVER: Final = later(
    r"(?<=not )(?:even )?(?:a|one) single(?![a-z])|(?<![a-z])even (?:one|a single)(?![a-z-])"
    r"|(?<![a-z])at all(?! times)(?![a-z])|(?<![a-z])(?:whatsoever|absolutely(?= (?:no|not|never)(?![a-z])))"
)
_HINT: Final = later("[都也绝]|千万|坚决|任何|single|even |at all|whatsoever|absolutely|no circumstances")
"""What every such text has; most clauses have none of it."""
_CLAUSE: Final = later(r"[,.;:!?\n]")
_DENIED: Final = later(r"(?<![a-z])(?:not|no|never|none|nor|cannot|avoid|without)(?![a-z])|n't(?![a-z])")
_BOUND: Final = later(r"(?<![a-z])(?:than|only|except|but|just|unless|over|within)(?![a-z])")


def without_emphasis(text: str) -> str:
    """Blanks what presses a "no" and says nothing else; every other character keeps its place.

    Args:
        text: Folded.
    """
    if not _HINT.search(text):
        return text
    for pattern in (_ANY, _CASES, _FIRMLY):
        text = pattern.sub(_blank, text)
    text = _NEVER.sub(lambda hit: "never".ljust(len(hit[0])), text)
    return _EVER.sub(lambda hit: _blank(hit) if _presses(text, hit) else hit[0], text)


def _presses(text: str, hit: re.Match[str]) -> bool:
    """Tells whether English words stand behind a "no" of their clause, and set no bound: not "more than a single"."""
    if hit[0].startswith("absolutely"):
        return True
    before = _CLAUSE.split(text[: hit.start()])[-1]
    return _DENIED.search(before) is not None and _BOUND.search(before) is None


def _blank(hit: re.Match[str]) -> str:
    return " " * len(hit[0])
