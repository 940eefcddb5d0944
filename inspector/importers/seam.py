"""Clock and ids of an imported log: its own times, and ids that depend on nothing but its content."""

from __future__ import annotations

import hashlib
import uuid
from datetime import UTC, datetime, timedelta
from typing import Final

from snapshot_sdk._seam import Seam

UNKNOWN_START: Final = datetime(1970, 1, 1, tzinfo=UTC)
"""Where the clock stands for logs without times: plainly no time at which an agent ran."""

STEP: Final = timedelta(seconds=1)
"""How far apart calls without times are put, so that they keep their order."""


class LogSeam(Seam):
    """The recorder's clock, process and randomness, told by the log: the same log gives the same bytes."""

    values_are_final = True

    def __init__(self, digest: str, start: datetime | None, *, part: int = 0) -> None:
        """Begin at ``start``, or where the clock of logs without times stands.

        Args:
            digest: What the ids derive from.
            start: Time of the first call, UTC; None: the log has no times.
            part: How many files of the session are there already, where a grown log is gone on with.
        """
        self._digest = digest
        self._part = part
        self._clock = start or UNKNOWN_START
        self._drawn = 0

    def move(self, time: datetime | None, otherwise: timedelta) -> None:
        """Set the clock to ``time``, or on by ``otherwise`` where the log gives none."""
        self._clock = time if time is not None else self._clock + otherwise

    def now(self) -> datetime:
        """Give the log's time, UTC."""
        return self._clock

    def mono_ns(self) -> int:
        """Give the log's time as nanoseconds: a log has no monotonic clock."""
        return (self._clock - UNKNOWN_START) // timedelta(microseconds=1) * 1000

    def pid(self) -> int:
        """Give the number of the part, no process recorded this: names of files sort in the log's order."""
        return self._part

    def token(self) -> str:
        """Draw 8 hex digits from the content."""
        return self._draw().hex()[:8]

    def uuid7(self) -> str:
        """Draw a UUIDv7 from the log's time and the content."""
        milliseconds = max(0, (self._clock - UNKNOWN_START) // timedelta(milliseconds=1))
        bits = milliseconds.to_bytes(8, "big")[2:] + self._draw()[:10]
        number = int.from_bytes(bits, "big")
        number = number & ~(0xF << 76) | 0x7 << 76  # version
        number = number & ~(0x3 << 62) | 0x2 << 62  # variant
        return str(uuid.UUID(int=number))

    def _draw(self) -> bytes:
        self._drawn += 1
        return hashlib.sha256(f"{self._digest} {self._drawn}".encode()).digest()
