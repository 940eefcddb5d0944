"""Values of JSON by key path, in a text that is JSON or holds some."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from typing import Any, Final, NamedTuple

from snapshot_sdk._fact_text import folded
from snapshot_sdk._paths import ANY, Steps

_OPENING: Final = re.compile(r"\{\s{0,64}[\"}]|\[\s{0,64}[\"{\[\]\-0-9tfn]")
"""Where JSON may begin; the braces of code seldom do."""
_PASSES: Final = 4
"""How often the length of a text is read in vain before its search ends: more would be quadratic."""
_LEAST: Final = 1 << 20
"""Characters read in vain that are always allowed."""
_WINDOW: Final = 256
_GROWTH: Final = 8
_EDGE: Final = 16
"""An error so near the end of a window may come of the window."""
_DEEP: Final = 1_000
"""What a value that is nested too deep costs."""
_NESTED: Final = 8
"""Levels at which JSON in strings of JSON is looked for."""
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
    while tried <= max(_LEAST, len(text) * _PASSES):
        opening = _OPENING.search(text, at)
        if opening is None:
            return
        value, end, cost = _decode(text, opening.start())
        tried += cost
        if end is None:
            at = opening.start() + 1
            continue
        yield Document(value, opening.start(), end)
        for inner in _in_strings(value, _NESTED):
            yield Document(inner, opening.start(), end)
        at = end


class _Decoded(NamedTuple):
    value: Any
    end: int | None
    """None: no JSON begins there."""
    cost: int
    """Characters that were read in vain."""


def _decode(text: str, start: int) -> _Decoded:
    """Reads JSON within ever larger windows: a decoder counts the lines before an error, which is quadratic in code."""
    window = _WINDOW
    while True:
        piece = text[start : start + window]
        try:
            value, end = _DECODER.raw_decode(piece)
        except RecursionError:
            return _Decoded(None, None, len(piece) + _DEEP)
        except ValueError as error:
            stopped = error.pos if isinstance(error, json.JSONDecodeError) else 0
            cut = str(error).startswith("Unterminated") or stopped > len(piece) - _EDGE
            if not cut or start + window >= len(text):
                return _Decoded(None, None, len(piece))
            window *= _GROWTH
            continue
        return _Decoded(value, start + end, 0)


def _in_strings(value: Any, depth: int) -> Iterator[Any]:
    """Gives the JSON that stands in strings of a value: tool results and arguments are sent so."""
    if isinstance(value, str):
        if depth and value.lstrip()[:1] in ("{", "["):
            try:
                inner = _DECODER.decode(value)
            except (ValueError, RecursionError):
                return
            yield inner
            yield from _in_strings(inner, depth - 1)
    elif isinstance(value, dict | list) and depth:
        for item in value.values() if isinstance(value, dict) else value:
            yield from _in_strings(item, depth if isinstance(item, str) else depth - 1)


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
