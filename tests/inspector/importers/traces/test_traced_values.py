"""Values of tracing tools are found inside strings and flattened names."""

from __future__ import annotations

import json
from typing import Any

import pytest

from inspector.importers.traces.traced_values import nested, structure, unwrap


@pytest.mark.parametrize("value", [{"a": 1}, [1], json.dumps({"a": 1}), json.dumps(json.dumps({"a": 1}))])
def test_strings_in_strings(value: Any) -> None:
    """An object is found in a string, and in a string in a string."""
    assert unwrap(value) in ({"a": 1}, [1])


@pytest.mark.parametrize("text", ["Hi", "7", "true", "{broken", "[1", "", '"quoted" said the user'])
def test_plain_text(text: str) -> None:
    """Text that is no JSON object or array stays the text it is."""
    assert structure(text) == text


def test_quoted_text() -> None:
    """A text that is one quoted string stays quoted where a structure is looked for."""
    assert structure('"Hi"') == '"Hi"'


def test_nested_names() -> None:
    """Flattened names become objects and lists, in the order of their numbers, not of their digits."""
    attributes = {"p.10.role": "c", "p.2.role": "b", "p.0.m.x": 1, "p.0.m.y.0": 2, "other": 3, "pp.0": 4}
    assert nested(attributes, "p") == [{"m": {"x": 1, "y": [2]}}, {"role": "b"}, {"role": "c"}]


def test_names_that_contradict() -> None:
    """A name that is both a value and an object keeps the value it came with first."""
    assert nested({"p.a": 1, "p.a.b": 2}, "p") == {"a": 1}


def test_no_name() -> None:
    """Without any such name there is nothing."""
    assert nested({"other": 1}, "p") is None
