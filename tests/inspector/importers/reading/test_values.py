"""Facts about values taken for what they should be."""

from __future__ import annotations

from typing import Any

import pytest

from inspector.importers.reading.mending import load
from inspector.importers.reading.values import (
    as_list,
    as_object,
    as_text,
    compact,
    inner_items,
    objects,
    spaced,
    tool_call,
)

ODD: list[Any] = [None, 1, True, "", "x", [], [1], {}, {"a": 1}]


@pytest.mark.parametrize("value", ODD)
def test_another_type_counts_as_empty(value: Any) -> None:
    """A value of the type is given as it is, every other as nothing."""
    assert as_object(value) == (value if isinstance(value, dict) else {})
    assert as_list(value) == (value if isinstance(value, list) else [])
    assert as_text(value) == (value if isinstance(value, str) else None)


def test_only_objects_of_a_list_are_given() -> None:
    """Whatever else a list holds is passed over; what is no list has none."""
    assert list(objects([1, {"a": 1}, None, {}])) == [{"a": 1}, {}]
    assert list(objects({"a": 1})) == []


def test_items_of_arrays_come_in_the_order_of_the_names() -> None:
    """The order is that of the names asked for, and what is no array holds nothing."""
    assert list(inner_items({"b": [3], "a": [1, 2], "c": 4}, ("a", "b", "c", "d"))) == [1, 2, 3]


def test_json_is_written_in_its_own_characters() -> None:
    """Models leave out the spaces that Python's clients put in."""
    assert (compact({"城": [1, 2]}), spaced({"城": [1, 2]})) == ('{"城":[1,2]}', '{"城": [1, 2]}')


def test_call_of_a_tool() -> None:
    """A call is in the shape of OpenAI's chat API."""
    function = {"name": "find", "arguments": "{}"}

    assert tool_call("c", "find", "{}") == {"id": "c", "type": "function", "function": function}


def test_integers_of_any_length_are_written() -> None:
    """A value that holds an integer of 6,000 digits is written with all of them, and reads the same again."""
    number = 10**6_000 - 1
    value = {"a": [number, "x"], "b": {"c": None, "d": -number}}

    assert load(compact(value)) == value
    assert compact(value).startswith('{"a":[999')
    assert spaced(value).endswith("}}")
