"""Patterns that are compiled when they are first looked for."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

import snapshot_sdk
from snapshot_sdk._fact_patterns import _Later, later

MODULES = sorted(path.stem for path in Path(snapshot_sdk.__file__).parent.glob("_fact_*.py"))


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


@pytest.mark.parametrize("module", MODULES)
def test_every_pattern_can_be_compiled(module: str) -> None:
    """Nobody finds out at the first text that needs it."""
    for name, value in vars(import_module(f"snapshot_sdk.{module}")).items():
        if isinstance(value, _Later):
            assert value.search("") is not value, name
