"""Names of people, places and things, as far as they can be told without a model: by a title, a label, or marks.

What is found: Chinese names of people, organisations and places (:mod:`inspector.analysis.chinese_names`), titles in
《》, what stands behind a label (``contact:``) or a title (``Dr.``), and English words with capitals, two to four in a
row, not at the beginning of a sentence. What is not: English names of one word, and any name in lower case.
"""

# ruff: noqa: SIM905 - a list of words is read as text

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from inspector.analysis.chinese_names import find_chinese_names

_LABELLED: Final = re.compile(
    r"《(?P<work>[^《》，。！？\n]{2,20})》"
    r"|(?<![A-Za-z])(?:Mr|Mrs|Ms|Dr|Prof)\.?\s+"
    r"(?P<person>[A-Z][a-zà-ÿ]+(?:(?: (?:of|de|da|van|von|der))?[ -][A-Z][a-zà-ÿ]+){0,2})"
    r"|(?<![A-Za-z])(?:[Cc]ontact|[Cc]ustomer|[Nn]ame|[Aa]uthor|[Oo]wner)(?:\s+(?:is|name is)\s+|\s*[:=]\s*)\"?"
    r"(?P<contact>[A-Z][a-zà-ÿ]+(?:[ -][A-Z][a-zà-ÿ]+){0,2})(?![A-Za-z])"
)
_CAPITALS: Final = re.compile(
    r"(?<=[a-zà-ÿ0-9,;:(\"“]\s)"
    r"(?P<name>[A-Z][a-zà-ÿ]+(?:\s(?:of|de|da|van|von|the)\s[A-Z][a-zà-ÿ]+|[ -][A-Z][a-zà-ÿ]+){1,3})"
    r"(?![A-Za-z])"
)
_NO_NAMES: Final = frozenset(
    "Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May June July August "
    "September October November December Please Thank Thanks Hello Dear Best Kind Regards Yes No The This That "
    "Here There What When Where Which Note Summary".split()
)
"""Words whose capital says nothing."""


@dataclass(frozen=True)
class ProperName:
    """A name in a text."""

    start: int
    end: int
    text: str


def find_proper_names(text: str) -> Iterator[ProperName]:
    """Find names that their surroundings show to be names, in order of the ways to find them.

    Args:
        text: Any text.
    """
    for found in find_chinese_names(text):
        yield ProperName(found.start, found.end, text[found.start : found.end])
    for match in _LABELLED.finditer(text):
        group = match.lastgroup or ""
        yield ProperName(match.start(group), match.end(group), match[group])
    for match in _CAPITALS.finditer(text):
        if not _NO_NAMES.intersection(match["name"].split()):
            yield ProperName(match.start("name"), match.end("name"), match["name"])
