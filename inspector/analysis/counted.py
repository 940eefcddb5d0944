"""Figures as sentences write them: an estimate never looks like a count."""

from __future__ import annotations


def write_count(count: int, *, estimated: bool) -> str:
    """Write a number of tokens: ``3,791``, of an estimate ``≈ 3,791``."""
    return f"≈ {count:,}" if estimated else f"{count:,}"


def write_tokens(count: int, *, estimated: bool) -> str:
    """Write a number of tokens with its noun: ``1 token``, ``≈ 41,200 tokens``."""
    return f"{write_count(count, estimated=estimated)} token{'' if count == 1 else 's'}"
