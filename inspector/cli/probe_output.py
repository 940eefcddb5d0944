"""What ``context-inspector probe`` prints: a row a probe, or JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import click

from inspector.analysis.fact_trace import Loss
from inspector.cli.terminal import Mark, one_line, plain, write_table
from inspector.cli.words import KIND_STYLES, runs_of, spans
from inspector.probes.asking import ArmResult, Cell
from inspector.probes.draft import Draft
from inspector.probes.look import ProbeLook, SessionFacts
from inspector.probes.metrics import Metric
from inspector.probes.repair import Repair, find_repair
from inspector.probes.suite_writing import probe_table
from inspector.probes.verdict import SYMBOLS, VERDICT_KINDS, Verdict
from inspector.probes.wording import expected_words

QUESTION: Final = 60
"""Characters of a question in a table."""
_COLUMNS: Final = ("probe", "kind", "verdict", "fails from", "by", "calls", "question")


def print_cells(looks: Sequence[ProbeLook], cells: Sequence[Cell], at: Sequence[int]) -> None:
    """Print a row a probe: its verdicts over the calls, where it flips, and by what.

    Args:
        looks: The probes.
        cells: Their verdicts.
        at: The calls, in order.
    """
    by_probe = {found.probe.id: [cell for cell in cells if cell.probe.id == found.probe.id] for found in looks}
    write_table(_COLUMNS, (_row(found, by_probe[found.probe.id], at) for found in looks), cut=("question",))
    if at and list(at) != list(range(1, len(at) + 1)):
        click.echo(f"a sign a call: {spans(runs_of(at))}")
    for found in looks:
        for cell in by_probe[found.probe.id]:
            _print_asked(cell)


def _row(found: ProbeLook, cells: Sequence[Cell], at: Sequence[int]) -> tuple[object, ...]:
    shown = {cell.call: cell for cell in cells}
    last = next((cell for cell in reversed(cells) if cell.verdict != "not due"), None)
    verdict: Verdict = "not due" if last is None else last.verdict
    due = [cell for cell in cells if cell.verdict != "not due"]
    failed = next((cell.call for cell in due if cell.failed), None)
    later = [cell for cell in due if failed is not None and cell.call > failed]
    back = next((cell.call for cell in later if cell.verdict in ("known", "known via summary")), None)
    since = f"call {failed}" if back is None else f"call {failed}; known again at {back}"
    cause = None if failed is None else found.loss_at(failed)
    return (
        found.probe.id,
        found.probe.kind,
        Mark(SYMBOLS[verdict], KIND_STYLES[VERDICT_KINDS[verdict]], verdict),
        None if failed is None else since,
        None if cause is None else _cause(cause),
        "".join(SYMBOLS[shown[call].verdict] if call in shown else " " for call in at),
        one_line(found.probe.question, QUESTION),
    )


def _print_asked(cell: Cell) -> None:
    for arm in (cell.asked, *cell.controls):
        if arm is None:
            continue
        said = " · ".join(f"“{one_line(one.record.answer or '', QUESTION)}” ({one.score.state})" for one in arm.answers)
        low, high = arm.interval
        share = f"right {arm.right} of {len(arm.answers)} (95 %: {low:.0%}–{high:.0%})" if arm.answers else "no answer"
        why = "".join(f" · {one_line(failure, QUESTION * 2)}" for failure in dict.fromkeys(arm.failures))
        click.echo(one_line(f"{cell.probe.id} · call {cell.call} · {arm.arm}: {share} · {said}{why}"))
    if cell.not_asked is not None:
        click.echo(one_line(f"{cell.probe.id} · call {cell.call} · cannot be asked: {cell.not_asked}"))


def _cause(loss: Loss) -> str:
    who = f"compaction {loss.compaction}" if loss.compaction is not None else None
    what = None if loss.event is None else loss.event.fate.value
    message = None if loss.message is None else f"m{loss.message}"
    return " ".join(part for part in (who, message, what) if part) or "not known"


def find_repairs(
    looks: Sequence[ProbeLook], cells: Sequence[Cell], facts: SessionFacts
) -> dict[tuple[str, int], Repair]:
    """Find what would repair each probe at the first call that fails; by probe and call.

    Args:
        looks: The probes.
        cells: Their verdicts.
        facts: The session.
    """
    repairs = {}
    for found in looks:
        failed = next((cell.call for cell in cells if cell.probe.id == found.probe.id and cell.failed), None)
        repair = None if failed is None else find_repair(found, facts, failed)
        if failed is not None and repair is not None:
            repairs[found.probe.id, failed] = repair
    return repairs


def print_repairs(repairs: Mapping[tuple[str, int], Repair]) -> None:
    """Print what would repair each probe, a line each.

    Args:
        repairs: By probe and call.
    """
    for (name, call), repair in repairs.items():
        messages = ", ".join(f"m{number}" for number in repair.messages) or "none"
        tokens = "tokens unknown" if repair.tokens is None else f"{repair.tokens:,} tokens"
        price = f", {tokens}" if repair.messages else ""
        why = f": {repair.why}" if repair.why else ""
        click.echo(one_line(f"{name} · call {call} · smallest repair: {messages}{price}{why}"))


def share_cell(share: float | None) -> str | None:
    """Write a share for a table; None, an empty cell: it is of nothing.

    Args:
        share: 0 to 1.
    """
    return None if share is None else f"{share:.1%}"


def metrics_json(metrics: Sequence[Metric]) -> dict[str, Any]:
    """Return figures as JSON carries them: a share of nothing is null.

    Args:
        metrics: As they were measured.
    """
    return {
        one.name: {"value": one.value, "part": one.part, "whole": one.whole, "formula": one.formula} for one in metrics
    }


def print_metrics(metrics: Sequence[Metric]) -> None:
    """Print figures, a row each: the share, what it is of, and how it is reckoned.

    Args:
        metrics: As they were measured.
    """
    rows = (
        (
            one.name,
            share_cell(one.value),
            one.of,
            one.formula,
        )
        for one in metrics
    )
    write_table(("figure", "share", "of", "formula"), rows, cut=("formula",))


def cells_json(
    looks: Sequence[ProbeLook], cells: Sequence[Cell], repairs: Mapping[tuple[str, int], Repair]
) -> list[dict[str, Any]]:
    """Return the probes with their verdicts as JSON carries them.

    Args:
        looks: The probes.
        cells: Their verdicts.
        repairs: What would help, by probe and call.
    """
    found = []
    for one in looks:
        own = [cell for cell in cells if cell.probe.id == one.probe.id]
        failed = next((cell.call for cell in own if cell.failed), None)
        cause = None if failed is None else one.loss_at(failed)
        found.append(
            {
                **probe_table(one.probe),
                "ever_due": one.ever_due,
                "flips_at": failed,
                "cause": None if cause is None else plain(cause),
                "repair": plain(repairs.get((one.probe.id, failed or 0))),
                "calls": [_cell_json(cell) for cell in own],
            }
        )
    return found


def _cell_json(cell: Cell) -> dict[str, Any]:
    presence = cell.presence
    return {
        "call": cell.call,
        "verdict": cell.verdict,
        "failed": cell.failed,
        "presence": presence.state,
        "carriers": [f"m{number}" for number in presence.carriers],
        "rivals": [f"m{number}" for number in presence.rivals],
        "depth": presence.depth,
        "note": presence.note or None,
        "asked": None if cell.asked is None else _arm_json(cell.asked),
        "controls": {arm.arm: _arm_json(arm) for arm in cell.controls},
        "not_asked": cell.not_asked,
    }


def _arm_json(arm: ArmResult) -> dict[str, Any]:
    return {
        "state": arm.state,
        "right": arm.right,
        "answers": [
            {"answer": one.record.answer, "state": one.score.state, "scorer": one.score.scorer, "why": one.score.why}
            for one in arm.answers
        ],
        "interval": list(arm.interval),
        "failures": list(arm.failures),
    }


def print_drafts(drafts: Sequence[Draft]) -> None:
    """Print proposed probes: what was found, and why.

    Args:
        drafts: As they were drafted.
    """
    rows = (
        (
            "[x]" if draft.chosen else "[ ]",
            draft.probe.id,
            draft.probe.kind,
            one_line(draft.probe.question, QUESTION),
            one_line(expected_words(draft.probe.expected), QUESTION),
            None if draft.probe.due_from is None else f"from turn {draft.probe.due_from}",
            one_line(draft.why, QUESTION * 2),
        )
        for draft in drafts
    )
    write_table(("", "probe", "kind", "question", "expected", "due", "found"), rows, cut=("question", "found"))
