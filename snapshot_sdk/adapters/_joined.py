"""Joins two pieces of a streamed value."""

from __future__ import annotations

from typing import Any


def joined(before: Any, value: Any) -> Any:
    """Returns texts and arrays joined, of anything else the later.

    Args:
        before: What came so far; None: nothing.
        value: What came now.
    """
    if isinstance(before, str) and isinstance(value, str):
        return before + value
    if isinstance(before, list) and isinstance(value, list):
        return before + value
    return value
