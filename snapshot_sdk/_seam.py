"""Clock, process id, randomness and ids: the one place where the SDK looks at the world."""

from __future__ import annotations

import os
import secrets
import time
from datetime import UTC, datetime


class Seam:
    """The real world. Tests, importers and the sample generator pass their own subclass."""

    values_are_final = False
    """Nobody changes a value after it was recorded: true of logs read from files, never of a running agent."""

    def now(self) -> datetime:
        """Wall time, UTC."""
        return datetime.now(UTC)

    def mono_ns(self) -> int:
        """Monotonic clock, nanoseconds."""
        return time.monotonic_ns()

    def pid(self) -> int:
        """Id of this process."""
        return os.getpid()

    def token(self) -> str:
        """Eight random hex digits: tells apart writers that start in the same second with the same pid."""
        return secrets.token_hex(4)

    def uuid7(self) -> str:
        """A UUID version 7 (RFC 9562): 48 bits of Unix milliseconds, then randomness."""
        time_digits = f"{time.time_ns() // 1_000_000 & (2**48 - 1):012x}"
        chance = os.urandom(10)
        digits = chance.hex()
        variant = "89ab"[chance[9] & 3]
        return f"{time_digits[:8]}-{time_digits[8:]}-7{digits[:3]}-{variant}{digits[3:6]}-{digits[6:18]}"
