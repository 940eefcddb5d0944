"""Errors that are a log's fault, whatever it holds: each costs that log, or a piece of it, and never the rest."""

from __future__ import annotations

from typing import Final


class UnreadableError(ValueError):
    """A log, or a piece of one, is not what it has to be; the text is the reason."""


MALFORMED: Final = (OSError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError)
"""What reading a log can raise that is the log's fault, whatever it holds: it costs that log, never the rest.
:class:`UnreadableError` is among them."""


def reason_of(error: BaseException) -> str:
    """Say in words why a log could not be read."""
    if isinstance(error, UnreadableError):
        return str(error)
    if isinstance(error, OSError):
        return error.strerror or str(error)
    if type(error) is ValueError and "set_int_max_str_digits" in str(error):  # Python's advice is none for the user
        return "an integer of more than 4,300 digits stands where none can be read"
    return f"it has another shape than its format ({type(error).__name__}: {error})"
