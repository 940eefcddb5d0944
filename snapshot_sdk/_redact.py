"""The user's redactor: called on every value before it reaches the disk."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Redactor = Callable[[Any], Any]
"""Gets a private copy of a JSON value and returns what may be stored."""


def apply(redact: Redactor, value: Any) -> Any:
    """Runs a redactor. One that fails drops the value, never the mask.

    Args:
        redact: The user's function.
        value: A copy that it may change.
    """
    try:
        return redact(value)
    except Exception as error:
        # The type only: the message of an exception may quote what had to go.
        return f"[dropped: the redactor failed with {type(error).__name__}]"
