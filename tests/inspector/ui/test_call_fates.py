"""The column "what happened", and which messages that are gone are shown how."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from inspector.analysis.changes import SessionChanges
from inspector.model.request import Part
from inspector.model.views import CallView, CompactionRow, PinRow
from inspector.model.watches import make_watch
from inspector.ui.call_fates import MANY_OLDER, CallFates, fates_payload, read_fates

MakeView = Callable[..., CallView]
MakeChanges = Callable[..., SessionChanges]


def fates_of(make_view: MakeView, changes: SessionChanges, call: int) -> CallFates:
    """What happened at a call whose messages are those of its context."""
    context = changes.contexts[call - 1]
    numbers = changes.life.numbers[call]
    view = make_view(
        *[(block.role, (Part("text", block.text),)) for block in context.blocks],
        rows={at: {"number": number} for at, number in enumerate(numbers)},
        number=call,
    )
    return read_fates(changes, view)


def words(fates: CallFates) -> dict[int, str]:
    """Place → symbol and words."""
    return {place: f"{what.symbol} {what.words}" for place, what in fates.rows.items()}


def gone(fates: CallFates) -> list[str]:
    """Symbol and words of each ghost."""
    return [f"m{one.ghost.number} {one.happened.symbol} {one.happened.words}" for one in fates.ghosts]


def recorded(call: int, strategy: str = "trim") -> CompactionRow:
    """A recorded compaction before a call."""
    return CompactionRow(
        f"c{call}", "done", strategy, None, None, "main", "", None, None, None, None, None, None, None, call
    )


OLD = "the state: choosing a slot on Saturday morning, by SMS"
NEW = "the state: choosing a slot on Sunday morning, by SMS"


def test_each_fate_has_its_word(make_view: MakeView, make_changes: MakeChanges) -> None:
    """What stayed the same has none."""
    changes = make_changes(["alpha", OLD, "beta"], ["alpha", NEW], ["alpha", "beta", NEW, "gamma"])
    assert words(fates_of(make_view, changes, 2)) == {1: "≈ edited"}
    assert words(fates_of(make_view, changes, 3)) == {1: "↺ returned", 3: "+ new"}


def test_a_first_call_has_no_marks(make_view: MakeView, make_changes: MakeChanges) -> None:
    """All of it is new: a mark on every row would say nothing."""
    assert words(fates_of(make_view, make_changes(["alpha", "beta"]), 1)) == {}


def test_a_message_in_a_summary_names_it(make_view: MakeView, make_changes: MakeChanges) -> None:
    """By its number in the session."""
    taken = [f"order {n} of the delivery was checked and confirmed" for n in range(4)]
    summary = "[summary] order 0 1 2 3 of the delivery was checked and confirmed"
    changes = make_changes(["alpha", *taken], ["alpha", summary])
    assert gone(fates_of(make_view, changes, 2)) == [f"m{n} Σ taken by m6" for n in range(2, 6)]


def test_a_lost_pin_never_folds(make_view: MakeView, make_changes: MakeChanges) -> None:
    """It says so in its place, as a watch does."""
    rest = [f"message {n}" for n in range(10)]
    pin = PinRow("p", "Answer in Chinese", None, None, 1, None, ())
    watch = make_watch({"text": "message 4"})
    changes = make_changes(["a", "Answer in Chinese.", *rest], ["a"], pin_rows=[pin], watches=[watch])
    fates = fates_of(make_view, changes, 2)
    stays = {one.ghost.number: one.happened.words for one in fates.ghosts if one.stays}
    assert stays == {2: "pinned, gone", 7: "watched, gone"}
    assert {one.happened.kind for one in fates.ghosts if one.stays} == {"lost"}


def test_a_pin_that_another_message_holds_is_not_lost(make_view: MakeView, make_changes: MakeChanges) -> None:
    """The message is gone, its text is not; it still never folds."""
    pin = PinRow("p", "Answer in Chinese", None, None, 1, None, ())
    memory = "memory: Answer in Chinese"
    changes = make_changes(["Answer in Chinese.", memory], [memory], pin_rows=[pin])
    fates = fates_of(make_view, changes, 2)
    assert gone(fates) == ["m1 ✕ taken out"]
    assert [one.stays for one in fates.ghosts] == [True]
    assert fates.pinned == {0}


def test_an_earlier_loss_names_its_call(make_view: MakeView, make_changes: MakeChanges) -> None:
    """At its own call it needs no number."""
    changes = make_changes(["alpha", "beta"], ["alpha"], ["alpha", "gamma"])
    assert gone(fates_of(make_view, changes, 2)) == ["m2 ✕ taken out"]
    assert gone(fates_of(make_view, changes, 3)) == ["m2 ✕ taken out at 2"]


def slide(make_changes: MakeChanges, lost: int, pins: Sequence[PinRow] = ()) -> SessionChanges:
    """Many messages are lost before call 2, one more before call 3."""
    many = [f"message number {n}" for n in range(lost)]
    rows = [recorded(2), recorded(3)]
    return make_changes(["alpha", *many, "last"], ["alpha", "last"], ["alpha"], compaction_rows=rows, pin_rows=pins)


def test_few_old_losses_are_all_there(make_view: MakeView, make_changes: MakeChanges) -> None:
    """A line to open would only be in the way."""
    fates = fates_of(make_view, slide(make_changes, MANY_OLDER), 3)
    assert (fates.folds_older, fates_payload(fates)["ghosts"]["older"]) == (False, [])


def test_many_old_losses_stand_behind_a_line(make_view: MakeView, make_changes: MakeChanges) -> None:
    """But for the pinned one; what the last compaction took is shown."""
    pin = PinRow("p", "message number 5", None, None, 1, None, ())
    fates = fates_of(make_view, slide(make_changes, MANY_OLDER + 2, [pin]), 3)
    payload = fates_payload(fates)["ghosts"]
    shown = [number for at, number in enumerate(payload["number"]) if at not in payload["older"]]
    assert len(payload["older"]) == MANY_OLDER + 1
    assert shown == [7, MANY_OLDER + 4]


def test_two_summaries_of_one_conversation_are_rivals(make_view: MakeView, make_changes: MakeChanges) -> None:
    """Both say so, at the call where the second came and as long as both stand there."""
    said = "the movers come on Tuesday with two vans, and quote Q-771 of Bristol Cold stands at"
    first, second = f"[summary] {said} 15,420.00", f"[summary] {said} 14,860.00"
    changes = make_changes([first, "b"], [first, second, "b"], [first, second, "b", "c"], [second, "b", "c", "d"])

    for call in (2, 3):
        shown = words(fates_of(make_view, changes, call))
        assert (shown[0], shown[1]) == ("⇄ rival of m3", "⇄ rival of m1")
    assert "only m1 says 15,420.00" in fates_of(make_view, changes, 3).rows[0].title
    assert not any("rival" in said for call in (1, 4) for said in words(fates_of(make_view, changes, call)).values())


def test_a_summary_in_the_stead_of_another_is_no_rival(make_view: MakeView, make_changes: MakeChanges) -> None:
    """The older one is gone."""
    said = "the movers come on Tuesday with two vans, and quote Q-771 of Bristol Cold stands"
    changes = make_changes([f"[summary] {said}", "b"], [f"[summary] {said} firm", "b", "c"])

    assert not any("rival" in said for said in words(fates_of(make_view, changes, 2)).values())
