"""Asks many questions: a few at once, none twice, within a budget, until it is done or cancelled."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, Protocol

from inspector.model.prices import Price
from inspector.probes.estimate import ANSWER_TOKENS, Budget, Estimate, Planned, estimate
from inspector.probes.probe import Probe
from inspector.probes.replay_reply import Reply
from inspector.probes.replay_request import ReplayRequest, StoredCall
from inspector.probes.results import AnswerRecord, AnswerStore, Arm

CONCURRENCY: Final = 4
"""Questions in flight: few, as they have one prompt in common and the first of them fills the cache."""
REPLICATES: Final = 3
"""Answers to each question: fewer tell nothing of a model that does not always say the same."""


class Sender(Protocol):
    """Sends one question."""

    def ask(self, request: ReplayRequest, cancelled: threading.Event) -> Reply:
        """Send a question and wait for the answer.

        Args:
            request: The question.
            cancelled: Set: no further try is made.
        """


@dataclass(frozen=True)
class Question:
    """One question to be put to the context of one call."""

    probe: Probe
    call: StoredCall
    request: ReplayRequest
    arm: Arm = "as sent"
    replicate: int = 1
    """From 1."""

    @property
    def model(self) -> str | None:
        """Model that is asked."""
        named = self.request.body.get("model")
        return named if isinstance(named, str) and named else self.call.model


@dataclass(frozen=True)
class Progress:
    """How far a run is."""

    done: int
    """Questions with an answer or an error, those at hand included."""
    total: int
    spent: float
    """In the user's currency, as far as prices are known."""
    tokens: int
    failed: int
    last: AnswerRecord | None = None


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


PriceOf = Callable[[str | None], Price | None]


def plan(questions: Sequence[Question], store: AnswerStore, price_of: PriceOf) -> Estimate:
    """Reckon what a run would take, before anything is sent.

    Args:
        questions: What would be asked.
        store: Answers at hand.
        price_of: The user's prices, by model.
    """
    to_ask = _to_ask(questions, store)
    planned = [Planned(one.model, one.call.tokens, one.probe.question) for one in to_ask]
    return estimate(planned, price_of, len(questions) - len(to_ask))


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
) -> RunSummary:
    """Ask questions; every answer is on the disk before it is told of.

    Started again after it was killed it asks only for what no answer came to.

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

    Raises:
        CannotWriteError: An answer cannot be written down; nothing more is sent.
    """
    run_ = _Run(sender, store, price_of, budget or Budget(), cancelled or threading.Event(), now or _now)
    to_ask = _to_ask(questions, store)
    at_hand = len(questions) - len(to_ask)
    done = failed = asked = 0
    with ThreadPoolExecutor(max_workers=max(1, concurrency), thread_name_prefix="probe") as pool:
        futures = [pool.submit(run_.ask, question) for question in to_ask]
        try:
            for future in as_completed(futures):
                record = future.result()
                if record is None:
                    continue
                asked += 1
                done += 1
                failed += record.answer is None
                if progress is not None:
                    spent = run_.budget.spent
                    tokens = run_.budget.spent_tokens
                    progress(Progress(at_hand + done, len(questions), spent, tokens, failed, record))
        except BaseException:
            run_.cancelled.set()  # the pool waits for what is in flight; nothing more may go out
            raise
    found = [store.find(one.request.digest, one.replicate) or run_.failures.get(_key(one)) for one in questions]
    left = len(to_ask) - asked
    stopped = None
    if left:
        stopped = "cancelled" if run_.cancelled.is_set() else "the budget is used up" if run_.over else None
    return RunSummary(
        records=tuple(one for one in found if one is not None),
        asked=asked,
        at_hand=at_hand,
        failed=failed,
        left=left,
        stopped=stopped,
        spent=run_.budget.spent,
        spent_tokens=run_.budget.spent_tokens,
        unpriced=run_.budget.unpriced,
    )


def _to_ask(questions: Sequence[Question], store: AnswerStore) -> list[Question]:
    """Questions without an answer, each once, and those of one context one after the other: the cache is warm then."""
    wanted: dict[tuple[str, int], Question] = {}
    for one in questions:
        key = _key(one)
        if key not in wanted and store.find(*key) is None:
            wanted[key] = one
    return sorted(wanted.values(), key=lambda one: (one.call.number, one.replicate))


def _key(question: Question) -> tuple[str, int]:
    return question.request.digest, question.replicate


def _now() -> datetime:
    return datetime.now(UTC)


class _Run:
    """What the threads of a run share."""

    def __init__(
        self,
        sender: Sender,
        store: AnswerStore,
        price_of: PriceOf,
        budget: Budget,
        cancelled: threading.Event,
        now: Callable[[], datetime],
    ) -> None:
        self._sender = sender
        self._store = store
        self._price_of = price_of
        self.budget = budget
        self.cancelled = cancelled
        self._now = now
        self._lock = threading.Lock()
        self._reserved = 0.0
        self._reserved_tokens = 0
        self.over = False
        self.failures: dict[tuple[str, int], AnswerRecord] = {}

    def ask(self, question: Question) -> AnswerRecord | None:
        """Ask one question; None: it was not sent."""
        price = self._price_of(question.model)
        size = None if question.call.tokens is None else question.call.tokens + ANSWER_TOKENS
        money = (
            None if price is None or question.call.tokens is None else price.cost(question.call.tokens, ANSWER_TOKENS)
        )
        if self.cancelled.is_set() or not self._reserve(money, size):
            return None
        try:
            reply = self._sender.ask(question.request, self.cancelled)
        finally:
            with self._lock:
                self._reserved -= money or 0.0
                self._reserved_tokens -= size or 0
        if reply.cancelled:
            return None
        record = self._record(question, reply, price)
        with self._lock:
            if record.answer is not None:
                self.budget.add(record.cost, (record.input_tokens or 0) + (record.output_tokens or 0))
            else:
                self.failures[_key(question)] = record
        self._store.add(record)
        return record

    def _reserve(self, money: float | None, tokens: int | None) -> bool:
        """Take what a question may cost off the budget while it is in flight: others must not spend it, too."""
        with self._lock:
            planned = None if money is None else money + self._reserved
            size = None if tokens is None else tokens + self._reserved_tokens
            if not self.budget.allows(planned, size):
                self.over = True
                return False
            self._reserved += money or 0.0
            self._reserved_tokens += tokens or 0
            return True

    def _record(self, question: Question, reply: Reply, price: Price | None) -> AnswerRecord:
        counted = reply.counted
        read, wrote = (None, None) if counted is None else (counted.input_tokens, counted.output_tokens)
        cost = None
        if price is not None and counted is not None and read is not None and wrote is not None:
            cost = price.cost(read, wrote, counted.cached_read or 0)
        return AnswerRecord(
            session=question.call.session,
            call=question.call.number,
            snapshot=question.call.id,
            probe=question.probe.id,
            arm=question.arm,
            replicate=question.replicate,
            request=question.request.digest,
            question=question.probe.question,
            api=question.request.address.api,
            endpoint=question.request.address.url.split("?")[0],
            model=question.model,
            time=self._now().isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            answer=reply.text,
            error=reply.error,
            usage=dict(reply.usage) if reply.usage is not None else None,
            input_tokens=read,
            output_tokens=wrote,
            cost=cost,
            duration_ms=reply.duration_ms,
            attempts=reply.attempts,
            notes=question.request.notes,
        )
