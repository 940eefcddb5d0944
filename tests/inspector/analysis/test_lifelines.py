"""The life of every message of a session."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from inspector.analysis.lifelines import SessionLife, trace_lifelines
from inspector.analysis.summaries import TakenBy
from inspector.model.context import Block, CallContext
from inspector.model.fates import Fate

Make = Callable[..., Block]
Calls = Callable[..., list[CallContext]]


def events(life: SessionLife, number: int) -> list[tuple[int, Fate]]:
    """What happened to a message, and when."""
    return [(event.call, event.fate) for event in life.lifelines[number - 1].events]


def test_a_message_keeps_its_number(block: Make, calls: Calls) -> None:
    """Whatever place it stands in."""
    a, b, c = block("a"), block("b"), block("c")
    life = trace_lifelines(calls([a, b], [b, c], [c, b]))

    assert life.numbers == {1: (1, 2), 2: (2, 3), 3: (3, 2)}


def test_an_edited_message_keeps_its_number(block: Make, calls: Calls) -> None:
    """And its life tells of it."""
    old = block("the task state: choosing a slot on Saturday morning")
    new = block("the task state: choosing a slot on Sunday morning")
    life = trace_lifelines(calls([old], [new]))

    assert life.numbers[2] == (1,)
    assert events(life, 1) == [(1, Fate.ADDED), (2, Fate.EDITED)]
    assert life.lifelines[0].text == new.text


def test_three_equal_messages_are_three_lives(block: Make, calls: Calls) -> None:
    """In their order."""
    ok = block("ok")
    life = trace_lifelines(calls([ok, ok], [ok, ok, ok]))

    assert life.numbers == {1: (1, 2), 2: (1, 2, 3)}


def test_what_returns_is_the_same_message(block: Make, calls: Calls) -> None:
    """Its bar has a gap."""
    a, b = block("first words"), block("b")
    life = trace_lifelines(calls([a, b], [b], [a, b]))

    assert life.numbers[3] == (1, 2)
    assert life.lifelines[0].runs == ((1, 1), (3, 3))
    assert events(life, 1) == [(1, Fate.ADDED), (2, Fate.EVICTED), (3, Fate.RETURNED)]


def test_gone_since_is_the_call_that_lacks_it(block: Make, calls: Calls) -> None:
    """None for what stands there to the end."""
    life = trace_lifelines(calls([block("a"), block("b")], [block("b")]))

    assert [line.gone_since for line in life.lifelines] == [2, None]


def test_a_side_call_evicts_nothing(block: Make, calls: Calls) -> None:
    """Each call is compared with the one it continues."""
    a, b = block("a"), block("b")
    first, second = calls([a], [a, b])
    side = CallContext(2, "side", None, "summary", (block("summarise"),))
    life = trace_lifelines([first, side, replace(second, call=3)])

    assert life.lifelines[0].gone_since is None
    assert life.lifelines[0].runs == ((1, 3),)
    assert life.previous == {3: 1}


def test_a_summary_is_named_by_what_it_took(block: Make, calls: Calls) -> None:
    """Recorded, if the agent said so."""
    a, b, summary = block("a"), block("b"), block("both", is_summary=True)
    contexts = calls([a, b], [summary])
    taken = {0: TakenBy(0, "certain", "said", None), 1: TakenBy(0, "certain", "said", None)}

    guessed, said = trace_lifelines(contexts), trace_lifelines(contexts, {2: taken})

    assert [line.events[-1].other for line in guessed.lifelines[:2]] == [3, 3]
    assert [life.lifelines[0].events[-1].said_by for life in (guessed, said)] == ["inferred", "recorded"]


def test_a_call_that_continues_an_unknown_one_begins_anew(block: Make, calls: Calls) -> None:
    """Its messages are added, nothing is gone."""
    first, second = calls([block("a")], [block("b")])
    life = trace_lifelines([first, replace(second, previous="elsewhere")])

    assert life.alignments == {}
    assert [line.events[0].evidence for line in life.lifelines] == ["first call of this line of thought"] * 2
