"""Verdict: what a context holds and what the model answered, taken together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final, Literal

from inspector.model.fates import Kind
from inspector.probes.presence import PresenceState

AnswerState = Literal["right", "wrong", "repeats another value", "abstains", "no answer"]
"""How a model's answer was scored. ``no answer``: it refused, or the call failed."""

Verdict = Literal[
    "not due", "known", "known via summary", "buried", "conflicting", "distorted", "guessed", "evicted", "abstained",
    "model only", "open",
]  # fmt: skip
"""``buried``: present but not recalled. ``guessed``: right without having it. ``abstained``: gone, and the model says
so. ``model only``: the context cannot be read, only the answer counts. ``open``: nothing can be said yet. Of a probe
that must abstain, ``known``: it knows that it cannot know; ``guessed``: it made something up; ``conflicting``: the
context says what the probe holds to be unknown."""

FAILED: Final[frozenset[Verdict]] = frozenset(("buried", "conflicting", "distorted", "evicted", "abstained"))
"""Verdicts by which the model would not have known what it should."""

SYMBOLS: Final[dict[Verdict, str]] = {
    "not due": "·",
    "known": "■",
    "known via summary": "Σ",
    "buried": "◐",
    "conflicting": "≶",
    "distorted": "≠",
    "guessed": "?",
    "evicted": "✕",
    "abstained": "✕",
    "model only": "▨",
    "open": "○",
}

VERDICT_KINDS: Final[dict[Verdict, Kind]] = {
    "not due": "same",
    "known": "here",
    "known via summary": "condensed",
    "buried": "altered",
    "conflicting": "altered",
    "distorted": "altered",
    "guessed": "same",
    "evicted": "lost",
    "abstained": "lost",
    "model only": "same",
    "open": "same",
}
"""What happened, in the five colours of the app."""

_LOOKED: Final[dict[PresenceState, Verdict]] = {
    "not due": "not due",
    "present": "known",
    "summary": "known via summary",
    "conflicting": "conflicting",
    "distorted": "distorted",
    "absent": "evicted",
    "opaque": "open",
    "unknown": "open",
}


def decide(presence: PresenceState, answer: AnswerState | None = None) -> Verdict:
    """Decide a verdict (the table of the retention study: presence × answer).

    Args:
        presence: What looking found.
        answer: What the model said; None: it was not asked, and looking alone decides.
    """
    if answer is None or answer == "no answer" or presence == "not due":
        return _LOOKED[presence]
    right = answer == "right"
    if presence in ("opaque", "unknown"):
        return "model only"
    if presence == "absent":
        return "guessed" if right else "abstained" if answer == "abstains" else "evicted"
    if right:
        return "known via summary" if presence == "summary" else "known"
    if presence == "distorted" or answer == "repeats another value":
        return "distorted"
    return "conflicting" if presence == "conflicting" else "buried"


def decide_abstention(presence: PresenceState, answer: AnswerState | None = None) -> Verdict:
    """Decide the verdict of a probe whose right answer is that it is not known.

    Args:
        presence: Whether the context says, against the probe, what is asked for.
        answer: What the model said; None: it was not asked.
    """
    if presence == "not due":
        return "not due"
    if presence in ("present", "summary", "conflicting"):
        return "conflicting"
    if answer is None or answer == "no answer":
        return "open"
    return "known" if answer == "right" else "guessed"


def is_failure(verdict: Verdict, answer: AnswerState | None = None, *, must_abstain: bool = False) -> bool:
    """Tell whether a verdict means that the agent would have gone wrong.

    Args:
        verdict: Of one probe at one call.
        answer: What the model said, if it was asked: of a context that cannot be read it alone decides.
        must_abstain: The right answer is that it is not known.
    """
    if verdict == "guessed":
        return must_abstain
    if verdict == "model only":
        return answer not in ("right", "no answer", None)
    return verdict in FAILED


def majority(answers: Sequence[AnswerState]) -> AnswerState:
    """Give what most of several answers are; of equals the worse one counts.

    Args:
        answers: At least one.
    """
    counts = Counter(answers)
    worst_first: tuple[AnswerState, ...] = ("wrong", "repeats another value", "abstains", "right", "no answer")
    return max(worst_first, key=lambda state: (counts[state], -worst_first.index(state)))


def interval(successes: int, trials: int) -> tuple[float, float]:
    """Give the 95 % interval of a share (Wilson 1927), which is honest for three trials too.

    Args:
        successes: Answers that were right.
        trials: Answers.

    Returns:
        Lower and upper bound, 0 to 1; of no trials nothing is known: 0 to 1.
    """
    if not trials:
        return 0.0, 1.0
    z = 1.959963984540054
    share = successes / trials
    middle = share + z * z / (2 * trials)
    half = z * ((share * (1 - share) + z * z / (4 * trials)) / trials) ** 0.5
    whole = 1 + z * z / trials
    return max(0.0, (middle - half) / whole), min(1.0, (middle + half) / whole)
