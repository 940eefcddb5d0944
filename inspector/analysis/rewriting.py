"""How a message was rewritten: cut, or edited, and where the words differ."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from inspector.analysis.words import WORD
from inspector.model.fates import Fate

MARKER: Final = re.compile(
    r"[\s.…\[\](){}（）【】<>*_\-—|:：]*((\d[\d,.]*\s*\w{0,12}\s*)?"
    r"(truncated|omitted|cut|trimmed|elided|more|chars?|characters|lines?|tokens?|bytes|output|已?截断|已?省略|内容过长)"
    r"[\s.…\[\](){}（）【】<>*_\-—|:：\d,\w]{0,60})?$",
    re.IGNORECASE,
)
"""What agents put at the end of a text they cut."""
MARK_LENGTH: Final = 80
"""Longest mark of a cut, characters."""
MARK_AT_END: Final = re.compile(
    r"\s*(\.\.\.|…|\[|\(|（|<)[^\n]{0,60}?(truncated|omitted|cut off|trimmed|elided|截断|省略|过长)[^\n]{0,40}$"
    r"|\s*(\.\.\.|…)$",
    re.IGNORECASE,
)
MARK_BEGINS: Final = ("...", "…", "[", "(", "（", "<")
"""How each of these begins: most texts have none of them at their end."""
LEAST_PIECE: Final = 8
"""Shortest remaining head or tail, in characters, that counts as a piece of the original."""
WORD_LIMIT: Final = 20_000
"""Above this number of words per side the difference is taken by lines, above it in lines as one: it would need
minutes."""
LETTER: Final = re.compile(WORD.pattern.split("|")[0].removesuffix("+"))
"""A character of a word that more than one character make."""
LONGEST_WORD: Final = 100
"""Characters beyond which a word is data (base64), of which a part may differ."""
PIECES: Final = re.compile(WORD.pattern + r"|\s+|[^\s\w]|\w")
"""Everything in a text: words, single CJK characters, white space, punctuation."""


@dataclass(frozen=True)
class WordRun:
    """A run of a text in a comparison of two."""

    change: Literal["same", "removed", "added"]
    text: str


def strip_mark(text: str) -> str:
    """The text without the mark of a cut at its end (``…[truncated]``, ``…（已截断）``)."""
    tail = text[-MARK_LENGTH:]
    if not any(sign in tail for sign in MARK_BEGINS):
        return text
    end = MARK_AT_END.search(tail)
    return text if end is None else text[: len(text) - (len(text[-MARK_LENGTH:]) - end.start())]


def name_rewriting(before: str, after: str) -> Fate:
    """Say whether the later text is the earlier one cut, or edited."""
    if len(after) < len(before) and _is_cut(before, after):
        return Fate.TRUNCATED
    return Fate.EDITED


def _is_cut(before: str, after: str) -> bool:
    head = common_head(before, after)
    if head == len(after):
        return True
    rest = after[head:]
    if head >= LEAST_PIECE and _is_mark(rest):
        return True
    tail = common_head(before[::-1], after[::-1])
    if tail == len(after):
        return True
    if head + tail >= len(after):
        return True
    if head >= LEAST_PIECE or tail >= LEAST_PIECE:
        middle = after[head : len(after) - tail] if tail else rest
        return _is_mark(middle)
    return False


def _is_mark(text: str) -> bool:
    """Whether a text is only a mark of a cut; bounded, since the pattern backtracks."""
    return len(text) <= MARK_LENGTH and MARKER.fullmatch(text) is not None


def common_head(a: str, b: str) -> int:
    """Return how many characters two texts begin with in common, by halving: slices compare at memory speed.

    Args:
        a: A text.
        b: Another one.
    """
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _before_word(before: str, after: str, head: int) -> int:
    """The common head without the word that it would cut in two; a word of a line's length may be cut."""
    following = before[head : head + 1] + after[head : head + 1]
    if not any(LETTER.match(character) for character in following):
        return head
    start = head
    while start > max(0, head - LONGEST_WORD) and LETTER.match(before[start - 1]):
        start -= 1
    return start


def diff_words(before: str, after: str) -> tuple[WordRun, ...]:
    """Where two texts differ, by words (by lines above :data:`WORD_LIMIT` words a side)."""
    head = _before_word(before, after, common_head(before, after))
    old, new = before[head:], after[head:]
    back, forth = old[::-1], new[::-1]
    tail = _before_word(back, forth, common_head(back, forth))
    old, new, end = old[: len(old) - tail], new[: len(new) - tail], old[len(old) - tail :]
    a, b = PIECES.findall(old), PIECES.findall(new)
    if max(len(a), len(b)) > WORD_LIMIT:
        a, b = old.splitlines(keepends=True), new.splitlines(keepends=True)
    if max(len(a), len(b)) > WORD_LIMIT:
        a, b = [old], [new]
    runs: list[WordRun] = [WordRun("same", before[:head])] if head else []
    gone, come = "", ""
    from rapidfuzz.distance import Indel  # a third of a second to load, and lifelines do not need it

    for op in [*Indel.opcodes(a, b), None]:
        if op is not None and op.tag != "equal":
            gone += "".join(a[op.src_start : op.src_end])
            come += "".join(b[op.dest_start : op.dest_end])
            continue
        runs += [run for run in (WordRun("removed", gone), WordRun("added", come)) if run.text]
        gone, come = "", ""
        if op is not None:
            runs.append(WordRun("same", "".join(a[op.src_start : op.src_end])))
    if end:
        runs.append(WordRun("same", end))
    return tuple(runs)
