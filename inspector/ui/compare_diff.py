"""Word marks of an edited message: what went, what came, and enough around them to read it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from inspector.analysis.rewriting import WordRun, diff_words
from inspector.analysis.words import WORD

AROUND: Final = 160
"""Unchanged characters shown before and after a change; longer stretches are left out."""
LINES_AROUND: Final = 2
"""Unchanged lines shown before and after a change, where lines are short."""
LEAST_LEFT_OUT: Final = 120
"""A stretch shorter than this is shown: the mark of the gap would take as much room."""
FIRST_CHARS: Final = 6_000
"""Characters of a difference that are sent unasked: some forty lines."""
WHOLE_CHARS: Final = 120_000
"""Characters of a difference that are sent when the reader asks for all of it."""
CHANCE_TIMES: Final = 2
"""Signs and spaces between changes that are more than so many times as long are chance."""
CHANCE_WORDS: Final = 2
"""Words that two quite different texts share in a row by chance …"""
CHANCE_AFTER: Final = 80
"""… beside a change of so many characters."""
MOST_LINES: Final = 3
"""Lines between changes that are shown; more are left out however short they are."""
SAME, REMOVED, ADDED, LEFT_OUT = 0, 1, 2, 3
"""Codes of runs. Of a stretch that is left out only its number of characters is sent."""


def difference(before: str, after: str, *, whole: bool = False) -> dict[str, Any]:
    """Return the runs of two texts as ``[code, text]``, unchanged stretches cut down.

    Args:
        before: The earlier text.
        after: The later text.
        whole: Show unchanged stretches too.

    Returns:
        ``runs``; ``more``: characters of each side beyond the limit; ``cut``: whether stretches are left out.
    """
    runs = _join(diff_words(before, after))
    shown: list[list[Any]] = []
    room = [WHOLE_CHARS if whole else FIRST_CHARS] * 2
    more = [0, 0]
    for code, text in runs if whole else _shorten(runs):
        sides = [0, 1] if code in (SAME, LEFT_OUT) else [code - 1]
        # What is the same stands on both sides: it ends where one of them is full.
        fits = 0 if len(sides) == 2 and any(more) else min(len(text), *(room[side] for side in sides))
        if code == LEFT_OUT and not any(more):
            shown.append([code, len(text)])
            continue
        if fits:
            shown.append([code, text[:fits]])
        for side in sides:
            room[side] -= fits
            more[side] += len(text) - fits
    return {"runs": shown, "more": more, "cut": any(code == LEFT_OUT for code, _ in shown)}


def _join(runs: Sequence[WordRun]) -> list[tuple[int, str]]:
    """Join changes that only chance parts: a space or a comma which both texts happen to have between them."""
    pieces: list[tuple[int, str]] = []
    gone = come = ""
    for at, run in enumerate(runs):
        if run.change == "removed":
            gone += run.text
        elif run.change == "added":
            come += run.text
        elif 0 < at < len(runs) - 1 and _is_chance(run.text, max(len(gone), len(come))):
            gone += run.text
            come += run.text
        else:
            pieces += [(REMOVED, gone), (ADDED, come), (SAME, run.text)]
            gone = come = ""
    pieces += [(REMOVED, gone), (ADDED, come)]
    return [(code, text) for code, text in pieces if text]


def _is_chance(text: str, changed: int) -> bool:
    """Whether an unchanged stretch says nothing beside a change of so many characters."""
    words = len(WORD.findall(text))
    return (words == 0 and changed > CHANCE_TIMES * len(text)) or (words <= CHANCE_WORDS and changed > CHANCE_AFTER)


def _shorten(runs: Sequence[tuple[int, str]]) -> list[tuple[int, str]]:
    """Keep what stands near a change."""
    pieces: list[tuple[int, str]] = []
    for at, (code, text) in enumerate(runs):
        if code != SAME:
            pieces.append((code, text))
            continue
        head = _near(text[:AROUND]) if at else 0
        tail = _near(text[-AROUND:][::-1]) if at + 1 < len(runs) else 0
        end = len(text) - tail
        if len(text) <= head + tail + LEAST_LEFT_OUT and text.count("\n", head, end) <= MOST_LINES:
            pieces.append((SAME, text))
            continue
        pieces += [(SAME, text[:head]), (LEFT_OUT, text[head:end]), (SAME, text[end:])]
    return [(code, text) for code, text in pieces if text]


def _near(text: str) -> int:
    """How much of a text, away from a change, is shown: some lines at most."""
    end = -1
    for _ in range(LINES_AROUND + 1):
        end = text.find("\n", end + 1)
        if end < 0:
            return len(text)
    return end
