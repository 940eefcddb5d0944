"""Makes elements ready to be stored: source text that reads back identically, redacted if asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from snapshot_sdk._json import STYLES, escape_surrogates, load, too_deep, write_foreign
from snapshot_sdk._redact import Redaction
from snapshot_sdk._split import UNREAD, Element
from snapshot_sdk._values import is_plain, write_value
from snapshot_sdk.schema import Style

Replaced = tuple[tuple[str, str], ...]


class Prepared(NamedTuple):
    """An element, ready to be stored."""

    source: str
    strict: bool | Callable[[], bool]
    """Its value, written in the style of the record, is its source text (or how to find out: it costs time,
    and an element stored as a delta need not know)."""
    replaced: Replaced = ()
    """JSON Pointer into the element, and type, of each value that was no JSON."""
    redactions: int = 0
    """How many things were removed; a function of the user counts as one."""

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
        return write_foreign(value)
    except Exception:  # no JSON; NaN; a cycle; too deep; changed by another thread; a foreign method
        return None


def prepare_value(
    value: Any, key: str | None, redact: Redaction | None, member: str = "", *, element: bool = False
) -> Prepared:
    """Prepares a Python value.

    Args:
        value: Anything.
        key: Its :func:`quick_key`.
        redact: What is removed.
        member: Of the body, in which it stands; empty: none.
        element: It is an element of that member's array.
    """
    if key is not None and is_plain(value):
        prepared = Prepared(escape_surrogates(key), strict=True)
    else:
        written = write_value(value)
        prepared = Prepared(written.source, written.strict, written.replaced)
    if redact is None or not redact.touches(prepared.source, member):
        return prepared
    read = prepared.is_strict()
    return _redacted(
        prepared, load(prepared.source) if read else prepared.source, "compact", redact, member, element, read
    )


def prepare_text(
    element: Element, style: Style, redact: Redaction | None, member: str = "", *, in_array: bool = False
) -> Prepared:
    """Prepares an element of a body that came as text.

    Args:
        element: Source text and value.
        style: Of the record it will stand in.
        redact: What is removed.
        member: Of the body, in which it stands; empty: none.
        in_array: It is an element of that member's array.
    """
    source, value = element
    prepared = Prepared(source, lambda: value is not UNREAD and _reproduces(source, value, style))
    if redact is None or not redact.touches(source, member):
        return prepared
    read = value is not UNREAD
    return _redacted(prepared, value if read else source, style, redact, member, in_array, read)


def _redacted(
    prepared: Prepared, value: Any, style: Style, redact: Redaction, member: str, element: bool, read: bool
) -> Prepared:
    """Redacts a private copy (the source text, where it is no standard JSON)."""
    applied = redact.apply(value, member, element=element, read=read)
    if not applied.removed:
        return prepared
    written = write_value(applied.value)
    source = STYLES[style].dumps(load(written.source)) if written.strict else written.source
    return Prepared(source, written.strict, prepared.replaced, applied.removed)


def _reproduces(source: str, value: Any, style: Style) -> bool:
    try:
        return STYLES[style].dumps(value) == source and not too_deep(source)
    except (ValueError, RecursionError):
        return False
