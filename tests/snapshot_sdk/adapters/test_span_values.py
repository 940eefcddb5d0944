"""Values in the attributes of spans, however they are nested, flattened, stringified or cut."""

from __future__ import annotations

from typing import Any

import pytest

from snapshot_sdk.adapters._span_values import get, items, load, text

ONE = {"message.role": "user", "message.content": "你好"}


@pytest.mark.parametrize(
    "values",
    [
        {"llm.model.name": "m"},
        {"llm": {"model": {"name": "m"}}},
        {"llm": {"model.name": "m"}},
        {"llm.model": {"name": "m"}},
    ],
)
def test_nesting(values: dict[str, Any]) -> None:
    """A dotted path finds its value wherever an exporter made an object of a part of it."""
    assert get(values, "llm.model.name") == "m"


def test_the_first_that_is_there() -> None:
    """Paths are tried in order; what is None is not there."""
    assert get({"a": None, "b": 0}, "a", "b") == 0
    assert text({"a": "", "b": 3, "c": "x"}, "a", "b", "c") == "x"


@pytest.mark.parametrize(
    "values",
    [
        {"m.0.message.role": "user", "m.0.message.content": "你好"},
        {"m": [ONE]},
        {"m": {"0": ONE}},
        {"m": '[{"message.role": "user", "message.content": "你好"}]'},
        {
            "m": ({"message": {"role": "user", "content": "你好"}},),
        },
    ],
)
def test_lists(values: dict[str, Any]) -> None:
    """A list is read flattened, as a list, as an object of indexes, and as JSON."""
    [(index, message)] = items(values, "m")

    assert index == 0
    assert (get(message, "message.role"), get(message, "message.content")) == ("user", "你好")


def test_order_of_flattened_lists() -> None:
    """Attributes come in any order; indexes are numbers, not texts."""
    assert [index for index, _ in items({f"m.{n}.role": "user" for n in (10, 9, 0)}, "m")] == [0, 9, 10]


def test_what_is_no_index() -> None:
    """A name that goes on with a word is no element."""
    assert items({"gen_ai.prompt.filter": "x", "gen_ai.prompt_name": "y"}, "gen_ai.prompt") == []


def test_json() -> None:
    """Objects and arrays are read out of their text; other text is text."""
    assert load('{"a": 1}').value == {"a": 1}
    assert load("[x] is a mark").value == "[x] is a mark"
    assert load(5).value == 5


def test_cut_json() -> None:
    """Of an array that a limit of length cut the whole elements are kept, and the cut is known."""
    loaded = load('[{"role": "user", "content": "a, [b]"}, {"role": "assi')

    assert loaded.value == [{"role": "user", "content": "a, [b]"}]
    assert loaded.cut


def test_deep_json() -> None:
    """A value that is nested too deep stays its text."""
    deep = "[" * 100_000

    assert load(deep).value == deep
