"""Items of large files are found one by one, also where a file is damaged."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inspector.importers.base import Problem
from inspector.importers.reading.documents import Document
from inspector.importers.reading.json_pieces import Item, load, read_items
from inspector.importers.reading.unreadable import UnreadableError

Make = Callable[[str | bytes], Path]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Write a file of exactly these bytes."""

    def write(content: str | bytes) -> Path:
        path = tmp_path / "export.json"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def read(path: Path, *containers: str) -> tuple[list[Item], list[Problem], list[str]]:
    """Give the items of a file, what was lost and what was mended."""
    problems: list[Problem] = []
    repairs: list[str] = []
    return list(read_items(Document(path), containers, problems.append, repairs)), problems, repairs


def values(path: Path, *containers: str) -> list[Any]:
    """Give the values of the items."""
    return [item.value for item in read(path, *containers)[0]]


@pytest.mark.parametrize("indent", [None, 2])
def test_array(make: Make, indent: int | None) -> None:
    """Each element of an array is an item, whatever strings it holds."""
    items = [{"a": '}]{[",\\'}, {"b": {"c": [1, {"d": "猫\u2028"}]}}, 7, "x", None]
    assert values(make(json.dumps(items, indent=indent, ensure_ascii=False))) == items


def test_object_around_arrays(make: Make) -> None:
    """The members beside an array are known to its items, also those that come after it."""
    path = make(json.dumps({"first": 1, "items": [{"id": 1}, {"id": 2}], "last": {"x": 2}}))
    head, *items = read(path, "items")[0]
    assert head.value == {"first": 1, "last": {"x": 2}}
    assert [(item.value["id"], item.outer, item.container) for item in items] == [
        (1, {"first": 1, "last": {"x": 2}}, "items"),
        (2, {"first": 1, "last": {"x": 2}}, "items"),
    ]


def test_object_without_arrays(make: Make) -> None:
    """An object without arrays of items is itself the item."""
    assert values(make('\ufeff {"a": [1]} '), "items") == [{"a": [1]}]


@pytest.mark.parametrize("text", ['[{"id": 1}, {"id": "ü\\u00fc"}]', '{"id": 1}\n\n{"id": "ü"}\n'])
def test_found_again(make: Make, text: str) -> None:
    """An item can be read again by where it stands."""
    for item in read(make(text))[0]:
        assert load(item.piece) == item.value


def test_glued_lines(make: Make) -> None:
    """Two records on one line are both read, and both found again."""
    items, problems, repairs = read(make('{"id": 1}{"id": 2}\n{"id": 3}\n'))
    assert [item.value["id"] for item in items] == [1, 2, 3]
    assert [load(item.piece)["id"] for item in items] == [1, 2, 3]
    assert (problems, len(repairs)) == ([], 1)


def test_damaged_line(make: Make) -> None:
    """A damaged line in the middle is told of with its number, and the others are read."""
    items, problems, _ = read(make('{"id": 1}\n{"id": 2, "te\n{"id": 3}\n'))
    assert [item.value["id"] for item in items] == [1, 3]
    assert [problem.line for problem in problems] == [2]


@pytest.mark.parametrize("text", ['[{"id": 1}, {"id": 2}, {"id": "3', '{"x": 1, "items": [{"id": 1}, {"id": 2}, {"id"'])
def test_cut_short(make: Make, text: str) -> None:
    """Of an export that was cut short the whole items are read, and the cut is said once."""
    items, problems, _ = read(make(text), "items")
    assert [item.value["id"] for item in items if "id" in item.value] == [1, 2]
    assert len(problems) == 1
    assert "breaks off" in problems[0].reason


def test_one_bad_item(make: Make) -> None:
    """An element that is no JSON costs only itself."""
    items, problems, _ = read(make('[{"id": 1}, {"id": nope}, {"id": 3}]'))
    assert [item.value["id"] for item in items] == [1, 3]
    assert "item 1" in problems[0].reason


def test_mended(make: Make) -> None:
    """A stray backslash is mended in its item, and said."""
    items, problems, repairs = read(make('[{"id": "a\\d"}]'))
    assert items[0].value == {"id": "a\\d"}
    assert problems == []
    assert len(repairs) == 1


def test_bytes_that_are_no_text(make: Make) -> None:
    """Bytes that are no UTF-8 cost themselves only, and the first is named."""
    items, problems, repairs = read(make(b'[{"id": 1}, {"id": "\xff"}]'))
    assert [item.value["id"] for item in items] == [1, "\ufffd"]
    assert problems == []
    assert repairs == ["byte 12: bytes that are no UTF-8, the first at byte 20, read as U+FFFD"]


def test_no_json(make: Make) -> None:
    """A file that is no JSON is refused with the reason."""
    with pytest.raises(UnreadableError, match="neither an array nor an object"):
        read(make("hello"))


def test_lone_surrogate_and_nul(make: Make) -> None:
    """Lone surrogates and NULs in strings are taken as they are."""
    assert values(make('[{"id": "\\ud83d \\u0000"}]')) == [{"id": "\ud83d \x00"}]
