"""What changed in a session, as a whole."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from inspector.analysis.change_asking import trace_changes
from inspector.analysis.changes import number_rows, trace_session
from inspector.index import open_index
from inspector.model.context import Block, CallContext
from sample_data import TRACES

Make = Callable[..., Block]
Calls = Callable[..., list[CallContext]]


def test_a_session_without_calls_has_no_changes() -> None:
    """Nothing breaks."""
    changes = trace_session(())

    assert (changes.life.lifelines, changes.compactions, changes.pins) == ((), (), ())


def test_rows_of_a_call_get_their_numbers(tmp_path: Path) -> None:
    """By place; with the call each message came in."""
    with open_index(TRACES) as index:
        index.refresh()
        changes = trace_changes(index, "order-4711")
        view = number_rows(index.call("order-4711", 13), changes)

    assert tuple(row.number for row in view.messages) == changes.life.numbers[13]
    born = {row.number: row.born_call for row in view.messages}
    assert born[1] == 1
    assert max(call or 0 for call in born.values()) == 13
    assert number_rows(view, trace_session(())) is view
