"""Facts about verdicts: the table of presence and answer."""

from __future__ import annotations

from typing import get_args

import pytest

from inspector.probes.presence import PresenceState
from inspector.probes.verdict import (
    SYMBOLS,
    AnswerState,
    Verdict,
    decide,
    decide_abstention,
    interval,
    is_failure,
    majority,
)

TABLE: list[tuple[PresenceState, AnswerState | None, Verdict]] = [
    ("present", None, "known"),
    ("present", "right", "known"),
    ("present", "wrong", "buried"),
    ("present", "abstains", "buried"),
    ("present", "repeats another value", "distorted"),
    ("summary", "right", "known via summary"),
    ("summary", "wrong", "buried"),
    ("distorted", "repeats another value", "distorted"),
    ("distorted", "wrong", "distorted"),
    ("conflicting", "wrong", "conflicting"),
    ("conflicting", "right", "known"),
    ("absent", "right", "guessed"),
    ("absent", "wrong", "evicted"),
    ("absent", "abstains", "abstained"),
    ("absent", None, "evicted"),
    ("opaque", None, "open"),
    ("opaque", "right", "model only"),
    ("opaque", "wrong", "model only"),
    ("unknown", "wrong", "model only"),
    ("not due", "wrong", "not due"),
    ("present", "no answer", "known"),
]


@pytest.mark.parametrize(("presence", "answer", "verdict"), TABLE)
def test_presence_and_answer_make_the_verdict(
    presence: PresenceState, answer: AnswerState | None, verdict: Verdict
) -> None:
    """As the retention study's table says."""
    assert decide(presence, answer) == verdict


def test_every_presence_has_a_verdict() -> None:
    """Without a model, too."""
    assert {decide(state) for state in get_args(PresenceState)} <= set(get_args(Verdict))


def test_every_verdict_has_a_symbol() -> None:
    """For the grid."""
    assert SYMBOLS.keys() == set(get_args(Verdict))


@pytest.mark.parametrize(
    ("presence", "answer", "verdict", "fails"),
    [
        ("absent", None, "open", False),
        ("absent", "right", "known", False),
        ("absent", "wrong", "guessed", True),
        ("present", "wrong", "conflicting", True),
        ("not due", "wrong", "not due", False),
    ],
)
def test_to_abstain_is_right_where_nothing_is_said(
    presence: PresenceState, answer: AnswerState | None, verdict: Verdict, fails: bool
) -> None:
    """What a model makes up is a failure there, and no lucky guess."""
    assert decide_abstention(presence, answer) == verdict
    assert is_failure(verdict, answer, must_abstain=True) is fails


def test_of_an_unreadable_context_the_answer_alone_decides() -> None:
    """Wrong is a failure, no answer is none."""
    assert is_failure("model only", "wrong")
    assert not is_failure("model only", "right")
    assert not is_failure("model only", "no answer")


@pytest.mark.parametrize(
    ("answers", "wanted"),
    [(["right", "right", "wrong"], "right"), (["right", "wrong"], "wrong"), (["abstains", "right", "right"], "right")],
)
def test_most_answers_decide(answers: list[AnswerState], wanted: AnswerState) -> None:
    """Of equals the worse one."""
    assert majority(answers) == wanted


def test_three_of_three_are_not_certain() -> None:
    """The interval says how little three answers prove; of none nothing is known."""
    low, high = interval(3, 3)

    assert 0.4 < low < 0.5
    assert high == 1.0
    assert interval(0, 0) == (0.0, 1.0)
