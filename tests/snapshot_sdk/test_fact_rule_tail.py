"""Clauses behind a rule in its sentence: what is not known to leave it alone makes it uncertain."""

from __future__ import annotations

import pytest

from snapshot_sdk._fact_rule_tail import what_follows

ENGLISH = "never email the investors"
CHINESE = "不得私自发布"


@pytest.mark.parametrize(
    "tail",
    [", because legal reads everything first", ", please", ", and never share the table", "; budget $8,500",
     ", the user said in turn 3", ", no exceptions", ", use the ticket system", " (user, turn 3), answer in german",
     ", the press, the bank, or other outsiders", ". marcus may", ", everything included", ", all-in"],
)  # fmt: skip
def test_what_leaves_a_rule_alone(tail: str) -> None:
    """A reason, thanks, who said it, another demand, a value under its label, more of the same list."""
    assert what_follows(ENGLISH + tail, len(ENGLISH)) == ""


@pytest.mark.parametrize(
    "tail",
    [", marcus just has to nod", "; small updates are fine", " - hotfixes skip that", ", time permitting",
     " but nobody sticks to it", ", it stops mattering on friday", ", weekends not included",
     ", refunds under $50 go straight out"],
)  # fmt: skip
def test_what_may_take_it_back(tail: str) -> None:
    """No list has these words: it is enough that they are of no sort that is known."""
    assert "may take it back" in what_follows(ENGLISH + tail, len(ENGLISH))


@pytest.mark.parametrize(
    "tail",
    [
        ",因为上次出了事",
        ",谢谢配合",
        ",也不得外传",
        ";预算8500元",
        ",这是用户明确要求的",
        ",全包",
        ",税费都算在里面",
        ",有事发短信",
        ",改写邮件",
    ],
)
def test_what_leaves_a_chinese_rule_alone(tail: str) -> None:
    """The same sorts in Chinese."""
    assert what_follows(CHINESE + tail, len(CHINESE)) == ""


@pytest.mark.parametrize(
    "tail",
    [",王总点头就行", ",老客户直接签", ";小改动随意", ",嘴上说的", ",一百件往下不查", ",不含老客户", ",有事发个话就行"],
)
def test_what_may_take_a_chinese_rule_back(tail: str) -> None:
    """The same in Chinese."""
    assert "may take it back" in what_follows(CHINESE + tail, len(CHINESE))


def test_items_of_a_list_have_nothing_to_do_with_one_another() -> None:
    """Only what lets something through counts between them."""
    line = "never email the investors; tabs over spaces; tea at four"
    assert what_follows(line, len(ENGLISH)) == ""
    assert what_follows("never email the investors; small ones are fine; tea at four", len(ENGLISH)) != ""


def test_behind_a_reason_only_leave_counts() -> None:
    """What comes next mostly goes on with the reason."""
    assert what_follows(f"{ENGLISH}, because they are busy, the round is open", len(ENGLISH)) == ""
    assert what_follows(f"{ENGLISH}, because they are busy, marcus may", len(ENGLISH)) != ""
