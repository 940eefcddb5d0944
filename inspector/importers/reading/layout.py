"""The text of a body in a layout that clients send, where a log shows it laid out for readers."""

from __future__ import annotations

import re
from typing import Final

from inspector.importers.reading.mending import load

_STRING: Final = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_TOKEN: Final = re.compile(rf"({_STRING.pattern})|\s+", re.DOTALL)
"""A string, which is kept, or blank space outside of strings."""


def as_sent(text: str) -> str:
    """Give a body's text as it is, or without the blank space that was put in to show it.

    A trace holds a body message by message if it is written as JSON libraries write it: without any blank space,
    or with one space after every comma and colon. Indented or mixed text would be one piece that nobody can look
    into. Escapes, numbers and the order of members stay.

    Args:
        text: A JSON object; anything else is given as it is.
    """
    outside = _STRING.sub('""', text)
    blanks = sum(map(len, re.findall(r"\s+", outside)))
    spaced = outside.count(", ") + outside.count(": ")
    if blanks == 0 or blanks == spaced == outside.count(",") + outside.count(":"):
        return text
    try:
        sound = isinstance(load(text), dict)
    except (ValueError, RecursionError):
        return text
    return _TOKEN.sub(r"\1", text) if sound else text
