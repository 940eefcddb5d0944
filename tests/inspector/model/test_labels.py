"""Labels hold from their record on, until replaced, or for their turn."""

from __future__ import annotations

from typing import Any

import pytest

from inspector.model.labels import LabelLog, read_label
from inspector.model.layers import Layer


def record(target: dict[str, Any], layer: str | None = None, **more: Any) -> dict[str, Any]:
    """Return a label record."""
    return {"type": "label", "target": target, "layer": layer, "until_turn_ends": False, "turn": None, **more}


def active(log: LabelLog, turn: int | str | None = None) -> list[tuple[str | None, Layer | None]]:
    """Return text and layer of the labels that hold."""
    return [(label.text, label.layer) for label in log.active(turn).labels]


def test_a_label_holds_until_replaced() -> None:
    """A later label with the same target replaces the earlier one."""
    log = LabelLog()
    log.add(record({"text": "tea"}, "memory"))
    log.add(record({"text": "cake"}, "state"))
    assert active(log, 3) == [("tea", Layer.MEMORY), ("cake", Layer.STATE)]
    log.add(record({"text": "tea"}, "retrieved"))
    assert active(log) == [("cake", Layer.STATE), ("tea", Layer.RETRIEVED)]


def test_a_label_of_a_turn_holds_in_that_turn_only() -> None:
    """After its turn the lasting label with the same target is back."""
    log = LabelLog()
    log.add(record({"text": "tea"}, "memory"))
    log.add(record({"text": "tea"}, "state", until_turn_ends=True, turn=4))
    assert active(log, 4) == [("tea", Layer.STATE)]
    assert active(log, 5) == active(log) == [("tea", Layer.MEMORY)]


def test_what_a_later_label_leaves_out_stays() -> None:
    """A label that only pins does not take the layer away; one that only names a source keeps it."""
    log = LabelLog()
    log.add(record({"text": "tea"}, "memory", source="kb:1"))
    log.add(record({"text": "tea"}, None, pinned=True))
    (label,) = log.active(None).labels
    assert (label.layer, label.source) == (Layer.MEMORY, "kb:1")


def test_targets_differ_by_place() -> None:
    """The same text in one message, and at one occurrence, are targets of their own."""
    log = LabelLog()
    for target in ({"text": "a"}, {"text": "a", "within": "h"}, {"text": "a", "occurrence": 2}, {"message": "h"}):
        log.add(record(target, "memory"))
    labels = log.active(None)
    assert len(labels.labels) == 4
    assert len(labels.by_text["a"]) == 3
    assert set(labels.by_message) == {"h"}


@pytest.mark.parametrize("target", [None, {}, {"text": ""}, {"text": 5}, {"regex": "x"}])
def test_unusable_targets_are_ignored(target: Any) -> None:
    """A label of nothing is no label."""
    assert read_label({"target": target, "layer": "memory"}, 0) is None


def test_a_layer_nobody_knows_decides_nothing() -> None:
    """A word that is no layer leaves the content where it was."""
    log = LabelLog()
    log.add(record({"text": "tea"}, "kitchen"))
    assert active(log) == []
