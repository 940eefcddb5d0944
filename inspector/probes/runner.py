"""Asks many questions: a few at once, none twice, within a budget, until it is done or cancelled."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from queue import SimpleQueue
from typing import Final, Protocol

from inspector.model.prices import Price
from inspector.probes.estimate import Budget, Estimate, Planned, Taken, estimate
from inspector.probes.probe import Probe
from inspector.probes.replay_reply import Reply
from inspector.probes.replay_request import ReplayRequest, StoredCall
from inspector.probes.results import AnswerRecord, AnswerStore, Arm

CONCURRENCY: Final = 4
"""Questions in flight: few, as they have one prompt in common and the first of them fills the cache."""
REPLICATES: Final = 3
"""Answers to each question: fewer tell nothing of a model that does not always say the same."""


_LOOK: Final = 0.2
"""Seconds between two looks whether a run was cancelled, while it waits for room in its budget."""


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
    judged: str | None = None
    """Of a question to a judge: hash of what is judged."""

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
    """In the user's currency, as far as prices are known; estimates where the server did not say."""
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
    estimated: int = 0
    """Answers and tries of which only an estimate is in what was spent: the server did not say."""


PriceOf = Callable[[str | None], Price | None]


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
    run_ = _Run(sender, store, price_of, budget or Budget(), stop, now or _now)
    at_hand = len(questions) - len(to_ask)
    if to_ask:
        with store.held(stop.is_set, waiting) as held:
            to_ask = _to_ask(questions, store)
            at_hand = len(questions) - len(to_ask)
            if held:
                tell = _Telling(progress, run_.budget, at_hand, len(questions))
                _work(run_, to_ask, max(1, concurrency), tell)
    found = [store.find(one.request.digest, one.replicate) or run_.failures.get(_key(one)) for one in questions]
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
            self._tell(Progress(self._done, self._total, spent, tokens, self._failed, record))


def _work(run_: _Run, to_ask: Sequence[Question], concurrency: int, tell: Callable[[AnswerRecord], None]) -> None:
    """Ask with some threads, and tell of each answer from this one.

    The threads are daemons and not those of a pool, which is waited for even when the process is to end at once.
    """
    came: SimpleQueue[AnswerRecord | Exception | None] = SimpleQueue()
    run_.begin(to_ask)
    count = min(concurrency, len(to_ask))
    for _ in range(count):
        threading.Thread(target=run_.work, args=(came,), name="probe", daemon=True).start()
    trouble: Exception | None = None
    try:
        while count:
            one = came.get()
            if one is None:
                count -= 1
            elif isinstance(one, Exception):
                trouble = trouble or one
            elif trouble is None:
                try:
                    tell(one)
                except Exception as error:
                    run_.cancelled.set()  # what is in flight is waited for; nothing more may go out
                    trouble = error
    except BaseException:
        run_.cancelled.set()
        raise
    if trouble is not None:
        raise trouble


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
        self._turn = threading.Lock()
        self._free = threading.Condition()
        self._waiting: list[Question] = []
        self._flying = 0
        self._reserved = 0.0
        self._reserved_tokens = 0
        self.over: str | None = None
        self.asked = 0
        self.failures: dict[tuple[str, int], AnswerRecord] = {}

    def begin(self, questions: Sequence[Question]) -> None:
        """Take the questions, in the order in which they are to be sent."""
        self._waiting = list(reversed(questions))

    def work(self, came: SimpleQueue[AnswerRecord | Exception | None]) -> None:
        """Ask one question after the other, until there is none, or no more may be sent."""
        try:
            while (taken := self._take()) is not None:
                record = self._ask(*taken)
                if record is not None:
                    came.put(record)
        except Exception as error:
            # A thread has nobody above it: the one that waits is told, and no later question is sent.
            self.cancelled.set()
            came.put(error)
        finally:
            came.put(None)

    def _take(self) -> tuple[Question, Taken] | None:
        """Take the next question, once the budget has room for it; None: there is none, or never will be.

        One thread at a time, so that what comes later and is smaller does not overtake what waits.
        """
        with self._turn:
            if not self._waiting or self.over is not None or self.cancelled.is_set():
                return None
            question = self._waiting.pop()
            price = self._price_of(question.model)
            taken = Taken.most(question.call.tokens, question.probe.question, price)
            return (question, taken) if self._reserve(taken) else None

    def _reserve(self, taken: Taken) -> bool:
        """Take what a question may cost off the budget while it is in flight: others must not spend it, too.

        What others in flight have reserved may come back, so it is waited for.
        """
        with self._free:
            while not self.cancelled.is_set():
                money = None if taken.money is None else taken.money + self._reserved
                tokens = None if taken.tokens is None else taken.tokens + self._reserved_tokens
                if self.budget.allows(money, tokens):
                    self._flying += 1
                    self._reserved += taken.money or 0.0
                    self._reserved_tokens += taken.tokens or 0
                    return True
                if not self._flying:
                    spent = self.budget.spent or self.budget.spent_tokens
                    self.over = "the budget is used up" if spent else "the budget is too small for the next question"
                    return False
                self._free.wait(_LOOK)
            return False

    def _ask(self, question: Question, reserved: Taken) -> AnswerRecord | None:
        """Ask one question; None: it was not sent."""
        price = self._price_of(question.model)
        reply: Reply | None = None
        try:
            reply = self._sender.ask(question.request, self.cancelled)
            record = None if reply.cancelled else self._record(question, reply, price)
        finally:
            with self._free:
                self._flying -= 1
                self._reserved -= reserved.money or 0.0
                self._reserved_tokens -= reserved.tokens or 0
                if reply is not None:
                    self._charge(question, reply, price)
                self._free.notify_all()
        if record is None:
            return None
        with self._free:
            self.asked += 1
            if record.answer is None:
                self.failures[_key(question)] = record
        self._store.add(record)
        return record

    def _charge(self, question: Question, reply: Reply, price: Price | None) -> None:
        """Take off the budget what a question took; where the server does not say, what was reckoned for it."""
        for _ in range(reply.unmetered):
            self.budget.add(Taken.prompt(question.call.tokens, question.probe.question, price), estimated=True)
        counted = reply.counted
        if counted is None and reply.text is None:
            return  # it was refused, or its tries are in those above
        taken = Taken.most(question.call.tokens, question.probe.question, price)
        read, wrote = (None, None) if counted is None else (counted.input_tokens, counted.output_tokens)
        if counted is not None and read is not None and wrote is not None:
            cost = None if price is None else price.cost(read, wrote, counted.cached_read or 0)
            self.budget.add(Taken(cost, read + wrote))
        else:
            self.budget.add(taken, estimated=True)

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
            judged=question.judged,
        )
