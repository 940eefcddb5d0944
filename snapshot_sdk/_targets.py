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
        return {"regex": f"(?{flags}){target.pattern}" if flags else target.pattern}
    return {"message": content_hash(clean(target))}


def excerpt(target: Pointed, clean: Callable[[Any], Any]) -> str:
    """Returns the text to show for a target, cut.

    Args:
        target: What is pointed at.
        clean: As above.
    """
    text = target.pattern if isinstance(target, re.Pattern) else message_text(clean(target))
    return text[:EXCERPT]


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
