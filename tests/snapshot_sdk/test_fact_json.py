"""Values of JSON by key path, wherever JSON stands."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snapshot_sdk._fact_json import documents, follow, same_scalar

SCALARS = st.none() | st.booleans() | st.integers() | st.text(max_size=8)
OBJECTS = st.dictionaries(st.text(max_size=5), SCALARS | st.lists(SCALARS, max_size=3), max_size=4)


@settings(deadline=None)
@given(st.lists(OBJECTS, min_size=1, max_size=4), st.sampled_from([" ", "\n", " and ", "，"]))
def test_objects_in_a_text_are_found(values: list[Any], joint: str) -> None:
    """Each once, at its place."""
    text = joint.join(json.dumps(value, ensure_ascii=False) for value in values)
    places = {(one.start, one.end) for one in documents(text)}
    assert [json.loads(text[start:end]) for start, end in sorted(places)] == values


def test_large_json_is_read_whole() -> None:
    """It is larger than the window it is first looked at through."""
    value = {"a": ["x" * 300, "é" * 3_000], "b": 1}
    assert [one.value for one in documents(f"see {json.dumps(value)}.")] == [value]


def test_json_in_strings_of_json_is_found() -> None:
    """Tool results are sent so, also twice over."""
    inner = json.dumps({"order": {"status": "paid"}})
    text = json.dumps({"content": json.dumps({"text": inner})})
    assert {"order": {"status": "paid"}} in [one.value for one in documents(text)]


@pytest.mark.parametrize("text", ["", "no json", "{", "[[[", '{"a": ', "{a: 1}", '{"a": "b', "if (x) { return; }"])
def test_what_is_no_json_is_passed_over(text: str) -> None:
    """Code, and what is cut short."""
    assert list(documents(text)) == []


def test_json_after_much_code_is_found() -> None:
    """Braces before it do not use up the search."""
    assert [one.value for one in documents('{"x' * 500 + ' {"a": 1}')][-1:] == [{"a": 1}]


@pytest.mark.parametrize(
    ("steps", "found"), [(("a", "b"), [1]), (("c", "*"), [2, 3]), (("c", "0"), [2]), (("x",), []), (("d", "e"), [4])]
)
def test_paths_are_followed(steps: tuple[str, ...], found: list[int]) -> None:
    """Through objects, elements of arrays, and strings that are JSON."""
    assert list(follow({"a": {"b": 1}, "c": [2, 3], "d": '{"e": 4}'}, steps)) == found


@pytest.mark.parametrize(
    ("one", "other"), [(8500, "8,500"), (8500.0, 8500), ("Paid", "paid"), ([1], [1]), (True, True)]
)
def test_the_same_scalar(one: Any, other: Any) -> None:
    """Numbers by value, words without case."""
    assert same_scalar(one, other)


@pytest.mark.parametrize(
    ("one", "other"), [("007", 7), (True, 1), (None, ""), ("paid", "unpaid"), ([1], [2]), ("nan", "1")]
)
def test_another_scalar(one: Any, other: Any) -> None:
    """Leading zeros belong to a name, and true is no number."""
    assert not same_scalar(one, other)
