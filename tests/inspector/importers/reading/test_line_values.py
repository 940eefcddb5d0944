"""Facts about the values on one line of a file."""

from __future__ import annotations

import pytest

from inspector.importers.reading.line_values import read_line


def test_sound_line_is_one_value_with_its_text() -> None:
    """A sound line stands for itself."""
    [entry] = read_line(7, b'{"a": 1.0}\r\n')

    assert (entry.value, entry.text, entry.line, entry.repairs, entry.error) == ({"a": 1.0}, '{"a": 1.0}', 7, (), None)


def test_text_with_a_replaced_byte_is_not_the_text_of_the_line() -> None:
    """What was mended is given as a value only."""
    [entry] = read_line(1, b'{"a": "\xff"}')

    assert (entry.value, entry.text) == ({"a": "\ufffd"}, None)


@pytest.mark.parametrize("between", [b"", b" ", b"\x00\x00"])
def test_values_without_the_end_between_them(between: bytes) -> None:
    """Blank space and NULs between glued values cost nothing."""
    first, second = read_line(1, b'{"a":1}' + between + b'{"b":2}')

    assert (first.text, second.text) == ('{"a":1}', '{"b":2}')


def test_line_of_no_value_says_why() -> None:
    """Where nothing is whole the reason is the parser's."""
    [entry] = read_line(1, b'{"a":')

    assert entry.value is None
    assert str(entry.error).startswith("not JSON: ")
