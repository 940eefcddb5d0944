"""The Call page in a browser, on traces the recorder wrote: Chinese, a thousand messages, hostile text."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from snapshot_sdk import Recorder

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

OpenPage = Callable[..., Page]
Serve = Callable[..., str]
Read = Callable[[Path], Path]

MEMORY = "<memory> 王敏, 会员: 黄金; 偏好短信 </memory>"
RULE = "以后请只用中文回答"
HOSTILE = [
    "<img src=x onerror=\"document.title='owned'\"> **bold** $x$ [a](http://b)",
    "NUL\x00 ESC\x1b[31mred\x1b[0m",
    "RTL שלום \u202eevil\u202c",
    "lone \ud800 surrogate 😀",
    "x" * 2_000_000,
]
BIG = 1_000
"""Messages of the long call, 4 kB each."""


def order_messages() -> list[dict[str, Any]]:
    """Return a Chinese prompt of joined layers, a tool call and its result."""
    arguments = json.dumps({"order_id": "ORD-2024-001", "fields": ["status"]})
    call = {"id": "call_1", "type": "function", "function": {"name": "query_order", "arguments": arguments}}
    return [
        {"role": "system", "content": f"你是「订单助理」。\n{MEMORY}\n金额一律写明币种。"},
        {"role": "user", "content": f"你好，我想改一下订单的配送时间。{RULE}，不要用英文。"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": '{"status":"待发货"}'},
    ]


def record(directory: Path) -> None:
    """Write three sessions: an order of four calls, one call of 4 MB, one of hostile text."""
    tool = {"type": "function", "function": {"name": "query_order", "parameters": {"type": "object"}}}
    with Recorder(directory, session="order", window=16_000, budget=2_000) as recorder:
        recorder.label(MEMORY, layer="memory", source="profile:u_123")
        recorder.pin(RULE, reason="user constraint")
        messages = order_messages()
        for number in range(1, 5):
            body = {"model": "gpt-4.1", "temperature": 0.2, "tools": [tool], "messages": messages}
            snapshot = recorder.snapshot(body, api="openai.chat")
            if number == 3:
                recorder.response(snapshot, status=400, error="context_length_exceeded", complete=False)
                messages = [messages[0], *messages[2:]]
                continue
            answer = {"role": "assistant", "content": f"已处理第 {number} 步。\n只发短信。"}
            usage = {"prompt_tokens": 300, "completion_tokens": 9, "total_tokens": 309}
            recorder.response(snapshot, messages=[answer], usage=usage, stop_reason="stop", duration_ms=1_800)
            messages = [*messages, answer, {"role": "user", "content": f"第 {number} 个问题"}]
    with Recorder(directory, session="big", window=2_000_000) as recorder:
        words = "lorem ipsum dolor sit amet 以后请只用中文回答 "
        long = [{"role": "user", "content": f"message {i} ORD-{i} " + words * 100} for i in range(BIG)]
        recorder.snapshot({"model": "gpt-4.1", "messages": long}, api="openai.chat")
    with Recorder(directory, session="hostile") as recorder:
        recorder.snapshot({"model": "gpt-4.1", "messages": [{"role": "user", "content": t} for t in HOSTILE]})
        recorder.snapshot({"prompt": "plain <i>text</i>", "n": 2**70, "made": {"a": [1]}})


@pytest.fixture(scope="module")
def call_app(serve: Serve, read: Read, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The app on these traces."""
    directory = tmp_path_factory.mktemp("calls")
    record(directory)
    return serve(read(directory))


def show(open_page: OpenPage, app: str, query: str, **options: Any) -> Page:
    """Open the Call page and wait for its texts; the first test waits for the index too."""
    page = open_page(f"{app}/call?{query}", **options)
    page.locator(".reader .about > *, .stream .line .body").first.wait_for(timeout=90_000)
    return page


def title(page: Page) -> Locator:
    """Return the heading of the reader."""
    return page.locator(".reader .title strong")


def body_text(page: Page, where: str = ".reader") -> str:
    """Return the visible text rows."""
    return "\n".join(page.locator(f"{where} .line .body").all_inner_texts())


def scroll(page: Page, where: str, share: float) -> None:
    """Scroll a pane to a share of its height."""
    page.locator(where).evaluate("(node, share) => { node.scrollTop = node.scrollHeight * share; }", share)


def test_rows_stand_in_order_with_layer_role_and_answer(open_page: OpenPage, call_app: str) -> None:
    """The list is the prompt: number, layer, role, text, tokens; the answer is its last row."""
    page = show(open_page, call_app, "session=order&call=1")
    rows = page.locator(".list .row")
    expect(rows).to_have_count(6)
    assert [row.split("\n")[0] for row in rows.all_inner_texts()] == ["1", "2", "3", "4", "5", "→"]
    assert page.locator(".list .row .layer .code").all_inner_texts() == ["ME", "TD", "IN", "TC", "TR"]
    expect(rows.nth(2)).to_contain_text("⚲")
    expect(rows.nth(5)).to_contain_text("已处理第 1 步。 ⏎ 只发短信。")
    expect(rows.nth(5)).to_contain_text("1.8 s · stop")


def test_arrows_move_and_the_address_follows(open_page: OpenPage, call_app: str) -> None:
    """↑ ↓ move through the rows, the reader shows each, the address keeps the last without new history."""
    page = show(open_page, call_app, "session=order&call=1&message=m1")
    before = page.evaluate("history.length")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(title(page)).to_contain_text("user")
    expect(page.locator(".reader .line .body").first).to_contain_text(RULE)
    number = title(page).inner_text().rsplit(" ", 1)[1]
    page.wait_for_url(f"**message={number}*")
    assert page.evaluate("history.length") == before
    page.reload()
    expect(title(page)).to_contain_text(number)


def test_enter_focuses_the_reader_and_escape_the_list(open_page: OpenPage, call_app: str) -> None:
    """↵ hands the arrows to the text, Esc takes them back."""
    page = show(open_page, call_app, "session=order&call=1&message=m1")
    page.keyboard.press("Enter")
    heading = title(page).inner_text()
    expect(page.locator(".reader .scroll")).to_be_focused()
    page.keyboard.press("ArrowDown")
    assert title(page).inner_text() == heading
    page.keyboard.press("Escape")
    expect(page.locator(".list")).to_be_focused()


def test_segments_have_edges_codes_and_reasons(open_page: OpenPage, call_app: str) -> None:
    """A joined string shows its layers: each row one edge, the code where it begins, why it is so."""
    page = show(open_page, call_app, "session=order&call=1&message=m1")
    expect(page.locator(".reader .about")).to_contain_text("memory: by label (profile:u_123)")
    assert page.locator(".reader .line .gutter").all_inner_texts() == ["SY", "ME", "SY"]
    edges = page.locator(".reader .line .gutter").evaluate_all("nodes => nodes.map(n => n.style.borderLeftColor)")
    assert edges[0] == edges[2] != edges[1]


def test_a_pin_says_who_and_why(open_page: OpenPage, call_app: str) -> None:
    """The pinned message names the reason and the line of code."""
    page = show(open_page, call_app, "session=order&call=1&message=m2")
    about = page.locator(".reader .about")
    page.locator(".list .row").nth(2).click()
    expect(about).to_contain_text(f"pinned at call 1 · turn 1: “{RULE}” (“user constraint”")
    expect(about).to_contain_text("test_call.py:")
    expect(about.locator(".life").first).to_have_text("+call 1 · turn 1: added")


def test_a_tool_call_is_indented_or_as_sent(open_page: OpenPage, call_app: str) -> None:
    """Arguments are readable; one click shows them as they stand in the body."""
    page = show(open_page, call_app, "session=order&call=1&message=m1")
    page.locator(".list .row").nth(3).click()
    expect(page.locator(".reader .line.head")).to_contain_text("tool call · query_order · call_1")
    expect(page.locator(".reader .line.text").nth(1)).to_contain_text('  "order_id": "ORD-2024-001",')
    page.locator(".reader .line.head .form").click()
    expect(page.locator(".reader .line.text")).to_have_count(1)
    expect(page.locator(".reader .line.text")).to_contain_text('query_order({"order_id": "ORD-2024-001", "fields"')


def test_the_answer_has_usage_and_a_ledger(open_page: OpenPage, call_app: str) -> None:
    """Without a chosen message the reader shows what the model said and what it cost, by whom."""
    page = show(open_page, call_app, "session=order&call=1")
    expect(title(page)).to_have_text("answer · assistant")
    about = page.locator(".reader .about")
    expect(about).to_contain_text("300 in · 9 out by the provider")
    expect(about.locator("tr", has_text="by the provider")).to_contain_text("300")
    expect(about.locator("tr", has_text="unattributed")).to_be_visible()


def test_a_refused_call_says_why(open_page: OpenPage, call_app: str) -> None:
    """The header tells the outcome in words."""
    page = show(open_page, call_app, "session=order&call=3")
    expect(page.locator(".fact.error")).to_have_text("refused: 400, context too long")


def test_another_call_keeps_the_message_and_shows_it_where_it_is_gone(open_page: OpenPage, call_app: str) -> None:
    """→ goes on with the same message; where the prompt lost it, it stands in its old place."""
    page = show(open_page, call_app, "session=order&call=2&message=m2")
    page.locator(".list .row").nth(2).click()
    number = title(page).inner_text().rsplit(" ", 1)[1]
    page.keyboard.press("ArrowRight")
    expect(page.locator(".fact.error")).to_be_visible()
    expect(title(page)).to_contain_text(number)
    page.wait_for_url(f"**message={number}*")
    page.keyboard.press("ArrowRight")
    expect(title(page)).to_have_text(f"gone · history · user · {number}")
    expect(page.locator('.row.ghost[aria-selected="true"]')).to_contain_text("pinned, gone")
    page.wait_for_url(f"**call=4*message={number}*")
    expect(page.locator(".progress.on")).to_have_count(0)


def test_find_walks_prompt_and_answer(open_page: OpenPage, call_app: str) -> None:
    """/ finds Chinese in prompt and answer; n and p walk the hits; each is marked in its place."""
    page = show(open_page, call_app, "session=order&call=1")
    page.keyboard.press("/")
    page.keyboard.type("短信")
    expect(page.locator(".count")).to_have_text("2 hits · 1 in the answer")
    page.keyboard.press("Enter")
    expect(page.locator(".count")).to_have_text("1 of 2")
    expect(page.locator(".reader mark.current")).to_have_text("短信")
    expect(title(page)).to_contain_text("system")
    page.locator(".list").focus()
    page.keyboard.press("n")
    expect(page.locator(".count")).to_have_text("2 of 2")
    expect(title(page)).to_contain_text("answer")
    page.keyboard.press("p")
    expect(page.locator(".count")).to_have_text("1 of 2")


def test_find_in_text_and_json(open_page: OpenPage, call_app: str) -> None:
    """The same field searches the stream and the body, whatever the case."""
    page = show(open_page, call_app, "session=order&call=1&view=text")
    page.keyboard.press("/")
    page.keyboard.type("ord-2024")
    page.keyboard.press("Enter")
    expect(page.locator(".stream mark.current")).to_have_text("ORD-2024")
    page.locator(".views button", has_text="JSON").click()
    expect(page.locator(".count")).to_have_text("1 hit")
    page.locator(".bar button", has_text="n ›").click()
    expect(page.locator(".stream mark.current")).to_have_text("ORD-2024")


def test_text_is_the_whole_prompt_with_layer_edges(open_page: OpenPage, call_app: str) -> None:
    """One stream: every message, the answer at its end, lines counted."""
    page = show(open_page, call_app, "session=order&call=1&view=text")
    text = body_text(page, ".stream")
    assert text.index(MEMORY) < text.index(RULE) < text.index("待发货") < text.index("已处理第 1 步。")
    expect(page.locator(".lines")).to_have_text(re.compile(r"^line 1–(\d+) of \1$"))
    assert any("ME" in code for code in page.locator(".stream .gutter").all_inner_texts())


def test_json_is_the_body_indented_or_as_stored(open_page: OpenPage, call_app: str) -> None:
    """Indented to read, as stored to believe."""
    page = show(open_page, call_app, "session=order&call=1&view=json")
    assert '  "temperature": 0.2,' in body_text(page, ".stream").split("\n")
    page.locator(".bar .form").click()
    expect(page.locator(".stream .line.text").first).to_contain_text('"temperature":0.2')
    expect(page.locator(".lines")).to_contain_text("of 1")


def test_view_and_message_survive_reload_and_back(open_page: OpenPage, call_app: str) -> None:
    """The address holds the view: reload shows it again, Back to an address shows that one."""
    page = show(open_page, call_app, "session=order&call=1")
    page.locator(".views button", has_text="Text").click()
    page.wait_for_url("**view=text*")
    page.reload()
    expect(page.locator(".stream .line .body").first).to_be_visible()
    page.goto(f"{call_app}/call?session=order&call=2&view=json")
    expect(page.locator(".stream.json .line .body").first).to_be_visible()
    page.go_back()
    expect(page.locator(".stream:not(.json) .line .body").first).to_be_visible()


@pytest.mark.parametrize("view", ["list", "text", "json"])
def test_hostile_text_is_shown_literally(open_page: OpenPage, call_app: str, view: str) -> None:
    """Markup, markdown, control characters, half characters and reversed text are characters."""
    page = show(open_page, call_app, f"session=hostile&call=1&view={view}")
    text = "\n".join(page.locator(".list .row").all_inner_texts()) if view == "list" else body_text(page, ".stream")
    assert "<img src=x onerror=" in text
    assert "**bold** $x$ [a](http://b)" in text
    assert "NUL\\u0000 ESC\\u001b[31mred" in text
    assert "\\u202eevil\\u202c" in text
    assert "\\ud800 surrogate 😀" in text
    assert page.locator(".root img").count() == 0
    assert page.title() != "owned"


def test_a_line_of_two_megabytes_scrolls(open_page: OpenPage, call_app: str) -> None:
    """Only the visible rows of a 2 MB line are in the page, at its end too."""
    page = show(open_page, call_app, "session=hostile&call=1")
    page.locator(".list .row").nth(4).click()
    rows = page.locator(".reader .line .body")
    for share in (0.5, 1.0):
        scroll(page, ".reader .scroll", share)
        expect(rows.nth(10)).to_contain_text("x" * 20)
        assert rows.count() < 120
    whole = page.locator(".reader .sheet").evaluate("node => node.clientHeight")
    assert whole > 300_000


def test_any_other_body_shows_its_members(open_page: OpenPage, call_app: str) -> None:
    """A body of no known API is rows and parameters, never refused."""
    page = show(open_page, call_app, "session=hostile&call=2")
    expect(page.locator(".list .row").first).to_contain_text("plain <i>text</i>")
    expect(page.locator(".facts")).to_contain_text(f"n {2**70}")


def test_a_thousand_messages_of_four_megabytes(open_page: OpenPage, call_app: str) -> None:
    """A long call sends a list and a window, keeps few rows, and shows its far end."""
    page = open_page("about:blank")
    received: list[int] = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: received.append(len(frame))))
    page.goto(f"{call_app}/call?session=big&call=1&message=m5")
    expect(title(page)).to_contain_text("m5", timeout=90_000)
    page.locator(".reader .line .body").first.wait_for()
    assert sum(received) < 1_500_000
    assert page.locator(".list .row").count() < 80
    scroll(page, ".list", 1.0)
    expect(page.locator(".list .row", has_text=f"message {BIG - 1} ")).to_be_visible()
    page.keyboard.press("/")
    page.keyboard.type("ord-777 ")
    expect(page.locator(".count")).to_have_text("1 hit")
    page.keyboard.press("Enter")
    expect(title(page)).to_contain_text("m778")
    page.locator(".views button", has_text="Text").click()
    expect(page.locator(".stream .line .body").first).to_be_visible()
    scroll(page, ".stream", 0.3)
    expect(page.locator(".stream .line .body", has_text="message 300 ")).to_be_visible()


def test_the_window_column_selects(open_page: OpenPage, call_app: str) -> None:
    """A click in the column is a click on the row."""
    page = show(open_page, call_app, "session=big&call=1&message=m1")
    rail = page.locator(".rail")
    box = rail.bounding_box()
    assert box is not None
    rail.click(position={"x": 10, "y": box["height"] * 0.1})
    expect(title(page)).to_have_text(re.compile(r"m[0-9]{3}$"))
    expect(page.locator('.list .row[aria-selected="true"]')).to_be_visible()


def test_copies_are_the_recorded_bytes(open_page: OpenPage, call_app: str) -> None:
    """Body, message, cURL and file come from the record, not from the screen."""
    page = show(open_page, call_app, "session=order&call=1&message=m1")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])

    def copied(label: str) -> str:
        page.locator(".root button", has_text=label).click()
        done = page.locator(".root button", has_text="Copied")
        expect(done).to_be_visible()
        text = str(page.evaluate("navigator.clipboard.readText()"))
        expect(done).to_have_count(0)  # the button says its own name again
        return text

    digest = page.locator(".fact", has_text="sha256").get_attribute("title") or ""
    body = copied("Copy body")
    assert hashlib.sha256(body.encode()).hexdigest() in digest
    assert copied("Copy y") == order_messages()[0]["content"]
    command = copied("cURL")
    assert body in command
    assert "Authorization: Bearer $API_KEY" in command
    with page.expect_download() as download:
        page.locator(".root button", has_text="Download").click()
    assert download.value.suggested_filename == "request.json"
    assert Path(download.value.path()).read_bytes() == body.encode()


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("", "No session chosen"),
        ("session=orde&call=1", "There is no session 'orde'"),
        ("session=order&call=99", "has no call 99"),
    ],
)
def test_a_wrong_address_says_what_to_do(open_page: OpenPage, call_app: str, query: str, said: str) -> None:
    """A session or call that is not there is a box with links, not an error."""
    page = open_page(f"{call_app}/call?{query}")
    expect(page.locator(".box")).to_contain_text(said, timeout=90_000)
    expect(page.locator(".box a").first).to_be_visible()


def test_a_message_that_does_not_exist_says_so(open_page: OpenPage, call_app: str) -> None:
    """The rest of the page stays usable."""
    page = show(open_page, call_app, "session=order&call=1&message=m99")
    expect(page.locator(".absent")).to_contain_text("m99 is not in call 1")
    expect(page.locator(".absent")).to_contain_text("The messages of this session are m1 to m")
    page.keyboard.press("ArrowDown")
    expect(title(page)).to_contain_text("m1")


def test_the_theme_can_flip_while_the_page_is_open(open_page: OpenPage, call_app: str) -> None:
    """Colours of rows, edges and column follow the theme."""
    page = show(open_page, call_app, "session=order&call=1&message=m1")
    gutter = page.locator(".reader .line .gutter").first
    light = gutter.evaluate("node => getComputedStyle(node).borderLeftColor")
    page.emulate_media(color_scheme="dark")
    expect(page.locator('.root[data-mode="dark"] .rail')).to_be_visible()
    expect(gutter).not_to_have_css("border-left-color", light)
