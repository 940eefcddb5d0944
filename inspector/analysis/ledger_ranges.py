"""Days that a text names by a range: ``18-21 March`` says the 18th and the 21st of March."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_MONTHS: Final = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
_TO: Final = r"\s*(?:-|–|—|~|～|至|到|to|through|until)\s*"
_ENGLISH: Final = re.compile(
    rf"(?<![\w.])(?P<first>\d{{1,2}}){_TO}(?P<last>\d{{1,2}})\s+(?P<month>{_MONTHS})(?P<year>,?\s+\d{{4}})?(?!\w)",
    re.IGNORECASE,
)
_MONTH_FIRST: Final = re.compile(
    rf"(?<!\w)(?P<month>{_MONTHS})\s+(?P<first>\d{{1,2}}){_TO}(?P<last>\d{{1,2}})(?P<year>,\s*\d{{4}})?(?![\w.])",
    re.IGNORECASE,
)
_MAY_NAME: Final = re.compile(rf"\d\s+{_MONTHS}|{_MONTHS}\s+\d", re.IGNORECASE)
"""A month beside a number is in every range of days that names it in English."""
_CHINESE: Final = re.compile(
    rf"(?P<year>\d{{4}}\s*年\s*)?(?P<month>\d{{1,2}})\s*月\s*(?P<first>\d{{1,2}})\s*[日号]?{_TO}(?P<last>\d{{1,2}})\s*[日号]"
)


def days_of_ranges(text: str) -> Iterator[str]:
    """Spell out the first and the last day of each range in a text.

    Args:
        text: Any text.
    """
    may_name = _MAY_NAME.search(text) is not None
    for pattern in (_ENGLISH, _MONTH_FIRST) if may_name else ():
        for match in pattern.finditer(text):
            year = (match["year"] or "").strip(" ,")
            for day in (match["first"], match["last"]):
                yield f"{day} {match['month']} {year}".strip()
    for match in _CHINESE.finditer(text) if "月" in text else ():
        for day in (match["first"], match["last"]):
            yield f"{match['year'] or ''}{match['month']}月{day}日"
