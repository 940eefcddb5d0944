"""Puts the probes of a suite to the calls of a session: what is asked, what cannot be asked, what came of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from inspector.probes.controls import put_last, without_facts
from inspector.probes.look import ProbeLook, SessionFacts
from inspector.probes.presence import Presence
from inspector.probes.probe import Probe
from inspector.probes.question import Question
from inspector.probes.repair import find_repair, with_messages
from inspector.probes.replay_obstacles import Obstacle
from inspector.probes.replay_request import NotReplayable, ReplayRequest, StoredCall, make_replay
from inspector.probes.replay_target import Target
from inspector.probes.results import ARMS, AnswerRecord, Arm
from inspector.probes.runner import REPLICATES
from inspector.probes.scorers import Judge, Score, score_answer
from inspector.probes.verdict import (
    AnswerState,
    Verdict,
    decide,
    decide_abstention,
    interval,
    is_failure,
    majority,
)


@dataclass(frozen=True)
class NotAsked:
    """A probe at a call that cannot be asked."""

    probe: str
    call: int
    arm: Arm
    why: str
    """In words."""


@dataclass(frozen=True)
class Asking:
    """What a suite asks of the calls of a session."""

    questions: tuple[Question, ...]
    not_asked: tuple[NotAsked, ...]


def make_questions(
    looks: Sequence[ProbeLook],
    calls: Mapping[int, StoredCall],
    facts: SessionFacts,
    target: Target,
    *,
    arms: Sequence[Arm] = ("as sent",),
    replicates: int = REPLICATES,
) -> Asking:
    """Make the questions of a suite: of every probe at every given call at which it is due.

    Args:
        looks: The probes, and where each is due.
        calls: The calls to ask, by number.
        facts: The session.
        target: Where to ask.
        arms: What to ask: the context as it was sent, and controls of it.
        replicates: Answers to each.

    Raises:
        ProbeError: No address to send them to is known.
    """
    questions: list[Question] = []
    refused: list[NotAsked] = []
    for found in looks:
        for number, presence in found.presences.items():
            call = calls.get(number)
            if call is None or presence.state == "not due":
                continue
            for arm in arms:
                request = make_request(found, call, facts, target, arm)
                if isinstance(request, NotReplayable):
                    refused.append(NotAsked(found.probe.id, number, arm, request.why))
                    continue
                rounds = range(1, replicates + 1)
                questions += [Question(found.probe, call, request, arm, n) for n in rounds]
    return Asking(tuple(questions), tuple(refused))


def make_request(
    found: ProbeLook, call: StoredCall, facts: SessionFacts, target: Target, arm: Arm = "as sent"
) -> ReplayRequest | NotReplayable:
    """Make the request that puts a probe to a call.

    Args:
        found: The probe, looked for.
        call: The call.
        facts: The session.
        target: Where to ask.
        arm: The context as it was sent, or a control of it.

    Raises:
        ProbeError: No address to send it to is known.
    """
    probe = found.probe
    if arm == "as sent":
        return make_replay(call, probe.question, target)
    if arm == "repair":
        repair = find_repair(found, facts, call.number)
        if repair is None or not repair.messages:
            return _refuse("nothing is missing there" if repair is None else repair.why)
        return make_replay(call, probe.question, target, with_messages(repair.texts))
    if not probe.looked_for:
        return _refuse("the probe names nothing that could be taken out")
    edit = without_facts(probe.looked_for)
    if arm == "without the fact":
        return make_replay(call, probe.question, target, edit)
    question = put_last(probe, facts.changes.contexts)
    if question is None:
        return _refuse("no prompt ever said it, so it cannot be put last")
    return make_replay(call, question, target, edit)


def _refuse(why: str) -> NotReplayable:
    return NotReplayable((Obstacle("", why, "always"),))


@dataclass(frozen=True)
class Scored:
    """One answer and how it was judged."""

    record: AnswerRecord
    score: Score


@dataclass(frozen=True)
class ArmResult:
    """The answers to one probe at one call, asked one way."""

    arm: Arm
    answers: tuple[Scored, ...]
    """By replicate; those that failed are left out."""
    failures: tuple[str, ...]
    """Why answers are missing, in words."""
    unjudged: int = 0
    """Of the failures, answers that are there and were not judged."""

    @property
    def gave_none(self) -> bool:
        """The model was asked and answered nothing at all."""
        return not self.unjudged and self.state in (None, "no answer")

    @property
    def state(self) -> AnswerState | None:
        """What most of them are, of equals the worse; None: there is no answer."""
        return majority([one.score.state for one in self.answers]) if self.answers else None

    @property
    def right(self) -> int:
        """Answers that are right."""
        return sum(one.score.state == "right" for one in self.answers)

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the share that is right."""
        return interval(self.right, len(self.answers))


@dataclass(frozen=True)
class Cell:
    """One probe at one call: what looking found, what a model said, and the verdict of both."""

    probe: Probe
    call: int
    presence: Presence
    verdict: Verdict
    asked: ArmResult | None = None
    """None: no model was asked."""
    controls: tuple[ArmResult, ...] = ()
    not_asked: str | None = None
    """Why no model can be asked; None: it can, or nobody wanted to."""

    lost: bool = False
    """Looking alone finds that it is not there, or no longer undisputed."""

    @property
    def failed(self) -> bool:
        """The agent would have gone wrong here."""
        if self.asked is None or self.asked.state is None:
            return self.lost
        return is_failure(self.verdict, self.asked.state, must_abstain=self.probe.expected.must_abstain)


Records = Mapping[tuple[str, int, Arm], Sequence[AnswerRecord]]


def group_records(questions: Iterable[Question], records: Iterable[AnswerRecord]) -> Records:
    """Group answers by probe, call and arm.

    Args:
        questions: What was asked.
        records: The answers, of :class:`inspector.probes.runner.RunSummary`.
    """
    by_request = {(one.request, one.replicate): one for one in records}
    grouped: dict[tuple[str, int, Arm], list[AnswerRecord]] = {}
    for question in questions:
        record = by_request.get((question.request.digest, question.replicate))
        if record is not None:
            grouped.setdefault((question.probe.id, question.call.number, question.arm), []).append(record)
    return grouped


def make_cells(
    looks: Sequence[ProbeLook],
    records: Records | None = None,
    not_asked: Sequence[NotAsked] = (),
    *,
    judge: Judge | None = None,
    wants_answer: bool = False,
) -> tuple[Cell, ...]:
    """Decide the verdict of every probe at every call.

    Args:
        looks: What looking found.
        records: Answers, if a model was asked.
        not_asked: What could not be asked.
        judge: For the model-graded scorers; without one their answers are not judged, and looking decides.
        wants_answer: The model was asked just now: where it gave no answer, looking does not answer for it.
    """
    refused = {(one.probe, one.call): one.why for one in not_asked if one.arm == "as sent"}
    cells = []
    for found in looks:
        lost = set(found.failed)
        for call, presence in found.presences.items():
            arms = {
                arm: _result(found.probe, arm, answers, judge)
                for arm in ARMS
                if (answers := (records or {}).get((found.probe.id, call, arm)))
            }
            asked = arms.pop("as sent", None)
            cells.append(
                Cell(
                    probe=found.probe,
                    call=call,
                    presence=presence,
                    verdict=_verdict(found, call, asked, wants_answer=wants_answer),
                    asked=asked,
                    controls=tuple(arms.values()),
                    not_asked=refused.get((found.probe.id, call)),
                    lost=call in lost,
                )
            )
    return tuple(cells)


def _verdict(found: ProbeLook, call: int, asked: ArmResult | None, *, wants_answer: bool) -> Verdict:
    judge = decide_abstention if found.probe.expected.must_abstain else decide
    verdict = judge(found.presences[call].state, asked.state if asked is not None else None)
    if wants_answer and asked is not None and asked.gave_none and not is_failure(verdict):
        return "open"  # it was asked and did not answer: that it stands there is not that it is known
    return verdict


def _result(probe: Probe, arm: Arm, records: Sequence[AnswerRecord], judge: Judge | None) -> ArmResult:
    answers, failures, unjudged = [], [], 0
    for record in records:
        if record.answer is None:
            failures.append(record.error or "no answer")
            continue
        found = score_answer(probe, record.answer, judge)
        if found.unjudged:
            unjudged += 1
            failures.append(found.why)
        else:
            answers.append(Scored(record, found))
    return ArmResult(arm, tuple(answers), tuple(failures), unjudged)
