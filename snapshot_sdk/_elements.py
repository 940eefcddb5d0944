"""Makes elements ready to be stored: source text that reads back identically, redacted if asked."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from snapshot_sdk import _redact
from snapshot_sdk._json import STYLES, escape_surrogates, load, too_deep
from snapshot_sdk._split import UNREAD, Element
from snapshot_sdk._values import is_plain, write_value
from snapshot_sdk.schema import Style

Replaced = tuple[tuple[str, str], ...]

_encode: Final = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode


@dataclass(frozen=True, slots=True)
class Prepared:
    """An element, ready to be stored."""

    source: str
    strict: bool | Callable[[], bool]
    """Its value, written in the style of the record, is its source text (or how to find out: it costs time,
    and an element stored as a delta need not know)."""
    replaced: Replaced = ()
    """JSON Pointer into the element, and type, of each value that was no JSON."""
    redactions: int = 0
    """How many things were removed: the redactor counts as one."""

    def is_strict(self) -> bool:
        """Tells whether the value can be stored in place of the source text."""
        return self.strict() if callable(self.strict) else self.strict


def quick_key(value: Any) -> str | None:
    """Writes a value at C speed, to look it up. Other values may write alike: only what was prepared is stored.

    Args:
        value: Anything.

    Returns:
        Its JSON, lone surrogates as they are; None where ``json`` cannot write it.
    """
    try:
        return _encode(value)
    except Exception:  # no JSON; NaN; a cycle; too deep; changed by another thread; a foreign method
        return None


def prepare_value(value: Any, key: str | None, redact: _redact.Redactor | None) -> Prepared:
    """Prepares a Python value.

    Args:
        value: Anything.
        key: Its :func:`quick_key`.
        redact: The user's redactor.
    """
    if key is not None and is_plain(value):
        prepared = Prepared(escape_surrogates(key), strict=True)
    else:
        written = write_value(value)
        prepared = Prepared(written.source, written.strict, written.replaced)
    if redact is None:
        return prepared
    return _redacted(prepared, load(prepared.source) if prepared.is_strict() else prepared.source, "compact", redact)


def prepare_text(element: Element, style: Style, redact: _redact.Redactor | None) -> Prepared:
    """Prepares an element of a body that came as text.

    Args:
        element: Source text and value.
        style: Of the record it will stand in.
        redact: The user's redactor.
    """
    source, value = element
    prepared = Prepared(source, lambda: value is not UNREAD and _reproduces(source, value, style))
    return prepared if redact is None else _redacted(prepared, source if value is UNREAD else value, style, redact)


def _redacted(prepared: Prepared, value: Any, style: Style, redact: _redact.Redactor) -> Prepared:
    """Runs the redactor over a private copy (over the source text, where it is no standard JSON)."""
    before = write_value(value)
    written = write_value(_redact.apply(redact, value))
    if written.source == before.source:
        return prepared
    source = STYLES[style].dumps(load(written.source)) if written.strict else written.source
    return Prepared(source, written.strict, prepared.replaced, redactions=1)


def _reproduces(source: str, value: Any, style: Style) -> bool:
    try:
        return STYLES[style].dumps(value) == source and not too_deep(source)
    except (ValueError, RecursionError):
        return False
