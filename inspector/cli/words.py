"""Figures in words, and which call a user means."""

from __future__ import annotations

from collections.abc import Sequence

from inspector.model.views import CallRow, TokenCount


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
