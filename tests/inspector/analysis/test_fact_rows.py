"""The table of what happened to a fact."""

from __future__ import annotations

from collections.abc import Callable

from inspector.analysis.changes import SessionChanges, trace_session
from inspector.analysis.fact_asking import follow, make_fact
from inspector.analysis.fact_rows import CARRIER_ROWS, FactRow, fact_rows
from inspector.model.context import Block, CallContext

MakeBlock = Callable[..., Block]
MakeCalls = Callable[..., list[CallContext]]


def rows_of(text: str, changes: SessionChanges, answers: dict[int, str] | None = None) -> tuple[FactRow, ...]:
    """Follow a text in the main lane."""
    return fact_rows(follow(make_fact(text, contexts=changes.contexts), changes, answers or {}), changes, "main")


def test_a_row_marks_the_fact_in_the_text_around_it(block: MakeBlock, calls: MakeCalls) -> None:
    """With its place and its distance from the end of the prompt."""
    given = block("订单号是 ORD-1001，谢谢。", tokens=9)
    [row] = rows_of("ORD-1001", trace_session(calls([block("hello", tokens=1), given, block("ok", tokens=2)])))

    assert (row.where, row.how, row.depth) == ("m2 user, place 2", "verbatim", 11)
    assert (row.passage.before, row.passage.hit, row.passage.after) == ("订单号是 ", "ORD-1001", "，谢谢。")


def test_a_loss_has_the_call_before_it_and_its_own(block: MakeBlock, calls: MakeCalls) -> None:
    """The last that had it, the first that lacks it, and why."""
    hello, given = block("hello"), block("order ORD-1001")
    rows = rows_of("ORD-1001", trace_session(calls([hello, given], [hello, given], [hello], [hello])))

    assert [(row.call, row.how) for row in rows] == [(1, "verbatim"), (2, "verbatim"), (3, "gone"), (4, "gone")]
    assert rows[2].before_call == 2
    assert rows[2].passage.before.startswith("m2 evicted")


def test_an_answer_that_asks_again_has_a_row(block: MakeBlock, calls: MakeCalls) -> None:
    """With the question."""
    hello, given = block("hello"), block("订单号是 ORD-1001。")
    answers = {2: "麻烦您提供一下订单号。"}
    rows = rows_of("ORD-1001", trace_session(calls([hello, given], [hello])), answers)

    [row] = [row for row in rows if row.where == "answer"]
    assert (row.call, row.symbol, row.how, row.passage.hit) == (2, "?", "asked for again", "麻烦您提供一下订单号。")


def test_a_long_session_does_not_list_every_message_that_repeats_it(block: MakeBlock, calls: MakeCalls) -> None:
    """What happens after them is still listed."""
    said = [block(f"{n}: order ORD-1001") for n in range(CARRIER_ROWS * 2)]
    contexts = [said[: n + 1] for n in range(len(said))]
    rows = rows_of("ORD-1001", trace_session(calls(*contexts, [block("hello")])))

    assert len(rows) == CARRIER_ROWS + 2
    assert rows[-1].how == "gone"
