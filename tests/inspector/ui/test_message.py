"""Boxes: their text is data, whatever it holds."""

from __future__ import annotations

import re

import pytest

from inspector.ui import message


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The keys that are given to the component."""
    given: list[str] = []
    monkeypatch.setattr(message, "mount", lambda name, data, key: given.append(key))
    return given


@pytest.mark.parametrize("title", ["There is no session marshmallow-code__marshmallow-9999", "\ud800", ""])
def test_no_text_of_the_traces_gets_into_a_key(keys: list[str], title: str) -> None:
    """Streamlit refuses keys with two underscores in a row, as every id of SWE-bench has."""
    message.show_message(title)

    assert [re.fullmatch(r"message-[0-9a-f]{16}", key) is not None for key in keys] == [True]


def test_two_boxes_on_a_page_have_two_keys(keys: list[str]) -> None:
    """A page may say two things; equal keys would be an error."""
    message.show_message("one")
    message.show_message("two")

    assert len(set(keys)) == 2
