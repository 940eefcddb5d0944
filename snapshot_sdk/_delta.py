"""A text as copies from an earlier version of it plus what is new, in time linear in both."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

Delta = list[list[int] | str]
"""``[start, length]`` copies from the base; a string stands for itself."""

MIN_LENGTH: Final = 256
"""Shorter texts are stored whole: a delta would save nothing worth its line."""

WORTH: Final = 0.7
"""A delta longer than this share of the text is not worth its dependence on another line."""

_COPY_COST: Final = 16
"""Characters a ``[start, length],`` takes on disk."""

_PROBE: Final = 32
"""Characters that must agree before the rest is compared; shorter ones hit by chance in prompts."""

_MAX_PIECES: Final = 64
_MAX_STEP: Final = 1024
_FIRST_CHUNK: Final = 256
_SCAN_FACTOR: Final = 4
"""The search may look at this many times the length of both texts, all probes together."""


def make_delta(base: str, text: str) -> Delta | None:
    """Describes ``text`` by copies from ``base``.

    Args:
        base: An earlier version.
        text: The text.

    Returns:
        The pieces, or None where they would not save enough.
    """
    if len(text) < MIN_LENGTH or not base:
        return None
    head = common_head(base, 0, text, 0, min(len(base), len(text)))
    limit = min(len(base), len(text)) - head
    tail = common_tail(base, text, limit)
    delta: Delta = [[0, head]] if head else []
    _middle(base, len(base) - tail, text, len(text) - tail, head, delta)
    if tail:
        delta.append([len(base) - tail, tail])
    cost = sum(len(piece) if isinstance(piece, str) else _COPY_COST for piece in delta)
    return delta if cost <= WORTH * len(text) else None


def common_head(left: str, i: int, right: str, j: int, limit: int) -> int:
    """Counts the characters that agree from ``left[i]`` and ``right[j]`` on; slices compare at memory speed."""
    return agreeing(limit, lambda a, b: left[i + a : i + b] == right[j + a : j + b])


def common_tail(left: str, right: str, limit: int) -> int:
    """Counts the characters in which two texts end alike, at most ``limit``."""
    m, n = len(left), len(right)
    return agreeing(limit, lambda a, b: left[m - b : m - a] == right[n - b : n - a])


def agreeing(end: int, equal: Callable[[int, int], bool]) -> int:
    """Returns the largest ``k <= end`` for which the first ``k`` items agree: gallops, then halves.

    Args:
        end: Items there are.
        equal: Tells whether the items from one index to another agree.
    """
    done, chunk = 0, _FIRST_CHUNK
    while done < end:
        size = min(chunk, end - done)
        if equal(done, done + size):
            done += size
            chunk *= 2
            continue
        low, high = done, done + size - 1  # the first difference lies in this chunk
        while low < high:
            middle = (low + high + 1) // 2
            if equal(low, middle):
                low = middle
            else:
                high = middle - 1
        return low
    return done


def _middle(base: str, base_end: int, text: str, end: int, head: int, delta: Delta) -> None:
    """Finds further copies between common head and tail: probes of the text are looked up in the base.

    ``str.find`` is linear here (CPython takes its two-way search where the text is long), and all probes
    together look at no more than a few times both texts: hostile text cannot make it slow.
    """
    budget = _SCAN_FACTOR * (base_end + end - 2 * head)
    done = position = origin = head
    step = _PROBE
    while position + _PROBE <= end and budget > 0 and len(delta) < _MAX_PIECES:
        found = base.find(text[position : position + _PROBE], origin, base_end)
        budget -= (found if found >= 0 else base_end) - origin + _PROBE
        if found < 0:
            position += step
            step = min(2 * step, _MAX_STEP)
            continue
        back = 0  # the match may have begun before the probe
        while back < min(position - done, found - origin) and text[position - back - 1] == base[found - back - 1]:
            back += 1
        if position - back > done:
            delta.append(text[done : position - back])
        length = common_head(base, found, text, position, min(base_end - found, end - position))
        delta.append([found - back, back + length])
        done = position = position + length
        origin = found + length
        step = _PROBE
    if done < end:
        delta.append(text[done:end])
