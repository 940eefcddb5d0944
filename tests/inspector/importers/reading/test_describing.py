"""Facts about describing a value."""

from __future__ import annotations

from inspector.importers.reading.describing import looks_like


def test_values_are_described() -> None:
    """What is no body is described by its members."""
    assert looks_like({"a": 1, "b": 2}) == "an object with `a`, `b`"
    assert looks_like([{}]) == "an array of 1, beginning with an empty object"
    assert looks_like(None) == "null"
