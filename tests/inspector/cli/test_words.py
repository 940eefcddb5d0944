"""Facts about figures in words and about which call is meant."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import click
import pytest

from inspector.cli.words import amount, call_of, find_call, signed, spans, split_place
from inspector.errors import CallNotFoundError, TurnNotFoundError
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


@pytest.mark.parametrize(
    ("word", "session", "place"),
    [
        ("order:30", None, ("order", "30")),
        ("order:t14", None, ("order", "t14")),
        ("a:b:3", None, ("a:b", "3")),
        ("30", "order", ("order", "30")),
        ("other:3", "order", ("other", "3")),
    ],
)
def test_split_place(word: str, session: str | None, place: tuple[str, str]) -> None:
    """The last colon parts session and call; a call alone is of the session named before."""
    assert split_place(word, session) == place


@pytest.mark.parametrize("word", ["order", "order:", ":3", ""])
def test_a_place_without_session_or_call_is_wrong_usage(word: str) -> None:
    """The error shows how it is written."""
    with pytest.raises(click.UsageError, match="SESSION:CALL"):
        split_place(word)


@pytest.mark.parametrize(("change", "written"), [(604, "+604"), (-2822, "−2,822"), (0, "0")])
def test_signed(change: int, written: str) -> None:
    """A minus sign, never a hyphen."""
    assert signed(change) == written


def test_spans() -> None:
    """A stretch of one call is its number."""
    assert spans(((1, 12), (14, 14))) == "1–12, 14"


@pytest.mark.parametrize(
    ("word", "error"), [("99", CallNotFoundError), ("0", CallNotFoundError), ("t9", TurnNotFoundError)]
)
def test_a_call_that_is_not_there_is_no_wrong_usage(word: str, error: type[Exception]) -> None:
    """A number and a turn nobody has are told from what is neither."""
    with pytest.raises(error):
        call_of(cast(Any, CALLS), "order", word)
    with pytest.raises(click.UsageError):
        call_of(cast(Any, CALLS), "order", "tx")
