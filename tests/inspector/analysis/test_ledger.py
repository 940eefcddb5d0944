"""The ledger of a compaction: judged by the whole call after, ranked by how much each looks like a commitment."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from inspector.analysis.changes import SessionChanges, trace_session
from inspector.analysis.ledger import MOST_JUDGED, Compacted, ledger_of, ledger_of_record, make_ledger
from inspector.analysis.ledger_entries import Ledger, LedgerEntry
from inspector.analysis.ledger_reading import READ_OF_ALL
from inspector.model.context import Block, CallContext, CompactedContexts
from inspector.model.layers import Layer
from inspector.model.views import PinRow

MakeBlock = Callable[..., Block]
MakeCalls = Callable[..., list[CallContext]]
Judge = Callable[..., Ledger]


@pytest.fixture
def summary(block: MakeBlock) -> Callable[[str], Block]:
    """Give a maker of summaries."""
    return lambda text: block(text, "user", layer=Layer.SUMMARY, is_summary=True)


@pytest.fixture
def judge(block: MakeBlock, summary: Callable[[str], Block]) -> Judge:
    """Give a maker of ledgers: texts of the user that were taken, the summary, other messages of the call after."""

    def make(taken: Sequence[str | Block], said: str, *others: Block, **more: object) -> Ledger:
        before = tuple(block(text) if isinstance(text, str) else text for text in taken)
        after = (summary(said), *others)
        compacted = Compacted((*before, *others), after, tuple(range(len(before))), 0, **more)  # type: ignore[arg-type]
        return make_ledger(compacted)

    return make


def entry(ledger: Ledger, text: str) -> LedgerEntry:
    """The entry whose text holds this."""
    return next(one for one in ledger.entries if text in one.text)


def states(ledger: Ledger) -> dict[str, str]:
    """State by text."""
    return {one.text: one.state for one in ledger.entries}


def test_a_value_the_summary_drops_is_lost(judge: Judge) -> None:
    """Nothing in the call after says the order number."""
    ledger = judge(["订单号是 ORD-2024-001。"], "用户想改配送时间。")

    assert states(ledger) == {"ORD-2024-001": "dropped"}
    assert entry(ledger, "ORD").column == "lost"


def test_a_value_the_state_holds_is_not_lost(judge: Judge, block: MakeBlock) -> None:
    """The whole call after counts, not the summary alone."""
    state = block('{"order_id": "ORD-2024-001"}', "system", layer=Layer.STATE)
    found = entry(judge(["订单号是 ORD-2024-001。"], "用户想改配送时间。", state), "ORD-2024-001")

    assert (found.state, found.stands, found.in_summary) == ("kept", (1,), False)


def test_a_look_alike_keeps_nothing(judge: Judge) -> None:
    """ORD-2024-0012 is another order."""
    ledger = judge(["订单号是 ORD-2024-001。"], "用户的订单 ORD-2024-0012 已查询。")

    assert entry(ledger, "ORD-2024-001").column != "kept"


@pytest.mark.parametrize("said", ["预算 ￥8,500。", "预算八千五百元。", "预算 0.85 万元。", '{"预算": 8500}'])
def test_an_amount_is_kept_in_any_writing(judge: Judge, said: str) -> None:
    """Value and unit decide, not characters."""
    assert entry(judge(["预算 8500 元。"], said), "8500 元").state == "kept"


def test_another_amount_in_its_place_is_a_distortion(judge: Judge) -> None:
    """The summary names another budget, which nobody said: one entry, not a loss and an invention."""
    ledger = judge(["我的预算是 8,000 元。"], "用户的预算是 8,500 元。")
    found = entry(ledger, "8,000")

    assert found.state == "distorted"
    assert found.instead is not None
    assert "8,500" in found.instead.text
    assert ledger.counts() == {"lost": 0, "altered": 1, "kept": 0, "invented": 0}


def test_another_amount_the_user_said_too_is_another_fact(judge: Judge) -> None:
    """Then the first is dropped, and the second kept: nobody altered anything."""
    ledger = judge(["酒店预算是 3,000 元。", "机票预算是 5,000 元。"], "用户的机票预算是 5,000 元。")

    assert states(ledger) == {"3,000 元": "dropped", "5,000 元": "kept"}


def test_both_amounts_are_a_conflict(judge: Judge, block: MakeBlock) -> None:
    """The right one still stands in the memory; the summary says another."""
    memory = block("预算是 8,000 元", "system", layer=Layer.MEMORY)

    assert entry(judge(["预算是 8,000 元。"], "预算是 8,500 元。", memory), "8,000").state == "conflicting"


@pytest.mark.parametrize(
    ("rule", "said", "state"),
    [
        ("以后请只用中文回答。", "要求：以后请只用中文回答。", "kept"),
        ("以后请只用中文回答。", "用户改了配送时间。", "dropped"),
        ("不要打电话给我。", "可以打电话给我。", "distorted"),
        ("先说一条规矩：不要用感叹号。", "要求：不要用感叹号。", "restated"),
        ("Never call me before 9:00.", "The user says: never call me before 9:00.", "kept"),
        ("Never call me before 9:00.", "The user wants a call in the morning.", "dropped"),
        ("不要打电话给我，除非是急事。", "不要打电话给我。", "distorted"),
    ],
)
def test_a_rule_is_judged_as_a_rule(judge: Judge, rule: str, said: str, state: str) -> None:
    """Its negation and its exception belong to it; what is said around it does not."""
    found = next(one for one in judge([rule], said).entries if one.kind == "rule")

    assert found.state == state


def test_a_value_no_message_has_is_invented(judge: Judge) -> None:
    """The summary names an order nobody named."""
    found = entry(judge(["我想改配送时间。"], "用户想改订单 ORD-2024-777 的配送时间。"), "ORD-2024-777")

    assert (found.state, found.reasons) == ("invented", ("no message has it",))
    assert found.source.text == "ORD-2024-777"


def test_a_value_of_an_answer_is_not_invented(judge: Judge) -> None:
    """The model said it before the summary did."""
    ledger = judge(["退款要多久？"], "退款 RF-20419 已提交。", answers=("已提交退款 RF-20419。",))

    assert ledger.under("invented") == []


def test_a_value_of_an_earlier_message_is_not_invented(judge: Judge, block: MakeBlock) -> None:
    """It fell out of the window long ago, and the summary had it from the summary before."""
    ledger = judge(["退款要多久？"], "退款 RF-20419 已提交。", earlier=(block("退款单号 RF-20419"),))

    assert ledger.under("invented") == []


def test_nothing_is_invented_where_not_all_is_known(judge: Judge) -> None:
    """A server read messages that are not in the record."""
    assert judge(["好"], "订单 ORD-2024-777。", complete=False).under("invented") == []


def test_nothing_is_invented_where_the_record_lacks_a_part(judge: Judge) -> None:
    """It may stand in the system prompt that the log does not have; the ledger says what is missing."""
    ledger = judge(["好"], "订单 ORD-2024-777。", missing=("system",))

    assert (ledger.under("invented"), ledger.missing) == ([], ("system",))


def test_a_heading_is_no_invented_name(judge: Judge) -> None:
    """It has capitals as a name has."""
    assert judge(["好"], "see the Key Technical Concepts below").under("invented") == []


def test_a_name_put_together_from_parts_is_not_invented(judge: Judge, block: MakeBlock) -> None:
    """The table stood under its schema."""
    listing = block("# billing_2023\nrefunds_raw_03, 12.0", "tool", layer=Layer.TOOL_RESULTS)

    assert judge([listing], "Unread: billing_2023.refunds_raw_03.").under("invented") == []


def test_a_file_is_the_same_with_and_without_its_folder(judge: Judge) -> None:
    """Two parts of a path name it; another file of the folder is another one, and no distortion."""
    ledger = judge(
        ["Fix /home/dev/app/cli/resume.go and /home/dev/app/cli/start.go."], "Fixed cli/resume.go, see cli/end.go."
    )

    assert entry(ledger, "resume.go").state == "kept"
    assert entry(ledger, "start.go").state == "dropped"
    assert [one.text for one in ledger.under("invented")] == ["cli/end.go"]


def test_bookkeeping_is_no_invention(judge: Judge) -> None:
    """The number of a turn is the agent's own."""
    assert judge(["好"], "last_updated: turn_14").under("invented") == []


def test_small_talk_has_no_entry(judge: Judge) -> None:
    """Thanks, counts and feelings are no commitments."""
    ledger = judge(["谢谢，太好了！", "Great, thanks a lot, see you.", "我有 2 个孩子。"], "用户很高兴。")

    assert ledger.entries == ()


def test_pinned_comes_before_rule_before_id_before_amount(judge: Judge) -> None:
    """In this order they matter, other things being equal."""
    taken = ["价格 40 元。", "单号 ORD-2024-001。", "不要打电话给我，一律发短信。", "编号 KB-7712。"]
    ledger = judge(taken, "无。", pinned=("KB-7712",))

    assert [one.kind for one in ledger.under("lost")] == ["id", "rule", "id", "money"]
    assert ledger.entries[0].text == "KB-7712"


def test_what_a_tool_call_needed_afterwards_comes_first(judge: Judge, block: MakeBlock) -> None:
    """The agent used it, so it mattered."""
    call = block('pay({"order": "ORD-2024-002"})', "assistant", layer=Layer.TOOL_CALLS)
    ledger = judge(["订单 ORD-2024-001 和 ORD-2024-002。"], "无。", later=((32, call),))

    assert ledger.entries[0].text == "ORD-2024-002"
    assert ledger.entries[0].reasons[0] == "a tool call passes it at call 32"


def test_a_pinned_text_that_is_no_value_has_an_entry(judge: Judge) -> None:
    """The user called it important: it need not look like a rule."""
    found = judge(["店里的猫叫桂圆。"], "用户开了一家店。", pinned=("店里的猫叫桂圆",)).entries[0]

    assert (found.kind, found.state, found.reasons[0]) == ("text", "dropped", "pinned")


def test_equal_values_are_one_entry(judge: Judge) -> None:
    """Quoted from the user, who said it after the tool."""
    tool = Block("t", "tool", Layer.TOOL_RESULTS, "订单 ORD-2024-001")
    found = entry(judge([tool, "对，ORD-2024-001。"], "无。"), "ORD")

    assert (found.messages, found.role, found.source.place) == (2, "user", 1)


def test_a_name_is_found_by_its_label(judge: Judge) -> None:
    """What cannot be found is said in the documentation; this can."""
    assert entry(judge(["下单人王敏，手机尾号 3307。"], "用户想改时间。"), "王敏").state == "dropped"


def test_what_cannot_be_read_is_opaque(judge: Judge) -> None:
    """The provider's item is encrypted: what is not seen elsewhere may still be known."""
    ledger = judge(["订单号是 ORD-2024-001。"], "")

    assert ledger.opaque
    assert states(ledger) == {"ORD-2024-001": "opaque"}


def test_a_thousand_messages_are_bounded(block: MakeBlock) -> None:
    """No more is read and judged than is bearable, and the ledger says so; the user's words are among what is read."""
    listing = " ".join(f"SKU-{number}-77 2026-01-02 40.00 元" for number in range(40))
    messages = [block(f"{number} {listing}", "tool", layer=Layer.TOOL_RESULTS) for number in range(1_000)]
    said = block("订单号是 ORD-2024-001。")
    assert sum(len(message.text) for message in messages) > READ_OF_ALL

    ledger = make_ledger(Compacted((*messages, said), (block("好"),), tuple(range(1_001))))

    assert entry(ledger, "ORD-2024-001").state == "dropped"
    assert len(ledger.entries) <= MOST_JUDGED
    assert ledger.unread > 0


def test_a_value_of_an_unread_message_is_not_called_lost(judge: Judge, block: MakeBlock) -> None:
    """Past what is read of a message, it is searched word for word."""
    long = block("填充。" * 20_000 + "订单号是 ORD-2024-001。", "tool", layer=Layer.TOOL_RESULTS)

    assert entry(judge(["订单号是 ORD-2024-001。"], "无。", long), "ORD-2024-001").state == "kept"


@pytest.fixture
def session(block: MakeBlock, calls: MakeCalls, summary: Callable[[str], Block]) -> SessionChanges:
    """Two calls with a summary between them that drops a pinned rule."""
    system = block("You are a clerk.", "system", layer=Layer.SYSTEM)
    said = [block("Order ORD-2024-001, please."), block("Never call me."), block("When does it come?")]
    after = [system, summary("[Summary of the conversation] ORD-2024-001 is asked for."), said[-1]]
    pin = PinRow("p", "Never call me.", None, None, 1, None, (2,), {"text": "Never call me."})
    return trace_session(calls([system, *said], after), pin_rows=[pin])


def test_an_inferred_compaction_has_a_ledger(session: SessionChanges) -> None:
    """Nobody recorded it; places are those of the two contexts."""
    [change] = session.compactions
    ledger = ledger_of(session, change)

    assert change.said_by == "inferred"
    assert ledger is not None
    assert states(ledger) == {"Never call me.": "dropped", "ORD-2024-001": "kept"}
    assert (entry(ledger, "Never").source.place, ledger.summary) == (2, 1)
    assert entry(ledger, "Never").reasons[0] == "pinned"


def test_a_record_has_a_ledger_of_its_own(session: SessionChanges, summary: Callable[[str], Block]) -> None:
    """Judged by the contexts that it names, not by the prompts around it."""
    [change] = session.compactions
    before = session.contexts[0].blocks
    named = CompactedContexts("c", before, (before[0], summary("[Summary] Never call me."), before[-1]))

    ledger = ledger_of_record(session, change, named)

    assert states(ledger) == {"Never call me.": "kept", "ORD-2024-001": "dropped"}
