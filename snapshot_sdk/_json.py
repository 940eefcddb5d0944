"""JSON source text: the four styles, and a look at text that ``json`` cannot or should not parse."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from json import encoder as _stdlib
from typing import Any, Final, NamedTuple

from snapshot_sdk.schema import Style

MAX_DEPTH: Final = 200
"""Deeper values are kept as source text: every JSON reader takes 200 levels, few take 1,000."""

MAX_DIGITS: Final = 4300
"""Python's default limit for ``int(str)``; longer integers are kept as source text."""


@dataclass(frozen=True)
class Writing:
    """How one style writes JSON."""

    item: str
    """Between two items."""
    key: str
    """Between key and value."""
    dumps: Callable[[Any], str]
    """Writes a value; raises ValueError for NaN and for integers over the digit limit."""


_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def escape_surrogates(text: str) -> str:
    """Writes each lone surrogate as its JSON escape, so that the text can be encoded as UTF-8.

    Args:
        text: JSON source text.

    Returns:
        The same JSON, encodable.
    """
    if text.isascii():
        return text
    try:
        text.encode()  # many times faster than a search
        return text
    except UnicodeEncodeError:
        return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _writing(item: str, key: str, *, ascii_only: bool) -> Writing:
    encoder = json.JSONEncoder(separators=(item, key), ensure_ascii=ascii_only, allow_nan=False)
    make = getattr(_stdlib, "c_make_encoder", None)
    if make is None:
        return Writing(item, key, lambda value: escape_surrogates(encoder.encode(value)))
    escape = _stdlib.encode_basestring_ascii if ascii_only else _stdlib.encode_basestring
    # What `encode` makes anew at every call, made once. It looks for no cycles: what is written here was read before.
    chunks = make(None, encoder.default, escape, None, key, item, False, False, False)

    def dumps(value: Any) -> str:
        text = "".join(chunks(value, 0))
        return text if text.isascii() else escape_surrogates(text)

    return Writing(item, key, dumps)


STYLES: Final[dict[Style, Writing]] = {
    "compact": _writing(",", ":", ascii_only=False),
    "compact-ascii": _writing(",", ":", ascii_only=True),
    "default": _writing(", ", ": ", ascii_only=False),
    "default-ascii": _writing(", ", ": ", ascii_only=True),
}


def _checking() -> Callable[[Any], str]:
    encoder = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    make, escape = getattr(_stdlib, "c_make_encoder", None), _stdlib.encode_basestring
    if make is None:
        return encoder.encode
    # As `encode` does it, which takes two calls of Python functions more.
    return lambda value: "".join(make({}, encoder.default, escape, None, ":", ",", False, False, False)(value, 0))


write_foreign: Final = _checking()
"""Writes any value as compact JSON, lone surrogates as they are; raises what it likes where ``json`` cannot."""

dumps: Final = STYLES["compact"].dumps
"""Compact UTF-8 JSON, the style of every record."""

_TOKEN: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[\[{]|[\]}]', re.DOTALL)


class Extent(NamedTuple):
    """How far a bracketed value reaches."""

    end: int
    """Index after its last character."""
    depth: int
    """Deepest nesting inside it, itself counted."""


def extent(text: str, start: int) -> Extent:
    """Finds the end of the array or object that begins at ``start``, however deep it is.

    Args:
        text: JSON source text.
        start: Index of its ``[`` or ``{``.

    Raises:
        ValueError: The brackets do not close.
    """
    depth = deepest = 0
    for token in _TOKEN.finditer(text, start):
        first = token[0][0]
        if first == '"':
            continue
        if first in "[{":
            depth += 1
            deepest = max(deepest, depth)
        else:
            depth -= 1
            if depth <= 0:
                return Extent(token.end(), deepest)
    raise ValueError("brackets do not close")


def too_deep(source: str) -> bool:
    """Tells whether a valid JSON text nests deeper than ``MAX_DEPTH``."""
    if source.count("[") + source.count("{") <= MAX_DEPTH:
        return False
    return source[0] in "[{" and extent(source, 0).depth > MAX_DEPTH


def parse_int(digits: str) -> int:
    """Reads an integer of any length; ``int`` refuses more than 4,300 digits."""
    return int(digits) if len(digits) <= MAX_DIGITS else int(Decimal(digits))


LENIENT: Final = json.JSONDecoder(parse_int=parse_int)
"""Also takes NaN, Infinity and over-long integers."""


def load(source: str) -> Any:
    """Reads standard JSON back as a private copy."""
    return json.loads(source)
