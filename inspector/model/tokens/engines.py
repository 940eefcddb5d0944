"""The engines that turn text into tokens: tiktoken, a ``tokenizer.json``, and a rule of thumb.

Engines take text without lone surrogates; :func:`inspector.model.tokens.tokenizer.plain` sees to that.
"""

from __future__ import annotations

import re
from itertools import accumulate
from typing import Any, Final, Protocol

import tiktoken

LONGEST_SAFE_WHITESPACE: Final = 500_000
"""tiktoken 0.14 panics on whitespace runs of about 999,689 characters; half of that leaves room."""

_WHITESPACE_RUN: Final = re.compile(rf"\s{{{LONGEST_SAFE_WHITESPACE}}}")


class Engine(Protocol):
    """Turns text into tokens."""

    name: str
    key: str

    def count(self, text: str) -> int:
        """Count the tokens of a text."""

    def starts(self, text: str) -> list[int]:
        """Return the place of each token's first byte or character, in the unit of :meth:`measure`."""

    def measure(self, text: str) -> int:
        """Return the length of a text in the unit of :meth:`starts`."""


class TiktokenEngine:
    """Counts with a byte-pair vocabulary through tiktoken; works in bytes."""

    def __init__(self, encoding: tiktoken.Encoding, name: str, key: str) -> None:
        self.encoding = encoding
        self.name = name
        self.key = key

    def count(self, text: str) -> int:
        """Count the tokens of a text."""
        return len(self._encode(text))

    def starts(self, text: str) -> list[int]:
        """Return the byte at which each token begins."""
        lengths = map(len, self.encoding.decode_tokens_bytes(self._encode(text)))
        return list(accumulate(lengths, initial=0))[:-1]

    def measure(self, text: str) -> int:
        """Return the length of a text in bytes of UTF-8."""
        return len(text) if text.isascii() else len(text.encode())

    def _encode(self, text: str) -> list[int]:
        if len(text) >= LONGEST_SAFE_WHITESPACE and _WHITESPACE_RUN.search(text):
            # The same ids (a test compares), with the text split in Python: the native splitter panics.
            return self.encoding._encode_only_native_bpe(text)
        return self.encoding.encode_ordinary(text)


class HuggingFaceEngine:
    """Counts with a ``tokenizer.json`` through the package ``tokenizers``; works in characters."""

    def __init__(self, tokenizer: Any, name: str, key: str) -> None:
        self.tokenizer = tokenizer
        self.name = name
        self.key = key

    def count(self, text: str) -> int:
        """Count the tokens of a text."""
        return len(self._encode(text).ids)

    def starts(self, text: str) -> list[int]:
        """Return the character at which each token begins."""
        offsets: list[tuple[int, int]] = self._encode(text).offsets
        # Some normalisers give inserted tokens the place (0, 0); starts must not run backwards.
        return list(accumulate((start for start, _ in offsets), max))

    def measure(self, text: str) -> int:
        """Return the length of a text in characters."""
        return len(text)

    def _encode(self, text: str) -> Any:
        # encode() would hold the interpreter's lock for its whole run; encode_batch() gives it up.
        return self.tokenizer.encode_batch([text], add_special_tokens=False)[0]


class RuleEngine:
    """Counts without a vocabulary: the last resort, a rule of thumb fitted to o200k_base; works in characters."""

    name = "characters"
    key = "characters:1"

    _WIDE: Final = "\u1100-\u11ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff"
    _PIECES: Final = re.compile(
        rf"(?P<wide>[{_WIDE}]{{1,4}})|(?P<digits>\d{{1,3}})|(?P<word>[a-zA-Z]{{1,9}})"
        rf"|(?P<other>[^\W\d_]{{1,3}})|(?P<marks>(?:[^\w\s]|_){{1,2}})|(?P<lines>\s*\n\s*)|(?P<space>\s+)"
    )

    def count(self, text: str) -> int:
        """Count the tokens of a text."""
        return len(self.starts(text))

    def starts(self, text: str) -> list[int]:
        """Return the character at which each supposed token begins."""
        starts: list[int] = []
        for piece in self._PIECES.finditer(text):
            if piece.lastgroup == "wide":  # three tokens for four characters
                starts.extend(range(piece.start(), piece.end() - (piece.end() - piece.start() == 4)))
            elif piece.lastgroup != "space":  # spaces belong to the word behind them
                starts.append(piece.start())
        return starts or ([0] if text else [])

    def measure(self, text: str) -> int:
        """Return the length of a text in characters."""
        return len(text)
