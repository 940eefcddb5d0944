"""Cuts the text of a JSON body into its top-level members and array elements, each with its source text."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any, Final, NamedTuple

from snapshot_sdk._json import LENIENT, MAX_DEPTH, STYLES, Writing, escape_surrogates, extent, too_deep
from snapshot_sdk.schema import Exactness, Style

UNREAD: Final = object()
"""In place of a value that was not parsed: known from the snapshot before, or over-deep."""

_STRICT: Final = json.JSONDecoder()

_ESCAPED_LETTER: Final = re.compile(r"\\u(?!00[01])")
"""An escape that only the ASCII styles write; control characters are escaped by all."""


class Element(NamedTuple):
    """One element as it stands in the text."""

    source: str
    value: Any
    """Parsed, or ``UNREAD``."""


class Split(NamedTuple):
    """A body, cut."""

    style: Style
    members: list[tuple[str, bool, list[Element]]]
    """Name, whether it is spread out as an array, elements."""


def body_text(request: str | bytes | bytearray | memoryview) -> tuple[str, Exactness]:
    """Returns a body as text, and what that proves; bytes that are no UTF-8 become surrogate escapes.

    Args:
        request: The body.
    """
    if isinstance(request, str):
        try:
            request.encode("utf-8")
        except UnicodeEncodeError:
            return escape_surrogates(request), "values"  # no wire can carry it as it is
        return request, "bytes"
    return bytes(request).decode("utf-8", "surrogateescape"), "bytes"


def split(text: str, known: Mapping[str, Sequence[str]]) -> Split | None:
    """Cuts the text of a body.

    Args:
        text: The body.
        known: Source texts of the elements of the snapshot before, by member: where the text repeats
            them it is not parsed again.

    Returns:
        None where the text is no object written in one of the styles, down to the element.
    """
    try:
        return _split(text, known)
    except (ValueError, IndexError, RecursionError):
        return None


def split_rest(
    text: str, style: Style, name: str, taken: Collection[str], known: Mapping[str, Sequence[str]]
) -> Split | None:
    """Cuts the rest of a body whose beginning is known.

    Args:
        text: What follows after an element of an array.
        style: Of the beginning.
        name: The member which that array is.
        taken: Members before it.
        known: As for :func:`split`; of the array, the elements from here on.

    Returns:
        The array's further elements and the members after it. None as for :func:`split`, and where the
        style of the whole has to be found anew.
    """
    writing = STYLES[style]
    if _other_style(text, style):
        return None
    try:
        elements: list[Element] = []
        position = 1
        if text[0] != "]":
            if not text.startswith(writing.item):
                return None
            elements, position = _array(text, len(writing.item), writing, known.get(name, ()))
        members = {name: (True, elements)}
        if text[position] == "}":
            return _cut(style, members) if position + 1 == len(text) else None
        if not text.startswith(writing.item, position):
            return None
        whole = _members(text, position + len(writing.item), writing, known, members)
    except (ValueError, IndexError, RecursionError):
        return None
    return _cut(style, members) if whole and not members.keys() & set(taken) else None


def split_added(text: str, style: Style) -> list[str] | None:
    """Cuts what was appended to an array: separator and element, any number of times.

    Args:
        text: What stands between the last known element and the end of the array.
        style: Of the whole.

    Returns:
        The source texts of the elements. None as for :func:`split_rest`, and where one of them is not what its value
        is written like.
    """
    if not text:
        return []
    writing = STYLES[style]
    if _other_style(text, style) or not text.startswith(writing.item):
        return None
    start = position = len(writing.item)
    sources: list[str] = []
    values: list[Any] = []
    try:
        while True:
            value, end = _STRICT.raw_decode(text, position)
            values.append(value)
            sources.append(text[position:end])
            position = end + start
            if end == len(text):
                break
        # All at once: the separators are compared along with the values.
        if writing.dumps(values) != f"[{text[start:]}]":
            return None
        if text.count("[") + text.count("{") > MAX_DEPTH and any(map(too_deep, sources)):
            return None
    except (ValueError, RecursionError):
        return None
    return sources


def _other_style(text: str, style: Style) -> bool:
    """Whether the rest of a body, by the letters in it, makes the style of the whole another."""
    if style.endswith("ascii"):
        return not text.isascii()
    return text.isascii() and "\\u" in text and _ESCAPED_LETTER.search(text) is not None


def _split(text: str, known: Mapping[str, Sequence[str]]) -> Split | None:
    style = _style(text)
    if not text.startswith('{"'):
        return Split(style, []) if text == "{}" else None
    members: dict[str, tuple[bool, list[Element]]] = {}
    return _cut(style, members) if _members(text, 1, STYLES[style], known, members) else None


def _cut(style: Style, members: Mapping[str, tuple[bool, list[Element]]]) -> Split:
    return Split(style, [(name, spread, elements) for name, (spread, elements) in members.items()])


def _members(
    text: str,
    position: int,
    writing: Writing,
    known: Mapping[str, Sequence[str]],
    members: dict[str, tuple[bool, list[Element]]],
) -> bool:
    """Cuts members up to the end of the text; False where they are not written as the style does."""
    while True:
        start = position
        if text[start] != '"':
            return False
        name, position = scanstring(text, start + 1, True)
        if text[start:position] != writing.dumps(name) or name in members:
            return False
        if not text.startswith(writing.key, position):
            return False
        position += len(writing.key)
        if text[position] == "[" and text[position + 1] != "]":
            elements, position = _array(text, position + 1, writing, known.get(name, ()))
            members[name] = (True, elements)
        else:
            element, position = _element(text, position)
            members[name] = (False, [element])
        if text[position] == "}":
            return position + 1 == len(text)
        if not text.startswith(writing.item, position):
            return False
        position += len(writing.item)


def _style(text: str) -> Style:
    first = text.find('"', 2)
    spaced = text.startswith(": ", first + 1)
    if text.isascii() and "\\u" in text and _ESCAPED_LETTER.search(text):
        return "default-ascii" if spaced else "compact-ascii"
    return "default" if spaced else "compact"


def _array(text: str, position: int, writing: Writing, known: Sequence[str]) -> tuple[list[Element], int]:
    elements: list[Element] = []
    while True:
        place = len(elements)
        source = known[place] if place < len(known) else None
        if source is not None and text.startswith(source, position) and text[position + len(source)] in ",]":
            element, position = Element(source, UNREAD), position + len(source)
        else:
            element, position = _element(text, position)
        elements.append(element)
        if text[position] == "]":
            return elements, position + 1
        if not text.startswith(writing.item, position):
            raise ValueError("elements are not separated as the style does")
        position += len(writing.item)


def _element(text: str, position: int) -> tuple[Element, int]:
    try:
        value, end = _STRICT.raw_decode(text, position)
    except RecursionError:
        value, end = UNREAD, extent(text, position).end
    except json.JSONDecodeError:
        raise
    except ValueError:  # an integer of more than 4,300 digits
        value, end = LENIENT.raw_decode(text, position)
    return Element(text[position:end], value), end
