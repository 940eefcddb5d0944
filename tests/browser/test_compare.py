"""The Compare page in a browser, on recorded traces: an edit, a cut, a summary, a move, a thousand messages."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from snapshot_sdk import Recorder

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

OpenPage = Callable[..., Page]
ChangeLook = Callable[[Page, int, bool], None]
Serve = Callable[..., str]
Read = Callable[[Path], Path]
Message = dict[str, Any]

SYSTEM = {"role": "system", "content": "你是「订单助理」。只处理订单、配送、发票和退货。"}
RULE = "以后请只用中文回答，不要用英文"
ORDER = "订单号是 ORD-2024-001，下单人王敏，手机尾号 3317"
HOSTILE = "[x](http://y) <img src=x onerror=\"document.title='owned'\"> **b**"
BIG = 1_000
"""Messages of the long call, 4 kB each."""


def state(slot: str | None, turn: str) -> Message:
    """Return the state table as the agent sends it."""
    table = {"task": "change_delivery", "order_id": "ORD-2024-001", "slot": slot, "last_updated": turn}
    return {"role": "system", "content": f"<state>{json.dumps(table, ensure_ascii=False)}</state>"}


def result(number: int) -> Message:
    """Return a long tool result."""
    items = [{"sku": f"MON-{number}{at}", "qty": at, "price": "3931.00"} for at in range(12)]
    return {"role": "tool", "tool_call_id": f"call_{number}", "content": json.dumps({"items": items})}


def tool_call(number: int) -> Message:
    """Return the call that has this result."""
    function = {"name": "query_stock", "arguments": json.dumps({"page": number})}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": f"call_{number}", "type": "function", "function": function}],
    }


def record_desk(recorder: Recorder) -> None:
    """Six calls: 2 edits the state, 3 is a summary that loses a rule, 4 cuts a result, 5 moves one, 6 is 5 again."""
    recorder.pin(RULE, reason="user constraint")
    table = state(None, "turn_1")
    said = [
        {"role": "user", "content": f"你好，我想改一下配送时间。{RULE}。"},
        {"role": "assistant", "content": "好的，请问订单号？"},
        {"role": "user", "content": f"{ORDER}。"},
        tool_call(1),
        result(1),
    ]

    def send(turn: int, temperature: float = 0.2) -> None:
        with recorder.turn(turn):
            body = {"model": "gpt-4.1", "temperature": temperature, "messages": [SYSTEM, table, *said]}
            recorder.snapshot(body, api="openai.chat")
            recorder.response(messages=[{"role": "assistant", "content": f"已处理第 {turn} 步。"}], duration_ms=900)

    send(1)
    table = state("周六 9:00–12:00", "turn_2")
    said = [*said, {"role": "assistant", "content": "已处理第 1 步。"}, tool_call(2), result(2)]
    send(2)
    before = [SYSTEM, table, *said]
    summary = {"role": "user", "content": f"[对话摘要] 用户想把配送改到周六上午。{ORDER}。已查询库存。"}
    said = [summary, tool_call(2), result(2), {"role": "user", "content": "请确认配送时段和加急费。"}]
    recorder.compaction(
        before=before,
        after=[SYSTEM, table, *said[:3]],
        strategy="summary",
        policy="history > 70 %",
        tokens_before=50,
        duration_ms=2_100,
    )
    send(3, temperature=0.7)
    said = [*said[:2], {**said[2], "content": said[2]["content"][:60] + "…[truncated]"}, *said[3:]]
    send(4, temperature=0.7)
    said = [said[0], said[3], said[1], said[2], {"role": "user", "content": "还在吗？"}]
    send(5, temperature=0.7)
    send(6, temperature=0.7)


def record(directory: Path) -> None:
    """Write the sessions of the tests."""
    with Recorder(directory, session="desk", window=16_000, budget=2_000) as recorder:
        record_desk(recorder)
    draw = random.Random(3)
    long = [
        {"role": "user", "content": f"message {n} " + " ".join(f"w{draw.randrange(10**5)}" for _ in range(600))}
        for n in range(BIG)
    ]
    with Recorder(directory, session="big", window=2_000_000) as recorder:
        recorder.snapshot({"model": "gpt-4.1", "messages": long}, api="openai.chat")
        edited = [
            {**m, "content": m["content"].replace("message", "Message")} if n % 50 == 7 else m
            for n, m in enumerate(long)
        ]
        recorder.snapshot({"model": "gpt-4.1", "messages": [*edited[:300], *edited[420:], long[0]]}, api="openai.chat")
    with Recorder(directory, session=HOSTILE) as recorder:
        for n in (1, 2):
            text = f"<img src=x onerror=\"document.title='owned'\"> **bold** $x$ number {n} \x1b[31m \u202e the end"
            with recorder.turn(n):
                recorder.snapshot(
                    {"model": "m", "messages": [SYSTEM, {"role": "user", "content": text}]}, api="openai.chat"
                )


@pytest.fixture(scope="module")
def compare_app(serve: Serve, read: Read, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The app on these traces."""
    directory = tmp_path_factory.mktemp("compare")
    record(directory)
    return serve(read(directory))


def show(open_page: OpenPage, app: str, query: str, **options: Any) -> Page:
    """Open the Compare page and wait for its rows; the first test waits for the index too."""
    page = open_page(f"{app}/compare?{query}", **options)
    page.locator(".list .row, .list .fold, .list .empty").first.wait_for(timeout=90_000)
    return page


def cells(page: Page, fate: str) -> Locator:
    """Return the texts of the second side's rows with a sign."""
    return page.locator(".list .row", has=page.locator(f".sign:text-is('{fate}')")).locator("> :nth-child(3) .text")


def test_an_edit_is_marked_by_words(open_page: OpenPage, compare_app: str) -> None:
    """Both states stand side by side; what went is struck, what came is underlined; the rest folds."""
    page = show(open_page, compare_app, "session=desk&a=1&b=2")

    expect(page.locator(".side strong")).to_have_text(["turn 1 · call 1", "turn 2 · call 2"])
    expect(page.locator(".removed")).to_have_text(["null", "turn_1"])
    expect(page.locator(".added").first).to_contain_text("周六 9:00–12:00")
    assert "line-through" in page.locator(".removed").first.evaluate("node => getComputedStyle(node).textDecoration")
    expect(page.locator(".fold")).to_have_text(
        ["1 unchanged message · 19 tokens — show", page.locator(".fold").nth(1).inner_text()]
    )
    expect(cells(page, "+")).to_have_count(3)
    expect(page.locator(".tally")).to_have_text(["Σ 0→0", "✕ 0", "≈ 1", "+ 3", "· 6"])
    expect(page.locator(".facts")).to_contain_text("then ST at byte")


def test_a_fold_opens_and_closes(open_page: OpenPage, compare_app: str) -> None:
    """Unchanged messages show on a click, and all of them without “only differences”."""
    page = show(open_page, compare_app, "session=desk&a=1&b=2")
    rows = page.locator(".list .row")
    expect(page.locator(".fold")).to_have_count(2)
    before = rows.count()

    page.locator(".fold button").nth(1).click()
    expect(rows).to_have_count(before + 5)
    page.locator(".fold button").nth(1).click()
    expect(rows).to_have_count(before)
    page.get_by_role("button", name="Only differences").click()
    expect(rows).to_have_count(before + 6)
    expect(page.locator(".fold")).to_have_count(0)


def test_a_summary_stands_beside_all_it_took(open_page: OpenPage, compare_app: str) -> None:
    """Five sources and one summary; the lost rule first; the passage that survived is marked on both sides."""
    page = show(open_page, compare_app, "session=desk&compaction=1")

    expect(page.locator(".compaction")).to_contain_text("Compaction 1 of")
    expect(page.locator(".compaction")).to_contain_text("policy “history > 70 %”")
    expect(page.locator(".compaction")).to_contain_text("done in 2.1 s")
    expect(page.locator(".contradiction").first).to_contain_text("Recorded 50 tokens before")
    expect(page.locator(".card h3")).to_contain_text("for 6 messages")
    expect(page.locator(".row.taken")).to_have_count(6)
    lost = page.locator(".ledger .line.lost")
    expect(lost).to_have_text(f"✕{RULE}pinned · user, turn 1not in the summary, nowhere else")
    expect(page.locator(".summary .carried")).to_have_text(ORDER)
    page.locator(".summary .carried").hover()
    expect(page.locator(".row.taken .carried.lit")).to_have_count(1)
    lost.click()
    expect(page.locator(".row[aria-selected=true]")).to_contain_text(RULE)
    page.wait_for_url("**b=3*")


def test_a_compaction_is_shown_as_recorded_too(open_page: OpenPage, compare_app: str) -> None:
    """The contexts that the record names, instead of the two prompts."""
    page = show(open_page, compare_app, "session=desk&compaction=1")

    page.get_by_role("button", name="as recorded").click()
    expect(page.locator(".side strong")).to_have_text(["before the compaction", "after the compaction"])
    expect(page.locator(".tally").nth(3)).to_have_text("+ 0")
    page.reload()
    expect(page.locator(".side strong").first).to_have_text("before the compaction")
    page.get_by_role("button", name="as sent").click()
    expect(page.locator(".side strong").first).to_have_text("turn 2 · call 2")


def test_a_cut_message_has_its_sign(open_page: OpenPage, compare_app: str) -> None:
    """✂ is counted and the mark of the cut is underlined."""
    page = show(open_page, compare_app, "session=desk&a=3&b=4")

    expect(page.locator(".list .sign:text-is('✂')")).to_have_count(1)
    expect(page.locator(".added").last).to_contain_text("truncated")
    expect(page.locator(".tally").nth(2)).to_have_text("✂ 1")


def test_a_moved_message_says_from_where(open_page: OpenPage, compare_app: str) -> None:
    """Its mark leads there and back."""
    page = show(open_page, compare_app, "session=desk&a=4&b=5")

    page.get_by_role("button", name="from place 6").click()
    expect(page.locator(".row[aria-selected=true]")).to_contain_text("to place 4")
    page.get_by_role("button", name="to place 4").click()
    expect(page.locator(".row[aria-selected=true]")).to_contain_text("from place 6")


def test_two_equal_calls_say_so(open_page: OpenPage, compare_app: str) -> None:
    """No difference in messages, parameters and tools."""
    page = show(open_page, compare_app, "session=desk&a=5&b=6")

    expect(page.locator(".empty")).to_have_text("No difference in 7 messages, parameters and tools.")


def test_parameters_have_a_view(open_page: OpenPage, compare_app: str) -> None:
    """The changed one first with both values, the others below."""
    page = show(open_page, compare_app, "session=desk&a=2&b=3")
    expect(page.locator(".facts")).to_contain_text("parameters: temperature 0.2 → 0.7")

    page.get_by_role("button", name="Parameters").click()
    expect(page.locator(".list .row").first).to_contain_text("temperature")
    expect(page.locator(".removed")).to_have_text("0.2")
    expect(page.locator(".added")).to_have_text("0.7")
    expect(page.locator(".list .row").nth(1)).to_contain_text("model")


def test_two_sessions_are_said_to_be_two(open_page: OpenPage, compare_app: str) -> None:
    """A line says it, and each side its session."""
    page = show(open_page, compare_app, "session=desk&a_session=big&a=1&b=2")

    expect(page.locator(".notes")).to_contain_text("Two sessions")
    expect(page.locator(".side .session")).to_have_text(["big", "desk"])


def test_d_compares_with_the_call_before_and_back_returns(open_page: OpenPage, compare_app: str) -> None:
    """One entry of the history; the address names both sides."""
    page = open_page(f"{compare_app}/call?session=desk&call=3")
    page.locator(".list .row").first.wait_for(timeout=90_000)

    page.keyboard.press("d")
    page.wait_for_url("**/compare?**a=2**")
    assert "b=3" in page.url
    assert "call=" not in page.url
    expect(page.locator(".side strong")).to_have_text(["turn 2 · call 2", "turn 3 · call 3"])
    page.go_back()
    page.wait_for_url("**/call?**call=3**")


def test_arrows_move_both_sides_shift_one(open_page: OpenPage, compare_app: str) -> None:
    """The strip shows both; no step makes an entry of the history."""
    page = show(open_page, compare_app, "session=desk&a=2&b=3")
    before = page.evaluate("history.length")

    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".side strong")).to_have_text(["turn 4 · call 4", "turn 5 · call 5"])
    page.keyboard.press("Shift+ArrowLeft")
    expect(page.locator(".side strong")).to_have_text(["turn 4 · call 4", "turn 4 · call 4"])
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".side strong")).to_have_text(["turn 3 · call 3", "turn 3 · call 3"])
    assert page.evaluate("history.length") == before
    page.wait_for_url("**a=3**b=3**")
    expect(page.locator(".place").first).to_contain_text("call 3")


def test_other_pages_get_the_second_side(open_page: OpenPage, compare_app: str) -> None:
    """Call and Session open at the call of the second side."""
    page = show(open_page, compare_app, "session=desk&a=2&b=4")

    page.get_by_role("link", name="Call", exact=True).click()
    page.wait_for_url("**/call?session=desk&call=4")


def test_n_and_p_walk_the_differences(open_page: OpenPage, compare_app: str) -> None:
    """Each is selected in turn and counted; after the last comes the first."""
    page = show(open_page, compare_app, "session=desk&a=1&b=2")
    expect(page.locator(".count")).to_have_text("2 differences")

    page.keyboard.press("n")
    expect(page.locator(".count")).to_have_text("1 of 2")
    expect(page.locator(".row[aria-selected=true] .sign")).to_have_text("≈")
    page.keyboard.press("n")
    expect(page.locator(".row[aria-selected=true] .sign")).to_have_text("+")
    page.keyboard.press("n")
    expect(page.locator(".count")).to_have_text("1 of 2")
    page.keyboard.press("p")
    expect(page.locator(".count")).to_have_text("2 of 2")


def test_a_row_opens_to_its_whole_text(open_page: OpenPage, compare_app: str) -> None:
    """Enter opens the selected row, and it links to the message in its call."""
    page = show(open_page, compare_app, "session=desk&a=1&b=2")
    page.keyboard.press("n")
    page.keyboard.press("n")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")

    page.keyboard.press("Enter")
    opened = page.locator(".row[aria-selected=true] .text.whole")
    expect(opened).to_contain_text("MON-211")
    opened.get_by_role("link").click()
    page.wait_for_url("**/call?**message=m**")


def test_a_side_is_picked_from_lists(open_page: OpenPage, compare_app: str) -> None:
    """First the session, then the call; names stay text; Back returns."""
    page = show(open_page, compare_app, "session=desk&a=1&b=2")

    page.locator(".side .title").first.click()
    picker = page.get_by_role("dialog", name="First side")
    expect(picker.locator(".column").first.locator(".option")).to_have_count(3)
    picker.locator("input").first.fill("onerror")
    picker.get_by_role("button", name=HOSTILE).click()
    picker.locator(".column").nth(1).get_by_role("button", name="call 2").click()
    expect(page.locator(".notes")).to_contain_text("Two sessions")
    expect(page.locator(".side .session").first).to_have_text(HOSTILE)
    page.go_back()
    expect(page.locator(".side strong").first).to_have_text("turn 1 · call 1")


def test_sides_swap(open_page: OpenPage, compare_app: str) -> None:
    """What was added is taken out, and a line warns of it."""
    page = show(open_page, compare_app, "session=desk&a=1&b=2")

    page.get_by_role("button", name="Swap").click()
    expect(page.locator(".side strong")).to_have_text(["turn 2 · call 2", "turn 1 · call 1"])
    expect(page.locator(".notes")).to_contain_text("the later call")


def test_hostile_text_stays_text(open_page: OpenPage, compare_app: str) -> None:
    """Markup, controls and overrides are shown, not run."""
    name = "%5Bx%5D(http%3A%2F%2Fy)%20%3Cimg%20src%3Dx%20onerror%3D%22document.title%3D'owned'%22%3E%20**b**"
    page = show(open_page, compare_app, f"session={name}&a=1&b=2")

    expect(page.locator(".difference").first).to_contain_text("<img src=x onerror=")
    expect(page.locator(".difference").first).to_contain_text("\\u202e")
    assert page.title() != "owned"
    assert page.locator(".list img").count() == 0


def test_a_thousand_messages_are_windowed(open_page: OpenPage, compare_app: str) -> None:
    """Few rows are in the page at any place; their texts come when they are scrolled to."""
    page = show(open_page, compare_app, "session=big&a=1&b=2")
    rows = page.locator(".list .row")
    expect(page.locator(".tally").nth(1)).to_have_text("✕ 120")

    page.get_by_role("button", name="Only differences").click()
    for share in (0.5, 1.0):
        page.locator(".list").evaluate("(node, share) => { node.scrollTop = node.scrollHeight * share; }", share)
        expect(rows.nth(rows.count() // 2).locator(".text").first).to_contain_text("essage")
        assert rows.count() < 120
    page.keyboard.press("n")
    expect(page.locator(".row[aria-selected=true]")).to_be_visible()


def test_missing_sides_have_a_next_step(open_page: OpenPage, compare_app: str) -> None:
    """A call or compaction that is not there names those that are."""
    page = open_page(f"{compare_app}/compare?session=desk&a=99&b=2")
    page.locator(".box").wait_for(timeout=90_000)
    expect(page.locator(".box")).to_contain_text("has no call 99")
    page.get_by_role("link", name="First call").click()
    expect(page.locator(".side strong").first).to_have_text("turn 1 · call 1")
    page.goto(f"{compare_app}/compare?session=desk&b=1")
    expect(page.locator(".box")).to_contain_text("Call 1 continues no other call")
    page.goto(f"{compare_app}/compare?session=dessk&a=1&b=2")
    expect(page.locator(".box")).to_contain_text("There is no session dessk")
    page.get_by_role("link", name="desk", exact=True).click()
    expect(page.locator(".side strong").first).to_have_text("turn 1 · call 1")
    page.goto(f"{compare_app}/compare?session=desk&compaction=9")
    expect(page.locator(".box")).to_contain_text("has no compaction 9")


@pytest.mark.parametrize("dark", [False, True])
def test_the_page_fits_every_width(open_page: OpenPage, change_look: ChangeLook, compare_app: str, dark: bool) -> None:
    """No scroll bar of the page, no cut in the head, whatever the width and mode."""
    page = show(open_page, compare_app, "session=desk&compaction=1", width=1920, dark=dark)

    for width in (1920, 1440, 1280):
        change_look(page, width, dark)
        assert page.locator(".bar").evaluate("node => node.scrollWidth <= node.clientWidth")
