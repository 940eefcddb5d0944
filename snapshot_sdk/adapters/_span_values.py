"""Looks values up in the attributes of a span, however an exporter nests, flattens, stringifies or cuts them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

REDACTED: Final = "__REDACTED__"
"""What OpenInference puts in the place of what it was told to hide."""

_DECODER: Final = json.JSONDecoder(strict=False)


class Loaded(NamedTuple):
    """A value that may have been JSON text."""

    value: Any
    cut: bool = False
    """The text breaks off, as where a limit of length applied: only its whole elements are in ``value``."""


def get(values: Any, *paths: str) -> Any:
    """Returns the first value that is there, not None, at one of these dotted paths.

    Args:
        values: Attributes: ``{"a.b": 1}``, ``{"a": {"b": 1}}`` and ``{"a": {"b.c": 1}}`` are all read.
        paths: Where to look, in order.
    """
    for path in paths:
        value = _dig(values, path)
        if value is not None:
            return value
    return None


def text(values: Any, *paths: str) -> str | None:
    """Returns the first of these that is a text and not empty."""
    return next((found for path in paths if isinstance(found := _dig(values, path), str) and found), None)


def items(values: Mapping[str, Any], path: str) -> list[tuple[int, Any]]:
    """Returns a list with its indexes: a list, JSON text of one, or one flattened to ``path.0.…``.

    Args:
        values: Attributes.
        path: Where the list is; a flattened element comes as its own attributes.
    """
    found = _dig(values, path)
    if isinstance(found, str):
        found = load(found).value
    if isinstance(found, Mapping) and found and all(str(key).isdecimal() for key in found):
        return sorted((int(key), value) for key, value in found.items())
    if isinstance(found, list | tuple):
        return list(enumerate(found))
    elements: dict[int, Any] = {}
    for index, rest, value in _numbered(values, f"{path}."):
        if not rest:
            elements[index] = value
        elif isinstance(element := elements.setdefault(index, {}), dict):
            element[rest] = value
    return sorted(elements.items())


def load(value: Any) -> Loaded:
    """Reads JSON text of an object or array; anything else is returned as it is.

    Of an array that breaks off the whole elements are kept.
    """
    if not isinstance(value, str) or not value.lstrip().startswith(("{", "[")):
        return Loaded(value)
    try:
        return Loaded(json.loads(value, strict=False))
    except RecursionError:
        return Loaded(value)
    except ValueError:
        begun = list(_whole_elements(value.lstrip()))
        return Loaded(begun, cut=True) if begun else Loaded(value, cut=value.lstrip().startswith('[{"'))


def _whole_elements(source: str) -> Iterator[Any]:
    """Gives the elements of an array of objects up to where it breaks off."""
    at = 1
    while source.startswith("[") and (begin := source.find("{", at)) >= 0 and not source[at:begin].strip(", \r\n\t"):
        try:
            element, at = _DECODER.raw_decode(source, begin)
        except (ValueError, RecursionError):
            return
        yield element


def _dig(values: Any, path: str) -> Any:
    if not isinstance(values, Mapping):
        return None
    if path in values:
        return values[path]
    parts = path.split(".")
    for cut in range(len(parts) - 1, 0, -1):
        head = ".".join(parts[:cut])
        if head in values and isinstance(values[head], Mapping):
            found = _dig(values[head], ".".join(parts[cut:]))
            if found is not None:
                return found
    return None


def _numbered(values: Mapping[str, Any], prefix: str) -> Iterator[tuple[int, str, Any]]:
    for name, value in values.items():
        if name.startswith(prefix):
            number, _, rest = name[len(prefix) :].partition(".")
            if number.isdecimal():
                yield int(number), rest, value
