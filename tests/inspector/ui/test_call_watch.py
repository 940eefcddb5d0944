"""Which text is meant when a watch is set on the Call page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inspector.analysis.changes import SessionChanges
from inspector.index.watchlist import Watchlist
from inspector.model.request import Part
from inspector.model.views import CallView
from inspector.ui.call_docs import Asked, document
from inspector.ui.call_effective import Reading
from inspector.ui.call_fates import read_fates
from inspector.ui.call_payload import LAYER_NAMES
from inspector.ui.call_text import CallTexts
from inspector.ui.call_watch import LONGEST_TEXT, change_watch

MakeView = Callable[..., CallView]
MakeChanges = Callable[..., SessionChanges]
RULE = "😀 以后请只用中文回答，不要用英文。"


@pytest.fixture
def watchlist(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Watchlist:
    """Of an empty directory."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "traces").mkdir()
    return Watchlist(tmp_path / "traces")


def look(make_view: MakeView, changes: SessionChanges, call: int) -> Asked:
    """A call as the page has it."""
    context = changes.contexts[call - 1]
    numbers = changes.life.numbers[call]
    view = make_view(
        *[(block.role, (Part("text", block.text),)) for block in context.blocks],
        rows={at: {"number": number} for at, number in enumerate(numbers)},
        number=call,
    )
    reading = Reading(view, read_fates(changes, view))
    return Asked(CallTexts(view, lambda: b""), changes, reading, lambda _: None, lambda _: None)


def units(text: str) -> int:
    """Length as the browser counts it."""
    return len(text.encode("utf-16-le")) // 2


def test_a_passage_is_cut_from_the_record(watchlist: Watchlist, make_view: MakeView, make_changes: MakeChanges) -> None:
    """Counted in the browser's units, whatever was on the screen."""
    asked = look(make_view, make_changes([RULE]), 1)
    start = units("😀 以后请")
    want = {"doc": "p1", "section": "p1.0", "start": start, "end": start + units("只用中文回答")}
    note = change_watch(watchlist, "order", asked, want)
    [watch] = watchlist.of("order")
    assert (watch.target, watch.session, watch.lane) == ({"text": "只用中文回答"}, "order", None)
    assert "Watching “只用中文回答”" in note["text"]
    assert note["undo"] == watch.id


def test_a_message_is_watched_whole(watchlist: Watchlist, make_view: MakeView, make_changes: MakeChanges) -> None:
    """A long one by its content, so that the file stays readable."""
    asked = look(make_view, make_changes(["short", "x" * (LONGEST_TEXT + 1)]), 1)
    change_watch(watchlist, "order", asked, {"doc": "p1"})
    change_watch(watchlist, "order", asked, {"doc": "p2"})
    first, second = watchlist.of("order")
    assert first.target == {"text": "short"}
    assert second.target == {"message": asked.blocks[1].content}


def test_a_gone_message_can_be_watched(watchlist: Watchlist, make_view: MakeView, make_changes: MakeChanges) -> None:
    """That is the one that hurt."""
    asked = look(make_view, make_changes(["alpha", RULE], ["alpha"]), 2)
    document(asked, "g2", LAYER_NAMES)
    want = {"doc": "g2", "section": "g2.0", "start": units("😀 "), "end": units("😀 以后请")}
    change_watch(watchlist, "order", asked, want)
    assert watchlist.of("order")[0].target == {"text": "以后请"}


def test_another_lane_is_named(watchlist: Watchlist, make_view: MakeView, make_changes: MakeChanges) -> None:
    """It would not count for the main one."""
    changes = make_changes(["alpha"], ["judge this"], lanes=["main", "judge"])
    change_watch(watchlist, "order", look(make_view, changes, 2), {"doc": "p1"})
    assert watchlist.of("order")[0].lane == "judge"


@pytest.mark.parametrize(
    ("want", "said"),
    [
        ({"doc": "a"}, "an answer is in no prompt yet"),
        ({"doc": "p9"}, "Choose a message"),
        ({"doc": "p2"}, "no text"),
        ({"doc": "p1", "section": "p1.0", "start": 1, "end": 1}, "holds no text"),
        ({"doc": "p1", "section": "p2.0", "start": 0, "end": 0}, "holds no text"),
    ],
)
def test_what_cannot_be_watched_says_why(
    watchlist: Watchlist, make_view: MakeView, make_changes: MakeChanges, want: dict[str, Any], said: str
) -> None:
    """Nothing is written."""
    note = change_watch(watchlist, "order", look(make_view, make_changes(["alpha", " "]), 1), want)
    assert note["tone"] == "error"
    assert said in note["text"]
    assert watchlist.of("order") == ()


def test_a_watch_is_set_once_and_removed(watchlist: Watchlist, make_view: MakeView, make_changes: MakeChanges) -> None:
    """Each says what it did."""
    asked = look(make_view, make_changes(["alpha"]), 1)
    undo = change_watch(watchlist, "order", asked, {"doc": "p1"})["undo"]
    assert change_watch(watchlist, "order", asked, {"doc": "p1"})["text"].startswith("Watched already")
    assert change_watch(watchlist, "order", asked, {"remove": undo})["text"] == "No longer watched."
    assert watchlist.of("order") == ()


def test_a_broken_file_is_said(watchlist: Watchlist, make_view: MakeView, make_changes: MakeChanges) -> None:
    """With file and reason; the page goes on."""
    watchlist.file.write_text("[[", "utf-8")
    note = change_watch(watchlist, "order", look(make_view, make_changes(["alpha"]), 1), {"doc": "p1"})
    assert note["tone"] == "error"
    assert "no valid TOML" in note["text"]
