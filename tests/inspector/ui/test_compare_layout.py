"""The rows of a comparison stand in reading order: folds, pairs, groups with their summary, moves with their marks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from inspector.analysis.alignment import Alignment, align
from inspector.model.context import Block
from inspector.model.layers import Layer
from inspector.model.request import Message, Part
from inspector.ui.compare_layout import Group, Left, New, Pair, Same, count_fates, item_payload, lay_out
from inspector.ui.compare_sides import Side, SideRow, side_of_blocks

LONG = "the courier comes on saturday between nine and twelve and rings twice before leaving the parcel"
MakeSide = Callable[..., Side]


@pytest.fixture
def make_side() -> MakeSide:
    """Build a side of texts; a text that starts with Σ is a summary."""

    def build(*texts: str) -> Side:
        rows = tuple(
            SideRow(
                layer=Layer.SUMMARY if text.startswith("Σ") else Layer.HISTORY,
                role="user",
                text=text,
                tokens=10,
                content=text,
                number=at + 1,
                message=Message("user", (Part("text", text),)),
            )
            for at, text in enumerate(texts)
        )
        return Side("s", rows)

    return build


def aligned(before: Side, after: Side) -> Alignment:
    """Align two sides as their calls would be."""
    return align(*([_block(row) for row in side.rows] for side in (before, after)))


def _block(row: SideRow) -> Block:
    summary = row.layer is Layer.SUMMARY
    return Block(row.content, row.role, row.layer, row.text, (), row.tokens, summary)


def test_what_is_the_same_is_one_run(make_side: MakeSide) -> None:
    """Unchanged messages in a row fold into one item, with places of both sides."""
    before, after = make_side("a", "b", "c"), make_side("a", "b", "c", "d")

    items = lay_out(aligned(before, after))

    assert isinstance(items[0], Same)
    assert isinstance(items[1], New)
    assert item_payload(items[0], before, after) == {"kind": "same", "runs": [[0, 0, 3]], "n": 3, "tokens": 30}


def test_a_summary_stands_once_beside_all_it_took(make_side: MakeSide) -> None:
    """Its sources are one group with it, in their old order, and it is no added message beside."""
    before, after = make_side("sys", f"one {LONG}", "two", "three", "last"), make_side("sys", f"Σ {LONG}", "last")
    alignment = aligned(before, after)

    items = lay_out(alignment)

    assert [type(item) for item in items] == [Same, Group, Same]
    shown = item_payload(items[1], before, after)
    assert shown["sources"] == [1, 2, 3]
    assert shown["j"] == 1
    assert shown["share"] == pytest.approx(10 / 30)
    counts = count_fates(alignment)
    assert (counts["summarised"], counts["summaries"], counts["added"], counts["kept"]) == (3, 1, 0, 2)


def test_messages_taken_out_in_a_row_are_one_group(make_side: MakeSide) -> None:
    """Evicted messages stand together; nothing stands for them."""
    before, after = make_side("a", "b1", "b2", "c"), make_side("a", "c")

    items = lay_out(aligned(before, after))

    assert isinstance(items[1], Group)
    assert item_payload(items[1], before, after)["sources"] == [1, 2]
    assert items[1].summary is None


def test_a_moved_message_leaves_a_mark_where_it_was(make_side: MakeSide) -> None:
    """It stands where it is now; a mark stands between its old neighbours."""
    before, after = make_side("a", "b", "c", "d", "e"), make_side("a", "c", "d", "e", "b")

    items = lay_out(aligned(before, after))

    assert [type(item) for item in items] == [Same, Left, Same, Pair]
    assert item_payload(items[1], before, after)["i"] == 1
    moved = item_payload(items[3], before, after)
    assert (moved["from"], moved["i"], moved["j"]) == (True, 1, 4)


def test_input_that_became_history_elsewhere_is_moved(make_side: MakeSide) -> None:
    """A question that stands earlier now, and is no input any more, still says from where it came."""
    before = make_side("a", "b", "c", "q")
    question = replace(before.rows[3], layer=Layer.INPUT)
    before = Side("s", (*before.rows[:3], question))
    after = make_side("a", "q", "b", "c")

    moved = next(item for item in lay_out(aligned(before, after)) if isinstance(item, Pair))

    assert moved.is_elsewhere
    assert item_payload(moved, before, after)["was"] == ""


def test_a_run_is_cut_where_a_moved_message_was(make_side: MakeSide) -> None:
    """Two messages that moved from different places have two marks."""
    before = make_side("a", "b", "c", "d", "e", "f", "g")
    after = make_side("a", "c", "d", "f", "g", "b", "e")

    items = lay_out(aligned(before, after))

    assert [type(item) for item in items] == [Same, Left, Same, Left, Same, Pair, Pair]


def test_every_message_stands_in_exactly_one_row(make_side: MakeSide) -> None:
    """No message of either side is lost or doubled by the layout; marks of moves aside."""
    before = make_side("a", "b", "c", f"x {LONG}", "y", "z", "d", "e")
    after = make_side("a", "c", f"Σ {LONG}", "e", "d", "b", "new")

    items = lay_out(aligned(before, after))

    left: list[int] = []
    right: list[int] = []
    for item in items:
        if isinstance(item, Same):
            left += [i for i, _ in item.pairs]
            right += [j for _, j in item.pairs]
        elif isinstance(item, Group):
            left += [row.before for row in item.rows if row.before is not None]
            right += [] if item.summary is None else [item.summary]
        elif isinstance(item, Pair | New):
            left += [] if item.row.before is None else [item.row.before]
            right += [] if item.row.after is None else [item.row.after]
    assert sorted(left) == list(range(8))
    assert sorted(right) == list(range(7))


def test_a_changed_role_is_named(make_side: MakeSide) -> None:
    """A message that only changed its layer stays in its row, with both layers."""
    before = make_side("a", f"note {LONG}")
    rows = (before.rows[0], SideRow(Layer.MEMORY, "system", f"note {LONG}", 10, "other"))
    after = Side("s", rows)

    items = lay_out(aligned(before, after))

    shown = item_payload(items[1], before, after)
    assert (shown["kind"], shown["from"], shown["was"]) == ("pair", False, "history → memory, user → system")


def test_a_recorded_context_takes_numbers_from_the_calls_around(make_side: MakeSide) -> None:
    """A message that the record names and a call holds is that very message; another has no number."""
    known = make_side("a").rows[0]
    blocks = [_block(known), _block(SideRow(Layer.HISTORY, "user", "b", None, "b"))]

    side = side_of_blocks("s", blocks, "before", {"a": known}.get)

    assert [row.number for row in side.rows] == [1, None]
    assert side.tokens is None
