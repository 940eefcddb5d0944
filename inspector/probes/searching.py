"""Searches with a model for the first call it gets wrong: each step of the bisection is a run of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from inspector.analysis.changes import SessionChanges
from inspector.probes.asking import group_records, make_cells
from inspector.probes.bisect import Flip, bisect, questions_at_most
from inspector.probes.look import ProbeLook
from inspector.probes.question import Question
from inspector.probes.results import AnswerStore
from inspector.probes.runner import RunSummary
from inspector.probes.scorers import Judge


@dataclass(frozen=True)
class Search:
    """What a search found, and what it took."""

    flip: Flip
    summaries: tuple[RunSummary, ...]
    """A run a call that was asked, in that order."""

    trouble: str | None = None
    """Why the search did not come to its end, in words; None: it did, or nothing could be asked."""


def search_flip(
    found: ProbeLook,
    changes: SessionChanges,
    questions: Sequence[Question],
    ask: Callable[[Sequence[Question]], RunSummary],
    cancelled: threading.Event,
    judge: Judge | None = None,
) -> Search:
    """Find the first call that a model gets wrong, with few questions.

    Args:
        found: The probe, looked for.
        changes: Of the session.
        questions: All that could be asked of it, at every call at which it is due.
        ask: Sends some of them.
        cancelled: Set: no further call is asked.
        judge: For the model-graded scorers.
    """
    summaries: list[RunSummary] = []
    troubles: list[str] = []

    def is_right(call: int) -> bool | None:
        if cancelled.is_set():
            troubles.append("cancelled")
            return None
        own = [one for one in questions if one.call.number == call]
        summary = ask(own)
        summaries.append(summary)
        if summary.left:
            troubles.append(summary.stopped or "not every question was sent")
            return None
        cells = make_cells([found], group_records(own, summary.records), judge=judge)
        results = (cell.asked for cell in cells if cell.call == call)
        result = next((one for one in results if one is not None), None)
        if result is None or result.state in (None, "no answer"):
            failures = result.failures if result is not None else ()
            said = next(iter(failures), None) or "nothing that could be judged was answered"
            troubles.append(f"call {call}: {said}")
            return None
        return result.state == "right"

    askable = {one.call.number for one in questions}
    flip = bisect(found, changes, is_right, askable)
    return Search(flip, tuple(summaries), troubles[0] if troubles else None)


def costliest(questions: Sequence[Question], store: AnswerStore) -> list[Question]:
    """Return the questions that a search sends at worst: those of the largest contexts, as many as it may ask.

    Args:
        questions: All that could be asked, of one probe.
        store: Answers at hand; a call whose answers all are costs nothing.
    """
    most = questions_at_most(len({one.call.number for one in questions}))
    unknown = {
        one.call.number: one.call.tokens for one in questions if store.find(one.request.digest, one.replicate) is None
    }
    largest = sorted(unknown, key=lambda call: (unknown[call] is None, unknown[call] or 0), reverse=True)[:most]
    return [one for one in questions if one.call.number in largest]
