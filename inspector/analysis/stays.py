"""The stretches of calls in which each message of a session stands, noted call by call for all of them at once."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from inspector.analysis.numbering import Numbers

_FIRST: Final = 1_024
"""Messages that room is made for at first; it doubles from there."""
_NEVER: Final = -2
"""Place of a call in its lane, of a message that stood in none; the one after it is no call either."""


class Stays:
    """In which calls of their lanes the messages of a session stood, and as what at last."""

    def __init__(self) -> None:
        """Begins with no messages."""
        self._order = np.full(_FIRST, _NEVER, np.int32)
        self._since, self._until, self._block = (np.zeros(_FIRST, np.int32) for _ in range(3))
        self._ended: dict[int, list[tuple[int, int]]] = {}
        self._calls: dict[str, int] = {}

    def note(self, lane: str, call: int, tracks: Numbers, blocks: Numbers) -> None:
        """Note which messages stand in the next call of a lane.

        Args:
            lane: The lane.
            call: Number of the call.
            tracks: The messages, in the order of the prompt, numbered from 0.
            blocks: What each of them is there.
        """
        order = self._calls[lane] = self._calls.get(lane, -1) + 1
        if not tracks.size:
            return
        self._make_room(int(tracks.max()) + 1)
        come = tracks[self._order[tracks] != order - 1]
        for track in dict.fromkeys(come[self._order[come] >= 0].tolist()):
            self._ended.setdefault(track, []).append((int(self._since[track]), int(self._until[track])))
        self._since[come] = call
        self._until[tracks], self._order[tracks], self._block[tracks] = call, order, blocks

    def runs(self, track: int) -> tuple[tuple[int, int], ...]:
        """Return the first and last call of each stretch.

        Args:
            track: The message.
        """
        return (*self._ended.get(track, ()), (int(self._since[track]), int(self._until[track])))

    def last_block(self, track: int) -> int:
        """Return what a message was in the last call that had it.

        Args:
            track: The message.
        """
        return int(self._block[track])

    def _make_room(self, size: int) -> None:
        if size <= self._order.size:
            return
        more = max(size, 2 * self._order.size) - self._order.size
        self._order = np.concatenate((self._order, np.full(more, _NEVER, np.int32)))
        self._since, self._until, self._block = (_longer(one, more) for one in (self._since, self._until, self._block))


def _longer(numbers: NDArray[np.int32], more: int) -> NDArray[np.int32]:
    return np.concatenate((numbers, np.zeros(more, np.int32)))
