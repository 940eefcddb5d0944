"""Text as facts are looked for in it: one width, one case, one dash, with the way back to the original."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain
from operator import itemgetter
from typing import Final, NamedTuple

_DASHES: Final = dict.fromkeys("‐‑‒–—―−﹘﹣－⁃", "-")
_INVISIBLE: Final = dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\u00ad", "")
_SPACES: Final = dict.fromkeys("\u00a0\u2007\u202f\u3000\u2002\u2003\u2009", " ")
_PUNCTUATION: Final = {"“": '"', "”": '"', "‘": "'", "’": "'", "、": ","}
_FIXED: Final = {**_DASHES, **_INVISIBLE, **_SPACES, **_PUNCTUATION}

_OTHER_NUMBERS: Final = ("<super>", "<sub>", "<circle>", "<fraction>")
"""Compatibility forms whose digits say something else than the plain ones: 10² is not 102."""

_SENTENCE_END: Final = re.compile(r"[。！？!?；;\n]+|\.(?=\s|$)")
_CLAUSE_END: Final = re.compile(r"[。！？!?；;\n]+|[，,]+(?![0-9])|\.(?=\s|$)")


@dataclass(frozen=True)
class Folded:
    """A text in one form."""

    text: str
    """Lower case, half width, plain dashes and quotes, nothing invisible."""
    pieces: tuple[tuple[int, int, int], ...] = field(repr=False)
    """Where pieces begin, here and in the original, and the length of the original piece where it is no longer
    character by character; 0: it is."""

    def original(self, start: int, end: int) -> tuple[int, int]:
        """Gives the span in the original text that a span of this one came from.

        Args:
            start: First character.
            end: Character after the last.
        """
        if start >= end:
            return start, end
        return self._place(start)[0], self._place(end - 1)[1]

    def _place(self, at: int) -> tuple[int, int]:
        here, there, length = self.pieces[bisect_right(self.pieces, at, key=itemgetter(0)) - 1]
        return (there, there + length) if length else (there + at - here, there + at - here + 1)


def plain(text: str) -> Folded:
    """Gives a text as it is, for what is looked for in the original."""
    return Folded(text, ((0, 0, 0),))


def fold(text: str) -> Folded:
    r"""Brings a text into the form that facts are compared in.

    Args:
        text: Any text; JSON escapes are read, but not in the path of a Windows file.
    """
    if text.isascii() and "\\" not in text:
        return plain(text.lower())
    forms = _forms()
    if not forms.unusual.search(text):
        return plain(_lower_usual(text))
    drives = [path.span() for path in _DRIVE.finditer(text)] if ":\\" in text else []
    out: list[str] = []
    pieces: list[tuple[int, int, int]] = []
    at = done = 0
    for odd in forms.odd.finditer(text):
        start, end = odd.span()
        if start < at:
            continue
        if odd[0] == "\\":
            escape = _ESCAPE.match(text, start)
            if escape is None or _in_one_of(drives, start) or text[start - 1 : start] == "\\":
                continue
            end, code = escape.end(), escape[1]
            piece = _ESCAPES.get(code) or _fold_one(chr(int(code[1:], 16)))
        else:
            if forms.mark.match(odd[0]):  # it belongs to the character before it
                start, end = max(at, start - 1), forms.mark.match(text, start).end()  # type: ignore[union-attr]
            piece = _fold_one(text[start:end])
        if start > at:
            pieces.append((done, at, 0))
            out.append(_lower(text[at:start], forms))
            done += start - at
        if piece:
            pieces.append((done, start, end - start))
            out.append(piece)
            done += len(piece)
        at = end
    pieces.append((done, at, 0))
    out.append(_lower(text[at:], forms))
    return Folded("".join(out), tuple(pieces))


def _lower(piece: str, forms: _Forms) -> str:
    """Brings a piece without odd characters into form; ``translate`` alone takes ten times as long where it is Chinese.

    Nearly always only ASCII has a case there, and what needs more is a comma or a colon of full width.
    """
    if piece.isascii():
        return piece.lower()
    if forms.special.search(piece):
        return piece.translate(forms.table) if forms.unusual.search(piece) else _lower_usual(piece)
    return _lower_ascii(piece)


def _lower_usual(text: str) -> str:
    """Brings a text into form that has nothing unusual in it."""
    for sign, plain_sign in _OFTEN.items():
        text = text.replace(sign, plain_sign)
    return _lower_ascii(text)


def _lower_ascii(text: str) -> str:
    return text.encode("utf-8", "surrogatepass").lower().decode("utf-8", "surrogatepass")


_OFTEN: Final = {
    "，": ",", "：": ":", "；": ";", "（": "(", "）": ")", "！": "!", "？": "?", "、": ",", "“": '"', "”": '"',
    "–": "-", "—": "-", "’": "'", "￥": "¥",
}  # fmt: skip


def _in_one_of(spans: list[tuple[int, int]], at: int) -> bool:
    place = bisect_right(spans, at, key=itemgetter(0)) - 1
    return place >= 0 and at < spans[place][1]


def folded(text: str) -> str:
    """Gives the form alone, at once, for texts that are short."""
    return fold(text).text


def sentence_of(text: str, start: int, end: int) -> tuple[int, int]:
    """Finds the sentence around a span.

    Args:
        text: Folded text.
        start: First character of the span.
        end: Character after its last.
    """
    return _around(text, start, end, _SENTENCE_END)


def clause_of(text: str, start: int, end: int) -> tuple[int, int]:
    """Finds the clause around a span: what stands between commas or ends of sentences.

    Args:
        text: Folded text.
        start: First character of the span.
        end: Character after its last.
    """
    return _around(text, start, end, _CLAUSE_END)


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """Gives the sentences of a folded text, without blank ones."""
    begin = 0
    for match in _SENTENCE_END.finditer(text):
        if text[begin : match.start()].strip():
            yield begin, match.end()
        begin = match.end()
    if text[begin:].strip():
        yield begin, len(text)


REACH: Final = 400
"""Characters to either side within which the bounds of a sentence are looked for."""


def _around(text: str, start: int, end: int, bound: re.Pattern[str]) -> tuple[int, int]:
    begin = _bound_before(text, start, bound)
    after = bound.search(text, end, min(len(text), end + REACH))
    return begin, after.start() if after else min(len(text), end + REACH)


def _bound_before(text: str, start: int, bound: re.Pattern[str]) -> int:
    """The end of the last bound before a place; most are near, and looking from there on finds the same one."""
    for reach in (_NEAR, REACH):
        last = None
        for match in bound.finditer(text, max(0, start - reach), start):
            last = match
        if last is not None:
            return last.end()
    return max(0, start - REACH)


_NEAR: Final = 40
"""Characters within which a clause most often begins."""


class Taken:
    """Spans of a text that something stands in already; none overlaps another."""

    def __init__(self, spans: Iterable[tuple[int, int]] = ()) -> None:
        """Takes spans.

        Args:
            spans: First character and the one after the last; one that overlaps another before it is left out.
        """
        self._starts: list[int] = []
        self._ends: list[int] = []
        for start, end in spans:
            self.take(start, end)

    def free(self, start: int, end: int) -> bool:
        """Tells whether nothing stands in a span yet.

        Args:
            start: First character.
            end: Character after the last.
        """
        at = bisect_right(self._starts, start)
        return (at == 0 or self._ends[at - 1] <= start) and (at == len(self._starts) or self._starts[at] >= end)

    def begins_within(self, start: int, end: int) -> bool:
        """Tells whether something begins in a span.

        Args:
            start: First character.
            end: Character after the last.
        """
        at = bisect_left(self._starts, start)
        return at < len(self._starts) and self._starts[at] < end

    def take(self, start: int, end: int) -> bool:
        """Takes a span if it is free, and tells whether it was.

        Args:
            start: First character.
            end: Character after the last.
        """
        if not self.free(start, end):
            return False
        at = bisect_right(self._starts, start)
        self._starts.insert(at, start)
        self._ends.insert(at, end)
        return True


class _Forms(NamedTuple):
    table: dict[int, str]
    """Characters that become one other character."""
    odd: re.Pattern[str]
    """What becomes none or several: marks, compatibility forms, invisible characters, backslashes of escapes."""
    mark: re.Pattern[str]
    """Marks that belong to the character before them."""
    special: re.Pattern[str]
    """Characters beyond ASCII that become another one: other widths, dashes, quotes, letters with a case."""
    unusual: re.Pattern[str]
    """What is odd or special, but for the signs that Chinese and typeset text is full of."""


@cache
def _forms() -> _Forms:
    table: dict[int, str] = {}
    odd: list[str] = []
    special: list[str] = []
    for char in filter(_may_change, map(chr, chain.from_iterable(_CHANGING))):
        piece = _fold_one(char)
        if len(piece) != 1 or unicodedata.combining(char):
            odd.append(char)
        elif piece != char:
            table[ord(char)] = piece
            if not char.isascii():
                special.append(char)
    marks = [char for char in odd if unicodedata.combining(char)]
    unusual = sorted({*odd, *special} - _OFTEN.keys())
    return _Forms(
        table,
        re.compile(rf"[\\{_ranges(odd)}]"),
        re.compile(f"[{_ranges(marks)}]+"),
        re.compile(f"[{_ranges(special)}]"),
        re.compile(rf"[\\{_ranges(unusual)}]"),
    )


def _may_change(char: str) -> bool:
    """Tells at once of most characters that they are in form already: there are tens of thousands."""
    return (
        not unicodedata.is_normalized("NFKC", char)
        or char.lower() != char
        or char in _FIXED
        or unicodedata.combining(char) != 0
    )


def _ranges(chars: Sequence[str]) -> str:
    """Writes characters beyond ASCII, in order, for a class of a pattern: ranges are compiled faster than each."""
    written, at = [], 0
    while at < len(chars):
        last = at
        while last + 1 < len(chars) and ord(chars[last + 1]) == ord(chars[last]) + 1:
            last += 1
        written.append(f"{chars[at]}-{chars[last]}")
        at = last + 1
    return "".join(written)


_CHANGING: Final = (
    range(0x3400), range(0x4DC0, 0x4E00), range(0xA000, 0xAC00), range(0xD7A4, 0xD800), range(0xE000, 0x10000),
)  # fmt: skip
"""Where characters can have a case or another form: all but Chinese characters, Korean syllables, surrogates."""
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "/": "/"}
_ESCAPE: Final = re.compile(r"\\(u[0-9a-fA-F]{4}|[ntr/])")
_DRIVE: Final = re.compile(r"(?<![a-zA-Z])[a-zA-Z]:\\[^\s\"'<>|]*")
"""The path of a Windows file: its backslashes part folders, ``C:\\new`` has no end of a line in it."""


def _fold_one(piece: str) -> str:
    if piece in _FIXED:
        return _FIXED[piece]
    odd = len(piece) == 1 and unicodedata.decomposition(piece).startswith(_OTHER_NUMBERS)
    return "".join(_FIXED.get(one, one) for one in (piece if odd else unicodedata.normalize("NFKC", piece))).lower()
