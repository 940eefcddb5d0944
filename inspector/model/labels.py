"""Labels: what the agent's own code says a piece of content is, and which of them hold for a snapshot."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from inspector.model.layers import Layer


@dataclass(frozen=True)
class Label:
    """One label as it holds for a snapshot."""

    order: int
    """Grows with every label record; where two labels of one length overlap, the later wins."""
    layer: Layer | None
    """What the content is; None: the label says other things only."""
    text: str | None = None
    """Exact text it is about; None: it is about a whole message."""
    message: str | None = None
    """Content hash of the message it is about; None: it is about text."""
    within: str | None = None
    """Only in the message with this content hash."""
    occurrence: int | None = None
    """Only the n-th place, from 1: within the message ``within``, else within the whole prompt."""
    source: str | None = None
    """Where the content came from."""

    @property
    def target(self) -> tuple[str | None, str | None, str | None, int | None]:
        """What it is about; a later label with the same target replaces this one."""
        return self.text, self.message, self.within, self.occurrence


@dataclass(frozen=True)
class LabelSet:
    """The labels that hold for one snapshot, in order. Two sets with the same ``key`` decide alike."""

    labels: tuple[Label, ...] = ()
    """Every label that names a layer, one per target."""

    @cached_property
    def key(self) -> str:
        """Digest of the whole set, the same in every process."""
        facts = repr([(label.target, label.layer, label.source) for label in self.labels])
        return hashlib.sha256(facts.encode("utf-8", "surrogatepass")).hexdigest()[:32]

    @cached_property
    def by_message(self) -> Mapping[str, Label]:
        """Labels of whole messages, by content hash."""
        return {label.message: label for label in self.labels if label.message is not None}

    @cached_property
    def by_text(self) -> Mapping[str, tuple[Label, ...]]:
        """Labels of text, by the text."""
        found: dict[str, list[Label]] = {}
        for label in self.labels:
            if label.text:
                found.setdefault(label.text, []).append(label)
        return {text: tuple(labels) for text, labels in found.items()}


class LabelLog:
    """Label records of one session, fed in display order; answers which labels hold at that point.

    A label holds until another with the same target replaces it, or, where it was set for a turn, only in that
    turn. A field that a later label leaves out stays as it was: pinning a text does not take its layer away.
    """

    def __init__(self) -> None:
        self._lasting: dict[object, Label] = {}
        self._turns: dict[int | str, dict[object, Label]] = {}
        self._order = 0
        self._cache: dict[int | str | None, LabelSet] = {}

    def add(self, record: Mapping[str, Any]) -> None:
        """Take in one ``label`` record of a trace file; one without a usable target is ignored."""
        label = read_label(record, self._order)
        if label is None:
            return
        self._order += 1
        turn = record.get("turn")
        if record.get("until_turn_ends") and isinstance(turn, int | str):
            table = self._turns.setdefault(turn, {})
            self._cache.pop(turn, None)
        else:
            table = self._lasting
            self._cache.clear()
        before = table.pop(label.target, None)
        if before is not None:
            label = replace(label, layer=label.layer or before.layer, source=label.source or before.source)
        table[label.target] = label

    def active(self, turn: int | str | None) -> LabelSet:
        """Return the labels that hold now, for a snapshot of this turn."""
        scoped = self._turns.get(turn, {}) if turn is not None else {}
        turn = turn if scoped else None
        if turn not in self._cache:
            labels = sorted({**self._lasting, **scoped}.values(), key=lambda label: label.order)
            self._cache[turn] = LabelSet(tuple(label for label in labels if label.layer is not None))
        return self._cache[turn]


def read_label(record: Mapping[str, Any], order: int) -> Label | None:
    """Read a ``label`` record; None where it names neither a text nor a message.

    Args:
        record: The record, as the trace file has it.
        order: Its number among the labels of the session.
    """
    target = record.get("target")
    if not isinstance(target, Mapping):
        return None
    text, message = _string(target.get("text")), _string(target.get("message"))
    if not text and message is None:
        return None
    occurrence = target.get("occurrence")
    try:
        layer = Layer(record["layer"]) if record.get("layer") else None
    except ValueError:
        layer = None  # a word of the user's own: no tier of the context
    return Label(
        order,
        layer,
        text or None,
        None if text else message,
        _string(target.get("within")),
        occurrence if isinstance(occurrence, int) and occurrence > 0 else None,
        _string(record.get("source")),
    )


def _string(value: Any) -> str | None:
    return value if isinstance(value, str) else None
