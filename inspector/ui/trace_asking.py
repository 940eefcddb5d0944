"""What the address of the Trace page asks for, and why it cannot be looked for, in words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from inspector.analysis.changes import SessionChanges
from inspector.analysis.fact_signs import NOUNS
from snapshot_sdk.facts import KINDS, FactKind, guess_kind

Scope = Literal["all", "prompts", "answers"]
MESSAGE: Final = "message"
"""Value of ``as``: ``find`` names a message (``m5``), whose whole text is followed."""
GUESSED_LONGEST: Final = 400
"""Characters of a text up to which its kind is guessed: nobody writes a longer rule."""
_NUMBER: Final = re.compile(r"m([0-9]{1,9})")
_POSITION: Final = re.compile(r" at position (\d+)")
_EXAMPLES: Final[dict[FactKind, str]] = {
    "id": "ORD-2024-001",
    "number": "1,240",
    "money": "8,500 元, ￥8,500 or $20",
    "percent": "15 %",
    "date": "2026-11-28 or 11月28日",
    "time": "14:30",
    "duration": "2 小时 or 30 min",
    "email": "name@example.org",
    "phone": "138 0013 8000",
    "url": "https://example.org/a",
    "path": "agent/memory.py",
}


@dataclass(frozen=True)
class TraceAddress:
    """What is looked for."""

    find: str
    """As typed; empty: nothing yet."""
    kind: str | None
    """A kind of fact, ``message``, or None: guessed. Json needs ``path=value`` in ``find``."""
    scope: Scope


@dataclass(frozen=True)
class Wanted:
    """What is looked for, ready for the analysis."""

    text: str
    kind: FactKind
    path: str | None
    guessed: bool
    number: int | None
    """Number of the message whose text it is; None: it was typed or selected."""


def read_trace_address(params: Mapping[str, str]) -> TraceAddress:
    """Read the parameters of the address; a kind nobody knows counts as absent.

    Args:
        params: Of the address.
    """
    kind = params.get("as") or None
    scope = params.get("in")
    return TraceAddress(
        find=params.get("find") or "",
        kind=kind if kind in KINDS or kind == MESSAGE else None,
        scope="prompts" if scope == "prompts" else "answers" if scope == "answers" else "all",
    )


def resolve(asked: TraceAddress, changes: SessionChanges) -> Wanted:
    """Say what an address means in a session.

    Args:
        asked: The address; something is looked for.
        changes: The changes of the session.

    Raises:
        ValueError: It names a message that is not there or says nothing, or a JSON value without a path.
    """
    if asked.kind == MESSAGE:
        return _message(asked.find, changes)
    known = next((kind for kind in KINDS if kind == asked.kind), None)
    if known == "json":
        path, equals, value = asked.find.partition("=")
        if not equals:
            raise ValueError("a json fact needs a key path")
        return Wanted(value, known, path.strip(), guessed=False, number=None)
    guessed = _guess(asked.find)
    return Wanted(asked.find, known or guessed, None, guessed=known is None, number=None)


def _message(find: str, changes: SessionChanges) -> Wanted:
    match = _NUMBER.fullmatch(find.strip())
    number = int(match[1]) if match else 0
    if not 1 <= number <= len(changes.life.lifelines):
        raise ValueError(f"no message {find.strip()}: they are m1 to m{len(changes.life.lifelines)}")
    text = changes.life.lifelines[number - 1].text
    if not text.strip():
        raise ValueError(f"m{number} has no text")
    return Wanted(text, _guess(text), None, guessed=True, number=number)


def _guess(text: str) -> FactKind:
    return guess_kind(text) if len(text) <= GUESSED_LONGEST else "text"


def error_words(error: ValueError, asked: TraceAddress, kind: str | None) -> list[str]:
    """Say why something cannot be looked for, and what to do about it.

    Args:
        error: Of the matcher or of :func:`resolve`.
        asked: What was looked for.
        kind: What it was taken for.
    """
    said = str(error)
    if kind == "regex":
        reason = said.partition(": ")[2] or said
        where = _POSITION.search(reason)
        reason = _POSITION.sub("", reason)
        at = f", at character {int(where[1]) + 1}" if where else ""
        return [f"This pattern cannot be read: {reason}{at}.", "Write \\( for a bracket that is meant as one."]
    if kind == "json":
        return ["A JSON value is looked for as path=value.", "For example order.items[*].id=SKU-1."]
    if kind == MESSAGE or kind not in KINDS:
        return [f"{said[:1].upper()}{said[1:]}.", "Choose a message on Call and press t."]
    example = next((text for known, text in _EXAMPLES.items() if known == kind), "")
    noun = next((word for known, word in NOUNS.items() if known == kind), kind)
    article = "an" if noun[0] in "aeiou" else "a"
    hint = f"Write it like {example}, or choose “as: text”." if example else "Choose “as: text”."
    return [f"“{asked.find.strip()[:60]}” is not {article} {noun}.", hint]
