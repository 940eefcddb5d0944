"""How much of a text another one still quotes, whatever stands before, between or behind what it quotes."""

from __future__ import annotations

from typing import Final, NamedTuple

RUN: Final = 12
"""Shortest run of characters that is a quote: shorter ones stand by chance in any text of the same matter."""


class Quoted(NamedTuple):
    """What a text quotes of another one; characters that are no white space."""

    whole: int
    """Of the text that is quoted."""
    kept: int
    """Of those, the ones that are quoted."""
    added: int
    """Of the quoting text, those that are no quote."""
    gone: str
    """The longest passage that is missing, as it was written."""

    @property
    def lost(self) -> int:
        """Characters that are missing."""
        return self.whole - self.kept


def quoted(whole: str, text: str) -> Quoted:
    """Compares two texts by the runs they share, in any order and without white space: JSON is often written anew.

    Args:
        whole: What may be quoted.
        text: What may quote it.
    """
    places = [place for place, character in enumerate(whole) if not character.isspace()]
    bare, other = "".join(whole.split()), "".join(text.split())
    in_whole, in_text = _covered(bare, _runs(other)), _covered(other, _runs(bare))
    # One quote accounts for one passage: a text that says the same thing four times is not whole when it stands once.
    again, quotes = sum(in_whole), sum(in_text)
    start, end = _longest_gap(in_whole)
    if end - start < min(RUN, len(bare) - quotes):
        start, end = min(quotes, len(bare)), len(bare)
    gone = whole[places[start] : places[end - 1] + 1] if end > start else ""
    return Quoted(len(bare), min(again, quotes), len(other) - quotes, gone)


def _runs(text: str) -> frozenset[str]:
    return frozenset(text[at : at + RUN] for at in range(len(text) - RUN + 1))


def _covered(text: str, runs: frozenset[str]) -> bytearray:
    """For each character whether it stands in one of the runs."""
    covered = bytearray(len(text))
    reached = 0
    for at in range(len(text) - RUN + 1):
        if text[at : at + RUN] in runs:
            first = max(at, reached)
            reached = at + RUN
            covered[first:reached] = b"\x01" * (reached - first)
    return covered


def _longest_gap(covered: bytearray) -> tuple[int, int]:
    best, start = (0, 0), 0
    for gap in bytes(covered).split(b"\x01"):
        if len(gap) > best[1] - best[0]:
            best = (start, start + len(gap))
        start += len(gap) + 1
    return best
