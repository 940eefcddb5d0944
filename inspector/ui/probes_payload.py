"""What the Probes page shows, as plain values for the browser: a row a probe, a column a call."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from inspector.analysis.fact_rows import name_of
from inspector.analysis.fact_trace import Carrier
from inspector.model.layers import LAYER_STYLES
from inspector.model.views import CallRow
from inspector.probes.asking import Cell, Records, make_cells
from inspector.probes.draft import Draft
from inspector.probes.look import ProbeLook, SessionFacts
from inspector.probes.metrics import measure
from inspector.probes.probe import Probe
from inspector.probes.repair import find_repair
from inspector.probes.scorers import Judge
from inspector.probes.verdict import SYMBOLS
from inspector.probes.wording import expected_words
from inspector.ui.format import UNKNOWN, format_share, format_tokens, one_line
from inspector.ui.probes_editor import form_of
from inspector.ui.probes_words import (
    Flip,
    arm_plain,
    count_words,
    due_words,
    find_flip,
    model_words,
    signs,
    verdict_words,
)
from snapshot_sdk.facts import Fact

EXCERPT: Final = 300
"""Characters of what stands around a fact in a message."""
NOT_OWN: Final = " "
"""Mark of a call that the probe does not concern: another lane's."""


@dataclass(frozen=True)
class Shown:
    """What the grid is of."""

    facts: SessionFacts
    looks: tuple[ProbeLook, ...]
    drafts: tuple[Draft, ...] = ()
    """What a draft proposes, in the order of ``looks``; empty: the probes stand in a file."""
    records: Records | None = None
    """Answers at hand."""
    judge: Judge | None = None
    """What judges said before; None: none was asked."""


def grid_payload(shown: Shown) -> dict[str, Any]:
    """Return the grid.

    Args:
        shown: What it is of.
    """
    cells = make_cells(shown.looks, shown.records, judge=shown.judge)
    by_probe = _by_probe(shown.looks, cells)
    looked = by_probe if shown.records is None else _by_probe(shown.looks, make_cells(shown.looks))
    calls = sorted({cell.call for cell in cells})
    rows = {row.number: row for row in shown.facts.calls}
    drafts = {draft.probe.id: draft for draft in shown.drafts}
    asked = Counter(one_line(found.probe.question) for found in shown.looks)
    carriers: dict[int, Carrier] = {}
    probes = []
    for found in shown.looks:
        own = by_probe[found.probe.id]
        carriers.update((carrier.number, carrier) for trace in found.traces for carrier in trace.carriers)
        flip = find_flip(found, looked[found.probe.id], shown.facts.changes)
        probes.append(
            _probe(found, own, calls, flip, drafts.get(found.probe.id))
            | _label(found.probe, drafts.get(found.probe.id), alone=asked[one_line(found.probe.question)] == 1)
            | {"repair": _repair(found, flip, shown.facts)}
        )
    return {
        "calls": calls,
        "turns": [rows[call].turn_label if call in rows else "" for call in calls],
        "probes": probes,
        "messages": {str(number): _message(carrier, shown.facts, rows) for number, carrier in sorted(carriers.items())},
        "signs": signs(),
        "counts": count_words(cells, len(shown.looks)) if shown.looks else "",
        "compactions": [
            [change.call, change.before_call, change.number, change.strategy or "compaction"]
            for change in shown.facts.changes.compactions
            if change.call is not None
        ],
    }


def figures_payload(shown: Shown, chosen: Collection[str] | None = None) -> list[list[str]]:
    """Return the figures of the session as rows: name, share, what it is of, formula.

    Args:
        shown: What is on the page.
        chosen: Ids of the probes that count: what a draft doubts counts only if the reader ticks it. None: all.
    """
    looks = [found for found in shown.looks if chosen is None or found.probe.id in chosen]
    cells = make_cells(looks, shown.records, judge=shown.judge)
    metrics = measure(looks, cells, shown.facts.changes.contexts, shown.facts.answers)
    return [
        [
            one.name.replace("_", " "),
            UNKNOWN if one.value is None else format_share(one.value),
            one.of if one.whole else f"{one.of}: unknown",
            one.formula,
        ]
        for one in metrics
    ]


def _by_probe(looks: Sequence[ProbeLook], cells: Sequence[Cell]) -> dict[str, list[Cell]]:
    found: dict[str, list[Cell]] = {one.probe.id: [] for one in looks}
    for cell in cells:
        found[cell.probe.id].append(cell)
    return found


def _probe(
    found: ProbeLook, cells: Sequence[Cell], calls: Sequence[int], flip: Flip | None, draft: Draft | None
) -> dict[str, Any]:
    probe = found.probe
    by_call = {cell.call: cell for cell in cells}
    first = probe.looked_for[0] if probe.looked_for else None
    return {
        "id": probe.id,
        "question": probe.question,
        "kind": probe.kind,
        "expected": one_line(expected_words(probe.expected), EXCERPT),
        "due": due_words(probe),
        "why": draft.why if draft is not None else probe.note or "",
        "chosen": draft.chosen if draft is not None else True,
        "marks": "".join(SYMBOLS[by_call[call].verdict] if call in by_call else NOT_OWN for call in calls),
        "asked": "".join("?" if call in by_call and by_call[call].asked is not None else " " for call in calls),
        "depth": [by_call[call].presence.depth if call in by_call else None for call in calls],
        "runs": list(_runs(cells, calls)),
        "evidence": _evidence(found),
        "flip": flip.plain() if flip is not None else None,
        "fails": sum(cell.failed for cell in cells),
        "model": model_words(cells),
        "form": form_of(probe),
        "trace": None if first is None else _trace(first),
    }


def _label(probe: Probe, draft: Draft | None, *, alone: bool) -> dict[str, str]:
    """What names a row, and the smaller line under it: of rows that ask the same, only what is expected tells them."""
    question, expected = one_line(probe.question), one_line(expected_words(probe.expected), EXCERPT)
    first, second = (question, expected) if alone else (expected, question)
    more = draft.why if draft is not None else due_words(probe)
    return {"label": first, "under": " · ".join(part for part in (probe.kind, second, more) if part)}


def _runs(cells: Sequence[Cell], calls: Sequence[int]) -> Iterator[list[Any]]:
    """Neighbouring calls that say the same, once: place of the first, place of the last, what they say."""
    place = {call: at for at, call in enumerate(calls)}
    run: list[Any] | None = None
    for cell in cells:
        said = _cell(cell)
        at = place[cell.call]
        if run is not None and run[1] == at - 1 and run[2] == said:
            run[1] = at
            continue
        if run is not None:
            yield run
        run = [at, at, said]
    if run is not None:
        yield run


def _cell(cell: Cell) -> dict[str, Any]:
    arms = [arm for arm in (cell.asked, *cell.controls) if arm is not None]
    held = bool(cell.presence.carriers)
    return {
        "verdict": cell.verdict,
        "words": verdict_words(cell),
        "presence": cell.presence.state,
        "carriers": list(cell.presence.carriers),
        "rivals": list(cell.presence.rivals),
        "arms": [arm_plain(arm, cell.asked, held=held) for arm in arms],
        "lost": cell.failed,
    }


def _evidence(found: ProbeLook) -> dict[str, str]:
    """What stands around the facts in the messages that say them, or say something else."""
    said: dict[str, str] = {}
    for trace in found.traces:
        for carrier in trace.carriers:
            if carrier.excerpts:
                text = carrier.excerpts[min(carrier.excerpts)]
                said.setdefault(str(carrier.number), one_line(text, EXCERPT))
    return said


def _repair(found: ProbeLook, flip: Flip | None, facts: SessionFacts) -> str:
    """The smallest set of messages whose return would help at the flip, and its price; empty: nothing is missing."""
    repair = find_repair(found, facts, flip.call) if flip is not None else None
    if flip is None or repair is None:
        return ""
    if not repair.messages:
        return f"none: {repair.why}"
    names = ", ".join(f"m{number}" for number in repair.messages)
    price = "tokens unknown" if repair.tokens is None else f"{format_tokens(repair.tokens)} tokens"
    why = f"; {repair.why}" if repair.why else ""
    return f"{names} back in the prompt of call {flip.call}, {price}{why}"


def _trace(fact: Fact) -> list[str]:
    """What the page Trace is asked for."""
    return [f"{fact.path}={fact.text}" if fact.path else fact.text, fact.kind]


def _message(carrier: Carrier, facts: SessionFacts, rows: Mapping[int, CallRow]) -> list[str]:
    """Code and name of its layer, who says it, and since which turn."""
    born = rows.get(facts.changes.life.lifelines[carrier.number - 1].runs[0][0])
    who = name_of(carrier)
    return [LAYER_STYLES[carrier.layer].code, carrier.layer.value, f"{who}, {born.turn_label}" if born else who]
