"""Facts about what all importers share."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.importers.base import Problem, reporting


def test_error_of_a_log_is_reported(tmp_path: Path) -> None:
    """A log that cannot be read costs only itself: what stands behind the block is done."""
    problems: list[Problem] = []
    for name in ("a", "b"):
        with reporting(tmp_path / name, problems.append):
            raise KeyError(name)

    assert [(Path(one.source).name, "KeyError" in one.reason) for one in problems] == [("a", True), ("b", True)]


def test_broken_machinery_is_not_hidden(tmp_path: Path) -> None:
    """An error that no log can cause goes on."""
    problems: list[Problem] = []
    with pytest.raises(AssertionError), reporting(tmp_path, problems.append):
        raise AssertionError

    assert problems == []
