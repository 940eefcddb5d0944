"""Looks through a session for what a suite asks: the presence verdict of every probe at every call, without a model."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from inspector.analysis.change_asking import trace_changes
from inspector.analysis.changes import SessionChanges
from inspector.analysis.fact_trace import FactTrace, Loss
from inspector.analysis.pins import main_lane
from inspector.analysis.story import Asked
from inspector.analysis.tracing import trace_facts
from inspector.model.context import CallContext
from inspector.model.effective import Exchange, Stored, effective_context
from inspector.model.views import CallRow
from inspector.probes.presence import Presence, judge_presence
from inspector.probes.probe import Probe
from inspector.probes.verdict import Verdict, decide, decide_abstention, is_failure
from snapshot_sdk.facts import Matcher

EVERY_LANE: Final = "*"
"""Lane of a probe that every lane's calls should know."""


@dataclass(frozen=True)
class SessionFacts:
    """What is known of a session without asking a model."""

    session: str
    calls: tuple[CallRow, ...]
    """In display order."""
    changes: SessionChanges
    answers: Mapping[int, str] = field(default_factory=dict)
    """Call number → text of its answer."""
    opaque: frozenset[int] = frozenset()
    """Calls whose prompt has parts that cannot be read; :func:`find_opaque`."""


class Recorded(Asked, Protocol):
    """Where a session comes from: the index, seen from here."""

    def exchanges(self, session: str) -> tuple[Exchange, ...]:
        """Return every call with its answer as recorded."""


STATELESS: Final = frozenset({"openai.chat", "mistral.chat"})
"""Dialects in which the model sees what was sent and nothing else."""


def read_facts(index: Recorded, session: str, changes: SessionChanges | None = None) -> SessionFacts:
    """Read what looking needs of a session.

    Args:
        index: Where it comes from.
        session: Its id.
        changes: What changed from call to call, where that is known already; None: it is found out.
    """
    calls = index.calls(session)
    opaque = frozenset[int]()
    if not {row.api for row in calls} <= STATELESS:
        opaque = find_opaque(index.exchanges(session), calls)
    changes = trace_changes(index, session) if changes is None else changes
    return SessionFacts(session, calls, changes, index.answers(session), opaque)


@dataclass(frozen=True)
class ProbeLook:
    """What looking found of one probe."""

    probe: Probe
    presences: Mapping[int, Presence]
    """By call: those of its lanes, side calls left out."""
    traces: tuple[FactTrace, ...]
    """The life of each fact that was looked for."""

    @property
    def verdicts(self) -> dict[int, Verdict]:
        """By call, as looking alone decides."""
        return {call: presence_verdict(self.probe, presence) for call, presence in self.presences.items()}

    @property
    def ever_due(self) -> bool:
        """Some call should have known it; else nothing was judged."""
        return any(presence.state != "not due" for presence in self.presences.values())

    @property
    def failed(self) -> tuple[int, ...]:
        """Calls whose context does not hold it though it is due; or holds something against it that was not there.

        A contradiction that stood there from the beginning (a rule of the user against one of the instructions) is
        shown, but nothing was lost. So is one of rules: that two sentences disagree is seen by their words only.
        """
        failed = []
        clear = self.probe.expected.must_abstain
        for call, verdict in self.verdicts.items():
            clear = clear or verdict in ("known", "known via summary")
            if verdict == "conflicting" and not (clear and self._value_disputed(call)):
                continue
            if is_failure(verdict, must_abstain=self.probe.expected.must_abstain):
                failed.append(call)
        return tuple(failed)

    def _value_disputed(self, call: int) -> bool:
        if self.probe.expected.must_abstain:
            return True
        states = (
            one.state for trace in self.traces if trace.fact.kind != "rule" for one in trace.calls if one.call == call
        )
        return "conflicting" in states

    @property
    def flips_at(self) -> int | None:
        """First call that fails after one that did not; a probe that never held flips at the first due call."""
        return next(iter(self.failed), None)

    def loss_at(self, call: int) -> Loss | None:
        """Return how what is asked for went, by a call; None: it is not known.

        Args:
            call: The first call that fails.
        """
        losses = [loss for trace in self.traces for loss in trace.losses if loss.call <= call]
        return max(losses, key=lambda loss: loss.call, default=None)


def presence_verdict(probe: Probe, presence: Presence) -> Verdict:
    """Decide the verdict of a probe at a call without a model.

    Args:
        probe: The probe.
        presence: What looking found there.
    """
    return (decide_abstention if probe.expected.must_abstain else decide)(presence.state)


def look(probes: Sequence[Probe], facts: SessionFacts, calls: Collection[int] | None = None) -> tuple[ProbeLook, ...]:
    """Look for what each probe asks in the contexts of a session.

    A fact is matched once in each distinct message and followed once, however many probes and calls ask for it.

    Args:
        probes: The probes.
        facts: The session.
        calls: Calls wanted; None: all.
    """
    wanted = list(dict.fromkeys(fact for probe in probes for fact in probe.looked_for))
    traces = trace_facts(
        [Matcher(fact) for fact in wanted],
        facts.changes.contexts,
        facts.changes.life,
        answers=facts.answers,
        changes=facts.changes.compactions,
        opaque=facts.opaque,
    )
    traced = dict(zip(wanted, traces, strict=True))
    return tuple(_look(probe, facts, tuple(traced[fact] for fact in probe.looked_for), calls) for probe in probes)


def _look(
    probe: Probe, facts: SessionFacts, traces: tuple[FactTrace, ...], wanted: Collection[int] | None
) -> ProbeLook:
    own = calls_of(probe, facts.changes.contexts)
    due = due_calls(probe, [row for row in facts.calls if row.number in set(own)])
    if due is None and not traces:
        due = frozenset(own)  # nothing can be looked for: it is due from the beginning
    found = judge_presence(probe, traces, own, due)
    return ProbeLook(probe, found if wanted is None else {n: one for n, one in found.items() if n in wanted}, traces)


def calls_of(probe: Probe, contexts: Sequence[CallContext]) -> tuple[int, ...]:
    """Return the calls that should know what a probe asks, whenever it is due: of its lane, side calls left out.

    Args:
        probe: The probe.
        contexts: All calls of the session.
    """
    lane = probe.lane or main_lane(contexts)
    return tuple(c.call for c in contexts if c.purpose is None and (lane == EVERY_LANE or c.lane == lane))


def due_calls(probe: Probe, calls: Sequence[CallRow]) -> frozenset[int] | None:
    """Return the calls at which a probe is due by its turns; None: it names none, the first call that says it decides.

    Args:
        probe: The probe.
        calls: Calls of its lanes, in order.
    """
    if probe.due_from is None and probe.due_until is None:
        return None
    start, end = probe.due_from, probe.due_until
    begin = 0 if start is None else next((n for n, row in enumerate(calls) if _reached(row, start)), len(calls))
    within = [row for row in calls if end is None or _within(row, end, calls)]
    return frozenset(row.number for row in within) & frozenset(row.number for row in calls[begin:])


def _reached(row: CallRow, turn: int | str) -> bool:
    return row.turn == turn or (isinstance(turn, int) and isinstance(row.turn, int) and row.turn >= turn)


def _within(row: CallRow, turn: int | str, calls: Sequence[CallRow]) -> bool:
    if isinstance(turn, int):
        return not isinstance(row.turn, int) or row.turn <= turn
    last = max((one.number for one in calls if one.turn == turn), default=None)
    return last is None or row.number <= last


def find_opaque(exchanges: Iterable[Exchange], calls: Sequence[CallRow]) -> frozenset[int]:
    """Find the calls whose prompt had a part that nobody but the model can read.

    Encrypted thinking does not count: facts reach it from messages that can be read. An encrypted compaction, a
    conversation or a template that the server keeps, does.

    Args:
        exchanges: The calls as recorded, in order of display.
        calls: Their rows.
    """
    stored = Stored()
    number = {row.id: row.number for row in calls}
    found = set()
    for exchange in exchanges:
        seen = effective_context(exchange.request, stored, exchange.answer)
        stored.add(exchange)
        # Of a message whose content a server cleared it is known what is gone: `whole` is what it was.
        hidden = (part for row in seen.elements for part in (row.whole or row.message).parts if part.opaque)
        if any(part.kind != "reasoning" for part in hidden) and exchange.id in number:
            found.add(number[exchange.id])
    return frozenset(found)


def calls_to_ask(at: str, calls: Sequence[CallRow], changes: SessionChanges) -> tuple[int, ...]:
    """Read at which calls of the main lane a suite is asked.

    Args:
        at: ``all``, ``every:N`` (each Nth call and the last), ``around-compactions`` (the call before and after each),
            numbers (``3,17``), or several of these with commas between them.
        calls: The calls of the session.
        changes: Its changes.

    Raises:
        ValueError: It is none of these, in words.
    """
    numbers = [row.number for row in calls]
    main = main_lane(changes.contexts)
    own = [c.call for c in changes.contexts if c.lane == main and c.purpose is None]
    chosen: set[int] = set()
    for word in (one.strip() for one in at.split(",")):
        name, _, count = word.partition(":")
        if word == "all":
            chosen.update(numbers)
        elif word == "around-compactions":
            for change in changes.compactions:
                chosen.update(n for n in (change.before_call, change.call) if n is not None)
        elif name == "every" and count.isascii() and count.isdigit() and 0 < int(count) < 10**9:
            step = int(count)
            chosen.update(own[step - 1 :: step])
            chosen.update(own[-1:])
        elif word.isascii() and word.isdigit() and len(word) < 10:
            if int(word) not in numbers:
                raise ValueError(f"there is no call {word}; the session has {len(numbers)}")
            chosen.add(int(word))
        else:
            raise ValueError(f"{word!r} is none of all, every:N, around-compactions, or a number of a call")
    return tuple(sorted(chosen))
