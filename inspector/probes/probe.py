"""A probe: a question, what its answer must be, and from when on it should be known."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, get_args

from snapshot_sdk.facts import Fact

ProbeKind = Literal[
    "recall", "artifact", "continuation", "decision", "constraint", "preference", "retrospective", "abstention",
    "interruption",
]  # fmt: skip
"""What a probe asks about. The first four are Factory.ai's (2025-12), the others those of the source articles."""
KINDS: Final[tuple[ProbeKind, ...]] = get_args(ProbeKind)

ScorerName = Literal[
    "exact", "includes", "match", "pattern", "f1", "value_match", "set_recall", "json_match", "abstain", "forbidden",
    "model_graded_fact", "model_graded_qa",
]  # fmt: skip
"""Named as inspect_ai names them, where it has them."""
SCORERS: Final[tuple[ScorerName, ...]] = get_args(ScorerName)

JUDGED: Final[frozenset[ScorerName]] = frozenset(("model_graded_fact", "model_graded_qa"))
"""Scorers that ask a model: off unless the user asks for them."""


@dataclass(frozen=True)
class Expected:
    """What the answer to a probe must be."""

    facts: tuple[Fact, ...] = ()
    """Values, texts, rules, patterns or JSON paths that the answer must say; several: all of them."""
    must_abstain: bool = False
    """The right answer is that it is not known."""
    must_not_say: tuple[Fact, ...] = ()
    """What the answer must not say."""
    scorer: ScorerName | None = None
    """How it is judged; None: by what is expected."""


@dataclass(frozen=True)
class Probe:
    """A question whose answer a context should hold."""

    id: str
    """Unique in its suite."""
    question: str
    """As it is put to the model, in the language of the session."""
    expected: Expected
    kind: ProbeKind
    evidence: tuple[Fact, ...] = ()
    """What to look for in the context, where that is not the answer itself: the whole rule, for a question about it.
    Empty: what is expected."""
    due_from: int | str | None = None
    """Turn from which it should be known; None: from the first call that says it."""
    due_until: int | str | None = None
    """Last turn at which it should be known; None: to the end."""
    lane: str | None = None
    """Lane whose calls should know it; ``*``: every lane; None: the main lane."""
    about: str | None = None
    """Id of the pin it is about, or content hash of the message; None: of neither."""
    note: str | None = None
    """Why it is asked, in words: where a draft found it."""

    @property
    def looked_for(self) -> tuple[Fact, ...]:
        """What presence looks for in a context."""
        return self.evidence or self.expected.facts


@dataclass(frozen=True)
class Suite:
    """Probes that belong together."""

    name: str
    probes: tuple[Probe, ...]
    session: str | None = None
    """Session it was drafted from; None: of no one session."""
    source: Path | None = None
    """File it was read from."""
