"""Facts about how an expectation is read: in words, never as an expression where it only lists words."""

from __future__ import annotations

import pytest

from inspector.probes.probe import Expected
from inspector.probes.wording import expected_words, fact_words
from snapshot_sdk.facts import Fact, FactKind


@pytest.mark.parametrize(
    ("kind", "text", "words"),
    [
        ("id", "ORD-2024-001", "ORD-2024-001 (id)"),
        ("regex", "中文|汉语|(?i:chinese)", "“中文”, “汉语” or “chinese”"),
        ("regex", "yes|no", "“yes” or “no”"),
        ("regex", "done", "“done”"),
        ("regex", "A-[0-9]+", "matches /A-[0-9]+/"),
        ("regex", "a|b.*", "matches /a|b.*/"),
        ("regex", "(?i:a|b)", "matches /(?i:a|b)/"),
    ],
)
def test_a_fact_is_written_in_words(kind: FactKind, text: str, words: str) -> None:
    """An expression that is more than a list of words stays one, between slashes."""
    assert fact_words(Fact(kind, text)) == words


def test_an_expectation_names_all_of_it() -> None:
    """What must be said, and what must not."""
    assert expected_words(Expected(must_abstain=True)) == "that it is not known"
    assert expected_words(Expected()) == "anything"
    both = Expected((Fact("id", "A-1"), Fact("id", "A-2")), must_not_say=(Fact("text", "x"),))
    assert expected_words(both) == "A-1 (id) and A-2 (id); not x (text)"
    assert expected_words(Expected((Fact("json", "1", path="a.b"),))) == "a.b = 1 (json)"
