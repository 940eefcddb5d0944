"""What a gate found: one case for each thing that had to hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, get_args

GateKind = Literal["pins", "probes", "pairing", "budgets", "files"]
"""``pins``: pinned and watched texts stand in every prompt. ``probes``: the contexts hold what the suites ask.
``pairing``: every tool call has its result. ``budgets``: no prompt is over its window or a budget. ``files``: every
line and every session could be read."""
KINDS: Final[tuple[GateKind, ...]] = get_args(GateKind)

CaseState = Literal["holds", "fails", "skipped"]
"""``skipped``: it could not be judged; the message says why."""


@dataclass(frozen=True)
class Case:
    """One thing that had to hold in one session."""

    kind: GateKind
    session: str
    name: str
    """What had to hold: a pinned text, the id of a probe, a layer."""
    state: CaseState
    message: str = ""
    """Why it fails or was skipped; of what holds, nothing."""
    calls: tuple[int, ...] = ()
    """Calls at which it fails."""
    place: str | None = None
    """Trace file and line of the first of them."""


@dataclass(frozen=True)
class GateReport:
    """All cases of a directory."""

    directory: str
    """Its name."""
    sessions: int
    calls: int
    cases: tuple[Case, ...]
    fail_on: frozenset[GateKind]
    """Kinds whose failures close the gate; the others are only told."""

    @property
    def failures(self) -> tuple[Case, ...]:
        """Cases that fail, whatever their kind."""
        return tuple(case for case in self.cases if case.state == "fails")

    @property
    def closing(self) -> tuple[Case, ...]:
        """Cases that close the gate."""
        return tuple(case for case in self.failures if case.kind in self.fail_on)
