"""What probes said of the calls of a session, a mark a call: for its timeline."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from inspector.probes.asking import Cell, Records, make_cells
from inspector.probes.look import ProbeLook
from inspector.probes.results import AnswerRecord, Arm
from inspector.probes.scorers import Judge
from inspector.probes.verdict import SYMBOLS, Verdict

WORST_FIRST: Final[tuple[Verdict, ...]] = (
    "evicted", "abstained", "distorted", "conflicting", "buried", "model only", "guessed", "open", "known via summary",
    "known", "not due",
)  # fmt: skip
"""Which verdict stands for a call that has several; one that fails comes before one that does not."""
QUESTION: Final = 80
"""Characters of a question in a line."""

Answers = Mapping[tuple[str, int, Arm], Sequence[AnswerRecord]]
"""By question, call and arm: :func:`inspector.probes.results.latest`."""


@dataclass(frozen=True)
class Probed:
    """What one probe says of one call."""

    suite: str | None
    """File of its suite; None: the question stands in no suite, so that nothing is expected of the answers."""
    probe: str
    verdict: Verdict
    failed: bool
    line: str
    """In words, the symbol first."""


@dataclass(frozen=True)
class CallMark:
    """What probes say of one call."""

    call: int
    probed: tuple[Probed, ...]
    """The worst first."""


def mark_calls(
    suites: Iterable[tuple[str, Sequence[ProbeLook]]], answers: Answers, judge: Judge | None = None
) -> tuple[CallMark, ...]:
    """Mark the calls a model was asked about, and those at which looking first finds that a probe fails.

    A probe that stands in several suites is told of once, by the first of them.

    Args:
        suites: Name and probes of each, looked for in the session.
        answers: Those at hand.
        judge: What judges said before; None: none was asked.
    """
    told: dict[int, list[Probed]] = {}
    seen: set[str] = set()
    for name, looks in suites:
        new = [found for found in looks if found.probe.question not in seen]
        seen.update(found.probe.question for found in new)
        for cell in make_cells(new, records_of(new, answers), judge=judge):
            if cell.asked is not None:
                told.setdefault(cell.call, []).append(_asked(name, cell))
        for found in new:
            if found.flips_at is not None:
                told.setdefault(found.flips_at, []).append(_flipped(name, found, found.flips_at))
    for (question, call, arm), records in answers.items():
        if arm == "as sent" and question not in seen:
            told.setdefault(call, []).append(_unknown(question, records))
    return tuple(CallMark(call, _sorted(told[call])) for call in sorted(told))


def records_of(looks: Sequence[ProbeLook], answers: Answers) -> Records:
    """Give answers at hand to the probes whose question they answer, whatever those are called now.

    Args:
        looks: The probes.
        answers: By question, call and arm.
    """
    names: dict[str, list[str]] = {}
    for found in looks:
        names.setdefault(found.probe.question, []).append(found.probe.id)
    return {
        (name, call, arm): records
        for (question, call, arm), records in answers.items()
        for name in names.get(question, ())
    }


def _sorted(probed: Sequence[Probed]) -> tuple[Probed, ...]:
    # Of a probe that was asked where it flips the answers say more than the flip: they come first, and alone.
    first: dict[tuple[str | None, str], Probed] = {}
    for one in probed:
        first.setdefault((one.suite, one.probe), one)
    return tuple(sorted(first.values(), key=lambda one: (not one.failed, WORST_FIRST.index(one.verdict))))


def _asked(suite: str, cell: Cell) -> Probed:
    asked = cell.asked
    assert asked is not None
    count = len(asked.answers)
    said = f"right {asked.right} of {count}" if count else "asked, no answer that could be judged"
    head = f"{SYMBOLS[cell.verdict]} {cell.verdict}"
    return Probed(suite, cell.probe.id, cell.verdict, cell.failed, f"{head}: {_short(cell.probe.question)} ({said})")


def _flipped(suite: str, found: ProbeLook, call: int) -> Probed:
    verdict = found.verdicts[call]
    line = f"{SYMBOLS[verdict]} {verdict} from here on: {_short(found.probe.question)} (looked)"
    return Probed(suite, found.probe.id, verdict, failed=True, line=line)


def _unknown(question: str, records: Sequence[AnswerRecord]) -> Probed:
    got = sum(record.answer is not None for record in records)
    line = f"{SYMBOLS['open']} asked: {_short(question)} ({got} of {len(records)} answered; it stands in no suite here)"
    return Probed(None, records[0].probe, "open", failed=False, line=line)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= QUESTION else f"{line[: QUESTION - 1]}…"
