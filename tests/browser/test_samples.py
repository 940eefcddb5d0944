"""The samples and the real logs open page by page, without an exception or an error in the console.

Pictures of every page are left in the test's temporary directory, or in $CONTEXT_INSPECTOR_SCREENSHOTS.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, expect

from inspector.importers import import_paths

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser-samples")]

OpenPage = Callable[..., Page]
LOOKS = [(1280, False), (1280, True), (1920, False), (1920, True)]
SAMPLES = {
    # Session: the call where it happened, the strip's words for it, what stands on its Call page.
    "order-4711": (16, "turn 8 · call 16 of 21", "提供一下订单号"),
    "returns-desk": (34, "turn 15 · call 34 of 34", "Here is the main article."),
    "lisbon-offsite": (18, "turn 8 · call 18 of 27", "every dinner needs a real vegetarian main course"),
}
WORST_FIRST = ["order-4711", "returns-desk", "lisbon-offsite"]
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
    """Without a directory the app shows the three samples, the healthy one last."""
    page = open_page(samples, width=width, dark=dark)
    expect(page.locator(".list .name")).to_have_text(WORST_FIRST, timeout=20_000)
    expect(page.locator(".list .happened").first).to_contain_text("●")
    expect(page.locator(".list .happened").last).not_to_contain_text(re.compile("[●▲]"))
    take(page, f"sessions-{width}-{'dark' if dark else 'light'}")


@pytest.mark.parametrize(
    ("session", "width", "dark"),
    [*(("order-4711", *look) for look in LOOKS), ("returns-desk", 1440, True), ("lisbon-offsite", 1440, False)],
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
