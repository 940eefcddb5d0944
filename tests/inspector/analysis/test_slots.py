"""Messages that fill one slot of the prompt."""

from __future__ import annotations

from inspector.analysis.alignment import align
from inspector.model.context import Block
from inspector.model.fates import Fate
from inspector.model.layers import Layer


def _block(text: str, layer: Layer = Layer.HISTORY, role: str = "system") -> Block:
    return Block(content=text, role=role, layer=layer, text=text)


SYSTEM = _block("You are the order desk.", Layer.SYSTEM)
QUESTION = _block("Where is my parcel?", role="user")
OLD = _block("stage: verified", Layer.STATE)
NEW = _block("waiting for a day", Layer.STATE)


def test_a_state_table_written_anew_is_edited() -> None:
    """Not a word is shared, but it is the one state message between the same neighbours."""
    alignment = align([SYSTEM, OLD, QUESTION], [SYSTEM, NEW, QUESTION])

    assert alignment.counts == {Fate.KEPT: 2, Fate.EDITED: 1}


def test_two_state_messages_are_not_guessed_at() -> None:
    """Which of two became the new one cannot be told."""
    other = _block("budget: none", Layer.STATE)
    alignment = align([SYSTEM, OLD, other, QUESTION], [SYSTEM, NEW, QUESTION])

    assert alignment.counts == {Fate.KEPT: 2, Fate.EVICTED: 2, Fate.ADDED: 1}


def test_a_state_message_elsewhere_is_another_one() -> None:
    """Between other neighbours it is not in the old one's stead."""
    alignment = align([SYSTEM, OLD, QUESTION], [SYSTEM, QUESTION, NEW])

    assert alignment.counts == {Fate.KEPT: 2, Fate.EVICTED: 1, Fate.ADDED: 1}


def test_dialogue_is_no_slot() -> None:
    """An answer that follows another in its place is a new message."""
    alignment = align([SYSTEM, _block("Yes.", role="assistant")], [SYSTEM, _block("Tomorrow.", role="assistant")])

    assert alignment.counts == {Fate.KEPT: 1, Fate.EVICTED: 1, Fate.ADDED: 1}
