"""Words of texts, and how much of one text's words another one holds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from scipy import sparse

WORD: Final = re.compile(r"[0-9A-Za-z_À-ɏͰ-ϿЀ-ӿ]+|[぀-ヿ㐀-䶿一-鿿豈-﫿가-힯]")
"""A word is a run of letters and digits; of Chinese, Japanese and Korean, each character is one
(``\\w+`` would make a whole Chinese sentence one word)."""

ESCAPE: Final = re.compile(r"\\u([0-9a-fA-F]{4})")
"""A JSON escape: reformatting JSON may escape all its Chinese, the words are the same."""
ZEROS: Final = str.maketrans("123456789", "0" * 9)
"""Makes the shape of a number."""

COMMON_SHARE: Final = 0.5
"""A word in more than this share of many texts tells none of them apart and is left out (it costs
the most in the product: documents with it, squared)."""
COMMON_MOST: Final = 1_000
"""A word in more texts than this is left out whatever its share."""
COMMON_FROM: Final = 50
"""Number of texts from which the share above is applied."""


class Overlaps(NamedTuple):
    """How much of each other's words the texts of two lists hold."""

    shared: sparse.csr_array
    """Weight of the words that text i of the first and text j of the second list share, n × m."""
    left: np.ndarray
    """Weight of all words of each text of the first list, n."""
    right: np.ndarray
    """Weight of all words of each text of the second list, m."""


def words_of(text: str) -> list[str]:
    """The words of a text in order, lower-cased, JSON escapes read."""
    if "\\u" in text:
        text = ESCAPE.sub(lambda m: chr(int(m[1], 16)), text)
    return WORD.findall(text.lower())


def _terms_of(text: str) -> set[str]:
    """The words, and the shape of those not all letters (``0000`` for ``2024``): a changed number is half a match."""
    words = set(words_of(text))
    return words | {word.translate(ZEROS) + "#" for word in words if not word.isalpha()}


def weigh_overlaps(left: Sequence[str], right: Sequence[str]) -> Overlaps:
    """Weigh the words that texts share, rare words more (inverse document frequency).

    Args:
        left: Texts, n of them.
        right: Texts, m of them.

    Word sets, not counts: a repeated word is no more evidence. The measure and its threshold were
    chosen by trial against six others (``docs/alignment.md``).
    """
    vocabulary: dict[str, int] = {}
    sets = [{vocabulary.setdefault(term, len(vocabulary)) for term in _terms_of(text)} for text in (*left, *right)]
    pointers = np.cumsum([0, *(len(s) for s in sets)])
    indices = np.fromiter((i for s in sets for i in s), dtype=np.int64, count=int(pointers[-1]))
    documents = np.bincount(indices, minlength=len(vocabulary))
    weights = np.log1p(len(sets) / np.maximum(documents, 1))
    if len(sets) >= COMMON_FROM:
        weights[documents > min(COMMON_SHARE * len(sets), COMMON_MOST)] = 0.0
    data = np.sqrt(weights[indices])
    matrix = sparse.csr_array((data, indices, pointers), shape=(len(sets), max(1, len(vocabulary))))
    matrix.eliminate_zeros()
    first, second = matrix[: len(left)], matrix[len(left) :]
    totals = np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel()
    return Overlaps(sparse.csr_array(first @ second.T), totals[: len(left)], totals[len(left) :])
