"""Facts about parsing JSON that is not quite sound."""

from __future__ import annotations

import json

import pytest

from inspector.importers.reading.mending import decoded, load, parse_bytes, raw_decode

LONG = "9" * 6_000


@pytest.mark.parametrize("text", [LONG, f"-{LONG}"])
def test_integers_have_any_length(text: str) -> None:
    """``int`` refuses more than 4,300 digits of a text; JSON has no such limit."""
    assert abs(load(text)) == 10**6_000 - 1
    assert raw_decode(f"[{text}] x")[1] == len(text) + 2


def test_what_is_no_json_is_an_error_of_json() -> None:
    """A fault of the text is still said with its place."""
    with pytest.raises(json.JSONDecodeError):
        load("[1")
    with pytest.raises(json.JSONDecodeError):
        raw_decode("[1")


def test_bytes_that_are_no_utf8_are_replaced_and_said() -> None:
    """One bad byte costs one character, and the byte is named by its place in the file."""
    parsed = parse_bytes(b'{"a": "x\xffy"}', start=100)

    assert parsed.value == {"a": "x\ufffdy"}
    assert parsed.repairs == ("bytes that are no UTF-8, the first at byte 108, read as U+FFFD",)


def test_replacement_characters_of_the_text_are_sound() -> None:
    """A U+FFFD that the log itself holds is no repair."""
    assert decoded("\ufffd".encode()) == ("\ufffd", None)
