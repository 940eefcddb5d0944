"""The samples open page by page, without an exception or an error in the console.

Pictures of every page are left in the test's temporary directory, or in $CONTEXT_INSPECTOR_SCREENSHOTS.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, expect

from sample_data.generate import SCENARIOS

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser-samples")]

OpenPage = Callable[..., Page]
ChangeLook = Callable[[Page, int, bool], None]
LOOKS = [(1280, False), (1280, True), (1920, True), (1920, False)]
"""Widths, and whether it is dark."""
DRAWN = ".pane .facts, .list .row, .stream .line .body"
"""What stands on Session, and in the views of Call, once the prompt has come."""
SAMPLES = {
    # Session: the call where it happened, the strip's words for it, what stands on its Call page.
    "order-4711": (16, "turn 8 · call 16 of 21", "提供一下订单号"),
    "returns-desk": (34, "turn 15 · call 34 of 34", "Here is the main article."),
    "lisbon-offsite": (18, "turn 8 · call 18 of 27", "every dinner needs a real vegetarian main course"),
    "night-shift": (8, "turn 3 · call 8 of 12", "(Earlier messages were removed to save space.)"),
    "tea-house-posts": (19, "turn 11 · call 19 of 21", "《国庆来云栖里，好茶好礼等着你！》"),
    "sanya-trip": (14, "turn 6 · call 14 of 21", "接送是什么车？"),
    "freezer-move": (15, "turn 8 · call 15 of 18", "Latest summary of the conversation"),
}


@pytest.fixture
def take(tmp_path: Path) -> Callable[[Page, str], None]:
    """Take a picture of a page."""
    folder = Path(os.environ.get("CONTEXT_INSPECTOR_SCREENSHOTS") or tmp_path)
    folder.mkdir(parents=True, exist_ok=True)

    def picture(page: Page, name: str) -> None:
        page.screenshot(path=folder / f"{name}.png")

    return picture


def settle(page: Page, place: str) -> None:
    """Wait until the frame names the selected call, the page is drawn, and the server has nothing left to do."""
    expect(page.locator(".moves .place")).to_have_text(place)
    expect(page.locator(DRAWN).filter(visible=True).first).to_be_visible()
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")
    expect(page.get_by_test_id("stException")).to_have_count(0)


def test_the_samples_are_listed(
    open_page: OpenPage, change_look: ChangeLook, take: Callable[[Page, str], None], samples: str
) -> None:
    """Without a directory the app shows all samples, those with an error first, each with what went wrong in it."""
    page = open_page(samples)
    expect(page.locator(".list .name")).to_have_count(len(SCENARIOS))
    expect(page.locator(".list")).not_to_contain_text("reading …")
    told = dict(
        zip(
            page.locator(".list .name").all_text_contents(),
            page.locator(".list .incident").all_text_contents(),
            strict=True,
        )
    )
    signs = [text[0] for text in page.locator(".list .happened").all_text_contents()]

    assert told == {scenario.SESSION: scenario.INCIDENT for scenario in SCENARIOS}
    assert set(page.locator(".list .chip").all_text_contents()) == {"sample"}
    assert signs[: signs.count("●")] == ["●"] * signs.count("●")
    assert signs.count("●") >= 5
    for width, dark in LOOKS:
        change_look(page, width, dark)
        take(page, f"sessions-{width}-{'dark' if dark else 'light'}")


@pytest.mark.parametrize("session", SAMPLES)
def test_a_sample_opens_page_by_page(
    open_page: OpenPage, change_look: ChangeLook, take: Callable[[Page, str], None], samples: str, session: str
) -> None:
    """Session and Call open at the call where it happened, each view of it too; Call has the words that matter."""
    call, place, words = SAMPLES[session]
    looks = LOOKS if session == "order-4711" else [(1440, False)]
    page = open_page("about:blank")
    for path, view in [("session", None), ("call", "text"), ("call", "json"), ("call", "list")]:
        query = {"session": session, "call": call, **({"view": view} if view else {})}
        page.goto(f"{samples}/{path}?{urlencode(query)}")
        settle(page, place)
        for width, dark in looks:
            change_look(page, width, dark)
            take(page, "-".join(filter(None, [path, session, view, str(width), "dark" if dark else "light"])))

    expect(page.get_by_text(words).first).to_be_attached()


def test_rows_with_an_incident_open_and_move_like_others(open_page: OpenPage, samples: str) -> None:
    """The arrow keys go from row to row, and Enter opens the one that is marked."""
    page = open_page(samples)
    expect(page.locator(".list .name")).to_have_count(len(SCENARIOS))
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    marked = page.locator(".list .line[aria-selected=true]")
    name = marked.locator(".name").text_content() or ""
    boxes = [box for row in page.locator(".list .line").all() if (box := row.bounding_box()) is not None]

    assert all(below["y"] >= above["y"] + above["height"] - 1 for above, below in pairwise(boxes))
    page.keyboard.press("Enter")
    expect(page.locator(".moves .place")).to_be_visible(timeout=20_000)
    assert f"session={name}" in page.url
