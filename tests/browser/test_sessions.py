"""Sessions: the table, the one field that searches everything, damaged files, the first start."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from inspector.ui import components

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

OpenPage = Callable[..., Page]
ChangeLook = Callable[[Page, int, bool], None]
HOSTILE = "[x](http://y) <img src=x onerror=alert(1)> **bold** $x$"


def parameters(page: Page) -> dict[str, str]:
    """Return the parameters of the address."""
    return {name: values[0] for name, values in parse_qs(urlsplit(page.url).query).items()}


def search(page: Page, text: str) -> None:
    """Type into the one field."""
    field = page.get_by_role("searchbox")
    field.click()
    field.fill(text)


def test_the_worst_session_comes_first(open_page: OpenPage, app: str) -> None:
    """Errors stand above the rest, each with the sentence that says what happened."""
    page = open_page(app)
    rows = page.get_by_role("row")
    expect(rows).to_have_count(3)

    expect(rows.nth(0)).to_contain_text("order-4711")
    expect(rows.nth(0)).to_contain_text("1 of 1 gone")
    expect(rows.nth(0).locator(".happened")).to_contain_text("●")
    expect(page.get_by_text("3 sessions · 1,013 calls")).to_be_visible()


def test_names_of_sessions_are_shown_as_they_are(open_page: OpenPage, app: str) -> None:
    """Markdown, HTML and formulas in a name stay text, in the table and in the frame."""
    page = open_page(app)
    page.get_by_role("row").filter(has_text="帮手").or_(page.get_by_role("row").filter(has_text="[x]")).first.click()

    expect(page.locator(".session .name")).to_have_text(HOSTILE)
    assert page.locator("img, .katex, strong:text-is('bold')").count() == 0
    assert parameters(page)["session"] == HOSTILE


def test_filters_act_and_stay_in_the_address(open_page: OpenPage, app: str) -> None:
    """Agent, findings and order survive a reload; one click shows all again."""
    page = open_page(app)
    expect(page.get_by_role("row")).to_have_count(3)

    page.get_by_label("Agent").select_option("order-desk")
    expect(page.get_by_role("row")).to_have_count(1)
    expect(page.get_by_text("1 of 3 sessions · 12 calls")).to_be_visible()
    page.reload()
    expect(page.get_by_role("row")).to_have_count(1)
    page.get_by_label("Model").select_option("gpt-4o")
    page.get_by_role("button", name="Show all sessions").click()
    expect(page.get_by_role("row")).to_have_count(3)
    page.get_by_label("Order").select_option("calls")
    expect(page.get_by_role("row").nth(0)).to_contain_text("long-1000")
    assert parameters(page) == {"order": "calls"}


def test_keys_walk_the_table(open_page: OpenPage, app: str) -> None:
    """Down and Enter open a row; `/` goes to the field."""
    page = open_page(app)
    expect(page.get_by_role("row")).to_have_count(3)

    page.keyboard.press("/")
    expect(page.get_by_role("searchbox")).to_be_focused()
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")

    page.wait_for_url(re.compile(r"/session\?session=order-4711&call=7$"))


def test_a_search_shows_where_the_text_lives(open_page: OpenPage, app: str) -> None:
    """First call, how many prompts, when it was gone, and the answer that asked for it again."""
    page = open_page(app)
    search(page, "ORD-2024-001")

    hit = page.locator(".hit")
    expect(hit).to_have_count(1)
    expect(hit).to_contain_text("first call 2")
    expect(hit).to_contain_text(
        "9 of 12 prompts · gone at call 7, back at call 9 · last call 12 · in the answer of call 8"
    )
    expect(hit).to_contain_text("下单人王敏")
    assert parameters(page) == {"q": "ORD-2024-001"}
    expect(page.get_by_role("row")).to_have_count(0)


def test_a_mark_leads_to_its_call(open_page: OpenPage, app: str) -> None:
    """Click the fourth mark of a strip: the fourth call opens; Back shows the search again."""
    page = open_page(f"{app}/?q=ORD-2024-001")
    marks = page.locator("canvas.marks")
    expect(marks).to_have_count(1)

    marks.click(position={"x": 3.5 * 9, "y": 11})
    page.wait_for_url(re.compile(r"/call\?"))
    expect(page.locator(".moves .place")).to_have_text("turn 2 · call 4 of 12")
    expect(page.get_by_placeholder("in the whole prompt and answer")).to_have_value("ORD-2024-001")
    page.go_back()

    expect(page.locator(".hit")).to_have_count(1)
    expect(page.get_by_role("searchbox")).to_have_value("ORD-2024-001")


def test_chinese_is_found_in_prompts_and_answers(open_page: OpenPage, app: str) -> None:
    """A Chinese text is found without word boundaries, in an answer too."""
    page = open_page(app)
    search(page, "以后请只用中文")
    expect(page.locator(".hit")).to_contain_text("gone since call 7")

    search(page, "已处理第 12 步")
    expect(page.locator(".hit")).to_contain_text("in the answer of call 12")


def test_a_pattern_that_cannot_be_read_is_explained(open_page: OpenPage, app: str) -> None:
    """The reason stands where the results would be, and the field keeps the text."""
    page = open_page(f"{app}/?q=%28abc&kind=regex")

    expect(page.get_by_text("This pattern cannot be searched:")).to_be_visible()
    expect(page.get_by_role("searchbox")).to_have_value("(abc")


def test_no_hit_has_a_next_step(open_page: OpenPage, app: str) -> None:
    """What was searched is said, and what else to try."""
    page = open_page(f"{app}/?q=nowhere-to-be-found")

    expect(page.get_by_text("Nothing in 1,013 prompts and their answers.")).to_be_visible()
    search(page, "")
    expect(page.get_by_role("row")).to_have_count(3)
    assert parameters(page) == {}


def test_files_with_problems_are_listed(open_page: OpenPage, app: str) -> None:
    """The frame counts them, the page names file, line and byte."""
    page = open_page(app)
    page.get_by_role("link", name="▲ 1 file").click()

    expect(page.get_by_text("1 file with problems")).to_be_visible()
    expect(page.get_by_role("cell", name=re.compile(r"long-1000-.*\.jsonl"))).to_be_visible()
    page.get_by_role("link", name="Back to the sessions").click()
    expect(page.get_by_role("row")).to_have_count(3)


def test_the_first_start_offers_three_ways_on(open_page: OpenPage, serve: Callable[..., str], tmp_path: Path) -> None:
    """An empty directory: record, import, or open the samples; and back."""
    page = open_page(serve(tmp_path))
    expect(page.get_by_text("No traces in")).to_be_visible()
    expect(page.get_by_text("import snapshot_sdk")).to_be_visible()
    expect(page.get_by_text(f"context-inspector import auto LOGS --out {tmp_path}")).to_be_visible()

    page.get_by_role("link", name="Open the samples").click()
    expect(page.get_by_role("row").first).to_be_visible()
    page.get_by_role("link", name=re.compile("^back to ")).click()
    expect(page.get_by_text("No traces in")).to_be_visible()


@pytest.mark.parametrize("dark", [False, True])
def test_the_table_fits(open_page: OpenPage, change_look: ChangeLook, app: str, dark: bool) -> None:
    """The page itself does not scroll, at no width and in no mode."""
    page = open_page(app, width=1920, dark=dark)
    expect(page.get_by_role("row")).to_have_count(3)

    for width in (1920, 1440, 1280):
        change_look(page, width, dark)
        heights = page.get_by_test_id("stMain").evaluate("node => [node.scrollHeight, node.clientHeight]")
        assert heights[0] <= heights[1]


def test_numbers_are_written_the_same_in_browser_and_server(open_page: OpenPage, app: str) -> None:
    """The shared functions of the scripts agree with inspector/ui/format.py on its whole table of cases."""
    cases = json.loads((Path(__file__).parents[1] / "data" / "ui" / "format_cases.json").read_text("utf-8"))
    page = open_page(app)
    source = components.script("live").replace("export default", "const component_ =")
    names = {name: re.sub(r"_(\w)", lambda match: match[1].upper(), name) for name, _, _ in cases}
    functions = ", ".join(f"{name}: {browser}" for name, browser in names.items())
    written = page.evaluate(
        f"(cases) => {{ {source}\nconst all = {{{functions}}};"
        " return cases.map(([name, value]) => all[name](...(Array.isArray(value) ? value : [value]))); }",
        cases,
    )

    assert written == [expected for _, _, expected in cases]
