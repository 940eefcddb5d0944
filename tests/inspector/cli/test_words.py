"""Facts about figures in words and about which call is meant."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from inspector.cli.words import amount, find_call
from inspector.model.views import TokenCount

CALLS: Any = [
    SimpleNamespace(number=1, turn_label="t1", lane="main"),
    SimpleNamespace(number=2, turn_label="t2", lane="main"),
    SimpleNamespace(number=3, turn_label="t2", lane="main"),
    SimpleNamespace(number=4, turn_label="t2", lane="summary"),
    SimpleNamespace(number=5, turn_label="t3", lane="judge"),
]


@pytest.mark.parametrize(
    ("word", "number"),
    [("3", 3), ("99", 99), ("t1", 1), ("t2", 3), ("t3", 5), ("t9", None), ("x", None), ("-1", None), ("²", None)],
)
def test_call_is_found(word: str, number: int | None) -> None:
    """A number is itself; a turn is its last call of the main lane, else its last."""
    assert find_call(cast(Any, CALLS), word) == number


@pytest.mark.parametrize(
    ("tokens", "text"),
    [
        (TokenCount(12408, "provider"), "12,408"),
        (TokenCount(7, "tokenizer:o200k_base"), "7"),
        (TokenCount(7, "formula:openai-tools"), "≈7"),
        (TokenCount(7, "estimate:o200k_base"), "≈7"),
        (TokenCount(None, "unknown"), "?"),
    ],
)
def test_figures_show_how_sure_they_are(tokens: TokenCount, text: str) -> None:
    """What is not counted exactly is marked, and what is unknown is no number."""
    assert amount(tokens) == text
