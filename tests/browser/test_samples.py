"""The samples and the real logs open page by page, without an exception or an error in the console.

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

from inspector.importers import import_paths
from sample_data.generate import SCENARIOS

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser-samples")]

OpenPage = Callable[..., Page]
LOOKS = [(1280, False), (1280, True), (1920, False), (1920, True)]
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
IMPORTED = {"marshmallow-code__marshmallow-1867": 13, "llm-logs": 6, "nonfncall-llm-logs": 4}


@pytest.fixture(scope="module")
def samples(serve: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> str:
    """The app without a directory: it opens the samples."""
    return serve(cwd=tmp_path_factory.mktemp("elsewhere"))


@pytest.fixture(scope="module")
def imported(realdata: Path, serve: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> str:
    """The app on real logs."""
    out = tmp_path_factory.mktemp("imported")
    import_paths([realdata / "swe-agent", realdata / "openhands"], out)
    return serve(out)


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
    expect(page.locator(".moves .place")).to_have_text(place, timeout=20_000)
    page.wait_for_load_state("networkidle")
    expect(page.get_by_test_id("stException")).to_have_count(0)


@pytest.mark.parametrize(("width", "dark"), LOOKS)
def test_the_samples_are_listed(
    open_page: OpenPage, take: Callable[[Page, str], None], samples: str, width: int, dark: bool
) -> None:
    """Without a directory the app shows all samples, those with an error first, each with what went wrong in it."""
    page = open_page(samples, width=width, dark=dark)
    expect(page.locator(".list .name")).to_have_count(len(SCENARIOS), timeout=20_000)
    expect(page.locator(".list")).not_to_contain_text("reading …", timeout=20_000)
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
    take(page, f"sessions-{width}-{'dark' if dark else 'light'}")


@pytest.mark.parametrize(
    ("session", "width", "dark"),
    [
        *(("order-4711", *look) for look in LOOKS),
        *((session, 1440, False) for session in SAMPLES if session != "order-4711"),
    ],
)
def test_a_sample_opens_page_by_page(
    open_page: OpenPage, take: Callable[[Page, str], None], samples: str, session: str, width: int, dark: bool
) -> None:
    """Session and Call open at the call where it happened, each view of it too."""
    call, place, _ = SAMPLES[session]
    look = f"{width}-{'dark' if dark else 'light'}"
    page = open_page(f"{samples}/session?{urlencode({'session': session, 'call': call})}", width=width, dark=dark)
    settle(page, place)
    take(page, f"session-{session}-{look}")
    for view in ("list", "text", "json"):
        page.goto(f"{samples}/call?{urlencode({'session': session, 'call': call, 'view': view})}")
        settle(page, place)
        take(page, f"call-{session}-{view}-{look}")


@pytest.mark.parametrize("session", SAMPLES)
def test_the_call_says_what_the_sample_is_about(
    open_page: OpenPage, page_text: Callable[[Page], str], samples: str, session: str
) -> None:
    """The words that matter stand on the Call page: in the prompt or in the answer."""
    call, place, words = SAMPLES[session]
    page = open_page(f"{samples}/call?{urlencode({'session': session, 'call': call, 'view': 'list'})}")
    settle(page, place)

    assert words in page_text(page)


def test_rows_with_an_incident_open_and_move_like_others(open_page: OpenPage, samples: str) -> None:
    """The arrow keys go from row to row, and Enter opens the one that is marked."""
    page = open_page(samples)
    expect(page.locator(".list .name")).to_have_count(len(SCENARIOS), timeout=20_000)
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    marked = page.locator(".list .line[aria-selected=true]")
    name = marked.locator(".name").text_content() or ""
    boxes = [box for row in page.locator(".list .line").all() if (box := row.bounding_box()) is not None]

    assert all(below["y"] >= above["y"] + above["height"] - 1 for above, below in pairwise(boxes))
    page.keyboard.press("Enter")
    expect(page.locator(".moves .place")).to_be_visible(timeout=20_000)
    assert f"session={name}" in page.url


@pytest.mark.realdata
@pytest.mark.parametrize("session", IMPORTED)
def test_an_imported_log_opens_page_by_page(
    open_page: OpenPage, take: Callable[[Page, str], None], imported: str, session: str
) -> None:
    """First and last call of each real log open on both pages."""
    last = IMPORTED[session]
    for call in (1, last):
        page = open_page(f"{imported}/session?{urlencode({'session': session, 'call': call})}")
        expect(page.locator(".moves .place")).to_contain_text(f"call {call} of {last}", timeout=20_000)
        page.wait_for_load_state("networkidle")
        take(page, f"session-{session}-{call}")
        page.goto(f"{imported}/call?{urlencode({'session': session, 'call': call})}")
        expect(page.locator(".moves .place")).to_contain_text(f"call {call} of {last}", timeout=20_000)
        page.wait_for_load_state("networkidle")
        expect(page.get_by_test_id("stException")).to_have_count(0)
        take(page, f"call-{session}-{call}")
