"""Facts about reading an array item by item."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.importers.arrays import iter_items

LONG = [{"n": n, "text": "订单 🚀 " * 5_000} for n in range(8)]
"""Items that are each longer than what is read at first."""


def array(tmp_path: Path, content: bytes) -> Path:
    """Write a file."""
    path = tmp_path / "array.json"
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("value", [[], [1], ["a", None, True, -1.5e3], [[], {}, [[1]]], LONG, list(range(40_000))])
@pytest.mark.parametrize("indent", [None, 2])
def test_items_are_those_of_the_array(tmp_path: Path, value: list[Any], indent: int | None) -> None:
    """Whatever is in it and however it is written, the items are what ``json`` reads."""
    path = array(tmp_path, json.dumps(value, ensure_ascii=False, indent=indent).encode())

    assert list(iter_items(path)) == value


def test_byte_order_mark_and_blank_space_are_passed_over(tmp_path: Path) -> None:
    """Neither is part of the array."""
    assert list(iter_items(array(tmp_path, b"\xef\xbb\xbf \n [1, 2]\n\n"))) == [1, 2]


def test_number_at_the_end_of_what_was_read_goes_on(tmp_path: Path) -> None:
    """A number is over when something else follows, not when the text read so far is."""
    first = "x" * (65_536 - len('["",12'))
    path = array(tmp_path, f'["{first}",1234]'.encode())

    assert list(iter_items(path)) == [first, 1234]


@pytest.mark.parametrize("content", ["[1, 2", "[1, 2,]", "[1 2]", "[1, 2] 3", "[1, 2, tru]", '[1, 2, "x'])
def test_sound_items_come_before_the_damage(tmp_path: Path, content: str) -> None:
    """An array that breaks off gives what stands before, and then raises."""
    items = iter_items(array(tmp_path, content.encode()))

    assert next(items) == 1
    with pytest.raises(ValueError, match=r"[Ee]xpect|Unterminated|follows"):
        list(items)


@pytest.mark.parametrize("content", ["", "{}", "1"])
def test_other_values_are_no_arrays(tmp_path: Path, content: str) -> None:
    """Only an array has items."""
    with pytest.raises(ValueError, match="expected"):
        list(iter_items(array(tmp_path, content.encode())))
