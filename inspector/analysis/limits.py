"""Pinned rules that can be checked on an answer, and how a breach is said of it."""

from __future__ import annotations

from typing import NamedTuple

from inspector.analysis.obedience import find_breach


class Broken(NamedTuple):
    """How an answer breaks a rule."""

    measured: str
    """What was found, as a predicate: ``has 2,013 words``."""


def check_answer(rule: str, answer: str) -> Broken | None:
    """Say how an answer breaks a rule that can be checked by looking.

    Args:
        rule: The pinned text.
        answer: Text of the answer.

    Returns:
        None: it does not, or the rule cannot be checked.
    """
    breach = find_breach(rule, answer)
    return Broken(_as_predicate(breach)) if breach is not None else None


def _as_predicate(breach: str) -> str:
    """``it has a list``, ``not in Chinese`` and ``9 words, 5 are allowed`` as what an answer does.

    How many are allowed stands in the rule, which is quoted beside it.
    """
    if breach.startswith("it "):
        return breach.removeprefix("it ")
    return f"is {breach}" if breach.startswith("not ") else f"has {breach.rpartition(', ')[0]}"
