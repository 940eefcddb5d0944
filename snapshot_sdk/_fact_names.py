"""Names that must match whole: ids, e-mail addresses, URLs, paths, phone numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from snapshot_sdk._fact_numbers import is_range
from snapshot_sdk._fact_patterns import later
from snapshot_sdk._fact_rates import SLASHED
from snapshot_sdk._fact_text import Taken
from snapshot_sdk._fact_units import CODE_BEFORE

EMAIL: Final = later(r"(?<![a-z0-9._%+-])[a-z0-9._%+-]{1,64}@(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24}(?![a-z0-9-])")
URL: Final = later(r"(?<![a-z0-9])(?:https?|ftp|wss?|file)://[^\s\"'<>()\[\]{}|\\^`一-鿿，。；！？]+")
PATH: Final = later(
    r"(?<![\w/.:~-])(?:~|\.{1,2})?(?:/[\w.@+-]+){2,}/?"
    r"|(?<![\w/])[a-z]:(?:\\{1,2}|/)[\w.\\/ -]+\w"
    r"|(?<![\w/.@+-])(?:\.{1,2}/)?(?:[\w@+-]+/)+[\w@+-]+\.[a-z][a-z0-9]{0,7}(?![\w/])",
    re.ASCII,
)
PHONE: Final = later(
    r"(?<![\w+.-])\+\d{1,3}(?:[ ().-]{0,2}\d){7,12}(?!\d)|(?<![\w.-])1[3-9]\d(?:[ -]?\d{4}){2}(?![\w-])"
    r"|(?<![\w.-])0\d{2,3}-\d{7,8}(?!\d)|(?<![\w.-])0\d{2,3}[- ]\d{3,4}[- ]\d{4}(?![\w-])"
    r"|(?<![\w.-])\(?[2-9]\d{2}\)?[-. ]\d{3}[-. ]\d{4}(?![\w-])",
    re.ASCII,
)
ID: Final = later(
    r"(?<![a-z0-9_@./-])(?!(?<=[0-9],)[0-9]{3}(?![0-9]))#?[a-z0-9]+(?:[-_./:][a-z0-9]+)*(?![a-z0-9_@-]|[./:][a-z0-9])"
)
"""A whole word of letters and digits with joints. What is taken for an id has a digit and more than digits, or
many digits."""

_LONG_NUMBER: Final = 6
"""Digits from which a bare number is a name rather than an amount: order and phone numbers."""
_DATE_LIKE: Final = later(
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}|\d+(?:\.\d+)?|\d{1,2}:\d{2}(?::\d{2})?"
)
_VERSION_OR_UNIT: Final = later(
    rf"\d+(?:\.\d+)?/(?:{SLASHED})|\d+(?:\.\d+)?[a-z]{{1,4}}|(?:\d+d)?\d+h\d+m?|\d+(?:st|nd|rd|th)|\d+-(?:day|week|month|year|hour|minute|page|word)s?"
)
_TWO_NUMBERS: Final = later(r"(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)[a-z]{0,8}")
_CODED: Final = later(rf"{CODE_BEFORE.pattern}[\d.]+")
_TAIL: Final = ".,:;!?)]}'\""


@dataclass(frozen=True)
class Name:
    """A name in a folded text."""

    kind: str
    """``id``, ``email``, ``url``, ``path`` or ``phone``."""
    value: str
    """What is compared."""
    start: int
    end: int


_ADDRESSES: Final = (
    ("url", URL, ("://",)),
    ("email", EMAIL, ("@",)),
    ("path", PATH, ("/", "\\")),
    ("phone", PHONE, ()),
)
"""Kinds of names that are no ids, and signs of which each has one."""


def find_names(text: str) -> Iterator[Name]:
    """Gives the names of a folded text; what lies in a URL or an address is no id of its own.

    Args:
        text: Folded.
    """
    taken = Taken()
    for kind, pattern, signs in _ADDRESSES:
        if signs and not any(sign in text for sign in signs):
            continue
        for match in pattern.finditer(text):
            found = match[0].rstrip(_TAIL) if kind in ("url", "path") else match[0]
            start, end = match.start(), match.start() + len(found)
            if taken.take(start, end):
                yield Name(kind, plain_name(kind, found), start, end)
    for match in ID.finditer(text):
        if looks_like_id(match[0]) and taken.free(match.start(), match.end()):
            yield Name("id", plain_name("id", match[0]), match.start(), match.end())


def looks_like_id(token: str) -> bool:
    """Tells whether a whole word is an id: it has digits and is no date, time, number or measure.

    Args:
        token: Folded.
    """
    if token.isalpha():
        return False  # a word, as most are
    token = token.lstrip("#")
    digits = sum(char.isdigit() for char in token)
    if not digits:
        return False
    if token.isdigit():
        return digits >= _LONG_NUMBER
    if _DATE_LIKE.fullmatch(token) or _VERSION_OR_UNIT.fullmatch(token):
        return False
    ends = _TWO_NUMBERS.fullmatch(token)
    if (ends and is_range(ends[1], ends[2])) or _CODED.fullmatch(token):
        return False
    return digits >= 2 or any(char in "-_" for char in token)


def plain_name(kind: str, written: str) -> str:
    """Gives what two names are compared by.

    Args:
        kind: Of the name.
        written: Folded.
    """
    if kind == "phone":
        return _plain_phone(re.sub(r"[^0-9+]", "", written))
    if kind == "url":
        return written.rstrip("/")
    if kind == "path":
        return re.sub(r"\\+", "/", written).rstrip("/").removeprefix("./")
    return written.lstrip("#")


def _plain_phone(digits: str) -> str:
    """Takes off the codes of China and North America, where the rest is a number of theirs."""
    if re.fullmatch(r"\+861\d{10}|\+1\d{10}", digits):
        return digits[3:] if digits.startswith("+86") else digits[2:]
    return f"0{digits[3:]}" if re.fullmatch(r"\+86[2-9]\d{8,10}|\+8610\d{8}", digits) else digits
