"""Searches with a model for the first call it gets wrong: each step of the bisection is a run of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from inspector.analysis.changes import SessionChanges
from inspector.probes.asking import group_records, make_cells
from inspector.probes.bisect import Flip, bisect, questions_at_most
from inspector.probes.look import ProbeLook
from inspector.probes.results import AnswerStore
from inspector.probes.runner import Question, RunSummary


@dataclass(frozen=True)
class Search:
    """What a search found, and what it took."""

    flip: Flip
    summaries: tuple[RunSummary, ...]
    """A run a call that was asked, in that order."""

    @property
    def trouble(self) -> str | None:
        """Why what was found is not certain, in words; None: every call asked gave its answers."""
        for summary in self.summaries:
            if summary.stopped is not None:
                return summary.stopped
            if summary.failed:
                return next((one.error for one in summary.records if one.error), None) or "a question got no answer"
        return None


def search_flip(
    found: ProbeLook,
    changes: SessionChanges,
    questions: Sequence[Question],
    ask: Callable[[Sequence[Question]], RunSummary],
    cancelled: threading.Event,
) -> Search:
    """Find the first call that a model gets wrong, with few questions.

    Args:
        found: The probe, looked for.
        changes: Of the session.
        questions: All that could be asked of it, at every call at which it is due.
        ask: Sends some of them.
        cancelled: Set: no further call is asked.
    """
    summaries: list[RunSummary] = []

    def is_right(call: int) -> bool | None:
        own = [one for one in questions if one.call.number == call]
        if not own or cancelled.is_set() or (summaries and summaries[-1].stopped):
            return None
        summaries.append(ask(own))
        cells = make_cells([found], group_records(own, summaries[-1].records))
        states = (cell.asked.state for cell in cells if cell.call == call and cell.asked is not None)
        return next((state == "right" for state in states), None)

    return Search(bisect(found, changes, is_right), tuple(summaries))


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
