"""What labels and pins point at, and how it is told again."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from snapshot_sdk._responses import message_text
from snapshot_sdk.canonical import canonical_json, content_hash

Pointed = str | Mapping[str, Any] | re.Pattern[str]
"""A text, a message, or a pattern."""

EXCERPT: Final = 2_000
"""Characters of a pinned text kept for display."""

MAX_OCCURRENCE: Final = 2**31 - 1
"""No text has more places."""

PIN_ID: Final = re.compile(r"pin-[0-9a-f]{16}(-\d+)?")
_FLAGS: Final = {"a": re.ASCII, "i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL, "x": re.VERBOSE}


def describe_target(target: Pointed, clean: Callable[[Any], Any]) -> dict[str, Any]:
    """Returns the ``target`` of a record.

    Args:
        target: What is pointed at.
        clean: Redacts it as the prompt is redacted, so that it is found there.
    """
    if isinstance(target, str):
        return {"text": clean(target)}
    if isinstance(target, re.Pattern):
        flags = "".join(letter for letter, flag in _FLAGS.items() if target.flags & flag)
        pattern = str(clean(_pattern_text(target)))
        return {"regex": f"(?{flags}){pattern}" if flags else pattern}
    return {"message": content_hash(clean(target))}


def excerpt(target: Pointed, clean: Callable[[Any], Any]) -> str:
    """Returns the text to show for a target, cut.

    Args:
        target: What is pointed at.
        clean: As above.
    """
    pointed = _pattern_text(target) if isinstance(target, re.Pattern) else target
    return message_text(clean(pointed))[:EXCERPT]


def _pattern_text(pattern: re.Pattern[Any]) -> str:
    source = pattern.pattern
    return source if isinstance(source, str) else bytes(source).decode("latin-1")


def as_occurrence(value: Any) -> dict[str, int]:
    """Returns ``occurrence`` as a field of a target; nothing for what is no number from 1.

    Args:
        value: What the user gave.
    """
    try:
        number = int(value)
    except Exception:  # a word, an infinity, a foreign __int__
        return {}
    return {"occurrence": number} if 1 <= number <= MAX_OCCURRENCE else {}


def target_key(value: Any) -> str:
    """Identifies a target: hex digits.

    Args:
        value: JSON.
    """
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()


def pin_id(key: str, released: int) -> str:
    """Names a pin: the same for the same target in every run of a session, so that a restart pins nothing twice.

    Args:
        key: Of the target and the scope.
        released: How often it was released in this run.
    """
    return f"pin-{key[:16]}" + (f"-{released + 1}" if released else "")
