"""Clock, process id, randomness and ids: the one place where the SDK looks at the world."""

from __future__ import annotations

import os
import secrets
import time
import uuid
from datetime import UTC, datetime


class Seam:
    """The real world. Tests, importers and the sample generator pass their own subclass."""

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
        milliseconds = time.time_ns() // 1_000_000
        number = (milliseconds & (2**48 - 1)) << 80 | secrets.randbits(80)
        number = number & ~(0xF << 76) | 0x7 << 76
        number = number & ~(0x3 << 62) | 0x2 << 62
        return str(uuid.UUID(int=number))
