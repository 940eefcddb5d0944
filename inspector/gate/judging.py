"""Judges one session: its pins, the suites that are about it, its tool calls, its budgets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple, Protocol

from inspector.analysis.change_asking import trace_changes
from inspector.analysis.changes import SessionChanges
from inspector.analysis.counted import write_tokens
from inspector.analysis.loss_words import describe_loss
from inspector.analysis.story_changes import tell_lost_pins
from inspector.analysis.told import Told, quote
from inspector.analysis.tool_pairs import find_unpaired
from inspector.gate.case import Case
from inspector.model.layers import Layer
from inspector.model.views import CallRow, SessionRow, TokenCount, is_estimate
from inspector.probes.look import ProbeLook, Recorded, SessionFacts, look, read_facts
from inspector.probes.probe import Suite

PAIRED: Final = "tool calls paired"
"""What the case of pairing is called."""


class Archive(Recorded, Protocol):
    """Where sessions come from: the index, seen from here."""

    def session(self, session: str) -> SessionRow:
        """Return a session."""

    def layer_budgets(self, session: str) -> dict[Layer, int]:
        """Return the budgets of its layers."""


def judge_session(index: Archive, name: str, suites: Sequence[Suite]) -> tuple[Case, ...]:
    """Judge one session.

    Args:
        index: Where it comes from.
        name: Its id.
        suites: Those that name a session are asked of that one only.

    Raises:
        InspectorError: It cannot be read.
    """
    row = index.session(name)
    calls = index.calls(row.session)
    changes = trace_changes(index, row.session, row)
    asked = [suite for suite in suites if suite.session in (None, row.session)]
    facts = read_facts(index, row.session, changes) if asked else None
    places = {call.number: f"{call.file}:{call.line}" for call in calls}
    found = [
        *_pins(row, calls, changes),
        *(case for suite in asked if facts is not None for case in _probes(suite, facts)),
        _pairing(row, changes),
        *_budgets(row, calls, index.layer_budgets(row.session)),
    ]
    return tuple(replace(case, place=places.get(case.calls[0])) if case.calls else case for case in found)


def _pins(row: SessionRow, calls: Sequence[CallRow], changes: SessionChanges) -> Iterator[Case]:
    for pin in changes.pins:
        name = quote(pin.excerpt)
        if not pin.verdicts:
            yield Case("pins", row.session, name, "skipped", "no prompt of its lane came after it")
        elif pin.first_broken_call is None:
            yield Case("pins", row.session, name, "holds")
        else:
            (told,) = tell_lost_pins(Told(row, calls, replace(changes, pins=(pin,))))
            yield Case("pins", row.session, name, "fails", told.text, pin.broken)


def _probes(suite: Suite, facts: SessionFacts) -> Iterator[Case]:
    for found in look(suite.probes, facts):
        name = f"{suite.name}: {found.probe.id}"
        if not found.ever_due:
            yield Case("probes", facts.session, name, "skipped", "never due here: no prompt says what it asks for")
        elif not found.failed:
            unjudged = set(found.verdicts.values()) <= {"open", "not due"}
            why = "looking cannot decide it: it takes a model's answer" if unjudged else ""
            yield Case("probes", facts.session, name, "skipped" if unjudged else "holds", why)
        else:
            yield Case("probes", facts.session, name, "fails", _probe_message(found, facts), found.failed)


def _probe_message(found: ProbeLook, facts: SessionFacts) -> str:
    call = found.failed[0]
    loss = found.loss_at(call)
    text = f"“{quote(found.probe.question)}”: {found.verdicts[call]} at call {call}"
    if loss is not None:
        text += f": {describe_loss(loss, facts.changes)}"
    elif found.presences[call].rivals:
        text += f": m{found.presences[call].rivals[-1]} says something else"
    return f"{text}{_and_more(found.failed)}."


def _pairing(row: SessionRow, changes: SessionChanges) -> Case:
    judged = [context for context in changes.contexts if not context.missing]
    if not judged:
        return Case("pairing", row.session, PAIRED, "skipped", "its log lacks parts of the prompts")
    wrong = [one for context in judged for one in find_unpaired(context)]
    if not wrong:
        return Case("pairing", row.session, PAIRED, "holds")
    first = wrong[0]
    calls = tuple(dict.fromkeys(one.call for one in wrong))
    text = f"Call {first.call} has {first.wrong} ({quote(first.key)}, message {first.place + 1}){_and_more(calls)}."
    return Case("pairing", row.session, PAIRED, "fails", text, calls)


def _budgets(row: SessionRow, calls: Sequence[CallRow], budgets: Mapping[Layer, int]) -> Iterator[Case]:
    # A side call (a summariser) reads what the budget of the conversation does not bound.
    main = [call for call in calls if row.lanes and call.lane == row.lanes[0][0]]
    yield from _limit(row, "window", [_Size(call.number, call.tokens, call.window) for call in calls])
    yield from _limit(row, "budget", [_Size(call.number, call.tokens, call.budget) for call in main])
    for layer, limit in budgets.items():
        sizes = [_Size(call.number, _layer_tokens(call, layer), limit) for call in main]
        yield from _limit(row, f"budget of {layer.value}", sizes)


class _Size(NamedTuple):
    """What a prompt, or a layer of it, takes, and may take."""

    call: int
    tokens: TokenCount
    limit: int | None


def _layer_tokens(call: CallRow, layer: Layer) -> TokenCount:
    if not call.composition:
        return TokenCount(None, "unknown")
    return TokenCount(call.composition.get(layer, 0), call.origins.get(layer, ""))


def _limit(row: SessionRow, name: str, sizes: Sequence[_Size]) -> Iterator[Case]:
    limited = [size for size in sizes if size.limit is not None]
    judged = [
        (size, count, limit)
        for size in limited
        if (count := size.tokens.count) is not None and (limit := size.limit) is not None
    ]
    over = [(size, count, limit) for size, count, limit in judged if count > limit]
    if not limited:
        return
    if not judged:
        yield Case("budgets", row.session, name, "skipped", "the tokens of its prompts are not known")
    elif not over:
        yield Case("budgets", row.session, name, "holds")
    else:
        size, count, limit = over[0]
        tokens = write_tokens(count, estimated=is_estimate(size.tokens.origin))
        text = f"Call {size.call} has {tokens}, its {name} is {limit:,}{_and_more(over)}."
        yield Case("budgets", row.session, name, "fails", text, tuple(one.call for one, *_ in over))


def _and_more(calls: Sequence[object]) -> str:
    return f" (and at {len(calls) - 1:,} more)" if len(calls) > 1 else ""
