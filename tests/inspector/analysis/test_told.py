"""Words that sentences share."""

from __future__ import annotations

from inspector.analysis.told import and_more, count_messages, quote


def test_quoted_text_is_short_and_on_one_line() -> None:
    """The user's own text, cut."""
    assert quote("a\nb\u2028c") == "a ⏎ b ⏎ c"
    assert len(quote("x" * 500)) == 60
    assert quote(None) == ""


def test_numbers_are_written_as_english_is() -> None:
    """One message, several messages."""
    assert [count_messages(n) for n in (1, 2, 1_200)] == ["1 message", "2 messages", "1,200 messages"]
    assert [and_more(range(n)) for n in (1, 2, 1_201)] == ["", " (and 1 more)", " (and 1,200 more)"]
