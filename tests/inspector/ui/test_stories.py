"""Stories are told once, in the background, and again only when their session changed."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest

from inspector.model.context import CallContext, CompactedContexts
from inspector.model.views import CallRow, CompactionRow, LineErrorRow, PinRow, SessionRow
from inspector.model.watches import Watch, make_watch
from inspector.ui.stories import Stories

MakeSession = Callable[..., SessionRow]
MakeCall = Callable[..., CallRow]

LONG = 20.0
"""Seconds; a story that is told at once never waits as long."""


class Answers:
    """An index of sessions whose third call failed where the name says so; it counts who asked for what."""

    def __init__(self, make_call: MakeCall) -> None:
        self.make_call = make_call
        self.asked: Counter[str] = Counter()
        self.watched: dict[str, tuple[Watch, ...]] = {}
        self.gate = threading.Event()
        self.gate.set()

    def calls(self, session: str) -> tuple[CallRow, ...]:
        """Three calls; waits while the gate is closed."""
        self.gate.wait(LONG)
        self.asked[session] += 1
        status = "failed" if session.startswith("bad") else "answered"
        return tuple(self.make_call(number, status=status if number == 3 else "answered") for number in (1, 2, 3))

    def compactions(self, session: str) -> tuple[CompactionRow, ...]:
        """None."""
        return ()

    def pins(self, session: str) -> tuple[PinRow, ...]:
        """None."""
        return ()

    def watches(self, session: str) -> tuple[Watch, ...]:
        """Those the test set."""
        return self.watched.get(session, ())

    def contexts(self, session: str) -> tuple[CallContext, ...]:
        """No messages: only what the calls themselves say is told."""
        return ()

    def compacted(self, session: str, contexts: object = None) -> tuple[CompactedContexts, ...]:
        """None."""
        return ()

    def answers(self, session: str) -> dict[int, str]:
        """None."""
        return {}

    def line_errors(self) -> tuple[LineErrorRow, ...]:
        """Never asked: the caller has them."""
        raise AssertionError


@pytest.fixture
def index(make_call: MakeCall) -> Answers:
    """The index."""
    return Answers(make_call)


def test_the_worst_come_first_with_their_stories(index: Answers, make_session: MakeSession) -> None:
    """A session with an error stands above a newer healthy one."""
    rows = [make_session("good", ended="2026-11-29T00:00:00Z"), make_session("bad")]
    stories = Stories(index)

    told = stories.told(rows, (), LONG)

    assert [(row.session, row.first_error) for row in told] == [("bad", 3), ("good", None)]
    assert stories.untold == frozenset()


def test_a_story_is_told_again_only_when_its_session_changed(index: Answers, make_session: MakeSession) -> None:
    """One more call in one of a thousand sessions costs one story."""
    rows = [make_session("bad"), make_session("good")]
    stories = Stories(index)
    stories.told(rows, (), LONG)

    stories.told([rows[0], replace(rows[1], calls=4)], (), LONG)

    assert index.asked == {"bad": 1, "good": 2}


def test_a_new_watch_tells_the_story_again(index: Answers, make_session: MakeSession) -> None:
    """Of its session only; it counts as a pin of it."""
    rows = [make_session("bad"), make_session("good")]
    stories = Stories(index)
    stories.told(rows, (), LONG)

    index.watched["good"] = (make_watch({"text": "只用中文"}),)
    told = stories.told(rows, (), LONG)

    assert index.asked == {"bad": 1, "good": 2}
    assert {row.session: row.pins for row in told} == {"bad": 0, "good": 1}


def test_new_damaged_lines_make_all_stories_new(index: Answers, make_session: MakeSession) -> None:
    """They are part of what is told."""
    stories = Stories(index)
    stories.told([make_session("good")], (), LONG)

    stories.told([make_session("good")], (LineErrorRow("a/b.jsonl", 1, 0, "torn", 0),), LONG)

    assert index.asked == {"good": 2}


def test_a_page_does_not_wait_for_all_stories(index: Answers, make_session: MakeSession) -> None:
    """What is not told yet is named, and the revision grows when it is."""
    index.gate.clear()
    stories = Stories(index)

    (row,) = stories.told([make_session("bad")], (), 0.01)
    assert (row.story, stories.untold, stories.revision) == ((), frozenset({"bad"}), 0)
    index.gate.set()
    (row,) = stories.told([make_session("bad")], (), LONG)

    assert (row.first_error, stories.untold, stories.revision) == (3, frozenset(), 1)


def test_one_session_is_told_at_once(index: Answers, make_session: MakeSession) -> None:
    """Whoever opens a session does not wait for the others."""
    stories = Stories(index)

    assert stories.tell(make_session("bad"), ()).first_error == 3
    assert stories.tell(make_session("bad"), ()).first_error == 3
    assert index.asked == {"bad": 1}
