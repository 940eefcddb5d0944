"""Facts about reading lines that may be longer than memory."""

from __future__ import annotations

import io

from inspector.importers.reading.limits import lines_of


def test_lines_are_given_with_their_ends() -> None:
    """A line that fits is as it is in the file, the last also without an end."""
    assert [line.raw for line in lines_of(io.BytesIO(b"a\n\nbc"))] == [b"a\n", b"\n", b"bc"]


def test_long_line_is_cut_and_measured() -> None:
    """Of a line that is too long only the beginning is held; its size is known, and the next line is whole."""
    first, second = lines_of(io.BytesIO(b"x" * 50 + b"\nok\n"), largest=10)

    assert (len(first.raw), first.size) == (11, 51)
    assert second == (b"ok\n", 3)
