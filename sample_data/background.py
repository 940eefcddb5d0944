"""Summaries made in the background by a queue that delivers a job again when it takes too long."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from sample_data.agent import Agent, Asked
from sample_data.memory import estimate
from sample_data.wire import Message

_PROMPT: Final = (
    "Summarise the conversation for the assistant that continues it: what is agreed, what is open. At most 120 words."
)


@dataclass
class _Job:
    compaction: str
    """Id of its record, under which its states are told."""
    covered: list[Message]
    """The messages that its summary stands for."""
    asked: Asked
    text: str
    """What the summariser answers …"""
    ready_ns: int
    """… and when."""


@dataclass
class BackgroundSummary:
    """Sends a job to the summariser once the history is long, goes on, and puts the summary in when it is there.

    A job that is not done in time is delivered again. Neither delivery knows of the other, and when both get done,
    both are put in: the work is not idempotent.
    """

    agent: Agent
    at_most: int
    """Tokens of the history that trigger a job when exceeded."""
    patience_s: float
    """Seconds after which a job is delivered again."""
    delays_s: Sequence[float]
    """Seconds the summariser takes for each job, in order."""
    _jobs: list[_Job] = field(default_factory=list)
    _sent: int = 0
    _open: bool = False
    """The queue still waits: no delivery of the job is done."""

    def fit(self, history: list[Message]) -> list[Message]:
        """Return the history with the summaries that are done by now put in; send a job if one is due."""
        now = self.agent.world.mono_ns()
        for job in sorted((job for job in self._jobs if job.ready_ns <= now), key=lambda job: job.ready_ns):
            self._jobs.remove(job)
            self._open = False
            history = self._put_in(job, history)
        late = self._open and now - self._jobs[-1].asked.at_ns > self.patience_s * 1e9
        if late:
            self._send(history, f"not done after {self.patience_s:g} s, delivered again")
        elif not self._jobs and estimate(history) > self.at_most:
            self._send(history, f"history over {self.at_most:,} tokens")
        return history

    def _send(self, history: list[Message], reason: str) -> None:
        """Have everything before the running turn summarised."""
        agent, starts = self.agent, [n for n, message in enumerate(history) if self.agent.wire.starts_turn(message)]
        covered = history[: starts[-1]]
        compaction = agent.recorder.compaction(
            covered,
            strategy="summary",
            policy="background summary, last turn kept",
            reason=reason,
            state="running",
            tokens_before=estimate(history),
        )
        asked = agent.ask("summary", _PROMPT, covered, agent.tools, lane="summariser")
        ready_ns = asked.at_ns + int(self.delays_s[self._sent] * 1e9)
        self._jobs.append(_Job(compaction, covered, asked, agent.next_summary(), ready_ns))
        self._sent += 1
        self._open = True

    def _put_in(self, job: _Job, history: list[Message]) -> list[Message]:
        """Replace what a job covered by its summary, behind the summaries that are there."""
        agent = self.agent
        text = agent.finish(job.asked, job.text)
        rest = [message for message in history if not any(message is one for one in job.covered)]
        place = next(n for n, message in enumerate(rest) if agent.wire.starts_turn(message))
        after = [*rest[:place], agent.wire.summary(f"Latest summary of the conversation\n{text}"), *rest[place:]]
        agent.recorder.compaction(
            history,
            after,
            strategy="summary",
            state="done",
            tokens_before=estimate(history),
            tokens_after=estimate(after),
            duration_ms=round((agent.world.mono_ns() - job.asked.at_ns) / 1e6, 1),
            id=job.compaction,
        )
        return after
