"""Messages that are gone, in their old place."""

from __future__ import annotations

from collections.abc import Callable

from inspector.analysis.changes import SessionChanges, trace_session
from inspector.analysis.ghosts import FRONT, find_ghosts, find_still_said
from inspector.model.context import Block, CallContext
from inspector.model.fates import Fate
from inspector.model.layers import Layer

Make = Callable[..., Block]
Calls = Callable[..., list[CallContext]]


def places(changes: SessionChanges, call: int) -> list[tuple[str, int]]:
    """Text of each ghost and the place it stands after."""
    return [(ghost.block.text, ghost.after) for ghost in find_ghosts(changes, call)]


def test_a_ghost_stands_after_its_last_kept_neighbour(block: Make, calls: Calls) -> None:
    """Where it stood, whatever came since."""
    a, b, c, d = (block(text) for text in ("alpha", "beta", "gamma", "delta"))
    changes = trace_session(calls([a, b, c], [a, c], [a, c, d]))

    assert places(changes, 2) == [("beta", 0)]
    assert places(changes, 3) == [("beta", 0)]


def test_nothing_is_gone_before_it_goes(block: Make, calls: Calls) -> None:
    """A later loss is no ghost of an earlier call."""
    a, b = block("alpha"), block("beta")
    changes = trace_session(calls([a, b], [a, b], [a]))

    assert places(changes, 2) == []


def test_what_stood_first_is_before_all(block: Make, calls: Calls) -> None:
    """There is no neighbour left to stand after."""
    a, b = block("alpha"), block("beta")
    changes = trace_session(calls([a, b], [b]))

    assert places(changes, 2) == [("alpha", FRONT)]


def test_losses_of_many_calls_keep_their_order(block: Make, calls: Calls) -> None:
    """A window that slides: the one lost first stood first."""
    first, *rest = (block(text) for text in ("alpha", "beta", "gamma", "delta", "epsilon"))
    changes = trace_session(calls([first, *rest], [first, *rest[1:]], [first, *rest[2:]], [first, *rest[3:]]))

    assert places(changes, 4) == [("beta", 0), ("gamma", 0), ("delta", 0)]


def test_a_ghost_goes_where_the_ghost_before_it_goes(block: Make, calls: Calls) -> None:
    """Its neighbour is lost later; both stand in their old order."""
    a, b, c, d = (block(text) for text in ("alpha", "beta", "gamma", "delta"))
    changes = trace_session(calls([a, b, c, d], [a, b, d], [a, d]))

    assert places(changes, 3) == [("beta", 0), ("gamma", 0)]


def test_what_returns_is_no_ghost(block: Make, calls: Calls) -> None:
    """It stands there again."""
    a, b, c = (block(text) for text in ("alpha", "beta", "gamma"))
    changes = trace_session(calls([a, b, c], [a, c], [a, b, c]))

    assert places(changes, 3) == []


def test_a_ghost_is_what_it_was_last(block: Make, calls: Calls) -> None:
    """An edit before the loss is in its text; who took it is known."""
    old = block("the state: choosing a slot on Saturday morning")
    new = block("the state: choosing a slot on Sunday morning")
    a = block("alpha")
    summary = block("[summary] slot on Sunday", layer=Layer.SUMMARY, is_summary=True)
    changes = trace_session(calls([a, old], [a, new], [a, summary]))
    [ghost] = find_ghosts(changes, 3)

    assert ghost.block.text == new.text
    assert (ghost.last_call, ghost.place) == (2, 1)
    assert (ghost.gone.fate, ghost.gone.other) == (Fate.SUMMARISED, changes.life.numbers[3][1])


def test_a_side_call_has_no_ghosts(block: Make, calls: Calls) -> None:
    """It continues no call, so nothing is gone from it."""
    a, b, side = block("alpha"), block("beta"), block("judge this")
    main = calls([a, b], [a, b])
    other = CallContext(3, "id-3", None, "judge", (side,))
    changes = trace_session([*main, other])

    assert places(changes, 3) == []


def test_a_sentence_is_found_word_for_word(block: Make) -> None:
    """In which messages, and what is nowhere."""
    said = find_still_said("Answer in Chinese. Order ORD-1 it is.", [block("x"), block("note: Order ORD-1 it is. Yes")])

    assert said.found == {1: ("Order ORD-1 it is.",)}
    assert said.missing == ("Answer in Chinese.",)


def test_chinese_sentences_end_without_a_space(block: Make) -> None:
    """So half of a message can be found."""
    said = find_still_said("以后请只用中文回答。订单号是 ORD-1。", [block("摘要：订单号是 ORD-1。")])

    assert said.missing == ("以后请只用中文回答。",)


def test_a_text_without_sentences_is_looked_for_as_a_whole(block: Make) -> None:
    """``OK`` is short and still something."""
    assert find_still_said("OK", [block("OK then")]).found == {0: ("OK",)}
    assert find_still_said("  ", [block("a")]).sentences == ()
