"""The built-in patterns: the quick search finds what the pattern finds."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snapshot_sdk._patterns import _KEY_STARTS, _SCARCE, PATTERNS

KEYS = PATTERNS["keys"]
KEY = "sk-proj-0123456789abcdefABCDEF"
FILLING = "a b-c_d é" * 200


class _NoSearch:
    """A pattern that refuses to go through a whole text."""

    def match(self, text: str, start: int) -> re.Match[str] | None:
        return KEYS.expression.match(text, start)


_PIECES = st.sampled_from(
    [
        *_KEY_STARTS,
        KEY,
        "-----BEGIN",
        " PRIVATE KEY-----",
        "Bearer ",
        "earer ",
        "0123456789abcdefghij",
        "AKIAIOSFODNN7EXAMPLE",
        "sk-",
        "eyJ",
        ".",
        "-",
        " ",
        "é",
    ]
)


@given(st.lists(st.one_of(_PIECES, st.text(max_size=5))))
def test_keys_are_found_as_the_pattern_finds_them(pieces: list[str]) -> None:
    """Looking only where a key may begin changes no result, whatever stands around it."""
    text = FILLING + "".join(pieces)  # long enough for the quick search
    expected, count = KEYS.expression.subn("[redacted:keys]", text)
    assert KEYS.remove(text) == (expected, count)


@pytest.mark.parametrize("start", [*_KEY_STARTS, "-----BEGIN", "bearer ", "ta" + "sk-list " * 50])
def test_a_long_text_is_not_gone_through_by_the_pattern(start: str) -> None:
    """Where keys are scarce the pattern is tried only where one may begin: it is slow on every other character."""
    quick: Any = replace(KEYS, expression=_NoSearch())  # type: ignore[arg-type]
    text = f"{FILLING} {start} {FILLING} {KEY}, {FILLING}"
    assert quick.remove(text) == (f"{FILLING} {start} {FILLING} [redacted:keys], {FILLING}", 1)


def test_a_text_full_of_beginnings_goes_through_the_pattern() -> None:
    """Where nearly every word may be a key, no list of places is made that is larger than the text."""
    assert KEYS.starts is not None
    assert KEYS.starts("sk-" * 1000) is None
    assert KEYS.starts(("sk-" + "x" * _SCARCE) * 1000) is not None
