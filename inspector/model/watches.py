"""Watches: texts that must be in every context, set by the reader after the fact. They stand in ``inspector.toml``."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

TARGETS: Final = ("text", "regex", "message")
"""What a watch looks for: a text word for word, a pattern, or a whole message by its content hash."""
EXCERPT: Final = 200
"""Characters of a target that name it where there is no room for all of it."""


@dataclass(frozen=True)
class Watch:
    """A pin set afterwards, by the reader."""

    id: str
    """Made of what it says, so that the same watch set twice is one."""
    target: Mapping[str, Any]
    """``text``, ``regex`` or ``message`` (a content hash)."""
    excerpt: str
    reason: str | None = None
    since_call: int | None = None
    """Call from which it counts; None: from its first appearance."""
    lane: str | None = None
    """None: the main lane."""
    session: str | None = None
    """The session it is about; None: all."""


def make_watch(
    target: Mapping[str, str],
    *,
    excerpt: str | None = None,
    reason: str | None = None,
    since_call: int | None = None,
    lane: str | None = None,
    session: str | None = None,
) -> Watch:
    """Make a watch and its id.

    Args:
        target: One of :data:`TARGETS` and what it looks for.
        excerpt: How it is called; None: the beginning of its target.
        reason: Why it matters, in the reader's words.
        since_call: Call from which it counts; None: from its first appearance.
        lane: Lane whose calls must have it; None: the main lane.
        session: Session it is about; None: all.

    Raises:
        ValueError: The target is none, empty, or a pattern that is not valid.
    """
    if len(target) != 1 or not target.keys() <= set(TARGETS):
        raise ValueError(f"needs one of {', '.join(TARGETS)}")
    [(kind, wanted)] = target.items()
    if not wanted.strip():
        raise ValueError(f"{kind} is empty")
    if kind == "regex":
        _check(wanted)
    named = " ".join((excerpt or wanted).split())
    said = "\0".join([kind, wanted, session or "", lane or "", str(since_call or "")])
    digest = hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    short = named if len(named) <= EXCERPT else named[: EXCERPT - 1] + "…"
    return Watch(f"watch-{digest}", dict(target), short, reason, since_call, lane, session)


def _check(pattern: str) -> None:
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise ValueError(f"no valid regular expression: {error}") from error
