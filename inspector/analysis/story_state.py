"""Sentences of the story about slots of the task state that changed although nobody had said so.

Told is only what is plain: the value as it was had been given by a user, a tool or the instructions, and the new one
is in nothing but the state and what models wrote. So a total that an agent works out is silent, as neither was given,
and so are dates, of which a user says "the fifth" and the state the year.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from inspector.analysis.said_texts import SaidTexts, digits_of
from inspector.analysis.state_slots import read_slots, split_state
from inspector.analysis.told import Told, and_more, quote
from inspector.model.context import Block, CallContext, changed_places
from inspector.model.views import Sentence
from snapshot_sdk.facts import FactKind, FoundFact, find_facts

KINDS: Final[tuple[FactKind, ...]] = ("id", "money", "percent", "duration", "email", "phone", "number")
"""Kinds of values that are said as they are written."""
LEAST_DIGITS: Final = 3
"""Digits of a bare number that is followed: a shorter one stands by chance in many a message."""
_SLOT_WIDTH: Final = 40
"""Characters of a slot's value in a sentence."""


@dataclass(frozen=True)
class Drift:
    """A slot whose value was replaced by one that nobody had given."""

    call: int
    """First call with the new value."""
    slot: str
    old: str
    new: str
    message: int
    """Number of the message that holds the state."""
    given_in: int
    """Number of the message that gave the old value."""
    written_in: int | None
    """Number of the message of the assistant that has the new value; None: not even it had said it."""


@dataclass
class _Heard:
    """What was said in a session up to a call, each content once."""

    given: SaidTexts = field(default_factory=SaidTexts)
    """What users, tools and instructions said, less the states in it."""
    written: SaidTexts = field(default_factory=SaidTexts)
    """What models wrote: answers and summaries."""
    states: dict[str, list[dict[str, str]]] = field(default_factory=dict)
    """Content → slots of the states in it; messages stand in many prompts and are read once."""
    before: dict[str, tuple[tuple[Block, ...], list[int]]] = field(default_factory=dict)
    """Lane → its last prompt, and the places in it of messages with a state."""


def tell_drifted_state(told: Told) -> Iterator[Sentence]:
    """A slot of the state has another value, and no user and no tool had said it; a pin that tells it is enough."""
    found = [
        drift for drift in find_drifts(told.changes.contexts, told.changes.life.numbers) if not _pinned(told, drift)
    ]
    if not found:
        return
    first = found[0]
    row = next((call for call in told.calls if call.number == first.call), None)
    caller = f" ({row.caller})" if row is not None and row.caller is not None else ""
    source = f"; only the assistant wrote it, in m{first.written_in}" if first.written_in is not None else ""
    text = (
        f"“{quote(first.slot)}” in the state went from “{_cut(first.old)}” (given in m{first.given_in}) to "
        f"“{_cut(first.new)}” at call {first.call}{caller}: no user and no tool had said so{source}{and_more(found)}."
    )
    yield Sentence("error", "state_drift", text, first.call, message=first.message, page="compare")


def find_drifts(contexts: Sequence[CallContext], numbers: Mapping[int, Sequence[int]]) -> tuple[Drift, ...]:
    """Find slots of the state whose given value was replaced by one that nobody gave, in the order of the calls.

    Args:
        contexts: The calls in display order. Side calls are left out: their prompts quote the dialogue.
        numbers: Call number → the message number at each place of its prompt.
    """
    heard = _Heard()
    slots_of: dict[str, dict[str, str]] = {}
    missing: set[str] = set()
    found = []
    for context in contexts:
        if context.purpose is not None:
            continue
        missing.update(context.missing)
        states = _hear(heard, context, numbers[context.call])
        before = slots_of.get(context.lane, {})
        # Where the log lacks messages or instructions, what was said is not known.
        if not missing.intersection(("messages", "system")):
            for number, slots in states:
                for slot, new in slots.items():
                    drift = _judge(heard, slot, before.get(slot, new), new)
                    if drift is not None:
                        found.append(Drift(context.call, slot, before[slot], new, number, *drift))
        if states:
            slots_of[context.lane] = before | {slot: value for _, slots in states for slot, value in slots.items()}
    return tuple(found)


def _hear(heard: _Heard, context: CallContext, numbers: Sequence[int]) -> list[tuple[int, dict[str, str]]]:
    """Note what is new in a prompt; return the states in it, each with the number of its message."""
    blocks = context.blocks
    before, places = heard.before.get(context.lane, ((), []))
    changed = changed_places(before, blocks)
    still = set(range(len(blocks))).difference(changed) if len(changed) < len(blocks) else set()
    with_state = [place for place in places if place in still]
    for place in changed:
        block = blocks[place]
        slots = heard.states.get(block.content)
        if slots is None:
            rest, texts = split_state(block)
            slots = heard.states[block.content] = [read_slots(text) for text in texts]
            if rest.strip():
                is_written = block.role in ("assistant", "model") or block.is_summary
                (heard.written if is_written else heard.given).add(numbers[place], rest)
        if slots:
            with_state.append(place)
    with_state.sort()
    heard.before[context.lane] = blocks, with_state
    return [(numbers[place], one) for place in with_state for one in heard.states[blocks[place].content]]


def _judge(heard: _Heard, slot: str, old: str, new: str) -> tuple[int, int | None] | None:
    """Return who gave the old value and who wrote the new one; None: nothing drifted, or it cannot be known."""
    if old == new:
        return None
    olds, news = _values(old), _values(new)
    for key, value in news.items():
        if key in olds:
            continue
        replaced = [other for name, other in olds.items() if other.kind == value.kind and name not in news]
        if not replaced or heard.given.say(value):
            continue
        given = next((number for other in replaced if (number := heard.given.first(other)) is not None), None)
        if given is not None:
            return given, heard.written.first(value)
    return None


def _values(text: str) -> dict[str, FoundFact]:
    found = find_facts(text, KINDS)
    return {one.key: one for one in found if one.kind != "number" or len(digits_of(one.text)) >= LEAST_DIGITS}


def _pinned(told: Told, drift: Drift) -> bool:
    return any(
        pin.first_broken_call == drift.call and pin.text is not None and pin.text in drift.old
        for pin in told.changes.pins
    )


def _cut(value: str) -> str:
    line = quote(value)
    return line if len(line) <= _SLOT_WIDTH else line[: _SLOT_WIDTH - 1] + "…"
