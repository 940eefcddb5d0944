"""Arrays of values that nobody changes any more: what was written for one request is not written again for the next."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import takewhile
from operator import is_, truth
from typing import Any, Final, NamedTuple

from snapshot_sdk._elements import quick_key

_MAX_ARRAYS: Final = 16
"""Arrays whose elements are remembered: a session has one or two a lane, and few lanes take turns."""


class Keys(NamedTuple):
    """How the elements of an array are written."""

    keys: list[str | None]
    """The :func:`quick_key` of each."""
    same: int
    """How many of the first are the very elements of the array in the lane's snapshot before."""


class _Known(NamedTuple):
    """An array as it was last."""

    seq: int
    """Of the snapshot it stood in."""
    values: Sequence[Any]
    """Held, so that the ids of the elements stay their own."""
    keys: list[str | None]


class FinalArrays:
    """Remembers, array by array, how each element was written.

    A recorder in an agent cannot: a message may have been changed since it was recorded, and only writing it out
    tells. Who reads a log from a file knows that nothing changes, and saves what grows with the square of the session.
    """

    def __init__(self) -> None:
        self._arrays: dict[Hashable, _Known] = {}

    def keys(self, array: Hashable, values: Sequence[Any], seq: int, before: int | None) -> Keys:
        """Finds how the elements of an array are written.

        Args:
            array: Which array it is: its lane and member.
            values: The elements; they stay as they are from now on.
            seq: Of the snapshot it stands in.
            before: Of the lane's snapshot before; None: there is none to refer to.
        """
        known = self._arrays.pop(array, None) or _Known(-1, (), [])
        same = len(list(takewhile(truth, map(is_, values, known.values))))
        moved = {id(value): key for value, key in zip(known.values[same:], known.keys[same:], strict=True)}
        rest = [moved[id(value)] if id(value) in moved else quick_key(value) for value in values[same:]]
        keys = known.keys[:same] + rest
        self._arrays[array] = _Known(seq, values, keys)
        while len(self._arrays) > _MAX_ARRAYS:
            del self._arrays[next(iter(self._arrays))]
        return Keys(keys, same if known.seq == before else 0)
