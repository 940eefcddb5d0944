"""The ledger over a compaction, and what looks like a rule, in a browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from snapshot_sdk import Recorder

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

OpenPage = Callable[..., Page]
Serve = Callable[..., str]
Read = Callable[[Path], Path]

SYSTEM = {"role": "system", "content": "你是「订单助理」。只处理订单、配送、发票和退货。"}
RULE = "不要打电话给我，一律发短信。"
HOSTILE = "Never print <img src=x onerror=\"document.title='owned'\"> again."
BEFORE = [
    SYSTEM,
    {"role": "user", "content": f"你好，我想改一下配送时间。{RULE}"},
    {"role": "assistant", "content": "好的，请问订单号？"},
    {"role": "user", "content": "订单号是 ORD-2024-001，我的预算是 8,000 元。"},
    {"role": "user", "content": HOSTILE},
    {"role": "user", "content": "周六可以吗？"},
]
SUMMARY = {"role": "user", "content": "[对话摘要] 用户想改订单 ORD-2024-001，预算是 8,500 元。工单 TK-99123。"}
AFTER = [SYSTEM, SUMMARY, BEFORE[-1]]


@pytest.fixture(scope="module")
def ledger_app(serve: Serve, read: Read, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The app on one session without pins: call 2 comes after a recorded summary."""
    directory = tmp_path_factory.mktemp("ledger")
    with Recorder(directory, session="desk", window=16_000) as recorder:
        for turn, messages in enumerate((BEFORE, AFTER), start=1):
            if turn == 2:
                recorder.compaction(before=BEFORE, after=AFTER, strategy="summary")
            with recorder.turn(turn):
                recorder.snapshot({"model": "gpt-4.1", "messages": messages}, api="openai.chat")
                recorder.response(messages=[{"role": "assistant", "content": "好的。"}], duration_ms=900)
    return serve(read(directory))


def show(open_page: OpenPage, app: str, more: str = "") -> Page:
    """Open the compaction."""
    page = open_page(f"{app}/compare?session=desk&compaction=1{more}")
    page.locator(".entry").first.wait_for(timeout=90_000)
    return page


def test_the_heads_count_and_choose(open_page: OpenPage, ledger_app: str) -> None:
    """Lost, altered, invented, kept; a click on a head shows only those under it."""
    page = show(open_page, ledger_app)

    expect(page.locator(".heads .sum")).to_have_text(["✕ 2 lost", "≠ 1 altered", "? 1 invented", "■ 1 kept"])
    expect(page.locator(".entry")).to_have_count(5)
    page.locator(".heads .invented").first.click()
    expect(page.locator(".entry")).to_have_count(1)
    expect(page.locator(".entry")).to_contain_text("no message has it")


def test_a_line_says_what_it_was_and_where_it_is(open_page: OpenPage, ledger_app: str) -> None:
    """Kind, whose words, what stands there now; text of a prompt stays text."""
    page = show(open_page, ledger_app)
    lost, altered = page.locator(".entry.lost"), page.locator(".entry.altered")

    expect(lost.filter(has_text="不要打电话给我")).to_contain_text("rule · user, turn 1")
    expect(lost.filter(has_text="不要打电话给我")).to_contain_text("not in the summary, nowhere else")
    expect(lost.filter(has_text="onerror")).to_have_count(1)
    expect(altered).to_contain_text("8,000 元")
    expect(altered).to_contain_text("in the summary, another money: “8,500 元”")
    assert page.title() != "owned"


def test_hover_lights_the_source_and_a_click_goes_there(open_page: OpenPage, ledger_app: str) -> None:
    """The row of its message."""
    page = show(open_page, ledger_app)
    line = page.locator(".entry").filter(has_text="8,000 元")

    line.hover()
    expect(page.locator(".row.lit")).to_contain_text("订单号是 ORD-2024-001")
    line.click()
    expect(page.locator(".row[aria-selected=true]")).to_contain_text("订单号是 ORD-2024-001")


def test_as_recorded_has_a_ledger_too(open_page: OpenPage, ledger_app: str) -> None:
    """Judged by the contexts of the record."""
    page = show(open_page, ledger_app, "&as=recorded")

    expect(page.locator(".side strong").first).to_have_text("before the compaction")
    expect(page.locator(".entry.lost").filter(has_text="不要打电话给我")).to_have_count(1)


def test_two_calls_have_no_ledger(open_page: OpenPage, ledger_app: str) -> None:
    """Only a compaction has one."""
    page = open_page(f"{ledger_app}/compare?session=desk&a=1&b=2")
    page.locator(".list .row").first.wait_for(timeout=90_000)

    expect(page.locator(".balance")).to_be_hidden()


def test_t_traces_the_line(open_page: OpenPage, ledger_app: str) -> None:
    """With its kind."""
    page = show(open_page, ledger_app)

    page.locator(".entry").filter(has_text="8,000 元").hover()
    page.keyboard.press("t")
    page.wait_for_url("**/trace?**as=money**")


def test_a_session_without_pins_opens_on_its_rules(open_page: OpenPage, serve: Serve, tmp_path: Path) -> None:
    """The list names the rule; one click watches it, and the row has its pin."""
    with Recorder(tmp_path / "traces", session="desk") as recorder:
        for messages in (BEFORE[:4], BEFORE):
            recorder.snapshot({"model": "gpt-4.1", "messages": messages}, api="openai.chat")
    page = open_page(f"{serve(tmp_path / 'traces')}/session?session=desk")
    rule = page.locator(".rules .rule").filter(has_text="不要打电话给我")
    rule.wait_for(timeout=90_000)

    rule.get_by_role("button", name="Watch", exact=True).click()
    expect(page.locator(".filter").filter(has_text="Pinned 1")).to_be_visible()
    assert RULE in (tmp_path / "traces" / "inspector.toml").read_text("utf-8")
    page.locator(".filter").filter(has_text="Looks like a rule").click()
    expect(page.locator(".rules .rule").filter(has_text="不要打电话给我")).to_contain_text("⚲ watched")


def test_w_watches_the_line(open_page: OpenPage, serve: Serve, tmp_path: Path) -> None:
    """It is written to the file beside the traces, and said; the card then has it as a lost watch."""
    with Recorder(tmp_path / "traces", session="desk") as recorder:
        recorder.snapshot({"model": "gpt-4.1", "messages": BEFORE}, api="openai.chat")
        recorder.compaction(before=BEFORE, after=AFTER, strategy="summary")
        recorder.snapshot({"model": "gpt-4.1", "messages": AFTER}, api="openai.chat")
    page = show(open_page, serve(tmp_path / "traces"))

    page.locator(".entry").filter(has_text="不要打电话给我").hover()
    page.keyboard.press("w")
    expect(page.locator(".balance .said")).to_contain_text("Watching")
    expect(page.locator(".card .ledger .line.lost")).to_contain_text("watched")
    assert RULE in (tmp_path / "traces" / "inspector.toml").read_text("utf-8")
