"""Values as tracing tools store them: JSON inside strings, inside strings again, or flattened into dotted names."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

_DEEPEST: Final = 3
"""How often a value is looked for inside a string: Langfuse stores the input of a trace encoded twice."""

_OPENINGS: Final = ("{", "[", '"')

_MOST_PLACES: Final = 10_000
"""Longest list a flattened name may make: an index beyond it is no place in a prompt."""


def unwrap(value: Any) -> Any:
    """Give the value inside a string of JSON; any other string, and any other value, as it is."""
    for _ in range(_DEEPEST):
        if not isinstance(value, str) or not value.lstrip().startswith(_OPENINGS):
            return value
        try:
            inner = json.loads(value, strict=False)
        except (ValueError, RecursionError):
            return value
        if not isinstance(inner, dict | list | str):
            return value
        value = inner
    return value


def structure(value: Any) -> Any:
    """Give the object or array inside a string of JSON; of any other string the string itself, not decoded."""
    inner = unwrap(value)
    return inner if isinstance(inner, dict | list) else value


def mapping_in(value: Any) -> Mapping[str, Any]:
    """Give the object that a value is, or holds as JSON; an empty one where it is none."""
    inner = unwrap(value)
    return inner if isinstance(inner, dict) else {}


def items_in(value: Any) -> list[Any]:
    """Give the array that a value is, or holds as JSON; an empty one where it is none."""
    inner = unwrap(value)
    return inner if isinstance(inner, list) else []


def nested(attributes: Mapping[str, Any], prefix: str) -> Any:
    """Put together what a span has flattened into names.

    ``llm.input_messages.0.message.role`` and its likes become, with the prefix ``llm.input_messages``, a list of
    objects.

    Args:
        attributes: All attributes of the span.
        prefix: Begin of the names, without the dot behind it.

    Returns:
        The value; None where no name begins so.
    """
    root: dict[str, Any] = {}
    for name, value in attributes.items():
        if name.startswith(f"{prefix}."):
            *path, last = name[len(prefix) + 1 :].split(".")
            at = root
            for step in path:
                inner = at.setdefault(step, {})
                if not isinstance(inner, dict):
                    break
                at = inner
            else:
                at.setdefault(last, value)
    return _listed(root) if root else None


def _listed(value: Any) -> Any:
    """Turn objects whose names all are places into lists."""
    if not isinstance(value, dict):
        return value
    inner = {name: _listed(one) for name, one in value.items()}
    if inner and all(name.isdecimal() and int(name) < _MOST_PLACES for name in inner):
        return [inner[name] for name in sorted(inner, key=int)]
    return inner
