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


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("phone", "手机13800138000谢谢", "手机[redacted:phone]谢谢"),
        ("phone", "It is 13800138000.", "It is [redacted:phone]."),
        ("phone", "电话+86 138 0013 8000。", "电话[redacted:phone]。"),
        ("phone", "call 415-555-0132.", "call [redacted:phone]."),
        ("phone", "编号13800138000.5和v1.13800138000", "编号13800138000.5和v1.13800138000"),
        ("phone", "ORD-13800138000 a13800138000", "ORD-13800138000 a13800138000"),
        ("email", "邮箱wang.min@example.com谢谢", "邮箱[redacted:email]谢谢"),
        ("email", "jörg@example.com, ok", "[redacted:email], ok"),
        ("email", "Mail a@b.example.org.", "Mail [redacted:email]."),
        ("card", "卡号4111 1111 1111 1111谢谢", "卡号[redacted:card]谢谢"),
        ("card", "It is 4111111111111111.", "It is [redacted:card]."),
        ("keys", "密钥sk-proj-0123456789abcdefABCDEF。", "密钥[redacted:keys]。"),
    ],
)
def test_a_secret_is_seen_beside_chinese_and_at_the_end_of_a_sentence(name: str, text: str, expected: str) -> None:
    """Chinese letters are no part of a number or an address, a full stop ends it; a longer number is another one."""
    assert PATTERNS[name].remove(text)[0] == expected
