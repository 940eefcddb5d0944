"""The stored body as text: indentation that changes nothing."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.ui.call_body import body_text, indent_json

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(JSON_VALUES, st.booleans())
def test_indented_json_has_the_same_value(value: object, ascii_only: bool) -> None:
    """Indenting moves white space only."""
    text = json.dumps(value, ensure_ascii=ascii_only)
    assert json.loads(indent_json(text)) == value


@given(JSON_VALUES)
def test_indentation_is_that_of_the_standard_library(value: object) -> None:
    """Indented JSON looks as every reader expects it."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    assert indent_json(text) == json.dumps(value, indent=2, ensure_ascii=False)


@pytest.mark.parametrize("number", ["1e400", "NaN", "-0.0", "1.50", "9" * 5_000, "1E5"])
def test_numbers_stay_as_written(number: str) -> None:
    """No number is parsed, so none is rounded or refused."""
    assert indent_json(f'{{"n":{number}}}') == f'{{\n  "n": {number}\n}}'


def test_nesting_of_ten_thousand_is_indented() -> None:
    """Depth is a counter, not a recursion."""
    assert indent_json("[" * 10_000 + "1" + "]" * 10_000).replace(" ", "").replace("\n", "").count("[") == 10_000


def test_escaped_chinese_becomes_readable() -> None:
    """A body written in ASCII shows its characters, the pair of an emoji too."""
    assert indent_json(r'"\u4f60\u597d \ud83d\ude00"') == '"你好 😀"'


@pytest.mark.parametrize("escape", [r"\u0000", r"\ud800", r"\u001b", r"\u202e", r"\n", r"\"", r"\\u4f60", r"\u0041"])
def test_other_escapes_stay(escape: str) -> None:
    """What cannot be seen, is no character, or was escaped on purpose stays escaped."""
    assert indent_json(f'"{escape}"') == f'"{escape}"'


@pytest.mark.parametrize("text", ['{"a":"unclosed', "plain words", '"', "{]}", ""])
def test_what_is_no_json_never_raises(text: str) -> None:
    """A body of another kind is shown too."""
    assert indent_json(text).replace("\n", "").replace(" ", "") == text.replace(" ", "")


def test_bytes_that_are_no_utf8_are_shown() -> None:
    """A stray byte is visible, not replaced."""
    assert body_text(b'{"a":"\xff"}') == '{"a":"\\xff"}'
