"""What the ledger over a comparison says: whose words, where they stand now, and which rows they are."""

from __future__ import annotations

from typing import Any

import pytest

from inspector.analysis.alignment import align
from inspector.analysis.ledger_entries import EntryState, Ledger, LedgerEntry, Passage
from inspector.index.watchlist import Watchlist
from inspector.model.layers import Layer
from inspector.ui.compare_ledger import ledger_of_comparison, watch_line
from inspector.ui.compare_model import Comparison
from inspector.ui.compare_sides import Side, SideRow


def row(text: str, number: int, layer: Layer = Layer.HISTORY, role: str = "user") -> SideRow:
    """A message of a side."""
    return SideRow(layer, role, text, 10, text, number, born=1)


BEFORE = Side("s", (row("system", 1, Layer.SYSTEM, "system"), row("Order ORD-1", 2), row("Budget 8,000", 3)))
AFTER = Side(
    "s", (row("system", 1, Layer.SYSTEM, "system"), row("a summary", 9, Layer.SUMMARY), row("state", 4, Layer.STATE))
)


def entry(state: EntryState, *, stands: tuple[int, ...] = (), instead: Passage | None = None) -> LedgerEntry:
    """An entry of the second message."""
    source = Passage(1, 0, 5, "ORD-1")
    return LedgerEntry(state, "id", "ORD-1", source, 1, "user", 3.0, ("pinned",), stands, 1 in stands, instead, "why")


def line(one: LedgerEntry, **more: Any) -> dict[str, Any]:
    """The line of an entry."""
    ledger = Ledger((one,), summary=1, **more)
    shown = Comparison(BEFORE, AFTER, align((), ()), ledger=ledger)
    payload = ledger_of_comparison(shown, lambda _: "turn 2")
    assert payload is not None
    return dict(payload["lines"][0])


@pytest.mark.parametrize(
    ("one", "where"),
    [
        (entry("dropped"), "not in the summary, nowhere else"),
        (entry("kept", stands=(1,)), "in the summary"),
        (entry("kept", stands=(2,)), "in state m4, not in the summary"),
        (entry("restated", stands=(1,)), "in other words, in the summary"),
        (entry("opaque"), "cannot be known: what took it cannot be read"),
        (entry("distorted", instead=Passage(1, 0, 1, "a")), "in the summary, why: “a”"),
        (entry("conflicting", stands=(1,), instead=Passage(2, 0, 1, "b")), "also in state m4, why: “b”"),
        (entry("invented", stands=(1,)), "no message has it"),
    ],
)
def test_a_line_says_where_it_stands_now(one: LedgerEntry, where: str) -> None:
    """The whole call after, not the summary alone."""
    assert line(one)["where"] == where


def test_a_line_says_whose_words_it_quotes() -> None:
    """Role and turn; of what the compaction wrote, the message."""
    assert line(entry("dropped"))["who"] == "user, turn 2"
    assert line(entry("invented", stands=(1,)))["who"] == "summary m9"


def test_an_invention_has_no_source_to_go_to() -> None:
    """A click goes to where it stands, and it cannot be watched."""
    shown = line(entry("invented", stands=(1,)))

    assert (shown["i"], shown["j"], shown["watch"]) == (None, 1, False)


def test_rows_are_found_by_number() -> None:
    """A place of a context is the row of its message, wherever a side shows it; none where it does not."""
    ledger = Ledger((entry("kept", stands=(1,)),), summary=1)
    shown = Comparison(BEFORE, AFTER, align((), ()), ledger=ledger, ledger_numbers=((1, 3, 2), (4, 9, 77)))
    payload = ledger_of_comparison(shown, lambda _: None)
    assert payload is not None

    assert (payload["lines"][0]["i"], payload["lines"][0]["j"]) == (2, 1)


def test_an_opaque_compaction_says_what_can_be_asked() -> None:
    """In words, with the figures."""
    shown = Comparison(BEFORE, AFTER, align((), ()), ledger=Ledger((entry("opaque"),), summary=1, opaque=True))
    payload = ledger_of_comparison(shown, lambda _: None)
    assert payload is not None

    assert payload["opaque"].endswith("(0); 1 other can only be asked: Probes.")


def test_what_is_left_out_is_counted() -> None:
    """Slight values, entries beyond the most, messages not read."""
    ledger = Ledger((), slight=2, unlisted=3, unread=1)
    payload = ledger_of_comparison(Comparison(BEFORE, AFTER, align((), ()), ledger=ledger), lambda _: None)
    assert payload is not None

    assert payload["left"] == ["2 slight values not listed", "3 more not judged", "1 long message not read to the end"]


def test_no_compaction_has_no_ledger() -> None:
    """Two calls are compared without one."""
    assert ledger_of_comparison(Comparison(BEFORE, AFTER, align((), ())), lambda _: None) is None


def test_a_line_can_be_watched(tmp_path: Any) -> None:
    """It is written beside the traces, and can be taken back."""
    watchlist = Watchlist(tmp_path)
    said = watch_line(watchlist, "s", None, {"text": "Never call me."})

    assert said["tone"] == "good"
    assert "Never call me." in (tmp_path / "inspector.toml").read_text("utf-8")
    assert watch_line(watchlist, "s", None, {"remove": said["undo"]})["text"] == "No longer watched."
