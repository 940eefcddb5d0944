"""Facts about the words for what is wrong with a log."""

from __future__ import annotations

import pytest

from inspector.importers.reading.unreadable import MALFORMED, UnreadableError, reason_of


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (UnreadableError("not JSON"), "not JSON"),
        (FileNotFoundError(2, "No such file or directory"), "No such file or directory"),
        (KeyError("id"), "it has another shape than its format (KeyError: 'id')"),
    ],
)
def test_every_error_has_words(error: Exception, words: str) -> None:
    """A reason is for the user: the error's own words, or what it means that there are none."""
    assert isinstance(error, MALFORMED)
    assert reason_of(error) == words
