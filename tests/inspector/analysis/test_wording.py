"""What a passage became when its message was edited."""

from __future__ import annotations

import pytest

from inspector.analysis.wording import LONGEST, find_new_wording


@pytest.mark.parametrize(
    ("before", "after", "passage", "old", "new"),
    [
        ("city: 三亚\nbudget: 8000元\npending: 无", "city: 三亚\nbudget: 8500元\npending: 酒店", "8000元",
         "budget: 8000元", "budget: 8500元"),
        ('{"budget": "8000元", "x": 1}', '{"budget": "8500元", "x": 2}', "8000元",
         '{"budget": "8000元', '{"budget": "8500元'),
        ("Never more than 800 words, please", "Concise copy, please", "Never more than 800 words",
         "Never more than 800 words", "Concise copy"),
    ],
)  # fmt: skip
def test_a_passage_is_shown_with_what_stands_there_now(
    before: str, after: str, passage: str, old: str, new: str
) -> None:
    """Both with the beginning of their line, which names the slot."""
    assert find_new_wording(before, after, passage) == (old, new)


@pytest.mark.parametrize(
    ("before", "after", "passage"),
    [
        ("Go on. never roll back. Thanks", "Go on. Thanks", "never roll back. "),
        ("only this", "", "only this"),
        ("something else", "something new", "never"),
        ("a: no\nb", "a: " + "word " * LONGEST + "\nb", "no"),
    ],
)
def test_a_passage_that_is_only_gone_has_no_new_wording(before: str, after: str, passage: str) -> None:
    """Nor has one that was not there, or that gave way to another text."""
    assert find_new_wording(before, after, passage) is None
