"""Describes a value by its shape, and none of its text, for someone who expected something else there."""

from __future__ import annotations

from typing import Any, Final

_LONGEST_NAME: Final = 40
"""Characters of a member's name that are said: it may be a text of the user."""

_MOST_NAMES: Final = 6
"""Members of an object that are named."""


def looks_like(value: Any, *, sampled: int | None = None) -> str:
    """Describe a value for someone who expected a request body there.

    Args:
        value: The value.
        sampled: How many items of an array are there at most; None: all of them.
    """
    if isinstance(value, dict):
        names = ", ".join(f"`{_short(name)}`" for name in list(value)[:_MOST_NAMES])
        more = f" and {len(value) - _MOST_NAMES} more" if len(value) > _MOST_NAMES else ""
        return f"an object with {names}{more}" if value else "an empty object"
    if isinstance(value, list):
        more = " or more" if len(value) == sampled else ""
        return f"an array of {len(value)}{more}, beginning with {looks_like(value[0])}" if value else "an empty array"
    return {str: "a string", bool: "true or false", int: "a number", float: "a number"}.get(type(value), "null")


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"
