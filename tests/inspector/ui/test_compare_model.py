"""Two calls are aligned as their session says, or anew; a record's own contexts are one more pair."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from inspector.analysis.changes import SessionChanges, trace_session
from inspector.model.context import CallContext, CompactedContexts
from inspector.model.fates import Fate
from inspector.model.layers import Layer
from inspector.model.request import Part
from inspector.model.views import CallView, CompactionRow
from inspector.ui.compare_model import compare_calls, compare_recorded
from inspector.ui.compare_payload import Lanes, compare_payload
from inspector.ui.compare_sides import blocks_of

Prompt = Callable[..., CallView]


@pytest.fixture
def prompt(make_view: Callable[..., CallView]) -> Prompt:
    """Build a call of texts; equal texts are equal messages, numbered alike, born at the call given."""

    def build(number: int, *texts: str, born: dict[str, int] | None = None) -> CallView:
        view = make_view(*(("user", (Part("text", text),)) for text in texts))
        rows = tuple(
            replace(
                row,
                content=text,
                number=ord(text[0]),
                born_call=(born or {}).get(text, number),
                layer=Layer.SUMMARY if text.startswith("Σ") else Layer.HISTORY,
            )
            for row, text in zip(view.messages, texts, strict=True)
        )
        call = replace(view.call, number=number, id=f"id-{number}", previous=f"id-{number - 1}")
        return replace(view, call=call, messages=rows)

    return build


def changes_of(
    *views: CallView, row: CompactionRow | None = None, named: CompactedContexts | None = None
) -> SessionChanges:
    """Trace the session that these calls make."""
    contexts = [
        CallContext(view.call.number, view.call.id, view.call.previous, "main", blocks_of(view)) for view in views
    ]
    return trace_session(contexts, [named] if named else [], [row] if row else [])


def recorded(call: int) -> CompactionRow:
    """Build the record of a summary before a call."""
    return CompactionRow(
        "c1", "done", "summary", None, None, "main", "2026-11-28T14:02:00Z", None, None, None, None, None, 3, 2, call
    )


def test_a_recorded_compaction_is_believed(prompt: Prompt) -> None:
    """What the record names as taken is taken by the summary, though no word of it is in there."""
    before, after = prompt(1, "a one", "b two", "c three"), prompt(2, "Σ nothing of it", "c three")
    named = CompactedContexts("c1", blocks_of(before), blocks_of(after))
    changes = changes_of(before, after, row=recorded(2), named=named)

    comparison = compare_calls(("s", before), ("s", after), changes)

    assert [row.certainty for row in comparison.alignment.blocks if row.fate is Fate.SUMMARISED] == ["certain"] * 2


def test_calls_that_do_not_follow_each_other_are_aligned_anew(prompt: Prompt) -> None:
    """Any two calls can be compared; what stood in the session before the first call has returned."""
    born = {"a one": 1, "b two": 1}
    first, second, third = (
        prompt(1, "a one", "b two"),
        prompt(2, "b two", born=born),
        prompt(3, "a one", "b two", born=born),
    )
    changes = changes_of(first, second, third)

    comparison = compare_calls(("s", second), ("s", third), None)
    same = compare_calls(("s", first), ("s", third), changes)

    assert comparison.alignment.counts == {Fate.KEPT: 1, Fate.RETURNED: 1}
    assert same.alignment.counts == {Fate.KEPT: 2}


def test_a_record_is_compared_by_its_own_contexts(prompt: Prompt) -> None:
    """Its sides are named so; the messages have the numbers of the calls around; the address keeps the calls."""
    before, after = prompt(1, "a one", "b two", "c three"), prompt(2, "Σ a one", "c three", "d later")
    named = CompactedContexts("c1", blocks_of(before), blocks_of(after)[:2])
    changes = changes_of(before, after, row=recorded(2), named=named)

    comparison = compare_recorded("s", named, (before, after), changes, changes.compactions[0])
    shown = compare_payload(comparison, Lanes((), ()))

    assert [shown[side]["title"] for side in "ab"] == ["before the compaction", "after the compaction"]
    assert shown["a"]["rows"]["number"] == [ord("a"), ord("b"), ord("c")]
    assert shown["at"] == [1, 2]
    assert shown["compaction"]["hasRecord"]
    assert not shown["parameters"]["known"]
