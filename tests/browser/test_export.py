"""The export dialog in a browser: opened from any page, its checks, its files, what it writes."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from snapshot_sdk import Recorder

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

OpenPage = Callable[..., Page]
Serve = Callable[..., str]
Read = Callable[[Path], Path]

SYSTEM = {"role": "system", "content": "You are a clerk."}
RULE = "Answer in Chinese only, <img src=x onerror=\"document.title='owned'\"> never in English."
SAID = {"role": "user", "content": f"My mail is wang.min@example.com. {RULE}"}
NOTED = {"role": "assistant", "content": "Noted."}
LAST = {"role": "user", "content": "When does it come?"}


@pytest.fixture(scope="module")
def desk(serve: Serve, read: Read, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The app on one session that loses its pinned rule at call 3."""
    directory = tmp_path_factory.mktemp("desk")
    with Recorder(directory, session="desk", window=16_000) as recorder:
        recorder.pin(RULE)
        for turn, messages in enumerate(([SYSTEM, SAID], [SYSTEM, SAID, NOTED, LAST], [SYSTEM, NOTED, LAST]), start=1):
            with recorder.turn(turn):
                recorder.snapshot({"model": "gpt-4.1", "messages": messages}, api="openai.chat")
                recorder.response(messages=[{"role": "assistant", "content": "Soon."}], duration_ms=900)
    return serve(read(directory), cwd=tmp_path_factory.mktemp("project"))


def opened(page: Page) -> Locator:
    """Wait until the checks have run."""
    dialog = page.locator("dialog.export[open]")
    dialog.locator(".check").first.wait_for(timeout=90_000)
    return dialog


def show(open_page: OpenPage, app: str, call: int = 3) -> tuple[Page, Locator]:
    """Open the dialog by its address."""
    page = open_page(f"{app}/call?session=desk&call={call}&export={call}")
    return page, opened(page)


def test_x_opens_it_and_closing_leaves_the_page(open_page: OpenPage, desk: str) -> None:
    """On Session, x exports the selected call; Escape closes it, and Back does not bring it again."""
    page = open_page(f"{desk}/session?session=desk&call=3")
    page.get_by_role("button", name="Export this call as a test").wait_for(timeout=90_000)
    page.locator(".story .sentence").first.wait_for()
    page.keyboard.press("x")
    expect(opened(page)).to_contain_text("Export turn 3 · call 3 of desk as a test")
    page.keyboard.press("Escape")
    expect(page.locator("dialog.export[open]")).to_have_count(0)
    expect(page).not_to_have_url(re.compile("export="))


def test_a_broken_pin_of_the_story_is_exported(open_page: OpenPage, desk: str) -> None:
    """The sentence about the lost pin leads to the test of its call."""
    page = open_page(f"{desk}/session?session=desk")
    page.locator(".story .sentence", has_text="gone since call 3").get_by_role("button", name="export").click(
        timeout=90_000
    )
    expect(opened(page)).to_contain_text("call 3 of desk")


def test_what_fails_comes_first_with_its_reason(open_page: OpenPage, desk: str) -> None:
    """The pinned rule is chosen, fails now, and is told why; its text stays text."""
    page, dialog = show(open_page, desk)
    first = dialog.locator(".check").first
    expect(first).to_contain_text("✕ fails now")
    expect(first).to_contain_text("Answer in Chinese only, <img src=x")
    expect(first.get_by_role("checkbox")).to_be_checked()
    assert page.title() != "owned"


def test_what_is_masked_is_shown(open_page: OpenPage, desk: str) -> None:
    """The e-mail address is counted before anything is written."""
    _, dialog = show(open_page, desk)
    expect(dialog.locator(".masked")).to_contain_text("masked: 1 email in")


def test_two_files_are_written_once(open_page: OpenPage, desk: str, tmp_path: Path) -> None:
    """The test and its fixture appear in the folder, without the secret; a second time nothing is overwritten."""
    _, dialog = show(open_page, desk)
    dialog.get_by_label("Folder").fill(str(tmp_path / "out"))
    dialog.get_by_label("Folder").press("Tab")
    expect(dialog.locator(".files .code").first).to_have_text("test_desk_call3.py")
    dialog.get_by_role("button", name="Write 2 files").click()
    expect(dialog.locator(".note")).to_contain_text("■ Wrote")
    fixture = (tmp_path / "out" / "desk_call3.json").read_text("utf-8")
    assert json.loads(fixture)["format"] == "context-inspector/fixture"
    assert "wang.min" not in fixture
    expect(dialog.get_by_role("button", name="Write 2 files")).to_be_disabled()


def test_the_archive_holds_the_same_files(open_page: OpenPage, desk: str) -> None:
    """Download gives a zip of what is shown."""
    page, dialog = show(open_page, desk)
    with page.expect_download() as waiting:
        dialog.get_by_role("button", name="Download .zip").click()
    with zipfile.ZipFile(io.BytesIO(Path(waiting.value.path()).read_bytes())) as archive:
        assert archive.namelist() == ["test_desk_call3.py", "desk_call3.json"]


def test_a_test_that_passes_today_needs_a_second_yes(open_page: OpenPage, desk: str, tmp_path: Path) -> None:
    """At call 2 nothing fails: the first click says so, the second writes."""
    _, dialog = show(open_page, desk, 2)
    dialog.get_by_label("Folder").fill(str(tmp_path / "out"))
    dialog.get_by_label("Folder").press("Tab")
    expect(dialog.locator(".says")).to_contain_text("Nothing that is chosen fails")
    dialog.get_by_role("button", name="Write …").click()
    expect(dialog.locator(".note")).to_contain_text("this test would pass before anything is mended")
    assert not (tmp_path / "out").exists()
    dialog.get_by_role("button", name="Yes, write a test that passes today").click()
    expect(dialog.locator(".note")).to_contain_text("■ Wrote")


def test_shrinking_makes_it_small(open_page: OpenPage, desk: str) -> None:
    """The size is told before and after, and the whole comes back."""
    _, dialog = show(open_page, desk)
    dialog.get_by_role("button", name="Shrink while it still fails").click()
    expect(dialog.get_by_role("button", name="Back to the whole")).to_be_visible()
    expect(dialog).to_contain_text("shrunk from")
    dialog.get_by_role("button", name="Back to the whole").click()
    expect(dialog.get_by_role("button", name="Shrink while it still fails")).to_be_visible()


def test_another_home_shows_its_own_files(open_page: OpenPage, desk: str) -> None:
    """As Markdown for an issue it is one file, and its text is seen before it is written."""
    _, dialog = show(open_page, desk)
    dialog.get_by_label("What it becomes").select_option("markdown")
    expect(dialog.locator(".files summary")).to_have_count(1)
    dialog.locator(".files summary").click()
    expect(dialog.locator(".files pre")).to_contain_text("### What must hold")


@pytest.mark.parametrize("dark", [False, True])
def test_it_fits_a_narrow_window(
    open_page: OpenPage, desk: str, change_look: Callable[[Page, int, bool], None], dark: bool
) -> None:
    """In both modes nothing of the dialog is wider than the window."""
    page, dialog = show(open_page, desk)
    change_look(page, 1024, dark)
    box = dialog.bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 1024
