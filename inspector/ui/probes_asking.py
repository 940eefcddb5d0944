"""Asks a model from the Probes page: the estimate first, nothing is sent before the reader has seen it and agreed."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from inspector.analysis.changes import SessionChanges
from inspector.errors import ProbeError
from inspector.index import Index
from inspector.probes.asking import NotAsked, make_questions
from inspector.probes.bisect import questions_at_most
from inspector.probes.estimate import Budget, Estimate
from inspector.probes.judging import ModelJudge, wants_judge
from inspector.probes.look import ProbeLook, SessionFacts, calls_to_ask
from inspector.probes.question import Question
from inspector.probes.replay_keys import Key, find_keys, key_variables
from inspector.probes.replay_target import Address, Target, is_loopback
from inspector.probes.results import AnswerStore, Arm, answers_file
from inspector.probes.runner import REPLICATES, plan
from inspector.probes.searching import costliest
from inspector.probes.stored_call import stored_call
from inspector.ui.format import format_count

ASK_AT: Final = "every:5,around-compactions"
"""Where a model is asked unless the reader says: questions cost, and a loss shows around a compaction."""
MOST_REPLICATES: Final = 20
_REASONS: Final = 3
"""Reasons why something cannot be asked that are told."""


@dataclass(frozen=True)
class AskForm:
    """What the reader wants to be asked."""

    at: str
    endpoint: str | None
    model: str | None
    replicates: int
    controls: bool
    money: float | None
    """Budget in the currency of the price list; None: no limit."""
    tokens: int | None
    """Budget of tokens; None: no limit."""
    judge: Target | None = None
    """Who judges answers of the model-graded scorers; None: nobody."""

    @property
    def arms(self) -> tuple[Arm, ...]:
        """The ways each question is asked."""
        return ("as sent", "without the fact", "fact last") if self.controls else ("as sent",)


@dataclass(frozen=True)
class Bisection:
    """A search for the first call that a model gets wrong."""

    found: ProbeLook
    changes: SessionChanges
    calls: int
    """That could be asked."""

    @property
    def words(self) -> str:
        """What it asks, in words."""
        most = format_count(questions_at_most(self.calls), "call")
        return f"a search for the first wrong call: at most {most} of {self.calls:,}; figures are of the largest"


@dataclass(frozen=True)
class Prepared:
    """Questions that are ready to be sent, and what that takes."""

    questions: tuple[Question, ...]
    not_asked: tuple[NotAsked, ...]
    store: AnswerStore
    estimate: Estimate
    target: Target
    key: Key | None
    """Goes to the hosts of the questions and nowhere else; never shown."""
    budget: Budget
    servers: tuple[str, ...]
    """URLs."""
    judge: ModelJudge | None = None
    """Judges what comes; None: nobody does."""
    judge_key: Key | None = None
    """Goes to the judge's server and nowhere else."""
    search: Bisection | None = None
    """The questions are those of a search, which sends few of them: the estimate is of the costliest. None: all are."""

    @property
    def local(self) -> bool:
        """Nothing leaves this machine."""
        hosts = [one.request.address.host for one in self.questions]
        return all(map(is_loopback, [*hosts, *([self.judge.address.host] if self.judge is not None else [])]))


def read_form(want: Mapping[str, Any]) -> AskForm:
    """Read what the browser sends.

    Args:
        want: ``at``, ``endpoint``, ``model``, ``replicates``, ``controls``, ``money``, ``tokens``, ``judge`` (an
            address), ``judge_model``.

    Raises:
        ValueError: Something in it is no number, in words.
    """
    replicates = _number(want.get("replicates"), "answers to each question")
    if replicates is not None and not (1 <= replicates <= MOST_REPLICATES and replicates == int(replicates)):
        raise ValueError(f"Answers to each question: 1 to {MOST_REPLICATES}.")
    tokens = _number(want.get("tokens"), "budget of tokens")
    return AskForm(
        at=str(want.get("at") or ASK_AT),
        endpoint=str(want.get("endpoint") or "").strip() or None,
        model=str(want.get("model") or "").strip() or None,
        replicates=REPLICATES if replicates is None else int(replicates),
        controls=bool(want.get("controls")),
        money=_number(want.get("money"), "budget"),
        tokens=None if tokens is None else int(tokens),
        judge=_judge_of(want),
    )


def _judge_of(want: Mapping[str, Any]) -> Target | None:
    endpoint, model = (str(want.get(key) or "").strip() or None for key in ("judge", "judge_model"))
    if endpoint is None and model is None:
        return None
    if endpoint is None or model is None:
        raise ValueError("A judge needs both an address and a model; leave both empty for none.")
    return Target(endpoint, None, model)


def _number(value: Any, name: str) -> float | None:
    text = str("" if value is None else value).strip().replace(",", "").replace("$", "")
    if not text:
        return None
    try:
        number = float(text)
    except ValueError as error:
        raise ValueError(f"{name.capitalize()}: “{text[:20]}” is no number.") from error
    if not 0 <= number < float("inf"):
        raise ValueError(f"{name.capitalize()}: a number from 0 on.")
    return number


def prepare(
    index: Index,
    folder: Path,
    looks: Sequence[ProbeLook],
    facts: SessionFacts,
    form: AskForm,
    environment: Mapping[str, str] = os.environ,
    *,
    search: bool = False,
) -> Prepared:
    """Make the questions and reckon what they take; nothing is sent.

    Args:
        index: Where the calls stand.
        folder: That holds the folder of answers.
        looks: The probes to ask, looked for.
        facts: The session.
        form: What the reader wants.
        environment: Variables, for the key.
        search: The first wrong call of one probe is searched among all at which it is due; else all chosen are asked.

    Raises:
        ValueError: The form says something that cannot be read.
        ProbeError: No address, no key, no price for a budget of money, or nothing that could be asked.
    """
    due = {call for found in looks for call, seen in found.presences.items() if seen.state != "not due"}
    numbers = due if search else due & set(calls_to_ask(form.at, facts.calls, facts.changes))
    calls = {number: stored_call(index, facts.session, number) for number in sorted(numbers)}
    target = Target(form.endpoint, None, form.model)
    asking = make_questions(
        looks, calls, facts, target, arms=("as sent",) if search else form.arms, replicates=form.replicates
    )
    if not asking.questions:
        raise ProbeError(_nothing_to_ask(asking.not_asked), hint="Looking needs no model.")
    store = AnswerStore(answers_file(folder, facts.session))
    sent = costliest(asking.questions, store) if search else asking.questions
    judge = None if form.judge is None else ModelJudge(form.judge)
    if judge is not None and not wants_judge(found.probe for found in looks):
        raise ProbeError("No chosen probe asks for a judge.", hint="Its scorer would be a model_graded_ one.")
    judging = [] if judge is None else judge.reckon(sent, store)
    estimate = plan(sent, store, index.settings.price_of, judging)
    if form.money is not None and estimate.questions and estimate.cost is None:
        raise ProbeError(
            "A budget of money needs the price of every model that is asked.",
            hint="Write it into inspector.toml, or set a budget of tokens.",
        )
    addresses = [one.request.address for one in asking.questions]
    return Prepared(
        questions=asking.questions,
        not_asked=asking.not_asked,
        store=store,
        estimate=estimate,
        target=target,
        key=_key(addresses, target, environment) if estimate.questions else None,
        budget=Budget(form.money, form.tokens),
        servers=tuple(dict.fromkeys([*(one.url for one in addresses), *([judge.address.url] if judge else [])])),
        judge=judge,
        judge_key=_key([judge.address], judge.target, environment) if judge is not None and judging else None,
        search=Bisection(looks[0], facts.changes, len({one.call.number for one in asking.questions}))
        if search
        else None,
    )


def _nothing_to_ask(refused: Sequence[NotAsked]) -> str:
    if not refused:
        return "No probe is due at the calls that would be asked."
    reasons = list(dict.fromkeys(one.why for one in refused))
    more = f" (and {len(reasons) - _REASONS} more)" if len(reasons) > _REASONS else ""
    return f"None of these calls can be asked: {'; '.join(reasons[:_REASONS])}{more}."


def _key(addresses: Sequence[Address], target: Target, environment: Mapping[str, str]) -> Key | None:
    """Find the key of the one server that is asked. Of several none may get the key of another."""
    by_origin = {address.origin: address for address in addresses}
    if len(by_origin) > 1:
        raise ProbeError(
            f"These calls went to {format_count(len(by_origin), 'server')}: {', '.join(by_origin)}.",
            hint="Name one endpoint, or ask fewer calls.",
        )
    [(origin, address)] = by_origin.items()
    names = key_variables(address.host)
    if names and not any(environment.get(name) for name in names):
        raise ProbeError(f"Set {' or '.join(names)} or choose another endpoint. Looking needs none.")
    return find_keys([address], target, environment)[origin]


def refused_calls(prepared: Prepared) -> dict[str, str]:
    """Say of each call that cannot be asked why.

    Args:
        prepared: The questions.
    """
    return {str(one.call): one.why for one in prepared.not_asked if one.arm == "as sent"}


def refusals(prepared: Prepared) -> list[str]:
    """Say what cannot be asked, and why: one line a reason.

    Args:
        prepared: The questions.
    """
    reasons: dict[str, int] = {}
    for one in prepared.not_asked:
        reasons[one.why] = reasons.get(one.why, 0) + 1
    return [f"{format_count(count, 'question')} cannot be asked: {why}" for why, count in reasons.items()]
