"""Which lines can hold a fact, found by a look at pieces of them: a tool result of a megabyte is one line of JSON.

A line is looked at closely where one of its pieces has something that matters. Between a quote and the comma behind it,
and before a comma that a quote follows, nothing goes on: no value, no word that hedges one, no clause.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from snapshot_sdk._fact_lines import Signs, lines_with
from snapshot_sdk._fact_names import ID, looks_like_id, plain_name

_ASKS: Final = "吗"
"""Of a line that has it no piece is judged by itself: what is denied and then asked is said, and may stand apart."""
_OF_NAME: Final = frozenset("abcdefghijklmnopqrstuvwxyz0123456789#_@./:-")
_DIGIT: Final = re.compile("[0-9]")
_NAME: Final = re.compile(r"[a-z0-9#_@./:-]*")


@dataclass(frozen=True)
class PieceFilter:
    """Lines of which a piece has something that matters."""

    may: Signs | re.Pattern[str]
    """What such a piece has."""
    look: Callable[[str], bool]
    """Tells whether a piece of a folded text matters."""

    def lines(self, text: str) -> Iterator[tuple[int, int]]:
        """Gives the lines.

        Args:
            text: Folded.
        """
        begin = done = 0
        end = -1
        asks = False
        for match in self.may.finditer(text):
            if match.start() < done:
                continue
            if match.start() >= end:
                begin = text.rfind("\n", done, match.start()) + 1 or done
                end = text.find("\n", match.end())
                end = len(text) if end < 0 else end
                asks = text.find(_ASKS, begin, end) >= 0
            first = max(begin, done, text.rfind('",', max(begin, done), match.start()) + 1)
            first = max(first, text.rfind(', "', first, match.start()))
            ends = [at for at in (text.find('",', match.end(), end) + 1, text.find(', "', match.end(), end)) if at > 0]
            last = min(ends, default=end)
            if asks or self.look(text[first:last]):
                yield begin, end
                done = end
            else:
                done = last


@dataclass(frozen=True)
class NameFilter:
    """Lines that hold an id, or a name that may be a slip of it."""

    may: Signs | re.Pattern[str]
    """A piece of such a name."""
    wanted: str
    near: Callable[[str, int, str], bool]
    """Tells whether a name in a text may be a slip."""

    def lines(self, text: str) -> Iterator[tuple[int, int]]:
        """Gives the lines.

        Args:
            text: Folded.
        """
        done = 0
        for match in self.may.finditer(text):
            if match.start() < done:
                continue
            first, last = match.start(), _NAME.match(text, match.end()).end()  # type: ignore[union-attr]
            while first > done and text[first - 1] in _OF_NAME:
                first -= 1
            if self._holds(text, first, last):
                begin = text.rfind("\n", 0, first) + 1
                end = text.find("\n", last)
                done = len(text) if end < 0 else end
                yield begin, done
            else:
                done = last

    def _holds(self, text: str, first: int, last: int) -> bool:
        if text.find(self.wanted, max(0, first - len(self.wanted)), last + len(self.wanted)) >= 0:
            return True
        if _DIGIT.search(text, first, last) is None:
            return False  # every id has one; most often it is a word
        return any(
            looks_like_id(token[0]) and self.near(text, token.start(), plain_name("id", token[0]))
            for token in ID.finditer(text, first, last)
        )


LineFilter = PieceFilter | NameFilter | Signs | re.Pattern[str]
"""Tells which lines can hold a fact; a pattern, or one of some signs, stands in each of them."""


def lines_of(text: str, lines: LineFilter) -> Iterator[tuple[int, int]]:
    """Gives the lines of a text that can hold a fact.

    Args:
        text: Folded.
        lines: What tells them.
    """
    return lines.lines(text) if isinstance(lines, PieceFilter | NameFilter) else lines_with(text, lines)
