"""The stretches of calls in which each message of a session stands, noted call by call for all of them at once."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from inspector.analysis.numbering import Numbers, shared_head

_FIRST: Final = 1_024
"""Messages that room is made for at first; it doubles from there."""


class _Noted(NamedTuple):
    """The last call of a lane."""

    call: int
    tracks: Numbers
    blocks: Numbers


class Stays:
    """In which calls of their lanes the messages of a session stood, and as what at last.

    A call costs what it changes: a message that goes on standing is noted when it goes, or at the end.
    """

    def __init__(self) -> None:
        """Begins with no messages."""
        self._count = 0
        self._stands = np.zeros(_FIRST, np.bool_)
        self._since, self._block = np.zeros(_FIRST, np.int32), np.zeros(_FIRST, np.int32)
        self._ended: dict[int, list[tuple[int, int]]] = {}
        self._last: dict[str, _Noted] = {}

    def note(self, lane: str, call: int, tracks: Numbers, blocks: Numbers) -> None:
        """Note which messages stand in the next call of a lane.

        Args:
            lane: The lane.
            call: Number of the call.
            tracks: The messages, in the order of the prompt, numbered from 0.
            blocks: What each of them is there.
        """
        before = self._last.get(lane, _Noted(call, tracks[:0], blocks[:0]))
        self._last[lane] = _Noted(call, tracks, blocks)
        head = shared_head(before.tracks, tracks)
        self._come(call, tracks[head:])
        if head < before.tracks.size:
            self._go(before, head, tracks)

    def _come(self, call: int, tracks: Numbers) -> None:
        self._make_room(max(tracks.tolist(), default=-1) + 1)
        new = tracks[~self._stands[tracks]]
        self._stands[new] = True
        self._since[new] = call

    def _go(self, before: _Noted, head: int, tracks: Numbers) -> None:
        """Note which messages of the call before, from a place on, are none of a call's."""
        left, blocks = before.tracks[head:], before.blocks[head:]
        self._stands[left] = False
        self._stands[tracks] = True
        gone = ~self._stands[left]
        self._block[left[gone]] = blocks[gone]
        for track in dict.fromkeys(left[gone].tolist()):
            self._ended.setdefault(track, []).append((int(self._since[track]), before.call))

    def runs(self) -> list[tuple[tuple[int, int], ...]]:
        """Return, for each message, the first and last call of each stretch."""
        ends = {track: last.call for last in self._last.values() for track in last.tracks.tolist()}
        since = self._since.tolist()
        return [
            (*self._ended.get(track, ()), *([(since[track], ends[track])] if track in ends else []))
            for track in range(self._count)
        ]

    def last_blocks(self) -> list[int]:
        """Return, for each message, what it was in the last call that had it."""
        blocks = self._block[: self._count].copy()
        for last in self._last.values():
            blocks[last.tracks] = last.blocks
        found: list[int] = blocks.tolist()
        return found

    def _make_room(self, count: int) -> None:
        self._count = max(count, self._count)
        if self._count > self._stands.size:
            size = max(self._count, 2 * self._stands.size)
            self._stands = np.concatenate((self._stands, np.zeros(size - self._stands.size, np.bool_)))
            more = np.zeros(size - self._since.size, np.int32)
            self._since, self._block = np.concatenate((self._since, more)), np.concatenate((self._block, more))
