"""How much of a text another one quotes: of each passage as much as stands there, and no more."""

from __future__ import annotations

from snapshot_sdk._fixture_checks_quoted import quoted

WHOLE = "The first train leaves at six. The second leaves at nine. The last one leaves at noon."


def test_all_of_it() -> None:
    """Nothing is lost and nothing added, also with other white space."""
    assert quoted(WHOLE, WHOLE.replace(" ", "\n"))[1:] == (len(WHOLE.replace(" ", "")), 0, "")


def test_a_part_and_what_is_gone() -> None:
    """The longest passage that is missing comes as it was written."""
    part = quoted(WHOLE, "Note: The first train leaves at six.")
    assert part.gone == "The second leaves at nine. The last one leaves at noon."
    assert (part.kept, part.added) == (25, 5)


def test_nothing_of_it() -> None:
    """A text of other words quotes nothing."""
    part = quoted(WHOLE, "Trains go three times a day.")
    assert part.kept == 0
    assert part.lost == part.whole


def test_a_passage_said_twice_and_quoted_once() -> None:
    """One quote accounts for one of them."""
    part = quoted(WHOLE * 2, WHOLE)
    assert part.lost == part.kept == len(WHOLE.replace(" ", ""))
