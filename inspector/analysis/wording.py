"""What a passage became when the message that holds it was edited."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from inspector.analysis.rewriting import WordRun, diff_words

BEFORE: Final = 24
"""Characters of its line shown before a passage: enough for the name of a slot."""
LONGEST: Final = 120
"""Characters beyond which what stands there now is another text, not another wording."""


class Reworded(NamedTuple):
    """A passage with the beginning of its line, and what stands there now."""

    old: str
    new: str


def find_new_wording(before: str, after: str, passage: str) -> Reworded | None:
    """Find what stands in an edited text where a passage stood.

    Args:
        before: The text that holds the passage.
        after: The edited text, which does not.
        passage: The passage.

    Returns:
        None: nothing stands there, or far more than a rewording.
    """
    start = before.find(passage)
    if start < 0:
        return None
    end = start + len(passage)
    line = before.rfind("\n", 0, start) + 1
    first = max(line, start - BEFORE)
    runs = diff_words(before, after)
    left, right = _follow(runs, first, is_end=False), _follow(runs, end, is_end=True)
    if not left < right <= left + LONGEST:
        return None
    new = after[left:right].strip()
    return Reworded(before[first:end].strip(), new) if new not in ("", before[first:start].strip()) else None


def _follow(runs: Sequence[WordRun], place: int, *, is_end: bool) -> int:
    """Where a place of the earlier text lies in the later one; of an end inside a change, the end of what is new."""
    old = new = 0
    for n, run in enumerate(runs):
        length = len(run.text)
        if run.change == "same":
            if place < old + length or (is_end and place == old + length):
                return new + max(0, place - old)
            old, new = old + length, new + length
        elif run.change == "added":
            new += length
        elif place < old + length or (is_end and place == old + length):
            follower = runs[n + 1] if n + 1 < len(runs) else None
            replaced = len(follower.text) if follower is not None and follower.change == "added" else 0
            return new + (replaced if is_end else 0)
        else:
            old += length
    return new
