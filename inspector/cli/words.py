"""Figures and fates in words, and which call a user means."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import click

from inspector.cli.terminal import Mark
from inspector.errors import CallNotFoundError, TurnNotFoundError
from inspector.model.fates import FATE_KINDS, FATE_SYMBOLS, Fate, Kind
from inspector.model.views import CallRow, TokenCount

KIND_STYLES: Final[dict[Kind, str]] = {
    "lost": "red", "altered": "yellow", "condensed": "magenta", "here": "cyan", "same": "bright_black",
}  # fmt: skip
"""Colours of the terminal nearest to those of the app."""

_TURN: Final = re.compile(r"t([0-9]+|\?)")
"""A turn as tables write it: ``t14``, or ``t?`` where it is not known."""


def amount(tokens: TokenCount) -> str:
    """Write a figure; one that is neither the provider's nor exactly counted is marked with ``≈``."""
    if tokens.count is None:
        return "?"
    certain = tokens.origin.partition(":")[0] in ("provider", "tokenizer")
    return f"{tokens.count:,}" if certain else f"≈{tokens.count:,}"


def find_call(calls: Sequence[CallRow], word: str) -> int | None:
    """Find the number of the call a user means.

    Args:
        calls: The session's calls.
        word: A number (``30``), or a turn (``t14``): its last call on the main lane, else its last call.

    Returns:
        The number, which may be one no call has; None: ``word`` is neither, or no call is of that turn.
    """
    if word.isascii() and word.isdigit():
        return int(word)
    turn = [call for call in calls if call.turn_label == word]
    main = [call for call in turn if call.lane == "main"]
    return (main or turn)[-1].number if turn else None


def call_of(calls: Sequence[CallRow], session: str, word: str) -> CallRow:
    """Find the call a user means.

    Args:
        calls: The session's calls.
        session: Its name, for the error.
        word: A number or a turn.

    Raises:
        CallNotFoundError: ``word`` is a number that no call has.
        TurnNotFoundError: ``word`` is a turn that no call is of.
        click.UsageError: ``word`` is neither; the error says which there are.
    """
    number = find_call(calls, word)
    turns = tuple(dict.fromkeys(call.turn_label for call in calls))
    if number is not None and not 1 <= number <= len(calls):
        raise CallNotFoundError(session, number, len(calls))
    if number is None and _TURN.fullmatch(word):
        raise TurnNotFoundError(session, word, turns)
    if number is None:
        known = f"turns are {turns[0]} to {turns[-1]}" if turns else "the session has no calls"
        raise click.UsageError(
            f"{word!r} is no call of session {session!r}: give 1 to {len(calls)}, or a turn ({known})"
        )
    return calls[number - 1]


def split_place(word: str, session: str | None = None) -> tuple[str, str]:
    """Split ``SESSION:30`` or ``SESSION:t14``.

    Args:
        word: As the user wrote it.
        session: What a call alone belongs to; None: a session must be named.

    Raises:
        click.UsageError: No session, or no call is named.
    """
    named, colon, call = word.rpartition(":")
    if not colon and session is not None:
        return session, word
    if not named or not call:
        raise click.UsageError(f"{word!r}: write SESSION:CALL, as in order-4711:30 or order-4711:t14")
    return named, call


def mark(fate: Fate, words: str) -> Mark:
    """Give a fate its symbol and its colour."""
    return Mark(FATE_SYMBOLS[fate], KIND_STYLES[FATE_KINDS[fate]], words)


def signed(change: int) -> str:
    """Write a change of tokens: ``+604``, ``−2,822`` (a minus sign, never a hyphen)."""
    return f"+{change:,}" if change > 0 else f"{change:,}".replace("-", "−")


def spans(runs: Sequence[tuple[int, int]]) -> str:
    """Write runs of calls: ``1–12, 14``."""
    return ", ".join(str(first) if first == last else f"{first}–{last}" for first, last in runs)


def runs_of(calls: Sequence[int]) -> list[tuple[int, int]]:
    """Gather numbers of calls into runs without a gap, for :func:`spans`.

    Args:
        calls: In order.
    """
    runs: list[tuple[int, int]] = []
    for call in calls:
        if runs and runs[-1][1] == call - 1:
            runs[-1] = (runs[-1][0], call)
        else:
            runs.append((call, call))
    return runs
