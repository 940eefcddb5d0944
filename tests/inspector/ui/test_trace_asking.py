"""What the address of the Trace page means, and errors in words."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from inspector.analysis.changes import SessionChanges
from inspector.ui.trace_asking import TraceAddress, error_words, read_trace_address, resolve
from snapshot_sdk.facts import Fact, Matcher

MakeChanges = Callable[..., SessionChanges]


def test_an_unknown_kind_counts_as_absent() -> None:
    """The kind is guessed then."""
    assert read_trace_address({"find": "x", "as": "nonsense", "in": "nowhere"}) == TraceAddress("x", None, "all")


def test_a_message_is_followed_by_its_whole_text(make_changes: MakeChanges) -> None:
    """``m1`` names it; its kind is guessed from its text."""
    wanted = resolve(TraceAddress("m1", "message", "all"), make_changes(["以后请只用中文回答。"]))

    assert (wanted.text, wanted.kind, wanted.number) == ("以后请只用中文回答。", "rule", 1)


def test_a_message_that_is_not_there_is_said_with_those_that_are(make_changes: MakeChanges) -> None:
    """The reader sees how far the numbers go."""
    asked = TraceAddress("m9", "message", "all")
    with pytest.raises(ValueError, match="no message m9: they are m1 to m1") as raised:
        resolve(asked, make_changes(["hello"]))

    assert error_words(raised.value, asked, "message")[0] == "No message m9: they are m1 to m1."


def test_a_json_value_is_a_path_and_a_value(make_changes: MakeChanges) -> None:
    """Written in one field."""
    wanted = resolve(TraceAddress("order.id=ORD-1", "json", "all"), make_changes(["{}"]))

    assert (wanted.path, wanted.text) == ("order.id", "ORD-1")


@pytest.mark.parametrize(
    ("find", "kind", "words"),
    [
        ("(a", "regex", "This pattern cannot be read: missing ), unterminated subpattern, at character 1."),
        ("abc", "money", "“abc” is not an amount."),
        ("hello", "date", "“hello” is not a date."),
        ("x", "json", "A JSON value is looked for as path=value."),
    ],
)
def test_what_cannot_be_looked_for_is_said_in_words(find: str, kind: str, words: str) -> None:
    """No class of an exception, no traceback."""
    with pytest.raises(ValueError) as raised:  # noqa: PT011 - what it says is what is tested
        Matcher(Fact(kind, find))  # type: ignore[arg-type]

    assert error_words(raised.value, TraceAddress(find, kind, "all"), kind)[0] == words
