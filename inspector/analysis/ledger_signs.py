"""Symbols and words of a ledger's entries, as the Compare page and the command line write them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from inspector.analysis.fact_signs import NOUNS
from inspector.analysis.ledger_entries import Column, EntryKind, EntryState, Ledger, LedgerEntry

ENTRY_SYMBOLS: Final[Mapping[EntryState, str]] = {
    "dropped": "✕",
    "opaque": "▨",
    "distorted": "≠",
    "conflicting": "≶",
    "invented": "?",
    "restated": "▤",
    "kept": "■",
}

COLUMN_SYMBOLS: Final[Mapping[Column, str]] = {"lost": "✕", "altered": "≠", "invented": "?", "kept": "■"}
"""In the order in which they are read."""

COLUMN_TITLES: Final[Mapping[Column, str]] = {
    "lost": "Nothing in the call after says it",
    "altered": "Something else stands in its place, or beside it",
    "invented": "The compaction wrote it and no message has it: a sum, a date that follows, or an invention",
    "kept": "The call after still says it, in whatever message",
}


def noun(kind: EntryKind) -> str:
    """Name a kind: ``amount``.

    Args:
        kind: Of an entry.
    """
    return "name" if kind == "name" else NOUNS[kind]


def why_listed(entry: LedgerEntry) -> str:
    """Say why an entry looks like a commitment.

    Args:
        entry: The entry.
    """
    return ", ".join(entry.reasons)


def opaque_line(ledger: Ledger) -> str | None:
    """Say what can be decided of a compaction that cannot be read; None: it can be read.

    Args:
        ledger: Of the compaction.
    """
    if not ledger.opaque:
        return None
    decided = sum(entry.state not in ("opaque", "invented") for entry in ledger.entries)
    open_ones = sum(entry.state == "opaque" for entry in ledger.entries)
    return (
        "What the provider put in their place cannot be read. Values that other messages still say are decided "
        f"({decided:,}); {open_ones:,} {'other' if open_ones == 1 else 'others'} can only be asked: Probes."
    )


def left_out(ledger: Ledger) -> list[str]:
    """Say what is in no entry, a phrase each.

    Args:
        ledger: The ledger.
    """
    parts = []
    if ledger.slight:
        parts.append(f"{ledger.slight:,} slight {'value' if ledger.slight == 1 else 'values'} not listed")
    if ledger.unlisted:
        parts.append(f"{ledger.unlisted:,} more not judged")
    if ledger.unread:
        messages = "message" if ledger.unread == 1 else "messages"
        parts.append(f"{ledger.unread:,} long {messages} not read to the end")
    if ledger.missing:
        parts.append(f"not in the record: {', '.join(ledger.missing)}")
    return parts
