"""What happened, on the Call page in a browser: marks, ghosts in their old place, lives, watches."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from snapshot_sdk import Recorder

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

OpenPage = Callable[..., Page]
Serve = Callable[..., str]
Read = Callable[[Path], Path]

SYSTEM = {"role": "system", "content": "你是「订单助理」。"}
RULE = "以后请只用中文回答"
STATE = "<state> slot: choosing one on Saturday morning, by SMS, as agreed </state>"
TALK = [
    {"role": "user", "content": f"第 {n} 句：订单 ORD-2024-001 的配送时段和加急费请再确认一次。"} for n in range(1, 10)
]
SUMMARY = "[对话摘要] 用户的订单是 ORD-2024-001，配送改到周六上午。"
SLIDES = 60
"""Messages that a sliding window loses, one a call."""


def user(text: str) -> dict[str, str]:
    """A message of the user."""
    return {"role": "user", "content": text}


def record(directory: Path) -> None:
    """Write two sessions: a summary that takes ten messages and a pinned rule; a window that slides for 60 calls."""
    before = [SYSTEM, user(f"你好。{RULE}，不要用英文。"), *TALK, user(STATE)]
    after = [SYSTEM, user(SUMMARY), user(STATE.replace("Saturday", "Sunday")), user("发票呢？")]
    with Recorder(directory, session="order", window=16_000) as recorder:
        recorder.pin(RULE, reason="user constraint")
        for number, messages in enumerate((before, after), 1):
            with recorder.turn(number):
                if messages is after:
                    recorder.compaction(
                        before=before[:-1], after=after[:2], strategy="summary", reason="history > 70 %"
                    )
                snapshot = recorder.snapshot({"model": "gpt-4.1", "messages": messages}, api="openai.chat")
                recorder.response(snapshot, messages=[{"role": "assistant", "content": "好的。"}], stop_reason="stop")
    with Recorder(directory, session="slide", window=16_000) as recorder:
        words = [user(f"number {n}: the user asks for thing {n * 37}") for n in range(SLIDES + 6)]
        for number in range(1, SLIDES + 2):
            with recorder.turn(number):
                messages = [SYSTEM, *words[number - 1 : number + 5]]
                recorder.snapshot({"model": "gpt-4.1", "messages": messages}, api="openai.chat")


@pytest.fixture(scope="module")
def traces(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory; the tests of watches write into it."""
    directory = tmp_path_factory.mktemp("changes")
    record(directory)
    return directory


@pytest.fixture(autouse=True)
def _no_watch_stays(traces: Path) -> Iterator[None]:
    """What a test watches is no matter of the next."""
    yield
    (traces / "inspector.toml").unlink(missing_ok=True)


@pytest.fixture(scope="module")
def changed_app(serve: Serve, read: Read, traces: Path) -> str:
    """The app on these traces."""
    return serve(read(traces))


def show(open_page: OpenPage, app: str, query: str, **options: Any) -> Page:
    """Open the Call page and wait for its texts."""
    page = open_page(f"{app}/call?{query}", **options)
    page.locator(".reader .about > *, .stream .line .body").first.wait_for(timeout=90_000)
    return page


def title(page: Page) -> Locator:
    """Return the heading of the reader."""
    return page.locator(".reader .title strong")


def life(page: Page) -> Locator:
    """Return the lines of the selected message's life."""
    return page.locator(".reader .life")


def cells(page: Page, name: str) -> list[str]:
    """Return a column of the list, in the order of the screen."""
    rows = page.locator(".list .row").evaluate_all(
        "(rows, name) => rows.sort((a, b) => parseFloat(a.style.top) - parseFloat(b.style.top))"
        ".map((row) => row.querySelector(`.${name}`)?.textContent ?? '')",
        name,
    )
    return [str(cell) for cell in rows]


def test_the_column_says_what_happened(open_page: OpenPage, changed_app: str) -> None:
    """A pinned message that is gone, a fold of the others, what is new and what was edited; the rest is quiet."""
    page = show(open_page, changed_app, "session=order&call=2")
    expect(page.locator(".row.fold")).to_have_count(1)
    assert cells(page, "happened") == ["", "✕pinned, gone", "Σ", "+new", "≈edited", "+new", "stop"]
    expect(page.locator(".row.fold button")).to_contain_text("9 messages taken by m13, ")
    assert cells(page, "place") == ["1", "", "", "2", "3", "4", "→"]


def test_a_ghost_is_marked_and_stays_readable(open_page: OpenPage, changed_app: str) -> None:
    """Hollow swatch, muted text on a hatched ground, edge in the colour of the loss; nothing struck through."""
    page = show(open_page, changed_app, "session=order&call=2")
    ghost = page.locator(".row.ghost").first
    expect(ghost).to_contain_text(f"⚲ 你好。{RULE}")
    style = ghost.evaluate(
        "node => { const s = getComputedStyle(node); return [s.backgroundImage, s.boxShadow, s.textDecorationLine]; }"
    )
    assert style[0].startswith("repeating-linear-gradient")
    assert "inset" in style[1]
    assert style[2] == "none"
    expect(ghost.locator(".paint.hollow")).to_be_visible()


def test_a_fold_opens_and_closes(open_page: OpenPage, changed_app: str) -> None:
    """Its messages stand where they stood."""
    page = show(open_page, changed_app, "session=order&call=2")
    page.locator(".row.fold button").click()
    expect(page.locator(".row.ghost:not(.fold)")).to_have_count(10)
    expect(page.locator(".row.fold button")).to_contain_text("hide")
    page.locator(".row.fold button").click()
    expect(page.locator(".row.ghost:not(.fold)")).to_have_count(1)


def test_a_ghost_has_an_address_and_a_life(open_page: OpenPage, changed_app: str) -> None:
    """Its last text, what took it and who says so, and that nothing in this call says it."""
    page = show(open_page, changed_app, "session=order&call=2&message=m2")
    expect(title(page)).to_have_text("gone · history · user · m2")
    expect(page.locator(".reader .line .body").first).to_contain_text(f"你好。{RULE}，不要用英文。")
    said = life(page).all_inner_texts()
    assert "call 1 · turn 1: added" in said[0]
    assert "call 2 · turn 2: taken by summary m13; recorded by the agent: “history > 70 %”" in said[1]
    assert "nothing in this call says it: no copy, not in summary m13" in said[2]
    assert f"pinned at call 1 · turn 1: “{RULE}” (“user constraint”" in said[3]


def test_a_message_in_a_fold_opens_it(open_page: OpenPage, changed_app: str) -> None:
    """A link to it shows it in its place; arrows go on from there."""
    page = show(open_page, changed_app, "session=order&call=2&message=m5")
    expect(page.locator('.row.ghost[aria-selected="true"]')).to_contain_text("第 3 句")
    page.keyboard.press("ArrowDown")
    expect(title(page)).to_have_text("gone · history · user · m6")
    page.wait_for_url("**message=m6*")


def test_arrows_pass_over_a_fold(open_page: OpenPage, changed_app: str) -> None:
    """From the ghost above it to the message below it."""
    page = show(open_page, changed_app, "session=order&call=2&message=m2")
    page.keyboard.press("ArrowDown")
    expect(title(page)).to_contain_text("summary")
    page.keyboard.press("ArrowUp")
    expect(title(page)).to_contain_text("gone")


def test_a_life_leads_to_its_calls_and_to_compare(open_page: OpenPage, changed_app: str) -> None:
    """The same message in the call before; the edit in Compare."""
    page = show(open_page, changed_app, "session=order&call=2&message=m2")
    life(page).first.locator("a").click()
    page.wait_for_url("**call=1*message=m2*")
    expect(title(page)).to_have_text("history · user · m2")
    expect(life(page).last).to_contain_text("later call 2 · turn 2: taken by summary m13")
    page.go_back()
    expect(title(page)).to_contain_text("gone")
    page.locator(".row.marked", has_text="edited").click()
    edited = life(page).filter(has_text="edited")
    target = edited.locator("a", has_text="compare")
    expect(target).to_have_attribute("href", re.compile(r"/compare\?(?=.*\ba=1\b)(?=.*\bb=2\b)"))


def test_stepping_keeps_the_message(open_page: OpenPage, changed_app: str) -> None:
    """→ goes from where it stood to where it is gone, and its number stays in the address."""
    page = show(open_page, changed_app, "session=order&call=1&message=m2")
    expect(title(page)).to_have_text("history · user · m2")
    page.keyboard.press("ArrowRight")
    expect(title(page)).to_have_text("gone · history · user · m2")
    page.wait_for_url("**call=2*message=m2*")


def test_a_message_that_comes_later_says_when(open_page: OpenPage, changed_app: str) -> None:
    """And leads there."""
    page = show(open_page, changed_app, "session=order&call=1&message=m13")
    expect(page.locator(".absent")).to_contain_text("It comes in call 2 · turn 2.")
    page.locator(".absent a").click()
    page.wait_for_url("**call=2*message=m13*")
    expect(title(page)).to_contain_text("m13")


def test_the_stream_says_where_messages_were(open_page: OpenPage, changed_app: str) -> None:
    """One line, and their texts behind it."""
    page = show(open_page, changed_app, "session=order&call=2&view=text")
    gap = page.locator(".line.gap button")
    expect(gap).to_have_text("⋯ 10 messages were here until call 1 ⋯ show")
    gap.click()
    expect(page.locator(".stream .line.ghost .body").first).to_contain_text(RULE)
    expect(page.locator(".stream .line.ghost .gutter").first).to_contain_text("m2  HI")


def test_find_does_not_look_at_what_is_gone(open_page: OpenPage, changed_app: str) -> None:
    """A hit is in the prompt or in the answer."""
    page = show(open_page, changed_app, "session=order&call=2")
    page.keyboard.press("/")
    page.keyboard.type(RULE)
    expect(page.locator(".count")).to_have_text("Nothing")


def test_what_is_gone_for_long_stands_behind_a_line(open_page: OpenPage, changed_app: str) -> None:
    """A window that slid for sixty calls; a link to one of them opens it."""
    page = show(open_page, changed_app, f"session=slide&call={SLIDES + 1}")
    older = page.locator(".row.fold button", has_text="older:")
    expect(older).to_contain_text(f"older: {SLIDES - 1} gone at calls 2–{SLIDES}")
    expect(page.locator(".row.ghost:not(.fold)")).to_have_count(1)
    page.goto(f"{changed_app}/call?session=slide&call={SLIDES + 1}&message=m20")
    expect(page.locator('.row.ghost[aria-selected="true"]')).to_contain_text("number 18:")


def select(page: Page, text: str) -> None:
    """Select a text in the first row of the reader, as a mouse would."""
    row = page.locator(".reader .line .body", has_text=text).first
    row.evaluate(
        """(node, text) => {
            const start = node.textContent.indexOf(text);
            const range = document.createRange();
            range.setStart(node.firstChild, start);
            range.setEnd(node.firstChild, start + text.length);
            const selection = node.getRootNode().getSelection?.() ?? getSelection();
            selection.removeAllRanges();
            selection.addRange(range);
        }""",
        text,
    )


def watches(traces: Path) -> list[dict[str, Any]]:
    """What the settings file holds."""
    file = traces / "inspector.toml"
    found: list[dict[str, Any]] = tomllib.loads(file.read_text("utf-8")).get("watches", []) if file.exists() else []
    return found


def test_w_watches_the_selection_and_undo_takes_it_back(open_page: OpenPage, changed_app: str, traces: Path) -> None:
    """It stands in the user's file, counts in the strip at once, and goes again."""
    page = show(open_page, changed_app, "session=order&call=1&message=m3")
    expect(page.locator(".alerts")).to_contain_text("1 pin gone since call 2")
    page.locator(".reader .line .body", has_text="第 1 句").first.wait_for()
    select(page, "配送时段和加急费")
    page.keyboard.press("w")
    note = page.locator(".watchnote")
    expect(note).to_contain_text("Watching “配送时段和加急费”. Written to ")
    assert watches(traces) == [{"text": "配送时段和加急费", "session": "order"}]
    expect(page.locator(".alerts")).to_contain_text("2 pins gone since call 2")
    expect(life(page).filter(has_text="watched since call 1")).to_have_count(1)
    note.locator("button").click()
    expect(note).to_have_text("No longer watched.")
    expect(page.locator(".alerts")).to_contain_text("1 pin gone since call 2")
    assert watches(traces) == []


def test_the_button_watches_the_whole_message(open_page: OpenPage, changed_app: str, traces: Path) -> None:
    """Of a ghost, too; its own line stops it."""
    page = show(open_page, changed_app, "session=order&call=2&message=m4")
    expect(title(page)).to_contain_text("m4")
    page.locator(".reader .title button", has_text="Watch").click()
    expect(life(page).filter(has_text="watched since call 1")).to_have_count(1)
    assert [watch["text"] for watch in watches(traces)] == [TALK[1]["content"]]
    page.locator(".life .remove").click()
    expect(page.locator(".life .remove")).to_have_count(0)
    assert watches(traces) == []


def test_the_file_edited_by_hand_counts(open_page: OpenPage, changed_app: str, traces: Path) -> None:
    """An open page follows it, and comments in it survive the app."""
    page = show(open_page, changed_app, "session=order&call=2&message=m1")
    (traces / "inspector.toml").write_text(f'# mine\n[[watches]]\ntext = "{RULE}"\n', "utf-8")
    expect(page.locator(".alerts")).to_contain_text("2 pins gone since call 2")
    (traces / "inspector.toml").unlink()
    expect(page.locator(".alerts")).to_contain_text("1 pin gone since call 2")
