"""What the Probes page says of a probe, of a cell of its grid, and of answers, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from inspector.analysis.changes import SessionChanges
from inspector.analysis.fact_trace import Loss
from inspector.model.fates import Fate, Kind
from inspector.probes.asking import ArmResult, Cell
from inspector.probes.look import ProbeLook
from inspector.probes.probe import Probe
from inspector.probes.results import Arm
from inspector.probes.verdict import SYMBOLS, VERDICT_KINDS, Verdict
from inspector.ui.format import format_count, one_line

_LOOKED: Final[dict[Verdict, str]] = {
    "not due": "Not due yet: no prompt had said it by then.",
    "known": "In the prompt.",
    "known via summary": "Only a summary says it.",
    "conflicting": "In the prompt, and something else that speaks against it.",
    "distorted": "Gone, and something else stands in its place.",
    "evicted": "Not in the prompt as the model saw it: it cannot know it from there.",
    "open": "Looking cannot tell.",
}
_ANSWERED: Final[dict[Verdict, str]] = {
    "known": "In the prompt, and the model says it.",
    "known via summary": "Only a summary says it, and that is enough for the model.",
    "buried": "In the prompt, and yet the model does not say it: present but not recalled.",
    "conflicting": "The prompt says two things, and the model does not say the right one.",
    "distorted": "The model repeats a value that is not the right one.",
    "guessed": "Right without having it: the model guessed, or knows it from elsewhere.",
    "evicted": "Not in the prompt, and the model is wrong.",
    "abstained": "Not in the prompt, and the model says that it does not know.",
    "model only": "The prompt cannot be read whole: only the answer counts.",
}
_ABSTAINED: Final[dict[Verdict, str]] = {
    "not due": "Not due here.",
    "known": "The model says that it does not know, as it should.",
    "guessed": "The model makes something up: it cannot know this.",
    "conflicting": "The prompt says what this probe holds to be unknown.",
    "open": "The right answer is that it is not known: only a model can be asked.",
}
LOST_BY: Final[dict[Fate, str]] = {
    Fate.EVICTED: "taken out",
    Fate.SUMMARISED: "taken by a summary",
    Fate.TRUNCATED: "cut short",
    Fate.EDITED: "edited",
}
_QUOTED: Final = 200


def due_words(probe: Probe) -> str:
    """Write when a probe is due.

    Args:
        probe: The probe.
    """
    start = "since it is said" if probe.due_from is None else f"from turn {probe.due_from}"
    return start if probe.due_until is None else f"{start} until turn {probe.due_until}"


def verdict_words(cell: Cell) -> str:
    """Say what a verdict means.

    Args:
        cell: One probe at one call.
    """
    asked = cell.asked is not None and cell.asked.state not in (None, "no answer")
    if cell.probe.expected.must_abstain:
        said = _ABSTAINED.get(cell.verdict, "")
    elif asked:
        said = _ANSWERED.get(cell.verdict) or _LOOKED.get(cell.verdict, "")
    else:
        said = _LOOKED.get(cell.verdict, "")
    note = cell.presence.note
    return f"{said} {note[:1].upper()}{note[1:]}." if note and cell.verdict != "not due" else said


@dataclass(frozen=True)
class Flip:
    """Where a probe begins to fail, and what did it."""

    call: int
    words: str
    kind: Kind
    before_call: int | None
    """The call it continues: the other side of Compare."""
    compaction: int | None

    def plain(self) -> dict[str, Any]:
        """Return it as the browser gets it."""
        return {
            "call": self.call,
            "words": self.words,
            "kind": self.kind,
            "before": self.before_call,
            "compaction": self.compaction,
        }


def find_flip(found: ProbeLook, cells: Sequence[Cell], changes: SessionChanges) -> Flip | None:
    """Find where looking says that a probe begins to fail; None: nowhere.

    Args:
        found: The probe, looked for.
        cells: Its verdicts by looking alone, in the order of the calls.
        changes: Of the session.
    """
    at = next((n for n, cell in enumerate(cells) if cell.lost), None)
    if at is None:
        return None
    cell = cells[at]
    before = cells[at - 1].call if at else None
    kind = VERDICT_KINDS[cell.verdict]
    if cell.verdict in ("evicted", "abstained", "distorted"):
        loss = found.loss_at(cell.call)
        if loss is not None:
            compaction = loss.compaction if loss.call == cell.call else None
            return Flip(cell.call, _loss_words(loss, cell, changes), kind, before, compaction)
    return Flip(cell.call, _rival_words(cell, first=at == 0), kind, before, None)


def _loss_words(loss: Loss, cell: Cell, changes: SessionChanges) -> str:
    who = ""
    if loss.compaction is not None:
        change = next((one for one in changes.compactions if one.number == loss.compaction), None)
        strategy = change.strategy if change is not None and change.strategy else "compaction"
        who = f", {strategy} (compaction {loss.compaction})"
    what = LOST_BY.get(loss.event.fate) if loss.event is not None else None
    message = f": m{loss.message} {what}" if loss.message is not None and what else ""
    when = "" if loss.call == cell.call else f" (gone since call {loss.call})"
    rival = f", m{cell.presence.rivals[-1]} says something else" if cell.presence.rivals else ""
    return f"call {cell.call}{who}{message}{when}{rival}"


def _rival_words(cell: Cell, *, first: bool) -> str:
    if cell.presence.rivals:
        return f"call {cell.call}, m{cell.presence.rivals[-1]} says something else"
    if first and cell.verdict == "evicted":
        return f"call {cell.call}: it never stood there when it was due"
    return f"call {cell.call}: {cell.verdict}"


def model_words(cells: Sequence[Cell]) -> str:
    """Say where the model first failed though its prompt had what was asked for; empty: nowhere.

    Args:
        cells: Verdicts of a probe, in the order of the calls.
    """
    cell = next((cell for cell in cells if cell.asked is not None and cell.failed and not cell.lost), None)
    return "" if cell is None else f"{cell.verdict} at call {cell.call}, says the model"


_ARM_WORDS: Final[dict[Arm, str]] = {
    "as sent": "as sent",
    "without the fact": "without the fact",
    "fact last": "fact put last",
    "repair": "with what was lost put back",
}


def arm_plain(result: ArmResult, asked: ArmResult | None, *, held: bool) -> dict[str, Any]:
    """Return the answers to one way of asking as the browser gets them.

    Args:
        result: The answers.
        asked: Those to the context as it was sent, to which a control is compared.
        held: The context holds the fact.
    """
    answers = Counter((one.record.answer or "", one.score.state, one.score.why) for one in result.answers)
    low, high = result.interval
    models = dict.fromkeys(one.record.model or "a model that is not named" for one in result.answers)
    return {
        "arm": _ARM_WORDS[result.arm],
        "model": ", ".join(models),
        "right": result.right,
        "of": len(result.answers),
        "interval": [low, high] if result.answers else None,
        "answers": [[one_line(text, _QUOTED * 2), state, why, count] for (text, state, why), count in answers.items()],
        "failures": [one_line(why, _QUOTED) for why in dict.fromkeys(result.failures)],
        "means": control_words(result, asked, held=held),
    }


def control_words(result: ArmResult, asked: ArmResult | None, *, held: bool) -> str:
    """Say what a control tells; empty: nothing.

    Args:
        result: Its answers.
        asked: Those to the context as it was sent.
        held: The context holds the fact.
    """
    if result.state is None:
        return ""
    right = result.state == "right"
    if result.arm == "without the fact":
        return "it knows or guesses this without the prompt" if result.right else "it does not guess"
    if result.arm == "as sent" or asked is None or asked.state in (None, "right"):
        return ""
    if result.arm == "repair":
        return "this repairs it" if right else "this does not repair it"
    if held:
        return "it is the position" if right else "it is not the position"
    return "with the fact it would know" if right else "even with the fact it does not know"


def signs() -> dict[str, list[str]]:
    """Return colour and words of each symbol of the grid."""
    found: dict[str, list[str]] = {}
    for verdict, symbol in SYMBOLS.items():
        found.setdefault(symbol, [VERDICT_KINDS[verdict], verdict])
    return found


def count_words(cells: Sequence[Cell], probes: int) -> str:
    """Say on one line how the probes fare at the last call.

    Args:
        cells: Of all probes.
        probes: How many there are.
    """
    failing = {cell.probe.id for cell in cells if cell.failed}
    last = {cell.probe.id: cell for cell in cells}
    end = sum(cell.failed for cell in last.values())
    if not failing:
        return f"{format_count(probes, 'probe')}: none fails at any call"
    return f"{format_count(probes, 'probe')}: {len(failing)} fail at some call, {end} at the last"
