"""Figures over sessions, each with its formula: the one place where they are defined.

Every figure is a share and says of what; one that is a share of nothing is unknown, not 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from rapidfuzz.distance import Indel

from inspector.analysis.obedience import can_check, find_breach
from inspector.analysis.story_repeated import tool_calls
from inspector.model.context import CallContext
from inspector.model.layers import Layer
from inspector.probes.asking import Cell
from inspector.probes.look import ProbeLook
from snapshot_sdk.facts import FactKind, Matcher, find_facts

ALIKE: Final = 0.92
"""Similarity from which a turn of the user repeats an earlier one."""
_STRONG: Final[tuple[FactKind, ...]] = ("id", "phone", "email", "money")
_LEAST_TEXT: Final = 6
"""Characters of a turn that can be repeated: 好的 and “yes” are no repetition."""
SIDE_EFFECTS: Final = re.compile(
    r"^(?:\w+[.:/])?(?i:book|buy|order|pay|send|post|create|delete|cancel|refund|update|change|submit|hold|write|save"
    r"|place|restart|roll_?back|transfer|apply|set|add|remove|issue|confirm|reserve|deploy|merge|close)(?:$|[_\-A-Z])"
)
"""Begin of the names of tools that change something, in ``snake_case`` or ``camelCase``; a user may give others."""
_FAILED: Final = re.compile(
    r'"(?:ok|success|succeeded)"\s*:\s*false|"error"\s*:\s*(?!null|false|""|\{\})|"status"\s*:\s*"(?:error|failed)"'
    r"|^\s*(?:error|traceback|exception)\b",
    re.IGNORECASE | re.MULTILINE,
)

SHORT_NAMES: Final[Mapping[str, str]] = {
    "key_information_presence": "present",
    "key_information_recall": "recalled",
    "constraint_loss_rate": "constraints lost",
    "preference_compliance": "preferences kept",
    "repeated_execution_rate": "executed again",
    "interruption_recovery": "recovered",
    "information_loss_rate": "said again",
}
"""What heads a narrow column, by the figure's name."""


@dataclass(frozen=True)
class Metric:
    """A share, and what it is a share of."""

    name: str
    part: float
    whole: int
    formula: str

    @property
    def value(self) -> float | None:
        """0 to 1; None: of nothing."""
        return self.part / self.whole if self.whole else None

    @property
    def of(self) -> str:
        """In words: ``72 of 97``, ``2.67 of 4``, ``of nothing``."""
        if not self.whole:
            return "of nothing"
        part = f"{self.part:,.0f}" if float(self.part).is_integer() else f"{self.part:,.2f}"
        return f"{part} of {self.whole:,}"


def key_information_presence(looks: Sequence[ProbeLook]) -> Metric:
    """Share of the due probe × call pairs whose context holds what is asked for.

    Args:
        looks: Probes that looking judged.
    """
    judged = [
        presence.state
        for found in looks
        if not found.probe.expected.must_abstain
        for presence in found.presences.values()
        if presence.state not in ("not due", "unknown", "opaque")
    ]
    held = sum(state in ("present", "summary", "conflicting") for state in judged)
    return Metric("key_information_presence", held, len(judged), "facts in the context / facts due")


def key_information_recall(cells: Sequence[Cell]) -> Metric:
    """Share of the asked probe × call pairs that the model answers right, most of its answers counting.

    Args:
        cells: Of a run.
    """
    states = [
        cell.asked.state for cell in cells if cell.asked is not None and cell.asked.state not in (None, "no answer")
    ]
    return Metric("key_information_recall", states.count("right"), len(states), "probes passed / probes asked")


def constraint_loss_rate(looks: Sequence[ProbeLook]) -> Metric:
    """Share of the constraints that the last call at which they are due no longer has; superseded ones left out.

    Args:
        looks: Probes that looking judged; those of kind constraint and preference count.
    """
    lost = introduced = 0
    for found in looks:
        if found.probe.kind not in ("constraint", "preference"):
            continue
        due = [
            (call, one) for call, one in found.presences.items() if one.state not in ("not due", "unknown", "opaque")
        ]
        if not due:
            continue
        call, last = due[-1]
        if any(one.state == "superseded" for trace in found.traces for one in trace.calls if one.call == call):
            continue
        introduced += 1
        lost += last.state in ("absent", "distorted")
    return Metric(
        "constraint_loss_rate", lost, introduced, "constraints gone or altered at the last due call / constraints due"
    )


def preference_compliance(looks: Sequence[ProbeLook], answers: Mapping[int, str]) -> Metric:
    """Share of the recorded answers that break none of the rules that can be checked by looking at an answer.

    Args:
        looks: Probes whose evidence are rules.
        answers: Call number → text of its answer.
    """
    kept = due = 0
    for found in looks:
        rules = [fact.text for fact in found.probe.looked_for if fact.kind == "rule" and can_check(fact.text)]
        for call, presence in found.presences.items():
            answer = answers.get(call, "")
            if presence.state == "not due" or not rules or not answer.strip():
                continue
            due += 1
            kept += all(find_breach(rule, answer) is None for rule in rules)
    return Metric("preference_compliance", kept, due, "answers that keep a checkable rule / answers due, per rule")


def repeated_execution_rate(contexts: Sequence[CallContext], side_effects: re.Pattern[str] = SIDE_EFFECTS) -> Metric:
    """Share of the tool calls that change something and had been made before, with the same arguments and success.

    Calls without ids, as Gemini's, cannot be tied to their results and are left out.

    Args:
        contexts: The calls in display order.
        side_effects: Found in the name of a tool that changes something.
    """
    made: dict[str, str] = {}
    results: dict[str, str] = {}
    for context in contexts:
        for block in context.blocks if context.purpose is None else ():
            for identity, text in tool_calls(block):
                if side_effects.search(text.partition("(")[0]):
                    made.setdefault(identity, text)
            for key in block.keys:
                if key.startswith("result:"):
                    results.setdefault(key.removeprefix("result:"), block.text)
    done: set[str] = set()
    repeated = 0
    for identity, text in made.items():
        repeated += text in done
        if identity in results and not _FAILED.search(results[identity]):
            done.add(text)
    return Metric(
        "repeated_execution_rate", repeated, len(made), "side-effecting calls made again after success / such calls"
    )


def interruption_recovery(cells: Sequence[Cell]) -> Metric:
    """Mean F1 of the answers to interruption probes: what they should name against the values they name.

    Args:
        cells: Of a run; those of kind interruption count.
    """
    scores = [
        _slot_f1(cell, one.record.answer or "")
        for cell in cells
        if cell.probe.kind == "interruption" and cell.asked is not None
        for one in cell.asked.answers
    ]
    formula = "mean F1 of the values named in the answer against those of the state"
    return Metric("interruption_recovery", sum(scores), len(scores), formula)


def _slot_f1(cell: Cell, answer: str) -> float:
    wanted = cell.probe.expected.facts
    named = sum(bool(Matcher(fact).match(answer).sightings) for fact in wanted)
    if not named:
        return 0.0
    kinds = {fact.kind for fact in wanted}
    said = max(named, len({(one.kind, one.key) for one in find_facts(answer) if one.kind in kinds}))
    precision, recall = named / said, named / len(wanted)
    return 2 * precision * recall / (precision + recall)


def information_loss_rate(contexts: Sequence[CallContext]) -> Metric:
    """Share of the user's turns that say again what an earlier turn of theirs said: a value, or nearly the same words.

    Args:
        contexts: The calls in display order.
    """
    turns = list(_turns(contexts))
    repeated = 0
    seen: list[tuple[str, frozenset[tuple[str, str]]]] = []
    for text in turns:
        values = frozenset((one.kind, one.key) for one in find_facts(text, _STRONG))
        repeated += any(
            (values and values <= earlier) or Indel.normalized_similarity(text, other, score_cutoff=ALIKE) >= ALIKE
            for other, earlier in seen
        )
        seen.append((text, values))
    formula = "user turns that repeat an earlier one (same value, or similarity ≥ 0.92) / user turns"
    return Metric("information_loss_rate", repeated, len(turns), formula)


def _turns(contexts: Sequence[CallContext]) -> Iterable[str]:
    """Texts of the user, each message once, in order."""
    seen: set[str] = set()
    for context in contexts:
        for block in context.blocks if context.purpose is None else ():
            is_result = any(key.startswith("result:") for key in block.keys)
            spoken = block.role == "user" and block.layer in (Layer.HISTORY, Layer.INPUT) and not is_result
            if spoken and block.content not in seen and len(block.text.strip()) >= _LEAST_TEXT:
                seen.add(block.content)
                yield block.text.strip()


def measure(
    looks: Sequence[ProbeLook], cells: Sequence[Cell], contexts: Sequence[CallContext], answers: Mapping[int, str]
) -> tuple[Metric, ...]:
    """Give every figure of a session.

    Args:
        looks: Its probes, looked for.
        cells: Their verdicts.
        contexts: Its calls.
        answers: Call number → text of its answer.
    """
    return (
        key_information_presence(looks),
        key_information_recall(cells),
        constraint_loss_rate(looks),
        preference_compliance(looks, answers),
        repeated_execution_rate(contexts),
        interruption_recovery(cells),
        information_loss_rate(contexts),
    )
