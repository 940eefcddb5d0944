"""The reader of a ledger gives the values of some kinds as if it had looked for them alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from inspector.analysis.ledger_reading import Reader
from snapshot_sdk.facts import FactKind, find_facts

TABLE = Path(__file__).parents[2] / "data" / "facts" / "cases.jsonl"
TEXTS = sorted({json.loads(line)["text"] for line in TABLE.read_text("utf-8").splitlines()})


@pytest.mark.parametrize("kinds", [("id", "money"), ("date",), ("number", "path", "percent")], ids="-".join)
def test_values_of_some_kinds_are_among_all(kinds: tuple[FactKind, ...]) -> None:
    """In each text of the table, whether all values were asked for before or not."""
    read, fresh = Reader(), Reader()
    for text in TEXTS:
        read.facts(text)
        assert read.facts(text, kinds) == fresh.facts(text, kinds) == find_facts(text, kinds), text
