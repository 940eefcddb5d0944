"""Asks many questions: a few at once, none twice, within a budget, until it is done or cancelled."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from inspector.probes.estimate import Budget, Estimate, Planned, estimate
from inspector.probes.question import PriceOf, Question, Sender
from inspector.probes.results import AnswerRecord, AnswerStore
from inspector.probes.run_work import RunWork, work_off

CONCURRENCY: Final = 4
"""Questions in flight: few, as they have one prompt in common and the first of them fills the cache."""
REPLICATES: Final = 3
"""Answers to each question: fewer tell nothing of a model that does not always say the same."""


@dataclass(frozen=True)
class Progress:
    """How far a run is."""

    done: int
    """Questions with an answer or an error, those at hand included."""
    total: int
    spent: float
    """In the user's currency, as far as prices are known; estimates where the server did not say."""
    tokens: int
    failed: int
    last: AnswerRecord | None = None
    estimated: bool = False
    """An estimate is in what was spent: of some answers the server did not say."""


@dataclass(frozen=True)
class RunSummary:
    """What became of a run."""

    records: tuple[AnswerRecord, ...]
    """In the order of the questions; those at hand included."""
    asked: int
    """Questions that were sent."""
    at_hand: int
    failed: int
    left: int
    """Questions that were not sent."""
    stopped: str | None
    """Why some are left, in words; None: none is."""
    spent: float
    spent_tokens: int
    unpriced: int
    """Answers whose cost is not known."""
    estimated: int = 0
    """Answers and tries of which only an estimate is in what was spent: the server did not say."""


def plan(
    questions: Sequence[Question], store: AnswerStore, price_of: PriceOf, judging: Sequence[Planned] = ()
) -> Estimate:
    """Reckon what a run would take, before anything is sent.

    Args:
        questions: What would be asked.
        store: Answers at hand.
        price_of: The user's prices, by model.
        judging: Questions to a judge that may follow.
    """
    to_ask = _to_ask(questions, store)
    planned = [Planned(one.model, one.call.tokens, one.probe.question) for one in to_ask]
    return estimate([*planned, *judging], price_of, len(questions) - len(to_ask), judged=len(judging))


def run(
    questions: Sequence[Question],
    sender: Sender,
    store: AnswerStore,
    price_of: PriceOf,
    *,
    budget: Budget | None = None,
    concurrency: int = CONCURRENCY,
    progress: Callable[[Progress], None] | None = None,
    cancelled: threading.Event | None = None,
    now: Callable[[], datetime] | None = None,
    waiting: Callable[[], None] = lambda: None,
) -> RunSummary:
    """Ask questions; every answer is on the disk before it is told of.

    Started again after it was killed it asks only for what no answer came to. Of two runs of a session at once the
    second waits for the first.

    Args:
        questions: What to ask; a question that stands there twice is asked once.
        sender: Sends them.
        store: Where answers are kept.
        price_of: The user's prices, by model.
        budget: None: no limit.
        concurrency: Questions in flight.
        progress: Told after each answer, from this thread.
        cancelled: Set from elsewhere: what is in flight is waited for, nothing more is sent.
        now: The clock.
        waiting: Told where another run of the session is waited for.

    Raises:
        CannotWriteError: An answer cannot be written down; nothing more is sent.
        KeyboardInterrupt: What is in flight is not waited for.
    """
    stop = cancelled or threading.Event()
    to_ask = _to_ask(questions, store)
    run_ = RunWork(sender, store, price_of, budget or Budget(), stop, now or _now)
    at_hand = len(questions) - len(to_ask)
    if to_ask:
        with store.held(stop.is_set, waiting) as held:
            to_ask = _to_ask(questions, store)
            at_hand = len(questions) - len(to_ask)
            if held:
                tell = _Telling(progress, run_.budget, at_hand, len(questions))
                work_off(run_, to_ask, max(1, concurrency), tell)
    found = [store.find(one.request.digest, one.replicate) or run_.failures.get(one.key) for one in questions]
    left = len(to_ask) - run_.asked
    stopped = None
    if left:
        stopped = "cancelled" if stop.is_set() else run_.over
    return RunSummary(
        records=tuple(one for one in found if one is not None),
        asked=run_.asked,
        at_hand=at_hand,
        failed=len(run_.failures),
        left=left,
        stopped=stopped,
        spent=run_.budget.spent,
        spent_tokens=run_.budget.spent_tokens,
        unpriced=run_.budget.unpriced,
        estimated=run_.budget.estimated,
    )


class _Telling:
    """Tells how far a run is."""

    def __init__(self, tell: Callable[[Progress], None] | None, budget: Budget, at_hand: int, total: int) -> None:
        self._tell = tell
        self._budget = budget
        self._done = at_hand
        self._total = total
        self._failed = 0

    def __call__(self, record: AnswerRecord) -> None:
        self._done += 1
        self._failed += record.answer is None
        if self._tell is not None:
            spent, tokens = self._budget.spent, self._budget.spent_tokens
            estimated = bool(self._budget.estimated)
            self._tell(Progress(self._done, self._total, spent, tokens, self._failed, record, estimated))


def _to_ask(questions: Sequence[Question], store: AnswerStore) -> list[Question]:
    """Questions without an answer, each once, and those of one context one after the other: the cache is warm then."""
    wanted: dict[tuple[str, int], Question] = {}
    for one in questions:
        key = one.key
        if key not in wanted and store.find(*key) is None:
            wanted[key] = one
    return sorted(wanted.values(), key=lambda one: (one.call.number, one.replicate))


def _now() -> datetime:
    return datetime.now(UTC)
