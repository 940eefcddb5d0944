"""Values of JSON by key path, in a text that is JSON or holds some."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from typing import Any, Final, NamedTuple

from snapshot_sdk._fact_text import folded
from snapshot_sdk._paths import ANY, Steps

_MOST: Final = 64
"""JSON values looked at in one text."""
_DECODER: Final = json.JSONDecoder(parse_float=Decimal)


class Document(NamedTuple):
    """A JSON value within a text."""

    value: Any
    start: int
    end: int


def documents(text: str) -> Iterator[Document]:
    """Gives the JSON objects and arrays of a text, outermost ones.

    Args:
        text: Original text.
    """
    at, tried = 0, 0
    while tried < _MOST:
        starts = [place for place in (text.find("{", at), text.find("[", at)) if place >= 0]
        if not starts:
            return
        start = min(starts)
        tried += 1
        try:
            value, end = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            at = start + 1
            continue
        yield Document(value, start, end)
        at = end


def follow(value: Any, steps: Steps) -> Iterator[Any]:
    """Gives what a path leads to; into strings that are JSON themselves, as arguments of tool calls are.

    Args:
        value: JSON.
        steps: The path.
    """
    if not steps:
        yield value
        return
    step, rest = steps[0], steps[1:]
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        for document in documents(value):
            yield from follow(document.value, steps)
    elif isinstance(value, list):
        if step.isdigit() and int(step) < len(value):
            yield from follow(value[int(step)], rest)
        else:
            for item in value:
                yield from follow(item, rest if step == ANY else steps)
    elif isinstance(value, dict):
        for item in value.values() if step == ANY else [value[step]] if step in value else []:
            yield from follow(item, rest)


def same_scalar(one: Any, other: Any) -> bool:
    """Tells whether two JSON values are the same: 8500, 8500.0 and "8,500" are, true and "true" too.

    Args:
        one: One.
        other: Another.
    """
    if isinstance(one, dict | list) or isinstance(other, dict | list):
        return bool(one == other)
    return bool(_plain(one) == _plain(other))


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    written = folded(str(value)).strip()
    try:
        number = Decimal(written.replace(",", ""))
    except InvalidOperation:
        return written
    # 007 is a name: leading zeros belong to it.
    return written if not number.is_finite() or (written[:1] == "0" and written[1:2].isdigit()) else number
