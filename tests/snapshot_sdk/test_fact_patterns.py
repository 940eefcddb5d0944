"""Patterns that are compiled when they are first looked for."""

from __future__ import annotations

import re

import pytest

from snapshot_sdk._fact_patterns import later


def test_it_finds_what_the_pattern_finds() -> None:
    """Its flags count too."""
    found = later(r"ord-(\d+)", re.IGNORECASE)

    assert [match[1] for match in found.finditer("ORD-1, ord-22")] == ["1", "22"]
    assert found.search("none") is None
    assert found.pattern == r"ord-(\d+)"


def test_nothing_is_compiled_before_it_is_used() -> None:
    """What is wrong with a pattern shows when it is looked for, and not when the module is loaded."""
    broken = later("(")

    with pytest.raises(re.error):
        broken.search("")
