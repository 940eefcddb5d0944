"""What comes back to a question, apart from the client that sends it: who only reads answers needs no HTTP."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from inspector.model.request import Usage

TIMEOUT: Final = 120.0
"""Seconds for one answer: a long prompt on a small machine takes minutes, a lost connection takes for ever."""


@dataclass(frozen=True)
class Reply:
    """What came back."""

    text: str | None
    """The answer; None: there is none, see ``error``."""
    usage: Mapping[str, Any] | None = None
    counted: Usage | None = None
    """The same, normalised."""
    error: str | None = None
    attempts: int = 1
    duration_ms: float | None = None
    """Of the last try."""
    cancelled: bool = False
    broke_off: bool = False
    """It ended before its own end: another try may bring it whole."""
    unmetered: int = 0
    """Tries that may be charged for though nothing says how much: sent whole, and no answer came, or it broke off."""
