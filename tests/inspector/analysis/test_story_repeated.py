"""Tool calls made again for a result that was cut or taken out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from inspector.analysis.lifelines import trace_lifelines
from inspector.analysis.story_repeated import Repeated, find_repeated, tell_repeated_calls, tool_calls
from inspector.model.context import Block, CallContext
from inspector.model.layers import Layer

FILE = "timeout_ms: 4500, " * 40
OTHER = "deadline_ms: 2600, " * 40
CUT = FILE[:100] + "[… truncated]"


def asks(identity: str, text: str = 'read({"path": "a"})') -> Block:
    """An answer that calls a tool."""
    return Block(f"assistant:{text}", "assistant", Layer.TOOL_CALLS, text, (f"call:{identity}",), 10)


def gives(identity: str, text: str) -> Block:
    """A result."""
    return Block(f"tool:{text}", "tool", Layer.TOOL_RESULTS, text, (f"result:{identity}",), 100)


USER = Block("user:compare", "user", Layer.INPUT, "compare the two", (), 3)
ASKED_OTHER = asks("2", 'read({"path": "b"})')
FIRST = (USER, asks("1"), gives("1", FILE))


def session(*prompts: Sequence[Block], purpose: str | None = None) -> list[CallContext]:
    """Calls of one lane, each continuing the one before."""
    return [
        CallContext(n, f"id-{n}", f"id-{n - 1}" if n > 1 else None, "main", tuple(blocks), purpose)
        for n, blocks in enumerate(prompts, 1)
    ]


def repeated(contexts: Sequence[CallContext]) -> tuple[Repeated, ...]:
    """What is found."""
    life = trace_lifelines(contexts)
    return find_repeated(contexts, life.numbers, life.previous)


def again(result: str, left: Sequence[Block]) -> list[CallContext]:
    """Read a, then b; with ``left`` of that in the prompt read a again, which gives ``result``."""
    return session(
        (USER,), FIRST, (*left, ASKED_OTHER, gives("2", OTHER)),
        (*left, ASKED_OTHER, gives("2", OTHER), asks("3"), gives("3", result)),
    )  # fmt: skip


def test_a_call_for_what_was_cut_is_found() -> None:
    """At the call whose prompt had the cut result, with what was left of it."""
    cut = (USER, asks("1"), gives("1", CUT))

    assert repeated(again(FILE, cut)) == (Repeated(3, 'read({"path": "a"})', 3, len(FILE), len(CUT), 2),)


def test_a_call_for_what_was_taken_out_is_found() -> None:
    """Nothing was left."""
    assert [(one.call, one.left) for one in repeated(again(FILE, (USER,)))] == [(3, 0)]


@pytest.mark.parametrize(
    ("result", "left"),
    [
        pytest.param(FILE, FIRST, id="the result is still there, whole"),
        pytest.param(FILE + "changed", (USER, asks("1"), gives("1", CUT)), id="another result: things move"),
    ],
)
def test_other_calls_are_no_fault(result: str, left: Sequence[Block]) -> None:
    """Nothing was lost, or there was something new to learn."""
    assert repeated(again(result, left)) == ()


def test_one_whole_copy_is_enough() -> None:
    """The second time it was read it was cut, the first result still stands there."""
    twice = (*FIRST, ASKED_OTHER, gives("2", OTHER), asks("3"), gives("3", FILE))
    cut = (*twice[:-1], gives("3", CUT))
    contexts = session((USER,), FIRST, twice[:5], twice, cut, (*cut, asks("4"), gives("4", FILE)))

    assert repeated(contexts) == ()


def test_other_arguments_are_another_call() -> None:
    """The second file is read for the first time."""
    cut = (USER, asks("1"), gives("1", CUT))

    assert repeated(session((USER,), FIRST, (*cut, ASKED_OTHER, gives("2", FILE)))) == ()


def test_short_results_are_not_worth_a_sentence() -> None:
    """A status that is asked for again."""
    short = "x" * 199
    had = (USER, asks("1"), gives("1", short))
    later = (USER, asks("2"), gives("2", short))

    assert repeated(session((USER,), had, (USER,), later)) == ()


def test_side_calls_repeat_nothing() -> None:
    """A summariser's prompt holds calls it did not make."""
    cut = (USER, asks("1"), gives("1", CUT))
    contexts = session(FIRST, cut, (*cut, asks("3"), gives("3", FILE)), purpose="summary")

    assert repeated(contexts) == ()


def test_calls_of_one_message_are_told_apart() -> None:
    """By the beginnings of lines; text before them belongs to none."""
    text = 'Reading (both).\nread({"path": "a"})\nread({\n "path": "b"\n})'
    block = Block("c", "assistant", Layer.TOOL_CALLS, text, ("call:1", "call:2"))

    assert tool_calls(block) == [("1", 'read({"path": "a"})'), ("2", 'read({\n "path": "b"\n})')]


def test_calls_that_cannot_be_told_apart_are_left_out() -> None:
    """Fewer beginnings than ids, or something behind the last one."""
    keys = ("call:1", "call:2")

    assert tool_calls(Block("c", "assistant", Layer.TOOL_CALLS, 'read({"path": "a"})', keys)) == []
    assert tool_calls(Block("c", "assistant", Layer.TOOL_CALLS, "a(1)\nb(2) and so on", keys)) == []


def test_the_sentence(call_row: Callable[..., Any], told: Callable[..., Any]) -> None:
    """A warning for one repeated call; an error from the third time on."""
    cut = (USER, asks("1"), gives("1", CUT))
    other = (ASKED_OTHER, gives("2", OTHER))
    contexts = again(FILE, cut)
    rows = [call_row(n) for n in range(1, 8)]
    (sentence,) = tell_repeated_calls(told(rows, contexts))

    assert (sentence.severity, sentence.call, sentence.message) == ("warning", 3, 3)
    assert sentence.text == (
        'read({"path": "a"}) was called again for the same result: m3 had been cut from 720 to 113 characters.'
    )

    loop = [*contexts[-1].blocks[:-1], gives("3", CUT), *(b for b in other)]
    third = session(*(c.blocks for c in contexts), loop, [*loop, asks("4"), gives("4", FILE)])
    (sentence,) = tell_repeated_calls(told(rows, third))

    assert sentence.severity == "error"
    assert sentence.text.endswith("(and 1 more). The same call was made 3 times.")


def test_one_result_read_once_more_after_a_compaction_is_not_told(
    call_row: Callable[..., Any], told: Callable[..., Any]
) -> None:
    """An agent that takes results out reckons with that."""
    rows = [call_row(n) for n in range(1, 5)]

    assert list(tell_repeated_calls(told(rows, again(FILE, (USER,))))) == []
