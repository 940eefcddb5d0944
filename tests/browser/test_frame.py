"""The frame: links, strip, scrubber, keys, and the address as the only truth."""

from __future__ import annotations

import re
import shutil
import urllib.request
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from snapshot_sdk import Recorder

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

OpenPage = Callable[..., Page]
ChangeLook = Callable[[Page, int, bool], None]
PLACE = ".moves .place"


@pytest.fixture(scope="module")
def order(recorded: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the bad session alone, which another server can read in no time."""
    directory = tmp_path_factory.mktemp("order")
    for folder in recorded.glob("order-4711-*"):
        shutil.copytree(folder, directory / folder.name)
    return directory


def place(page: Page, text: str) -> None:
    """Wait until the strip is in sight and says which call is selected."""
    expect(page.locator(PLACE)).to_be_visible()
    expect(page.locator(PLACE)).to_have_text(text)


def parameters(page: Page) -> dict[str, str]:
    """Return the parameters of the address."""
    return {name: values[0] for name, values in parse_qs(urlsplit(page.url).query).items()}


def wait_for_call(page: Page, number: int) -> None:
    """Wait until the address names a call."""
    page.wait_for_url(re.compile(rf"[?&]call={number}(&|$)"))


def test_keys_move_between_calls(open_page: OpenPage, app: str) -> None:
    """Each key of the strip does what the list of keys says."""
    page = open_page(f"{app}/session?session=order-4711&call=3")
    place(page, "turn 2 · call 3 of 12")
    for key, expected in [
        ("ArrowRight", "turn 2 · call 4 of 12"),
        ("ArrowLeft", "turn 2 · call 3 of 12"),
        ("Shift+ArrowRight", "turn 3 · call 5 of 12"),
        ("Shift+ArrowLeft", "turn 2 · call 3 of 12"),
        ("End", "turn 6 · call 12 of 12"),
        ("[", "turn 4 · call 7 of 12"),
        ("Home", "turn 1 · call 1 of 12"),
        ("]", "turn 4 · call 7 of 12"),
        ("f", "turn 4 · call 7 of 12"),
    ]:
        page.keyboard.press(key)
        place(page, expected)
    wait_for_call(page, 7)


def test_go_to_takes_a_turn_or_a_call(open_page: OpenPage, app: str) -> None:
    """`g` with t5 or 3; what is not there is said and the field stays."""
    page = open_page(f"{app}/session?session=order-4711&call=3")
    place(page, "turn 2 · call 3 of 12")

    page.keyboard.press("g")
    page.keyboard.type("900")
    page.keyboard.press("Enter")
    expect(page.get_by_text("no “900” here: calls 1–12, turns t1–t6")).to_be_visible()
    page.keyboard.type("t5")
    page.keyboard.press("Enter")
    place(page, "turn 5 · call 9 of 12")


def test_the_list_of_keys_opens_and_closes(open_page: OpenPage, app: str) -> None:
    """`?` lists the keys; while it is open no key moves the call."""
    page = open_page(f"{app}/session?session=order-4711&call=3")
    place(page, "turn 2 · call 3 of 12")

    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    page.keyboard.press("ArrowRight")
    place(page, "turn 2 · call 3 of 12")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="Keys")).to_have_count(0)
    page.keyboard.press("ArrowRight")
    place(page, "turn 2 · call 4 of 12")


def test_scrubbing_leaves_one_entry_in_the_history(open_page: OpenPage, app: str) -> None:
    """Twenty steps: the address holds the last call, the history has grown by none."""
    page = open_page(f"{app}/session?session=long-1000&call=500")
    place(page, "turn 500 · call 500 of 1,000")
    entries = page.evaluate("history.length")

    for _ in range(20):
        page.keyboard.press("ArrowRight")

    place(page, "turn 520 · call 520 of 1,000")
    wait_for_call(page, 520)
    assert page.evaluate("history.length") == entries


def test_dragging_selects_calls(open_page: OpenPage, app: str) -> None:
    """The pointer over the scrubber selects the call under it, from its first to its last."""
    page = open_page(f"{app}/session?session=order-4711&call=3")
    place(page, "turn 2 · call 3 of 12")
    box = page.locator(".scrubber").bounding_box()
    assert box is not None

    page.mouse.move(box["x"] + 2, box["y"] + 30)
    page.mouse.down()
    place(page, "turn 1 · call 1 of 12")
    page.mouse.move(box["x"] + box["width"] + 50, box["y"] + 30, steps=5)
    page.mouse.up()

    place(page, "turn 6 · call 12 of 12")
    wait_for_call(page, 12)


def test_play_steps_to_the_end(open_page: OpenPage, app: str) -> None:
    """Space plays; at the last call it stops by itself."""
    page = open_page(f"{app}/session?session=order-4711&call=10")
    place(page, "turn 5 · call 10 of 12")

    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="Play (space)")).to_have_text("❚❚")
    place(page, "turn 6 · call 12 of 12")
    expect(page.get_by_role("button", name="Play (space)")).to_have_text("▶")


def test_back_forward_and_reload_are_exact(open_page: OpenPage, app: str) -> None:
    """A jump is one entry; each way back shows the view that was left, its call included."""
    page = open_page(app)
    page.get_by_role("row").filter(has_text="order-4711").click()
    place(page, "turn 4 · call 7 of 12")
    page.keyboard.press("ArrowRight")
    wait_for_call(page, 8)
    page.get_by_role("link", name="Call", exact=True).click()
    page.wait_for_url(re.compile(r"/call\?"))
    place(page, "turn 4 · call 8 of 12")
    page.keyboard.press("ArrowRight")
    wait_for_call(page, 9)

    page.go_back()
    page.wait_for_url(re.compile(r"/session\?"))
    place(page, "turn 4 · call 8 of 12")
    page.go_back()
    expect(page.get_by_text("What happened")).to_be_visible()
    assert urlsplit(page.url).path == "/"
    page.go_forward()
    page.wait_for_url(re.compile(r"/session\?"))
    place(page, "turn 4 · call 8 of 12")
    page.go_forward()
    page.wait_for_url(re.compile(r"/call\?"))
    place(page, "turn 5 · call 9 of 12")
    page.reload()
    place(page, "turn 5 · call 9 of 12")
    assert parameters(page) == {"session": "order-4711", "call": "9"}


def test_a_late_step_does_not_follow_to_another_page(open_page: OpenPage, app: str) -> None:
    """Back while a step is under way leaves the address of the earlier view alone."""
    page = open_page(app)
    page.get_by_role("row").filter(has_text="order-4711").click()
    place(page, "turn 4 · call 7 of 12")

    page.keyboard.press("ArrowRight")
    page.go_back()
    expect(page.get_by_text("What happened")).to_be_visible()
    page.wait_for_timeout(600)  # longer than the pause after which a step is written

    assert parameters(page) == {}


def test_the_frame_stays_while_the_page_changes(open_page: OpenPage, app: str) -> None:
    """The strip's own elements survive a switch of pages: it is never drawn anew."""
    page = open_page(f"{app}/session?session=order-4711&call=3")
    place(page, "turn 2 · call 3 of 12")
    page.locator(PLACE).evaluate("node => { window.keptPlace = node; }")

    page.get_by_role("link", name="Call", exact=True).click()
    page.wait_for_url(re.compile(r"/call\?"))
    page.get_by_role("link", name="Session", exact=True).click()
    page.wait_for_url(re.compile(r"/session\?"))

    assert page.locator(PLACE).evaluate("node => node === window.keptPlace && node.isConnected")


def test_what_went_wrong_is_one_click_away(open_page: OpenPage, app: str) -> None:
    """Lost pins and errors are counted; a click goes to the next of them."""
    page = open_page(f"{app}/session?session=order-4711&call=3")
    expect(page.get_by_text("● 1 pin gone since call 7")).to_be_visible()

    page.get_by_text("● 2 errors").click()
    place(page, "turn 4 · call 7 of 12")
    page.get_by_text("● 2 errors").click()
    place(page, "turn 5 · call 9 of 12")
    page.get_by_text("● 2 errors").click()
    place(page, "turn 4 · call 7 of 12")


def test_the_gauge_names_size_limit_and_share(open_page: OpenPage, app: str) -> None:
    """Tokens of the selected call against the budget."""
    page = open_page(f"{app}/session?session=order-4711&call=1")

    expect(page.locator(".fill")).to_have_text(re.compile(r"^260 of 800 tokens · 33 %$"))


def test_new_calls_appear_without_moving_the_selected_one(
    open_page: OpenPage, serve: Callable[..., str], tmp_path: Path
) -> None:
    """While the page is open the session grows; "new calls" leads to the end."""
    with Recorder(tmp_path, session="live", window=1_000) as recorder:
        request = {"model": "gpt-4.1", "messages": [{"role": "user", "content": "hello"}]}
        for _ in range(2):
            recorder.snapshot(request, api="openai.chat")
        page = open_page(f"{serve(tmp_path)}/session?session=live&call=1")
        expect(page.locator(PLACE)).to_have_text(re.compile("call 1 of 2"))

        for _ in range(3):
            recorder.snapshot(request, api="openai.chat")

        expect(page.locator(PLACE)).to_have_text(re.compile("call 1 of 5"), timeout=20_000)
        page.get_by_role("button", name="3 new calls ›").click()
        expect(page.locator(PLACE)).to_have_text(re.compile("call 5 of 5"))
        expect(page.locator(".fresh")).to_be_hidden()


@pytest.mark.parametrize("dark", [False, True])
def test_the_frame_fits(open_page: OpenPage, change_look: ChangeLook, app: str, dark: bool) -> None:
    """Nothing of the frame is wider than the window, and the page itself does not scroll."""
    page = open_page(f"{app}/session?session=order-4711&call=7", width=1920, dark=dark)
    place(page, "turn 4 · call 7 of 12")
    ground = page.get_by_test_id("stApp")
    expect(ground).to_have_css("background-color", "rgb(20, 23, 28)" if dark else "rgb(255, 255, 255)")

    for width in (1920, 1280):
        change_look(page, width, dark)
        strip = page.locator(".st-key-strip").bounding_box()
        assert strip is not None
        assert strip["height"] < 150


def test_the_theme_can_flip_while_open(open_page: OpenPage, app: str) -> None:
    """Components follow the system's mode without a reload."""
    page = open_page(f"{app}/session?session=order-4711&call=7")
    place(page, "turn 4 · call 7 of 12")
    root = page.locator(".st-key-strip .root")
    expect(root).to_have_attribute("data-mode", "light")

    page.emulate_media(color_scheme="dark")

    expect(root).to_have_attribute("data-mode", "dark")


def test_another_machine_is_shown_no_prompt(
    open_page: OpenPage, serve: Callable[..., str], order: Path, page_text: Callable[[Page], str]
) -> None:
    """Bound to every interface the app says why it shows nothing, and how to allow it."""
    page = open_page(serve(order, options=("--server.address", "0.0.0.0")) + "/?q=ORD-2024-001")

    expect(page.get_by_text("No prompt is shown here")).to_be_visible()
    expect(page.get_by_text("--allow-remote", exact=False).first).to_be_visible()
    assert "order-4711" not in page_text(page)


def test_it_can_be_allowed_on_purpose(open_page: OpenPage, serve: Callable[..., str], order: Path) -> None:
    """The option after the two dashes opens the pages."""
    page = open_page(serve(order, "--allow-remote", options=("--server.address", "0.0.0.0")))

    expect(page.get_by_role("row").filter(has_text="order-4711")).to_be_visible()


def test_a_foreign_name_for_this_machine_is_refused(
    chromium: Browser, serve: Callable[..., str], order: Path, page_text: Callable[[Page], str]
) -> None:
    """Under another host name that leads here (DNS rebinding) no prompt is shown, even with CORS switched off."""
    address = serve(order, options=("--server.enableCORS", "false", "--server.enableXsrfProtection", "false"))
    page = chromium.new_page()

    page.goto(address.replace("127.0.0.1", "evil.example"))

    expect(page.get_by_text("No prompt is shown here")).to_be_visible()
    assert "order-4711" not in page_text(page)
    page.close()


def test_the_server_listens_on_loopback_by_default(app: str) -> None:
    """The config beside the entry script holds although the server was started elsewhere."""
    port = urlsplit(app).port
    listening = [
        line.split()[1] for line in Path("/proc/net/tcp").read_text().splitlines()[1:] if line.split()[3] == "0A"
    ]

    assert [address for address in listening if address.endswith(f":{port:04X}")] == [f"0100007F:{port:04X}"]
    with urllib.request.urlopen(f"{app}/_stcore/health", timeout=5) as answer:
        assert answer.status == 200
