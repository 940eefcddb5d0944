"""Two turns answered at the same time, one of which is lost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from inspector.analysis.story_overwritten import tell_overwritten
from inspector.model.context import Block, CallContext
from inspector.model.layers import Layer

SHARED = tuple(Block(f"h{n}", "user" if n % 2 else "assistant", Layer.HISTORY, f"said {n}") for n in range(6))
ONE = Block("one", "user", Layer.INPUT, "make it 22")
OTHER = Block("other", "user", Layer.INPUT, "no peanuts")
ANSWER = Block("answer", "assistant", Layer.HISTORY, "done")
CHECK = Block("check", "user", Layer.INPUT, "check it")
LOST = (*SHARED, OTHER, ANSWER, CHECK)
KEPT = (*SHARED, ONE, ANSWER, OTHER, ANSWER, CHECK)


@pytest.fixture
def tell(call_row: Callable[..., Any], told: Callable[..., Any]) -> Callable[..., list[Any]]:
    """What is said of three calls: the second one sent so many seconds after the first, which takes two."""

    def tell_of(after: Sequence[Block], pause: float = 0.9, second: Sequence[Block] | None = None, **more: Any) -> Any:
        prompts = ((*SHARED, ONE), second if second is not None else (*SHARED, OTHER), after)
        contexts = [
            CallContext(n, f"id-{n}", f"id-{n - 1}" if n > 1 else None, "main", tuple(blocks))
            for n, blocks in enumerate(prompts, 1)
        ]
        times = [f"2026-01-01T00:00:{seconds:09.6f}Z" for seconds in (0, pause, 30)]
        rows = [call_row(n, time=at, duration_ms=2_000.0, **({} if n == 3 else more)) for n, at in enumerate(times, 1)]
        return list(tell_overwritten(told(rows, contexts)))

    return tell_of


def test_a_lost_message_is_told(tell: Callable[..., list[Any]]) -> None:
    """With the two calls and the first prompt that lacks it; it points to the call that did not see it."""
    (sentence,) = tell(LOST)

    assert (sentence.severity, sentence.kind, sentence.call) == ("error", "overwritten", 2)
    assert sentence.text == (
        "Calls 1 (t1) and 2 (t2) ran at the same time and one overwrote the other: “make it 22” is in no prompt since "
        "call 3."
    )
    assert sentence.message == len(SHARED) + 1


def test_the_first_may_be_the_one_that_is_kept(tell: Callable[..., list[Any]]) -> None:
    """Whichever is written last."""
    (sentence,) = tell((*SHARED, ONE, ANSWER, CHECK))

    assert "“no peanuts” is in no prompt since call 3" in sentence.text


def test_nothing_is_said_where_both_are_kept(tell: Callable[..., list[Any]]) -> None:
    """The session was merged, or a queue kept the order."""
    assert tell(KEPT) == []


def test_nothing_is_said_where_both_are_gone(tell: Callable[..., list[Any]]) -> None:
    """A compaction took them: that is told elsewhere."""
    assert tell((*SHARED, CHECK)) == []


def test_calls_one_after_the_other_overwrite_nothing(tell: Callable[..., list[Any]]) -> None:
    """The second was sent when the first had its answer: a step taken back, or an edited message."""
    assert tell(LOST, pause=2.0) == []


def test_a_call_that_knows_of_the_other_overwrites_nothing(tell: Callable[..., list[Any]]) -> None:
    """The user went on writing while the answer came."""
    assert tell((*SHARED, OTHER, ANSWER, CHECK), second=(*SHARED, ONE, OTHER)) == []


def test_other_conversations_overwrite_nothing(tell: Callable[..., list[Any]]) -> None:
    """Calls without a lane of their own that have nothing in common."""
    strangers = tuple(Block(f"x{n}", "user", Layer.HISTORY, f"other {n}") for n in range(6))

    assert tell(LOST, second=(*strangers, OTHER)) == []


@pytest.mark.parametrize(
    "more",
    [{"turn_label": "t1"}, {"purpose": "title"}, {"duration_ms": None}],
    ids=["one turn", "side calls", "unknown times"],
)
def test_nothing_is_said_of(call_row: Callable[..., Any], told: Callable[..., Any], more: dict[str, Any]) -> None:
    """Parallel calls of one turn, side calls, calls of which nobody knows how long they took."""
    prompts = ((*SHARED, ONE), (*SHARED, OTHER), LOST)
    contexts = [CallContext(n, f"id-{n}", None, "main", blocks) for n, blocks in enumerate(prompts, 1)]
    times = ("00:00:00", "00:00:01", "00:00:30")
    rows = [
        call_row(n, **{"time": f"2026-01-01T{at}Z", "duration_ms": 2_000.0, **(more if n < 3 else {})})
        for n, at in enumerate(times, 1)
    ]

    assert list(tell_overwritten(told(rows, contexts))) == []
