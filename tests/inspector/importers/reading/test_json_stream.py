"""Facts about reading JSON piece by piece."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.importers.reading import limits
from inspector.importers.reading.json_stream import JsonStream, read_array
from inspector.importers.reading.unreadable import UnreadableError

LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=30)

LONG = [{"n": n, "text": "订单 🚀 " * 5_000} for n in range(8)]
"""Items that are each longer than what is read at first."""


class Drops:
    """A file that gives a few bytes at a time."""

    def __init__(self, data: bytes, size: int) -> None:
        self._file = io.BytesIO(data)
        self._size = size

    def read(self, size: int, /) -> bytes:
        return self._file.read(min(size, self._size))


def stream(text: str, size: int = 3) -> JsonStream:
    """Read a text in small pieces."""
    return JsonStream(Drops(text.encode("utf-8", "surrogatepass"), size))


def through(reader: JsonStream) -> Any:
    """Read a value by going into everything."""
    kind = reader.kind()
    if kind == "{":
        return {name: through(reader) for name in reader.members()}
    if kind == "[":
        return [through(reader) for _ in reader.items()]
    return reader.value()


@given(VALUES, st.integers(1, 9), st.booleans())
def test_same_as_json(value: Any, size: int, ascii_only: bool) -> None:
    """Wherever the pieces are cut, what is read is what the standard library reads."""
    text = json.dumps(value, ensure_ascii=ascii_only)

    assert stream(text, size).value() == value
    assert through(stream(text, size)) == value


@given(VALUES, st.integers(1, 9))
def test_passing_over_ends_where_the_value_ends(value: Any, size: int) -> None:
    """After a value that was passed over stands the next one."""
    reader = stream(json.dumps([value, "next"], ensure_ascii=False), size)

    assert [reader.value() for place in reader.items() if place == 1] == ["next"]


def test_offset_counts_bytes() -> None:
    """The place of an item is one to read on from, whatever characters stand before it."""
    text = '\ufeff{"é": "😀", "samples": [{"a": "\u4f60"}, {"b": 1}]}'
    reader = stream(text)
    places: list[int] = []
    for name in reader.members():
        if name == "samples":
            places = [reader.offset for _ in reader.items()]
    file = io.BytesIO(text.encode())
    file.seek(places[1])

    assert JsonStream(file, places[1]).value() == {"b": 1}


def test_long_string_is_passed_over() -> None:
    """A string longer than any piece, with quotes and brackets in it, hides nothing."""
    inside = '}]\\"[{' * 50_000
    reader = JsonStream(io.BytesIO(json.dumps({"a": {"b": inside}, "c": 1}).encode()))

    assert [reader.value() for name in reader.members() if name == "c"] == [1]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"a": [1, 2', "too early"),
        ('{"a": "cut', "Unterminated"),
        ('{"a" 1}', "no name"),
        ('{"a": 1 "b": 2}', "expected"),
        ('{"a": [1,]}', "after a comma"),
        ('{"a": tru}', "Expecting value"),
        ("", "too early"),
    ],
)
def test_broken(text: str, said: str) -> None:
    """What is no JSON is said with the byte, not guessed at."""
    with pytest.raises(UnreadableError, match=said):
        through(stream(text))


def test_value_that_breaks_off_while_passed_over() -> None:
    """A file that ends within a value that nobody wants is broken all the same."""
    reader = stream('{"a": {"b": "cut')

    with pytest.raises(UnreadableError, match="ends within a value"):
        list(reader.members())


def test_no_utf8() -> None:
    """Bytes that are no UTF-8 are U+FFFD, said once with the place of the first; what follows stays in its place."""
    stream = JsonStream(io.BytesIO(b'["\xc3\xa9\xff\xfe", 1]'))
    items = stream.items()
    next(items)

    assert stream.value() == "é\ufffd\ufffd"
    assert stream.repair() == "bytes that are no UTF-8, the first at byte 4, read as U+FFFD"
    assert stream.repair() is None
    next(items)
    assert stream.offset == 9


def test_no_utf8_is_refused_where_it_is_mended_elsewhere() -> None:
    """The strict reader leaves it to the one that says so."""
    with pytest.raises(UnreadableError, match="not UTF-8"):
        JsonStream(io.BytesIO(b'{"a": "\xff"}'), strict=True).value()


@pytest.mark.parametrize("read", [JsonStream.value, JsonStream.skip])
def test_one_value_is_not_read_without_end(
    monkeypatch: pytest.MonkeyPatch, read: Callable[[JsonStream], object]
) -> None:
    """A value that is larger than any provider takes is refused before it is all in memory."""
    monkeypatch.setattr(limits, "LARGEST_VALUE", 1 << 18)
    file = io.BytesIO(b'"' + b"x" * (1 << 23) + b'"')
    with pytest.raises(UnreadableError, match="larger than"):
        read(JsonStream(file))

    assert file.tell() < 1 << 21


def test_integer_of_any_length() -> None:
    """Python reads no integer of more than 4,300 digits by itself."""
    assert stream(f"[{'9' * 6000}]").value() == [10**6000 - 1]


def test_raw_control_characters_are_kept() -> None:
    """As everywhere in the importers, a raw newline in a string is one."""
    assert stream('["a\nb"]').value() == ["a\nb"]


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

    assert list(read_array(path)) == value


def test_byte_order_mark_and_blank_space_are_passed_over(tmp_path: Path) -> None:
    """Neither is part of the array."""
    assert list(read_array(array(tmp_path, b"\xef\xbb\xbf \n [1, 2]\n\n"))) == [1, 2]


def test_number_at_the_end_of_what_was_read_goes_on(tmp_path: Path) -> None:
    """A number is over when something else follows, not when the text read so far is."""
    first = "x" * (65_536 - len('["",12'))
    path = array(tmp_path, f'["{first}",1234]'.encode())

    assert list(read_array(path)) == [first, 1234]


@pytest.mark.parametrize("content", ["[1, 2", "[1, 2,]", "[1 2]", "[1, 2] 3", "[1, 2, tru]", '[1, 2, "x'])
def test_sound_items_come_before_the_damage(tmp_path: Path, content: str) -> None:
    """An array that breaks off gives what stands before, and then raises."""
    items = read_array(array(tmp_path, content.encode()))

    assert next(items) == 1
    with pytest.raises(UnreadableError, match=r"[Ee]xpect|Unterminated|follows|early|comma"):
        list(items)


@pytest.mark.parametrize("content", ["", "{}", "1"])
def test_other_values_are_no_arrays(tmp_path: Path, content: str) -> None:
    """Only an array has items."""
    with pytest.raises(UnreadableError, match=r"expected|early"):
        list(read_array(array(tmp_path, content.encode())))


def test_strict_reading_leaves_mending_to_others(tmp_path: Path) -> None:
    """A raw newline in a string of an array is refused, so that who mends it can say so."""
    with pytest.raises(UnreadableError, match="control character"):
        list(read_array(array(tmp_path, b'["a\nb"]')))
