"""The threads of a run: they take one question after the other, within the budget, and write down what came."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from datetime import datetime
from queue import SimpleQueue
from typing import Final

from inspector.model.prices import Price
from inspector.probes.estimate import Budget, Taken
from inspector.probes.question import PriceOf, Question, Sender
from inspector.probes.replay_reply import Reply
from inspector.probes.results import AnswerRecord, AnswerStore

_LOOK: Final = 0.2
"""Seconds between two looks whether a run was cancelled, while it waits for room in its budget."""


def work_off(run: RunWork, to_ask: Sequence[Question], concurrency: int, tell: Callable[[AnswerRecord], None]) -> None:
    """Ask with some threads, and tell of each answer from this one.

    The threads are daemons and not those of a pool, which is waited for even when the process is to end at once.
    """
    came: SimpleQueue[AnswerRecord | Exception | None] = SimpleQueue()
    run.begin(to_ask)
    count = min(concurrency, len(to_ask))
    for _ in range(count):
        threading.Thread(target=run.work, args=(came,), name="probe", daemon=True).start()
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
                    run.cancelled.set()  # what is in flight is waited for; nothing more may go out
                    trouble = error
    except BaseException:
        run.cancelled.set()
        raise
    if trouble is not None:
        raise trouble


class RunWork:
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
                self.failures[question.key] = record
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
