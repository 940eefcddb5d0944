"""Runs questions in the background: a run belongs to the directory and the session, and outlives a reload."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from inspector.index import Index
from inspector.probes.question import PriceOf, Question, Sender
from inspector.probes.runner import CONCURRENCY, Progress, RunSummary, run
from inspector.probes.searching import Search, search_flip
from inspector.ui.background import BackgroundWork
from inspector.ui.format import format_count, one_line
from inspector.ui.probes_asking import Prepared

_REASON: Final = 240
"""Characters of the reason why a question got no answer."""


class ProbeRun(BackgroundWork):
    """Questions on their way: how far they are, and how they are stopped."""

    def __init__(self, prepared: Prepared, price_of: PriceOf, sender: Sender | None = None) -> None:
        """Start to ask.

        Args:
            prepared: What the reader agreed to.
            price_of: The user's prices.
            sender: Sends the questions; None: over the network.
        """
        super().__init__("probes", "the run")
        self._prepared = prepared
        self._price_of = price_of
        self._sender = sender
        self._progress: Progress | None = None
        self._summary: RunSummary | None = None
        self._judged: RunSummary | None = None
        self._searched: Search | None = None
        self._before = 0
        self._done = prepared.estimate.known if prepared.search is None else 0
        self._waits = threading.Event()
        self.begin()

    def _work(self) -> None:
        if self._sender is not None:
            self._ask(self._sender, self._sender)
            return
        from inspector.probes.replay_client import ReplayClient  # looking needs no client of HTTP

        with (
            ReplayClient(self._prepared.key, self._prepared.target.headers) as client,
            ReplayClient(self._prepared.judge_key) as judge,  # the key of one server must not go to the other
        ):
            self._ask(client, judge)

    def _ask(self, sender: Sender, judge: Sender) -> None:
        search, judging = self._prepared.search, self._prepared.judge
        if search is None:
            self._summary = self._send(self._prepared.questions, sender)
            self._judged = self._judge(self._prepared.questions, judge)
            return

        def ask(some: Sequence[Question]) -> RunSummary:
            summary = self._send(some, sender)
            judged = self._judge(some, judge)
            return replace(summary, left=judged.left, stopped=judged.stopped) if judged and judged.left else summary

        self._searched = search_flip(
            search.found,
            search.changes,
            self._prepared.questions,
            ask,
            self._cancelled,
            None if judging is None else judging.verdicts(self._prepared.store),
        )

    def _judge(self, asked: Sequence[Question], sender: Sender) -> RunSummary | None:
        """Have the answers judged; None: nobody is asked to, or there is nothing to judge."""
        judge = self._prepared.judge
        questions = [] if judge is None else judge.questions(asked, self._prepared.store)
        return self._send(questions, sender) if questions else None

    def _send(self, questions: Sequence[Question], sender: Sender) -> RunSummary:
        first = self._prepared.search is None and self._summary is None
        self._before = 0 if first else self._done
        return run(
            questions,
            sender,
            self._prepared.store,
            self._price_of,
            budget=self._prepared.budget,
            concurrency=CONCURRENCY,
            progress=self._tell,
            cancelled=self._cancelled,
            waiting=self._waits.set,
        )

    def _tell(self, progress: Progress) -> None:
        self._waits.clear()
        self._progress = progress
        self._done = self._before + progress.done

    def plain(self, amount: Any) -> dict[str, Any]:
        """Return how far it is as the browser gets it.

        Args:
            amount: Writes money.
        """
        search = self._prepared.search
        estimate = self._prepared.estimate
        total = len(self._prepared.questions) + estimate.judged if search is None else estimate.questions
        done = self._done
        return {
            "running": self.running,
            "cancelling": self.cancelling,
            "done": done,
            "total": total,
            "words": self._words(done, total, amount),
            "troubles": self._troubles(),
            "flip": self._flip(),
        }

    def _words(self, done: int, total: int, amount: Any) -> str:
        progress = self._progress
        at_most = "at most " if self._prepared.search is not None else ""
        said = [f"{done:,} of {at_most}{total:,} answered"]
        if self._waits.is_set() and self.running:
            said.append("waiting for another run that asks about this session")
        if progress is not None:
            about = "≈ " if progress.estimated else ""
            said.append(f"{about}{progress.tokens:,} tokens")
            if progress.spent:
                said.append(f"{about}{amount(progress.spent)}")
        return " · ".join(said)

    def _flip(self) -> dict[str, Any] | None:
        """What a search found; None: it has not ended, or was none."""
        search, searched = self._prepared.search, self._searched
        if search is None or searched is None:
            return None
        flip, name = searched.flip, search.found.probe.id
        asked = format_count(len(flip.asked), "call")
        if searched.trouble is not None:
            said = f"{name}: the search did not end ({one_line(searched.trouble, _REASON)}); {asked} asked"
            return {"words": said, "call": None, "before": None, "compaction": None}
        by = "" if flip.compaction is None else f", compaction {flip.compaction}"
        where = "" if flip.call is None else f"first wrong at call {flip.call}{by}: "
        words = f"{name}: {where}{flip.why} ({asked} asked)"
        return {"words": words, "call": flip.call, "before": flip.before_call, "compaction": flip.compaction}

    def _troubles(self) -> list[str]:
        if self.error is not None:
            return [one_line(self.error, _REASON)]
        summary = self._summary
        return [*_troubles_of(summary, "question"), *_troubles_of(self._judged, "question to the judge")]


def _troubles_of(summary: RunSummary | None, noun: str) -> list[str]:
    said: list[str] = []
    if summary is None:
        return said
    if summary.failed:
        first = next((one.error for one in summary.records if one.answer is None and one.error), "no reason given")
        count = _count(summary.failed, noun)
        said.append(f"{count} got no answer: {one_line(first, _REASON)}. Asking again asks only these.")
    if summary.left:
        said.append(f"{_count(summary.left, noun)} not sent: {summary.stopped}. Asking again goes on with them.")
    return said


def _count(number: int, noun: str) -> str:
    head, space, rest = noun.partition(" ")
    return f"{format_count(number, head)}{space}{rest}"


class ProbeRuns:
    """The last run of each session of a directory."""

    def __init__(self) -> None:
        """Make an empty list."""
        self._runs: dict[str, ProbeRun] = {}
        self._lock = threading.Lock()

    def of(self, session: str) -> ProbeRun | None:
        """Return the last run of a session.

        Args:
            session: Its id.
        """
        return self._runs.get(session)

    def start(self, session: str, prepared: Prepared, index: Index) -> bool:
        """Start to ask; False: a run of the session is still on its way.

        Args:
            session: Its id.
            prepared: What the reader agreed to.
            index: For the prices.
        """
        with self._lock:
            before = self._runs.get(session)
            if before is not None and before.running:
                return False
            self._runs[session] = ProbeRun(prepared, index.settings.price_of)
            return True
