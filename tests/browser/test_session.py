"""The Session page in a browser, on traces that the recorder wrote."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Locator, Page, expect

from snapshot_sdk import Recorder

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser-session")]

HOSTILE = "<img src=x onerror=alert(1)> **bold** $x$"
HOSTILE_SESSION = "[x](http://y) <b>s</b>"
PINNED = "以后请只用中文回答，不要用英文。"
CALLS = 24
FAILED, TAKEN, SILENT = 9, 14, 20
"""Calls that were refused, that follow a compaction, that got no answer."""
SIDE = 11
"""The summariser's only call."""

OpenPage = Callable[..., Page]


def write_long_session(recorder: Recorder) -> None:
    """Write 24 calls of two lanes: one refused, one unanswered, one after a compaction that loses a pin."""
    system = {"role": "system", "content": "你是「订单助理」。只处理订单、配送、发票和退货。"}
    messages = [system, {"role": "user", "content": f"你好。{PINNED} {HOSTILE}"}]
    recorder.pin(PINNED, reason="user constraint")
    for number in range(1, CALLS + 1):
        if number == SIDE:
            with recorder.lane("summariser", purpose="summary"):
                snapshot = recorder.snapshot(
                    {"model": "gpt-4.1", "messages": [{"role": "user", "content": "summarise"}]}
                )
                recorder.response(snapshot, messages=[{"role": "assistant", "content": "summary"}], stop_reason="stop")
            continue
        if number == TAKEN:
            shorter = [system, {"role": "user", "content": "[对话摘要] 用户想改配送。"}]
            recorder.compaction(messages, shorter, strategy="summary", reason="history > 70 %", tokens_before=900)
            messages = shorter
        if number % 5 == 0:
            recorder.event("state", key="budget", before="8,000", after=HOSTILE)
        messages = [*messages, {"role": "user", "content": f"question {number} " + "word " * 40}]
        with recorder.turn((number + 1) // 2):
            snapshot = recorder.snapshot({"model": "gpt-4.1", "messages": messages})
        if number == FAILED:
            recorder.response(snapshot, status=400, error="context too long")
            continue
        if number == SILENT:
            continue
        answer = {"role": "assistant", "content": f"answer {number} {HOSTILE}"}
        recorder.response(snapshot, messages=[answer], stop_reason="stop", duration_ms=1_800.0)
        messages = [*messages, answer]


@pytest.fixture(scope="module")
def app(serve: Callable[..., str], read: Callable[[Path], Path], tmp_path_factory: pytest.TempPathFactory) -> str:
    """The app on three sessions: a long one, a hostile name, one call without a known window."""
    directory: Path = tmp_path_factory.mktemp("traces")
    with Recorder(directory, session="order-4711", window=4_000, budget=3_000, threshold=0.7) as recorder:
        write_long_session(recorder)
        for session in (HOSTILE_SESSION, "single"):
            with recorder.session(session):
                recorder.snapshot({"model": "no-such-model", "messages": [{"role": "user", "content": HOSTILE}]})
    with Recorder(directory, session="no-window") as recorder:
        for _ in range(2):
            recorder.snapshot({"model": f"model {HOSTILE}", "messages": [{"role": "user", "content": "hi"}]})
    return serve(read(directory))


@pytest.fixture
def session(app: str, open_page: OpenPage) -> Callable[..., Page]:
    """Open a session of the app and wait until its picture and the words of its call stand."""

    def start(call: int | None = None, name: str = "order-4711", **options: object) -> Page:
        query = f"session={quote(name)}" + (f"&call={call}" if call is not None else "")
        page = open_page(f"{app}/session?{query}", **options)
        expect(page.locator(".pane .facts")).to_be_visible(timeout=30_000)
        return page

    return start


def heading(page: Page, call: int) -> None:
    """Expect a call to be selected, in the pane and in the address, and its words to have come."""
    expect(page.locator(".pane h2")).to_contain_text(f"Call {call} ·")
    page.wait_for_url(re.compile(rf"[?&]call={call}(&|$)"))
    expect(page.locator(".detail-host.waiting")).to_have_count(0)


def column(page: Page, place: int, of: int) -> tuple[float, float]:
    """Return the middle of a column of the picture, counted from 0."""
    box = page.locator(".chart .cursor").bounding_box()
    assert box is not None
    left, right = 38, 2  # AXIS_WIDTH and RIGHT_PAD of session_chart.js
    width = min(64.0, (box["width"] - left - right) / of)
    return box["x"] + left + (place + 0.5) * width, box["y"] + box["height"] / 3


def test_twenty_steps_hold_the_last_call_and_leave_no_history(session: Callable[..., Page]) -> None:
    """Scrubbing replaces the address; the picture, the pane and the server follow to the same call."""
    page = session(1)
    before = page.evaluate("history.length")
    for _ in range(20):
        page.keyboard.press("ArrowRight")
    heading(page, 22)
    expect(page.locator(".pane .said").first).to_contain_text("question 22")
    assert page.evaluate("history.length") == before


def test_a_click_on_a_column_selects_its_call(session: Callable[..., Page]) -> None:
    """Columns are the calls of the lane: the summariser's call is none of them."""
    page = session(1)
    page.mouse.click(*column(page, SIDE - 1, CALLS - 1))
    heading(page, SIDE + 1)


def test_a_double_click_opens_the_call_and_back_returns_to_it(session: Callable[..., Page]) -> None:
    """Open is one entry of the history, and the entry it leaves holds the clicked call."""
    page = session(1)
    page.mouse.dblclick(*column(page, 4, CALLS - 1))
    page.wait_for_url("**/call?**call=5")
    page.go_back()
    heading(page, 5)


def test_enter_opens_the_selected_call(session: Callable[..., Page]) -> None:
    """The key works wherever the focus is, and Back lands on the call that was on the screen."""
    page = session(3)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.wait_for_url("**/call?**call=4")
    page.go_back()
    heading(page, 4)


def test_a_line_of_the_story_selects_its_call(session: Callable[..., Page]) -> None:
    """Each sentence is a link to its evidence."""
    page = session(1)
    page.locator(".story .sentence", has_text="context too long").locator("a.words").click()
    heading(page, FAILED)
    expect(page.locator(".pane .notes")).to_contain_text("refused: 400, context too long")


def test_a_reload_gives_the_same_view(session: Callable[..., Page]) -> None:
    """The address is the whole state."""
    page = session(7)
    page.reload()
    heading(page, 7)


def test_the_live_line_tells_call_turn_tokens_and_pins(session: Callable[..., Page]) -> None:
    """What the cursor shows is said in words as well."""
    page = session(TAKEN)
    words = page.locator(".root .live[aria-live]")
    expect(words).to_contain_text(f"call {TAKEN}, turn {(TAKEN + 1) // 2}")
    expect(words).to_contain_text("tokens")
    expect(words).to_contain_text("one pin gone")
    expect(page.locator(".chart[role=slider]")).to_have_attribute("aria-valuenow", str(TAKEN))


def test_the_composition_compares_with_the_call_it_continues(session: Callable[..., Page]) -> None:
    """After a side call, the lane's own last call is the one compared with."""
    page = session(SIDE + 1)
    expect(page.locator(".legend .against")).to_have_text(f"against call {SIDE - 1}")
    page.keyboard.press("ArrowLeft")
    heading(page, SIDE - 1)


def test_the_lane_of_the_selected_call_is_the_one_drawn(session: Callable[..., Page]) -> None:
    """A side call has a picture of its own; nothing of it is added to the main lane."""
    page = session(SIDE)
    expect(page.locator(".bar .title")).to_contain_text("summariser (1)")
    expect(page.locator(".legend .against")).to_have_text("first of its lane")


def test_compaction_and_lost_pin_stand_beside_the_window(session: Callable[..., Page]) -> None:
    """What happened at the call is said under its window, recorded words included."""
    page = session(TAKEN)
    notes = page.locator(".pane .notes")
    expect(notes).to_contain_text("history > 70 %")
    expect(notes).to_contain_text(f"pinned, gone: {PINNED}")


def test_a_call_without_an_answer_says_so(session: Callable[..., Page]) -> None:
    """No answer is words, not an empty place."""
    page = session(SILENT)
    expect(page.locator(".pane .notes")).to_contain_text("no answer recorded")
    expect(page.locator(".pane .quote").last).to_contain_text("no answer recorded")


def test_the_table_holds_the_same_calls(session: Callable[..., Page]) -> None:
    """Show as table is a native table, one row a call of the lane, the selected one marked."""
    page = session(6)
    page.get_by_role("button", name="Show as table").click()
    expect(page.locator(".calls-table tbody tr")).to_have_count(CALLS - 1)
    expect(page.locator(".table tr[aria-current] th")).to_have_text("6")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".table tr[aria-current] th")).to_have_text("7")


def test_zoom_pan_and_fit(session: Callable[..., Page]) -> None:
    """Ctrl-wheel zooms about the pointer, a double click on the axis shows all calls again."""
    page = session(5)
    x, y = column(page, 4, CALLS - 1)
    page.mouse.move(x, y)
    page.keyboard.down("Control")
    for _ in range(4):
        page.mouse.wheel(0, -100)
    page.keyboard.up("Control")
    fit = page.get_by_role("button", name="Fit")
    expect(fit).to_be_visible()
    box = page.locator(".chart .cursor").bounding_box()
    assert box is not None
    page.mouse.dblclick(x, box["y"] + box["height"] - 8)
    expect(fit).to_be_hidden()
    heading(page, 5)


def test_the_tooltip_says_who_counted(session: Callable[..., Page]) -> None:
    """Figures carry their origin."""
    page = session(1)
    page.mouse.move(*column(page, 2, CALLS - 1))
    expect(page.locator(".tip")).to_contain_text("Call 3 · turn 2")
    expect(page.locator(".tip")).to_contain_text("counted (")


def test_texts_of_the_trace_are_shown_literally(session: Callable[..., Page]) -> None:
    """Markup and markdown of messages, events and answers are text."""
    page = session(5)
    expect(page.locator(".pane .said").last).to_contain_text(HOSTILE)
    expect(page.locator(".pane .notes")).to_contain_text(HOSTILE)
    assert page.locator("img[src=x]").count() == 0


def test_a_hostile_session_name_opens(session: Callable[..., Page]) -> None:
    """A name that looks like a link and like HTML is a name."""
    page = session(name=HOSTILE_SESSION)
    expect(page.locator(".pane .said").first).to_have_text(HOSTILE)
    assert page.locator(".root b, .root a[href='http://y']").count() == 0


def test_one_call_says_so_and_leads_to_it(session: Callable[..., Page]) -> None:
    """A session of one call has nothing to compare and says where to go."""
    page = session(name="single")
    page.get_by_role("link", name="Open call 1").click()
    page.wait_for_url("**/call?**call=1")


def test_an_unknown_window_says_where_to_set_it(session: Callable[..., Page]) -> None:
    """No limit is made up; the model's name is text."""
    page = session(name="no-window")
    expect(page.locator(".bar .limits")).to_contain_text(f"window unknown for model model {HOSTILE}: set it in")


def test_a_missing_session_offers_its_neighbour(app: str, open_page: OpenPage) -> None:
    """A mistyped name is one click from the right one."""
    page = open_page(f"{app}/session?session=order-4712&call=3")
    expect(page.get_by_text("There is no session order-4712")).to_be_visible(timeout=30_000)
    page.get_by_role("link", name="order-4711").click()
    expect(page.locator(".pane h2")).to_be_visible()


def test_a_call_out_of_range_offers_the_last(app: str, open_page: OpenPage) -> None:
    """The range is named and the last call is a link."""
    page = open_page(f"{app}/session?session=order-4711&call=999")
    expect(page.get_by_text(f"Session order-4711 has calls 1 to {CALLS}.")).to_be_visible(timeout=30_000)
    page.get_by_role("link", name=f"Call {CALLS} (last call)").click()
    heading(page, CALLS)


def test_the_picture_follows_the_theme_while_open(session: Callable[..., Page]) -> None:
    """A flip of the theme redraws the picture on the new ground."""
    page = session(8)
    chart = page.locator('.root[data-mode="dark"] .chart')
    expect(chart).to_have_count(0)
    page.emulate_media(color_scheme="dark")
    expect(chart).to_have_count(1)
    expect(page.locator(".pane h2")).to_contain_text("Call 8 ·")


@pytest.mark.parametrize("width", [1280, 1440, 1920])
@pytest.mark.parametrize("dark", [False, True])
def test_the_page_fits_the_screen(session: Callable[..., Page], width: int, dark: bool) -> None:
    """No second scrollbar, no part wider than its place."""
    page = session(8, width=width, height=900, dark=dark)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    main, pane = page.locator(".main").bounding_box(), page.locator(".pane").bounding_box()
    assert main is not None
    assert pane is not None
    assert main["x"] + main["width"] <= pane["x"]
    assert pane["y"] + pane["height"] <= 900


def test_explore_opens_the_chart_as_a_figure(session: Callable[..., Page]) -> None:
    """Layers can be switched and the picture saved as PNG or SVG."""
    page = session(8)
    page.get_by_role("button", name="Explore").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.locator(".js-plotly-plot .legendtext", has_text="HI history")).to_be_visible(timeout=30_000)
    # Plotly leaves the bar of the picture before in place for a while: the last one is the picture's own.
    button = dialog.locator(".modebar-btn[data-title*='Download plot']").last
    assert saved(page, button) == "tokens-order-4711.png"
    dialog.get_by_text("SVG", exact=True).click()
    for _ in range(20):  # the new kind of picture is on no element: it shows in what is saved
        if saved(page, button).endswith(".svg"):
            return
        page.wait_for_timeout(250)
    pytest.fail("the picture is still saved as PNG")


def saved(page: Page, button: Locator) -> str:
    """Press the camera button; return the name of the file it saves."""
    expect(button).to_have_count(1)  # while figures change places there are two
    with page.expect_download() as download:
        button.click()
    return download.value.suggested_filename
