"""Sentences of the story about the message of the user that fell out of the prompt while it was being answered."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from inspector.analysis.told import Told, and_more
from inspector.analysis.words import words_of
from inspector.model.context import CallContext
from inspector.model.fates import Fate
from inspector.model.layers import Layer
from inspector.model.views import CallRow, Sentence

CROWDED: Final = 0.4
"""Share of a prompt's tokens from which tool results are named as what fills it."""
LEFT: Final = 0.5
"""Share of its words below which a message that was edited is called gone."""


@dataclass(frozen=True)
class LostInput:
    """A message of the user that is gone before its turn is over."""

    message: int
    """Its number."""
    call: int
    """First call of the turn that lacks it."""
    turn_label: str
    crowded: float | None
    """Share of tool results in that prompt; None: unknown."""


def tell_lost_input(told: Told) -> Iterator[Sentence]:
    """The model goes on with a turn and no longer sees what the user asked in it."""
    found = list(find_lost_input(told))
    if not found:
        return
    first = found[0]
    changes = told.changes
    taker = next((c for c in changes.compactions if c.call == first.call and first.message in c.taken), None)
    caller = f" ({taker.caller})" if taker is not None and taker.caller is not None else ""
    text = f"The message that {first.turn_label} answers, m{first.message}, is gone since call {first.call}"
    if taker is not None:
        text += f": a {taker.strategy or 'compaction'}{caller} took it"
    if first.crowded is not None and first.crowded >= CROWDED:
        text += f"; {round(first.crowded * 100)} % of the prompt are tool results"
    yield Sentence(
        "error",
        "input_gone",
        f"{text}{and_more(found)}.",
        first.call,
        message=first.message,
        compaction=taker.number if taker is not None else None,
        page="compare" if taker is not None else "call",
    )


def find_lost_input(told: Told) -> Iterator[LostInput]:
    """Find messages of the user that were taken out while the calls of their turn went on.

    Only turns that the agent numbered count: an inferred one begins with whatever user message is left. One that a
    summary took is not meant; what is lost of it is a matter of facts.
    """
    life = told.changes.life
    rows = {row.number: row for row in told.calls}
    asked: dict[tuple[str, object], tuple[int, str]] = {}
    done: set[tuple[str, object]] = set()
    for context in told.changes.contexts:
        row = rows.get(context.call)
        if row is None or row.turn is None or row.turn_inferred or context.purpose is not None:
            continue
        turn = (context.lane, row.turn)
        if turn not in asked:
            if (given := _input_of(context, life.numbers[context.call])) is not None:
                asked[turn] = given
            continue
        number, text = asked[turn]
        if turn in done or _still_says(context, life.numbers[context.call], number, text):
            continue
        done.add(turn)
        event = next((e for e in life.lifelines[number - 1].events if e.call == context.call), None)
        if event is not None and event.fate in (Fate.EVICTED, Fate.EDITED, Fate.TRUNCATED):
            yield LostInput(number, context.call, row.turn_label, _share_of_results(row))


def _still_says(context: CallContext, numbers: Sequence[int], number: int, text: str) -> bool:
    """Whether a message stands in a prompt with its words; a place-holder in its stead has none of them."""
    words = set(words_of(text))
    texts = (block.text for block, other in zip(context.blocks, numbers, strict=True) if other == number)
    return any(len(words.intersection(words_of(now))) >= LEFT * len(words) for now in texts)


def _input_of(context: CallContext, numbers: tuple[int, ...]) -> tuple[int, str] | None:
    """The current message of the user in a prompt: its number and its text."""
    for block, number in zip(reversed(context.blocks), reversed(numbers), strict=True):
        if block.layer is Layer.INPUT:
            return number, block.text
    return None


def _share_of_results(row: CallRow) -> float | None:
    if not row.counted.count:
        return None
    return row.composition.get(Layer.TOOL_RESULTS, 0) / row.counted.count
