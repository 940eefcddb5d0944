"""The world of the scripted agent: a clock that moves only when told, ids from a fixed seed."""

from __future__ import annotations

import random
import string
import uuid
from datetime import UTC, datetime, timedelta
from typing import Final

from snapshot_sdk._seam import Seam

_PID: Final = 4711
_ALPHABET: Final = string.ascii_letters + string.digits


class World(Seam):
    """What the SDK and the agent see of the world, the same at every run."""

    def __init__(self, start: datetime, seed: int) -> None:
        self._start = start.astimezone(UTC)
        self._elapsed_us = 0
        self.random = random.Random(seed)

    def sleep(self, seconds: float) -> None:
        """Let time pass, in seconds."""
        self._elapsed_us += round(seconds * 1_000_000)

    def now(self) -> datetime:
        """Return the wall time, UTC; a microsecond passes at each look, so that no two records share one."""
        self._elapsed_us += 1
        return self._start + timedelta(microseconds=self._elapsed_us)

    def mono_ns(self) -> int:
        """Return the nanoseconds since the start."""
        return self._elapsed_us * 1_000

    def pid(self) -> int:
        """Return the process id of every sample."""
        return _PID

    def token(self) -> str:
        """Return eight hex digits."""
        return f"{self.random.getrandbits(32):08x}"

    def uuid7(self) -> str:
        """Return a UUID version 7 of the present moment."""
        milliseconds = int((self._start.timestamp() * 1_000_000 + self._elapsed_us) // 1_000)
        bits = (milliseconds & (2**48 - 1)) << 80 | self.random.getrandbits(80)
        bits = bits & ~(0xF << 76) | 0x7 << 76
        bits = bits & ~(0x3 << 62) | 0x2 << 62
        return str(uuid.UUID(int=bits))

    def provider_id(self, prefix: str, length: int) -> str:
        """Return an id as providers make them: a prefix and letters and digits."""
        return prefix + "".join(self.random.choices(_ALPHABET, k=length))
