"""What stands where a fact stood that went, although nothing beside it bears the fact's own words.

Either the message was rewritten, and other words are at that very place; or a tool call or a tool's result had given
the value a name (``"people": 22``), and the state has another value under the same name (``people: 18``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from inspector.analysis.changes import SessionChanges
from inspector.analysis.fact_asking import SessionFact
from inspector.analysis.fact_trace import Loss
from inspector.analysis.state_slots import read_slots, split_state
from inspector.model.context import Block, CallContext
from inspector.model.fates import Fate
from inspector.model.layers import Layer
from snapshot_sdk.facts import VALUE_KINDS, Fact, FactKind, Matcher, find_facts

AROUND: Final = 16
"""Characters on either side of a place that tell it again in a text that was rewritten."""
LONGEST: Final = 80
"""Characters between them up to which they are what stands there now; more is another text."""
VALUES_OF_A_TEXT: Final = 4
"""Values of a sentence whose names are looked for."""
NAMING: Final = 60
"""Messages in which the names of a value are looked for, the latest first: names repeat."""
_NAMED: Final = frozenset((Layer.TOOL_CALLS, Layer.TOOL_RESULTS))
"""Layers that give values names."""
_NAME: Final = re.compile(r"\"([^\"\W\d][\w.-]{0,59})\"\s*:\s*[\"\[{]?\s*$")
"""The key before a value of JSON."""
_DIGITS: Final = 3
"""Last digits of a value that any usual writing of it has."""


@dataclass(frozen=True)
class Standing:
    """Something that stands where a fact stood."""

    call: int
    """First call without the fact."""
    number: int
    """Number of the message that holds it."""
    block: Block
    """That message."""
    name: str
    """Name of the slot of a state that holds it; empty: the message was rewritten at the place of the fact."""
    text: str
    """What it is, as written."""
    before: str
    """What stands before it."""
    after: str
    """What stands after it."""
    is_older: bool = False
    """It stood there already while the fact did."""


def find_standing(found: SessionFact, changes: SessionChanges, loss: Loss) -> Standing | None:
    """Find what stands where a fact stood.

    Args:
        found: The fact, followed.
        changes: The changes of its session.
        loss: How it went.

    Returns:
        None: nothing that can be shown, or something is known that bears the fact's own words.
    """
    if loss.remains != "nothing":
        return None
    contexts = {context.call: context for context in changes.contexts}
    before, now = contexts[loss.before_call], contexts[loss.call]
    if loss.event is not None and loss.event.fate is Fate.EDITED and loss.message is not None:
        old = _block(before, loss.message, changes)
        new = _block(now, loss.message, changes)
        if old is not None and new is not None:
            rewritten = _at_its_place(found.matcher, loss.call, loss.message, old, new)
            if rewritten is not None:
                return rewritten
    return _under_its_name(found, changes, loss, before, now)


def _block(context: CallContext, number: int, changes: SessionChanges) -> Block | None:
    numbers = changes.life.numbers[context.call]
    return context.blocks[numbers.index(number)] if number in numbers else None


def _at_its_place(matcher: Matcher, call: int, number: int, old: Block, new: Block) -> Standing | None:
    for sighting in matcher.match(old.text).sightings:
        head, tail = old.text[: sighting.start][-AROUND:], old.text[sighting.end :][:AROUND]
        if new.text.count(head) != 1 or not head.strip():
            continue
        start = new.text.index(head) + len(head)
        end = new.text.find(tail, start) if tail else len(new.text)
        text = new.text[start:end].strip() if start < end <= start + LONGEST else ""
        if text:
            return Standing(call, number, new, "", text, head, tail)
    return None


def _under_its_name(
    found: SessionFact, changes: SessionChanges, loss: Loss, before: CallContext, now: CallContext
) -> Standing | None:
    states = [(block, split_state(block)[1]) for block in now.blocks]
    if not any(texts for _, texts in states):
        return None
    for matcher in _values(found.matcher):
        names = set(_names(matcher, found, before, loss.call))
        if not names:
            continue
        for number, (block, texts) in zip(changes.life.numbers[now.call], states, strict=True):
            for slot, value in (item for text in texts for item in read_slots(text).items()):
                if slot.rpartition(".")[2].casefold() not in names or matcher.match(value).sightings:
                    continue
                other = next(iter(find_facts(value, (matcher.fact.kind,))), None)
                if other is not None:
                    head, tail = f"{slot}: {value[: other.start]}", value[other.end :]
                    older = _block(before, number, changes)
                    is_older = older is not None and older.text == block.text
                    return Standing(loss.call, number, block, slot, other.text, head, tail, is_older)
    return None


def _values(matcher: Matcher) -> tuple[Matcher, ...]:
    """The fact, where it is a value; else the values its words hold."""
    kinds: tuple[FactKind, ...] = VALUE_KINDS
    if matcher.fact.kind in kinds:
        return (matcher,)
    if matcher.fact.kind == "regex":
        return ()
    values = find_facts(matcher.fact.text, kinds)[:VALUES_OF_A_TEXT]
    return tuple([Matcher(Fact(value.kind, value.text)) for value in values])


def _names(matcher: Matcher, found: SessionFact, before: CallContext, call: int) -> Iterator[str]:
    """The keys under which tools were given a value, or gave it."""
    said = [block.text for block in before.blocks if block.layer in _NAMED]
    said += [text for number, text in found.answers.items() if number < call]
    tail = "".join(filter(str.isdigit, matcher.fact.text))[-_DIGITS:]  # of 八千 none: every text is looked into
    likely = [text for text in reversed(said) if tail in text]
    for text in likely[:NAMING]:
        for sighting in matcher.match(text).sightings:
            name = _NAME.search(text, max(0, sighting.start - LONGEST), sighting.start)
            if name:
                yield name[1].casefold()
