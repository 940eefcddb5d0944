"""How much is taken of a file that may be made to exhaust whoever reads it: packed to almost nothing, or one value."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, Final, NamedTuple

LARGEST_VALUE: Final = 128 << 20
"""Bytes of one value that is parsed at once: a line, or an item. No provider takes a larger body (Gemini's 100 MB is
the most), and parsed it takes a few times its size in memory."""

LARGEST_DOCUMENT: Final = 1 << 30
"""Bytes of a file that is one value and has to be parsed whole, as trajectories are."""

MOST_UNPACKED: Final = 8 << 30
"""Bytes that one packed file, or one entry of an archive, may unpack to."""

HIGHEST_RATIO: Final = 200
"""Bytes that a byte of gzip may unpack to. Text that repeats itself word for word comes to 130: a match is of 258 bytes
at most, and takes two (RFC 1951, 3.2.5). More is a run of one character."""

RATIO_FROM: Final = 64 << 20
"""Bytes up to which the ratio does not matter: they harm nobody."""

_PIECE: Final = 1 << 20
"""Bytes read at once to get past a line that is too long."""


class RawLine(NamedTuple):
    """A line of a file."""

    raw: bytes
    """With its end; only its beginning where it is too long."""
    size: int
    """Bytes that it has in the file."""


def too_large(size: int | None = None, most: int | None = None) -> str:
    """Say that a value is too large to be parsed, in words.

    Args:
        size: Its bytes; None: unknown, as reading it was given up.
        most: Bytes that would be; None: :data:`LARGEST_VALUE`.
    """
    has = "" if size is None else f" of {size / 2**20:,.0f} MiB"
    limit = LARGEST_VALUE if most is None else most
    return f"one value{has} is larger than the {limit >> 20:,} MiB that are read at once"


def lines_of(file: BinaryIO, largest: int | None = None) -> Iterator[RawLine]:
    r"""Give the lines of a file, which end at ``\n``; of one that is too long no more than shows that it is.

    Args:
        file: Stands where to begin.
        largest: Bytes of the longest line that is given whole; None: :data:`LARGEST_VALUE`.
    """
    most = (LARGEST_VALUE if largest is None else largest) + 1
    while raw := file.readline(most):
        size = len(raw)
        if size == most and not raw.endswith(b"\n"):
            while rest := file.readline(_PIECE):
                size += len(rest)
                if rest.endswith(b"\n"):
                    break
        yield RawLine(raw, size)
