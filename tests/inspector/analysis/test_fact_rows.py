"""The table of what happened to a fact."""

from __future__ import annotations

from collections.abc import Callable

from inspector.analysis.changes import SessionChanges, trace_session
from inspector.analysis.fact_asking import follow, make_fact
from inspector.analysis.fact_rows import CARRIER_ROWS, FactRow, fact_rows
from inspector.model.context import Block, CallContext
from inspector.model.layers import Layer

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


def test_a_message_that_says_both_has_one_row(block: MakeBlock, calls: MakeCalls) -> None:
    """It carries the fact and its rival."""
    both = block("budget: 8000元\nbudget: 8500元", "system", layer=Layer.STATE)
    rows = rows_of("8000元", trace_session(calls([block("总预算8000元。")], [block("总预算8000元。"), both])))

    assert [(row.call, row.message) for row in rows].count((2, 2)) == 1


def test_what_stands_beside_a_fact_has_a_row_however_many_say_the_fact(block: MakeBlock, calls: MakeCalls) -> None:
    """With the other value marked, in the order of the prompt."""
    said = [block(f"{n}: 总预算8000元。") for n in range(6)]
    state = block("预算: 8500元", "system", layer=Layer.STATE)
    rows = rows_of("8000元", trace_session(calls([state, *said])))

    assert [row.message for row in rows] == [1, 2, 3, 4]
    assert (rows[0].how, rows[0].passage.hit) == ("a different one beside it", "8500元")
    assert rows[-1].where == "m4 user, place 4 and 3 more"


def test_what_stood_there_before_a_fact_was_said_has_a_row(block: MakeBlock, calls: MakeCalls) -> None:
    """It is told apart from what took its place."""

    def state(value: str) -> Block:
        text = f"task: trip\nfrom: 上海\nbudget: {value}\nhotel: H-507 by the sea, four nights"
        return block(text, "system", layer=Layer.STATE)

    rows = rows_of("8500元", trace_session(calls([state("8000元"), block("好")], [state("8500元"), block("好")])))

    assert [(row.call, row.message, row.how, row.passage.hit) for row in rows] == [
        (1, 1, "a different one, before it was said", "8000元"),
        (2, 1, "verbatim", "8500元"),
    ]


def test_what_the_state_says_under_the_name_of_a_lost_value_has_a_row(block: MakeBlock, calls: MakeCalls) -> None:
    """Beside the row of the loss."""
    state = block("<task_state>\npeople: 18\n</task_state>", "system", layer=Layer.STATE)
    call = block('change_hold({"people": 22})', "assistant", layer=Layer.TOOL_CALLS)
    rows = rows_of("22 人", trace_session(calls([state, block("改成 22 人。"), call], [state])))

    assert [(row.call, row.message, row.symbol) for row in rows][-2:] == [(2, None, "✕"), (2, 1, "≠")]
    assert (rows[-1].passage.before, rows[-1].passage.hit) == ("people: ", "18")


def test_the_last_row_of_a_loss_says_since_when(block: MakeBlock, calls: MakeCalls) -> None:
    """An empty row would be a riddle."""
    hello, given = block("hello"), block("order ORD-1001")
    rows = rows_of("ORD-1001", trace_session(calls([hello, given], [hello], [hello])))

    assert rows[-1].passage.before == "since call 2"


def test_a_loss_counts_the_messages_that_went_alike(block: MakeBlock, calls: MakeCalls) -> None:
    """The row names the last of them."""
    hello, one, two = block("hello"), block("order ORD-1001"), block("again: ORD-1001")
    rows = rows_of("ORD-1001", trace_session(calls([hello, one, two], [hello])))

    assert rows[-1].passage.before.startswith("m3 and 1 more evicted")
