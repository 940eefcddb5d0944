"""Words of texts, and how much of one text's words another one holds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

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
FEW: Final = 24
"""Texts of one side up to which each is looked up in all of the other; of more a product of matrices is faster."""
COMMON_FROM: Final = 50
"""Number of texts from which the share above is applied."""


class Overlaps(NamedTuple):
    """How much of each other's words the texts of two lists hold."""

    shared: NDArray[np.float64]
    """Weight of the words that text i of the first and text j of the second list share, n × m."""
    left: NDArray[np.float64]
    """Weight of all words of each text of the first list, n."""
    right: NDArray[np.float64]
    """Weight of all words of each text of the second list, m."""


def words_of(text: str) -> list[str]:
    """The words of a text in order, lower-cased, JSON escapes read."""
    if "\\u" in text:
        text = ESCAPE.sub(lambda m: chr(int(m[1], 16)), text)
    return WORD.findall(text.lower())


def _terms_of(text: str) -> set[str]:
    """The words, and the shape of those not all letters (``0000`` for ``2024``): a changed number is half a match."""
    words = set(words_of(text))
    shapes = " ".join([word for word in words if not word.isalpha()]).translate(ZEROS).split()
    return words.union([shape + "#" for shape in set(shapes)])


def weigh_overlaps(left: Sequence[str], right: Sequence[str]) -> Overlaps:
    """Weigh the words that texts share, rare words more (inverse document frequency).

    Args:
        left: Texts, n of them.
        right: Texts, m of them.

    Word sets, not counts: a repeated word is no more evidence. The measure and its threshold were
    chosen by trial against six others (``docs/alignment.md``).
    """
    terms = [_terms_of(text) for text in (*left, *right)]
    vocabulary = {term: number for number, term in enumerate(dict.fromkeys(chain.from_iterable(terms)))}
    sets = [set(map(vocabulary.__getitem__, one)) for one in terms]
    pointers = np.cumsum([0, *(len(s) for s in sets)])
    indices: NDArray[np.int64] = np.fromiter((i for s in sets for i in s), dtype=np.int64, count=int(pointers[-1]))
    documents = np.bincount(indices, minlength=len(vocabulary))
    weights = np.log1p(len(sets) / np.maximum(documents, 1))
    if len(sets) >= COMMON_FROM:
        weights[documents > min(COMMON_SHARE * len(sets), COMMON_MOST)] = 0.0
    values = weights[indices]
    totals = _sum_rows(values, pointers)
    cut = len(left)
    parts = [slice(0, int(pointers[cut])), slice(int(pointers[cut]), None)]
    rows = pointers[: cut + 1], pointers[cut:] - pointers[cut]
    if min(cut, len(right)) > FEW:
        shared = _multiply(*((indices[part], values[part], row) for part, row in zip(parts, rows, strict=True)))
    elif len(right) <= cut:
        shared = _look_up(indices[parts[0]], values[parts[0]], rows[0], sets[cut:], len(vocabulary))
    else:
        shared = _look_up(indices[parts[1]], values[parts[1]], rows[1], sets[:cut], len(vocabulary)).T
    return Overlaps(shared, totals[:cut], totals[cut:])


_Rows = tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]
"""Words of texts, their weights, and where each text's begin."""


def _look_up(
    indices: NDArray[np.int64],
    values: NDArray[np.float64],
    pointers: NDArray[np.int64],
    others: Sequence[set[int]],
    words: int,
) -> NDArray[np.float64]:
    """What each text shares with each of a few others."""
    shared = np.zeros((pointers.size - 1, len(others)))
    for column, other in enumerate(others):
        held = np.zeros(words, np.bool_)
        held[list(other)] = True
        shared[:, column] = _sum_rows(np.where(held[indices], values, 0.0), pointers)
    return shared


def _multiply(left: _Rows, right: _Rows) -> NDArray[np.float64]:
    """What each of many texts shares with each of many."""
    from scipy import sparse  # costs more than all the rest where few texts are compared

    words = 1 + max((int(indices.max()) for indices, *_ in (left, right) if indices.size), default=0)
    one, other = (
        sparse.csr_array((np.sqrt(values), indices, pointers), shape=(pointers.size - 1, words))
        for indices, values, pointers in (left, right)
    )
    for matrix in (one, other):
        matrix.eliminate_zeros()
    product: NDArray[np.float64] = sparse.csr_array(one @ other.T).toarray()
    return product


def _sum_rows(values: NDArray[np.float64], pointers: NDArray[np.int64]) -> NDArray[np.float64]:
    sums = np.zeros(pointers.size - 1)
    filled = np.flatnonzero(np.diff(pointers))
    if filled.size:
        sums[filled] = np.add.reduceat(values, pointers[filled])
    return sums
