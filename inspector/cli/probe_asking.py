"""Asks a model for ``context-inspector probe``: the calls as recorded, the estimate first, then a run with progress."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType

import click
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
from rich.progress import Progress as Bar

from inspector.cli.drawing import stderr_console
from inspector.cli.terminal import complain, one_line
from inspector.errors import ProbeError
from inspector.index import Index
from inspector.probes.asking import Asking, NotAsked, Records, group_records, make_questions
from inspector.probes.bisect import questions_at_most
from inspector.probes.estimate import Budget
from inspector.probes.judging import ModelJudge, wants_judge
from inspector.probes.look import ProbeLook, SessionFacts
from inspector.probes.question import Question, Sender
from inspector.probes.replay_keys import find_keys
from inspector.probes.replay_reply import Reply
from inspector.probes.replay_request import ReplayRequest
from inspector.probes.replay_target import Target
from inspector.probes.results import AnswerStore, Arm, answers_file
from inspector.probes.runner import Progress, RunSummary, plan, run
from inspector.probes.scorers import Judge
from inspector.probes.searching import Search, search_flip
from inspector.probes.stored_call import stored_call


@dataclass(frozen=True)
class Wanted:
    """What the user wants to be asked."""

    target: Target
    arms: tuple[Arm, ...]
    replicates: int
    budget: Budget
    concurrency: int
    timeout: float
    confirmed: bool
    """The user agreed beforehand (``--yes``)."""
    judge: ModelJudge | None = None
    """Judges answers of the model-graded scorers; None: nobody does."""


@dataclass(frozen=True)
class Asked:
    """What came of asking."""

    records: Records
    not_asked: tuple[NotAsked, ...]
    summary: RunSummary | None
    """None: there was nothing to ask."""
    judged: RunSummary | None = None
    """Of the questions to the judge; None: there were none."""
    judge: Judge | None = None
    """What the judge said; None: nobody was named as judge."""


def ask(
    index: Index,
    directory: Path,
    looks: Sequence[ProbeLook],
    facts: SessionFacts,
    at: Collection[int],
    wanted: Wanted,
) -> Asked:
    """Ask a model the probes of a suite; nothing is sent before the user has seen what it takes.

    Args:
        index: Where the calls stand.
        directory: Of the traces; the answers go beside them.
        looks: The probes, and where each is due.
        facts: The session.
        at: Calls to ask.
        wanted: Where, how often, at what price.

    Raises:
        ProbeError: No address, no key, or no price for a budget of money.
        click.Abort: Nobody answered whether they agree.
    """
    calls = {number: stored_call(index, facts.session, number) for number in at}
    asking = make_questions(looks, calls, facts, wanted.target, arms=wanted.arms, replicates=wanted.replicates)
    if not asking.questions:
        return Asked({}, asking.not_asked, None)
    if wanted.judge is not None and not wants_judge(found.probe for found in looks):
        complain("no probe of this suite asks for a judge", 'One does with scorer = "model_graded_fact" in expected.')
    store = AnswerStore(answers_file(directory, facts.session))
    if not _agree(asking, store, index, wanted):
        complain("nothing was sent", "What looking finds follows.")
        return Asked({}, asking.not_asked, None)
    with (
        _sender(asking.questions, store, wanted) as client,
        _interruptible() as cancelled,
        _bar(len(asking.questions), index) as tell,
    ):
        errand = _Errand(index, store, wanted, cancelled)
        summary = errand.send(asking.questions, client, tell)
        _say(summary, index)
        judged = errand.judge(asking.questions)
    judge = None if wanted.judge is None else wanted.judge.verdicts(store)
    return Asked(group_records(asking.questions, summary.records), asking.not_asked, summary, judged, judge)


def search(index: Index, directory: Path, found: ProbeLook, facts: SessionFacts, wanted: Wanted) -> Search:
    """Find the first call that a model gets wrong, with few questions.

    Args:
        index: Where the calls stand.
        directory: Of the traces.
        found: The probe, looked for.
        facts: The session.
        wanted: Where, how often, at what price.

    Raises:
        ProbeError: No address, no key, or no price for a budget; or no call can be asked.
        click.Abort: The user did not agree.
    """
    due = [call for call, presence in found.presences.items() if presence.state != "not due"]
    calls = {number: stored_call(index, facts.session, number) for number in due}
    asking = make_questions([found], calls, facts, wanted.target, replicates=wanted.replicates)
    store = AnswerStore(answers_file(directory, facts.session))
    if not asking.questions:
        why = next((one.why for one in asking.not_asked), "it is due at no call")
        raise ProbeError(f"{found.probe.id} cannot be asked anywhere: {why}")
    askable = len({one.call.number for one in asking.questions})
    unasked = f" ({len(due) - askable} more cannot be asked)" if len(due) > askable else ""
    click.echo(f"a search asks {questions_at_most(askable)} of these {askable} calls at most{unasked}", err=True)
    if not _agree(asking, store, index, wanted):
        raise click.Abort
    with _sender(asking.questions, store, wanted) as client, _interruptible() as cancelled:
        errand = _Errand(index, store, wanted, cancelled)
        searched = search_flip(
            found,
            facts.changes,
            asking.questions,
            lambda questions: errand.send_and_judge(questions, client),
            cancelled,
            None if wanted.judge is None else wanted.judge.verdicts(store),
        )
    for summary in searched.summaries[-1:]:
        if summary.failed or summary.left:
            _say(summary, index)
    return searched


@contextmanager
def _sender(
    questions: Sequence[Question], store: AnswerStore, wanted: Wanted, target: Target | None = None
) -> Iterator[Sender]:
    """Make the clients, one a server; keys are looked for only where something is to be sent."""
    from inspector.probes.replay_client import ReplayClient  # it brings a client of HTTP, which looking does not need

    to_send = [one for one in questions if store.find(one.request.digest, one.replicate) is None]
    keys = find_keys((one.request.address for one in to_send), target or wanted.target, os.environ)
    with ExitStack() as stack:
        clients = {
            origin: stack.enter_context(ReplayClient(key, (target or wanted.target).headers, timeout=wanted.timeout))
            for origin, key in keys.items()
        }
        yield _Clients(clients)


class _Clients:
    """Sends each question by the client of its server: a key must not go to another one."""

    def __init__(self, by_origin: Mapping[str, Sender]) -> None:
        self._by_origin = by_origin

    def ask(self, request: ReplayRequest, cancelled: threading.Event) -> Reply:
        """Send a question."""
        return self._by_origin[request.address.origin].ask(request, cancelled)


@dataclass(frozen=True)
class _Errand:
    """Questions about one session, and where their answers go."""

    index: Index
    store: AnswerStore
    wanted: Wanted
    cancelled: threading.Event

    def send(self, questions: Sequence[Question], client: Sender, tell: _Tell | None = None) -> RunSummary:
        """Ask what is not at hand."""
        return run(
            questions,
            client,
            self.store,
            self.index.settings.price_of,
            budget=self.wanted.budget,
            concurrency=self.wanted.concurrency,
            progress=tell,
            cancelled=self.cancelled,
            waiting=lambda: complain("another run is asking about this session: waiting for its answers"),
        )

    def judge(self, asked: Sequence[Question]) -> RunSummary | None:
        """Have answers judged, within what is left of the budget; None: there is nothing to judge."""
        judge = self.wanted.judge
        questions = [] if judge is None else judge.questions(asked, self.store)
        if judge is None or not questions:
            return None
        with _sender(questions, self.store, self.wanted, judge.target) as client:
            summary = self.send(questions, client)
        _say(summary, self.index, "by the judge: ")
        return summary

    def send_and_judge(self, questions: Sequence[Question], client: Sender) -> RunSummary:
        """Ask, and have what came judged: a search needs both before it takes its next step."""
        summary, judged = self.send(questions, client), self.judge(questions)
        if judged is None or not judged.left:
            return summary
        return replace(summary, left=judged.left, stopped=judged.stopped)


def _agree(asking: Asking, store: AnswerStore, index: Index, wanted: Wanted) -> bool:
    """Show what asking takes; ask whether to go on, unless nothing is sent or the user has agreed."""
    judging = [] if wanted.judge is None else wanted.judge.reckon(asking.questions, store)
    reckoned = plan(asking.questions, store, index.settings.price_of, judging)
    hosts = ", ".join(dict.fromkeys(one.request.address.url for one in asking.questions))
    if judging and wanted.judge is not None:
        find_keys([wanted.judge.address], wanted.judge.target, os.environ)  # a key that is missing is said first
        hosts += f"; judge {wanted.judge.target.model} at {wanted.judge.address.url}"
    click.echo(one_line(f"asks {hosts}: {reckoned.words(index.settings.prices)}"), err=True)
    if reckoned.questions and wanted.budget.money is not None and reckoned.cost is None:
        raise ProbeError(
            "a budget of money needs the price of every model that is asked",
            hint='Write it into inspector.toml ([prices."gpt-4.1*"] input, output) or use --token-budget.',
        )
    return not reckoned.questions or wanted.confirmed or click.confirm("send them?", err=True)


def _say(summary: RunSummary, index: Index, who: str = "") -> None:
    known = summary.asked and not summary.unpriced
    about = "≈ " if summary.estimated else ""
    cost = f" · {about}{index.settings.prices.amount(summary.spent)}" if known else ""
    counts = f"{who}{summary.asked} asked, {summary.at_hand} at hand"
    took = f"{about}{summary.spent_tokens:,} tokens{' in all' if who else ''}"
    click.echo(one_line(f"{counts} · {took}{cost}"), err=True)
    if summary.estimated:
        complain(f"of {summary.estimated} answers or tries the server said no usage: estimates are counted for them")
    if summary.failed:
        first = next((one.error for one in summary.records if one.answer is None), None)
        complain(f"{summary.failed} questions got no answer: {first}", "The next run asks them again.")
    if summary.left:
        complain(f"{summary.left} questions were not sent: {summary.stopped}", "The next run goes on with them.")


@contextmanager
def _bar(total: int, index: Index) -> Iterator[_Tell]:
    console = stderr_console()
    columns = (TextColumn("Asking"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}", markup=False))
    with Bar(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        yield _Tell(bar, total, index)


class _Tell:
    """Draws how far a run is."""

    def __init__(self, bar: Bar, total: int, index: Index) -> None:
        self._bar = bar
        self._task = bar.add_task("", total=total)
        self._index = index

    def __call__(self, progress: Progress) -> None:
        spent = self._index.settings.prices.amount(progress.spent) if progress.spent else f"{progress.tokens:,} tokens"
        self._bar.update(self._task, completed=progress.done, description=one_line(spent))


@contextmanager
def _interruptible() -> Iterator[threading.Event]:
    """Let the first Ctrl-C wait for what is in flight, which is paid for; a second one stops at once."""
    cancelled = threading.Event()

    def stop(number: int, frame: FrameType | None) -> None:
        if cancelled.is_set():
            raise KeyboardInterrupt
        cancelled.set()
        complain("waiting for the answers in flight; Ctrl-C again stops at once")

    if threading.current_thread() is not threading.main_thread():
        yield cancelled
        return
    before = signal.signal(signal.SIGINT, stop)
    try:
        yield cancelled
    finally:
        signal.signal(signal.SIGINT, before)
