"""Word marks of an edited message: what went, what came, and enough around them to read it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from inspector.analysis.rewriting import WordRun, diff_words

AROUND: Final = 160
"""Unchanged characters shown before and after a change; longer stretches are left out."""
LEAST_LEFT_OUT: Final = 120
"""A stretch shorter than this is shown: the mark of the gap would take as much room."""
FIRST_CHARS: Final = 6_000
"""Characters of a difference that are sent unasked: some forty lines."""
WHOLE_CHARS: Final = 120_000
"""Characters of a difference that are sent when the reader asks for all of it."""
CODES: Final = {"same": 0, "removed": 1, "added": 2}
LEFT_OUT: Final = 3
"""Code of a stretch that is left out; its text is replaced by the number of characters."""


def difference(before: str, after: str, *, whole: bool = False) -> dict[str, Any]:
    """Return the runs of two texts as ``[code, text]``, unchanged stretches cut down.

    Args:
        before: The earlier text.
        after: The later text.
        whole: Show unchanged stretches too.

    Returns:
        ``runs``; ``more``: characters beyond the limit that are not shown; ``cut``: whether stretches are left out.
    """
    runs = diff_words(before, after)
    limit = WHOLE_CHARS if whole else FIRST_CHARS
    shown: list[list[Any]] = []
    room = limit
    more = 0
    pieces = _whole(runs) if whole else _shorten(runs)
    for code, text in pieces:
        if code == LEFT_OUT or len(text) <= room:
            if not more:
                shown.append([code, len(text) if code == LEFT_OUT else text])
                room -= 0 if code == LEFT_OUT else len(text)
                continue
        elif room > 0 and not more:
            shown.append([code, text[:room]])
            more += len(text) - room
            room = 0
            continue
        more += len(text)
    return {"runs": shown, "more": more, "cut": any(code == LEFT_OUT for code, _ in shown)}


def _whole(runs: Sequence[WordRun]) -> list[tuple[int, str]]:
    return [(CODES[run.change], run.text) for run in runs]


def _shorten(runs: Sequence[WordRun]) -> list[tuple[int, str]]:
    """Keep what stands near a change."""
    pieces: list[tuple[int, str]] = []
    for at, run in enumerate(runs):
        if run.change != "same":
            pieces.append((CODES[run.change], run.text))
            continue
        head = AROUND if at else 0
        tail = AROUND if at + 1 < len(runs) else 0
        if len(run.text) <= head + tail + LEAST_LEFT_OUT:
            pieces.append((0, run.text))
            continue
        end = len(run.text) - tail
        pieces += [(0, run.text[:head]), (LEFT_OUT, run.text[head:end]), (0, run.text[end:])]
    return [(code, text) for code, text in pieces if text]
