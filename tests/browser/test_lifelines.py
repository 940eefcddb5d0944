"""Lifelines, windows and filters of the Session page in a browser, on traces that the recorder wrote."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from snapshot_sdk import Recorder

Message = dict[str, object]

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser-session")]

SYSTEM: Message = {"role": "system", "content": "You are the order desk. State the currency of every amount."}
DOC: Message = {
    "role": "system",
    "content": '<doc id="kb-120" score="0.74"> returns and exchanges: 7 days, unused, with receipt </doc>',
}
RULE = "answer in Chinese only and never in English"
FIRST: Message = {
    "role": "user",
    "content": f"Hello, I want another delivery date. From now on {RULE} <img src=x onerror=alert(1)>",
}
LONG_RESULT = "\n".join(f"row {n}: order ORD-2024-{n:03d} waits for delivery slot {n * 7}" for n in range(60))
CALL: Message = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "query_order", "arguments": "{}"}}],
}
RESULT: Message = {"role": "tool", "tool_call_id": "c1", "content": LONG_RESULT}
CUT_RESULT: Message = {"role": "tool", "tool_call_id": "c1", "content": LONG_RESULT[:120] + "\n[... truncated]"}
SUMMARY: Message = {
    "role": "user",
    "content": "<summary> The customer wants another delivery date for the order. </summary>",
}
EVICTED, SIDE, CUT, BACK, TAKEN, CALLS = 3, 4, 5, 6, 7, 9
"""Calls at which the document goes, the summariser speaks, the result is cut, the document is back, a summary takes
the talk; and how many there are."""
ROW = 18  # px, as in session_lifelines.js

OpenPage = Callable[..., Page]


def say(number: int) -> list[Message]:
    """Return an answer and the next question, no two alike."""
    words = ["saturday morning", "invoice title", "delivery surcharge", "shelf height", "points balance", "phone call"]
    topic = words[number % len(words)]
    return [
        {"role": "assistant", "content": f"About the {topic}: noted as item {number} of the list."},
        {"role": "user", "content": f"And what of the {topic}, question {number}?"},
    ]


def write_lives(recorder: Recorder) -> None:
    """Write nine calls in which a message meets every fate: evicted, cut, returned, summarised; and a side lane."""
    recorder.pin(RULE, reason="user constraint", scope="main")
    talk: list[Message] = [FIRST]
    result = RESULT
    for number in range(1, CALLS + 1):
        if number == SIDE:
            with recorder.lane("summariser", purpose="summary"):
                recorder.snapshot({"model": "gpt-4.1", "messages": [{"role": "user", "content": "summarise the talk"}]})
            continue
        if number == CUT:
            result = CUT_RESULT
        documents = [] if EVICTED <= number < BACK else [DOC]
        if number == TAKEN:
            kept = say(number)
            before, after = [SYSTEM, DOC, *talk, CALL, result], [SYSTEM, DOC, SUMMARY]
            recorder.compaction(before, after, strategy="summary", reason="history > 70 %")
            talk = [SUMMARY, *kept]
        elif number > 1:
            talk = [*talk, *say(number)]
        tools = [CALL, result] if number < TAKEN else []
        with recorder.turn(number):
            recorder.snapshot({"model": "gpt-4.1", "messages": [SYSTEM, *documents, *talk[:1], *tools, *talk[1:]]})


@pytest.fixture(scope="module")
def app(serve: Callable[..., str], read: Callable[[Path], Path], tmp_path_factory: pytest.TempPathFactory) -> str:
    """The app on three sessions: every fate, more than 300 messages, and a calm one."""
    directory: Path = tmp_path_factory.mktemp("traces")
    with Recorder(directory, session="fates", window=4_000, budget=2_000, threshold=0.7) as recorder:
        write_lives(recorder)
        with recorder.session("many"):
            messages: list[Message] = [SYSTEM]
            for number in range(160):
                messages = [*messages, *say(number)]
                recorder.snapshot({"model": "gpt-4.1", "messages": messages})
        with recorder.session("calm"):
            for number in range(1, 4):
                recorder.snapshot({"model": "gpt-4.1", "messages": [SYSTEM, FIRST, *say(1)][: number + 1]})
    return serve(read(directory))


@pytest.fixture
def session(app: str, open_page: OpenPage) -> Callable[..., Page]:
    """Open a session of the app and wait until its lifelines stand."""

    def start(call: int, name: str = "fates", more: str = "", **options: object) -> Page:
        page = open_page(f"{app}/session?session={name}&call={call}{more}", **options)
        expect(filter_button(page, "All")).to_have_text(re.compile(r"All \d"), timeout=60_000)
        expect(page.locator(".pane .facts")).to_be_visible()
        return page

    return start


def filter_button(page: Page, label: str) -> Locator:
    """Return one of the row filters."""
    return page.locator(".bar .filter", has_text=re.compile(f"^{label}"))


def row(page: Page, number: int) -> float:
    """Return the middle of the n-th row in sight, from 0."""
    box = page.locator(".lives").bounding_box()
    assert box is not None
    return box["y"] + (number + 0.5) * ROW


def column(page: Page, place: int, of: int) -> float:
    """Return the middle of a column of the x axis, from 0."""
    box = page.locator(".chart .cursor").bounding_box()
    assert box is not None
    left, right = 38, 2  # AXIS_WIDTH and RIGHT_PAD of session_chart.js
    return box["x"] + left + (place + 0.5) * min(64.0, (box["width"] - left - right) / of)


def lives(page: Page) -> dict[str, str]:
    """Return the table of lifelines: message number → its cells."""
    page.get_by_role("button", name="Show as table").click()
    rows = page.locator(".lives-table tbody tr").all()
    return {line.locator("th").inner_text(): line.inner_text() for line in rows}


def place_of(call: int) -> int:
    """Return a main call's column: the summariser's call has none."""
    return call - 1 - (call > SIDE)


def test_every_fate_is_in_the_table(session: Callable[..., Page]) -> None:
    """Show as table has the lifelines too: where each message stood and what happened to it, by whom."""
    table = lives(session(1))
    texts = list(table.values())
    document = next(text for text in texts if "kb-120" in text)
    assert f"taken out at call {EVICTED} · inferred" in document
    assert f"back at call {BACK}" in document
    assert f"in calls 1–{EVICTED - 1}, {BACK}–{CALLS}" in document
    result = next(text for text in texts if "tool results" in text)
    assert f"cut at call {CUT}" in result
    rule = next(text for text in texts if "another delivery date. From" in text)
    assert re.search(rf"taken by m\d+ at call {TAKEN} · recorded by .*test_lifelines\.py:\d+", rule)
    assert f"gone since call {TAKEN}" in rule


def test_a_side_lane_has_only_its_own_messages(session: Callable[..., Page]) -> None:
    """The summariser's prompt is no part of the main picture, and evicts nothing of it."""
    page = session(SIDE)
    expect(filter_button(page, "All")).to_have_text("All 1")
    page.keyboard.press("Home")
    assert all("summarise the talk" not in text for text in lives(session(1)).values())


def test_a_click_on_a_row_selects_its_message(session: Callable[..., Page]) -> None:
    """The address names the message, the line that is read aloud tells its end; a second click lets it go."""
    page = session(2)
    box = page.locator(".lives").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 120, row(page, 0))
    page.wait_for_url(re.compile("message=m1(&|$)"))
    expect(page.locator(".live[aria-live]").last).to_contain_text("message m1 system")
    page.mouse.click(box["x"] + 120, row(page, 0))
    page.wait_for_url(lambda url: "message=" not in url)


def test_keys_go_on_from_a_clicked_row(session: Callable[..., Page]) -> None:
    """The rows have the focus then; arrow keys still move rows and calls."""
    page = session(1)
    box = page.locator(".lives").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 120, row(page, 1))
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    page.wait_for_url(re.compile("message=m3(&|$)"))
    expect(page.locator(".pane h2")).to_contain_text("Call 2 ·")


def test_a_message_of_the_address_is_selected(session: Callable[..., Page]) -> None:
    """A link to a message survives a reload."""
    page = session(2, more="&message=m3")
    expect(page.locator(".live[aria-live]").last).to_contain_text("message m3")
    page.reload()
    expect(page.locator(".live[aria-live]").last).to_contain_text("message m3", timeout=60_000)


def test_the_message_stays_selected_while_one_scrubs(session: Callable[..., Page]) -> None:
    """Its number holds for the whole session."""
    page = session(1, more="&message=m3")
    expect(page.locator(".live[aria-live]").last).to_contain_text("message m3")
    page.keyboard.press("ArrowRight")
    page.wait_for_url(re.compile("call=2(&|$)"))
    expect(page.locator(".live[aria-live]").last).to_contain_text("call 2, turn 2")
    expect(page.locator(".live[aria-live]").last).to_contain_text("message m3")


def test_arrow_keys_move_rows_and_enter_opens_the_message(session: Callable[..., Page]) -> None:
    """From the first row down, then the Call page at that message."""
    page = session(1)
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    page.wait_for_url(re.compile("message=m3(&|$)"))
    page.keyboard.press("ArrowUp")
    page.wait_for_url(re.compile("message=m2(&|$)"))
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/call\\?.*message=m2"))


def test_enter_on_a_message_that_is_gone_opens_its_last_call(session: Callable[..., Page]) -> None:
    """A message is opened where it still stood."""
    page = session(CALLS, more="&message=m3")
    expect(page.locator(".live[aria-live]").last).to_contain_text("message m3")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(rf"/call\?.*call={TAKEN - 1}(&|$)"))


def test_a_symbol_tells_its_cause_and_a_click_goes_there(session: Callable[..., Page]) -> None:
    """The tooltip names who took it and who says so; the click selects the call."""
    page = session(1)
    x, y = column(page, place_of(TAKEN), CALLS - 1), row(page, 2)
    page.mouse.move(x, y)
    expect(page.locator(".tip")).to_contain_text(re.compile(rf"taken by m\d+ at call {TAKEN} · recorded by"))
    expect(page.locator(".tip")).to_contain_text(f"“{RULE}” pinned, gone since call {TAKEN}")
    page.mouse.click(x, y)
    expect(page.locator(".pane h2")).to_contain_text(f"Call {TAKEN} ·")


def test_inferred_fates_say_how_sure(session: Callable[..., Page]) -> None:
    """Certainty in words."""
    page = session(1)
    page.mouse.move(column(page, place_of(EVICTED), CALLS - 1), row(page, 1))
    expect(page.locator(".tip")).to_contain_text(f"taken out at call {EVICTED} · inferred, certain")


def test_the_compaction_mark_has_its_record(session: Callable[..., Page]) -> None:
    """The first row of marks: what it did and why."""
    page = session(1)
    label = page.locator(".labels span", has_text="compactions").bounding_box()
    assert label is not None
    page.mouse.move(column(page, place_of(TAKEN), CALLS - 1), label["y"] + label["height"] / 2)
    expect(page.locator(".tip")).to_contain_text("A summary took")
    expect(page.locator(".tip")).to_contain_text("“history > 70 %”")


def test_the_windows_tell_what_changed(session: Callable[..., Page]) -> None:
    """One line a change: the summary and all it took, the lost pin, what came, what stayed."""
    notes = session(TAKEN).locator(".pane .notes")
    expect(notes).to_contain_text(re.compile(r"\d+ messages replaced by one summary, m\d+"))
    expect(notes).to_contain_text(re.compile(r"−\d[\d,]* → \+\d+"))
    expect(notes).to_contain_text(f"pinned, gone: {RULE}")
    expect(notes).to_contain_text("2 messages unchanged")


def test_the_windows_follow_a_step_at_once(session: Callable[..., Page]) -> None:
    """A cut is a line with its tokens; the next step has its own lines, before the server answers."""
    page = session(CUT)
    notes = page.locator(".pane .notes")
    expect(notes.locator("li", has_text="tool results: row 0")).to_contain_text(re.compile(r"−\d"))
    page.keyboard.press("ArrowRight")
    expect(notes).to_contain_text("retrieved: <doc")


def test_a_line_of_a_change_selects_its_message(session: Callable[..., Page]) -> None:
    """From what happened to the row it happened to."""
    page = session(TAKEN)
    page.locator(".pane .notes li", has_text="pinned, gone").click()
    page.wait_for_url(re.compile("message=m3(&|$)"))


def test_play_walks_the_calls_and_their_windows(session: Callable[..., Page]) -> None:
    """Space plays to the last call; with reduced motion it steps."""
    page = session(EVICTED)
    page.emulate_media(reduced_motion="reduce")
    page.keyboard.press(" ")
    expect(page.locator(".pane h2")).to_contain_text(f"Call {CALLS} ·", timeout=60_000)
    expect(page.locator(".pane .notes")).to_contain_text("unchanged")


def test_filters_count_and_choose_the_rows(session: Callable[..., Page]) -> None:
    """What a filter counts is what it shows."""
    page = session(TAKEN)
    label = filter_button(page, "Changed")
    expect(label).to_have_text("Changed 1")
    label.click()
    assert len(lives(page)) == 1
    expect(filter_button(page, "Pinned")).to_have_text("Pinned 1")
    expect(filter_button(page, "In this call")).to_have_text("In this call 5")
    page.keyboard.press("ArrowLeft")
    expect(filter_button(page, "In this call")).not_to_have_text("In this call 5")


def test_a_message_outside_the_filter_is_shown_among_all(session: Callable[..., Page]) -> None:
    """A link to a message never ends in a list without it."""
    page = session(TAKEN)
    filter_button(page, "Changed").click()
    page.locator(".pane .notes li", has_text="pinned, gone").click()
    expect(filter_button(page, "All")).to_have_attribute("aria-pressed", "true")


def test_many_rows_start_with_those_of_the_call(session: Callable[..., Page]) -> None:
    """Over 300 messages the selected call's are shown; few start with all."""
    page = session(2, name="many")
    expect(filter_button(page, "In this call")).to_have_attribute("aria-pressed", "true")
    expect(filter_button(page, "In this call")).to_have_text("In this call 5")
    expect(filter_button(session(2), "All")).to_have_attribute("aria-pressed", "true")


def test_rows_scroll_to_the_moving_selection(session: Callable[..., Page]) -> None:
    """The selected row stays in sight."""
    page = session(160, name="many")
    for _ in range(60):
        page.keyboard.press("ArrowDown")
    page.wait_for_url(re.compile("message=m60(&|$)"))
    assert page.locator(".lives").evaluate("(node) => node.scrollTop") > 0
    assert page.locator(".lives").evaluate("(node) => node.scrollHeight") == 321 * ROW


def test_a_calm_session_says_that_nothing_was_taken_out(session: Callable[..., Page]) -> None:
    """Known from the messages themselves, not from the absence of a record."""
    expect(session(1, name="calm").locator(".story")).to_contain_text("Nothing was taken out in 3 calls.")


def test_a_sentence_about_a_compaction_leads_to_both_its_calls(session: Callable[..., Page]) -> None:
    """The link of the line goes to Compare, at this pair."""
    page = session(1)
    line = page.locator(".story .sentence", has_text=f"call {TAKEN}").first
    line.get_by_role("link", name="compare").click()
    page.wait_for_url(re.compile(rf"/compare\?.*b={TAKEN}"))


@pytest.mark.parametrize("dark", [False, True])
def test_the_picture_and_the_rows_share_one_axis(session: Callable[..., Page], dark: bool) -> None:
    """The selected column of the rows stands right under that of the chart, beside a scroll bar or not."""
    page = session(TAKEN, dark=dark)
    mark = page.locator(".lives-mark").bounding_box()
    assert mark is not None
    assert abs(mark["x"] + mark["width"] / 2 - column(page, place_of(TAKEN), CALLS - 1)) < 2
