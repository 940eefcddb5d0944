"""The Trace page: a fact over all calls, from the field, from a selection and from a search."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser-trace")]

OpenPage = Callable[..., Page]
RULE = "以后请只用中文回答我"


def label_of(page: Page, text: str) -> Locator:
    """A row of the picture, by its label."""
    return page.locator(".labels .label").filter(has_text=text)


def query(page: Page, name: str) -> str | None:
    """A parameter of the page's address."""
    value = page.evaluate("name => new URL(location.href).searchParams.get(name)", name)
    return None if value is None else str(value)


def test_a_rule_goes_at_the_call_of_the_trim(open_page: OpenPage, samples: str) -> None:
    """The sentence on top names the call and the code; its headline leads to the two contexts."""
    page = open_page(f"{samples}/trace?session=order-4711&call=13&find={RULE}")

    expect(page.locator(".story .first")).to_have_text(
        "The rule was in the prompt from call 1 to call 12, word for word."
    )
    expect(page.locator(".story")).to_contain_text(
        "At call 13 a trim (sample_data/memory.py:60) took its message m4 out."
    )
    expect(label_of(page, "m4")).to_contain_text("user, t1")
    expect(page.locator(".entry.now")).to_contain_text("gone")
    expect(page.get_by_label("As what it is looked for")).to_have_text(re.compile(r"^rule \(guessed\)"))
    page.get_by_role("link", name="call 13: lost").click()
    expect(page).to_have_url(re.compile(r"/compare\?.*a=12.*"))
    page.go_back()
    expect(page.locator(".story .first")).to_be_visible()


def test_an_id_is_asked_for_again_after_its_loss(open_page: OpenPage, samples: str) -> None:
    """The picture, the table and the selected call of the strip are one; an arrow moves all."""
    page = open_page(f"{samples}/trace?session=order-4711&call=16&find=ORD-2024-001", dark=True)

    expect(page.locator(".story")).to_contain_text("The answer of call 16 asked for it again.")
    asked = page.locator(".entry").filter(has_text="asked for again")
    expect(asked).to_have_class(re.compile(r"\bnow\b"))
    expect(asked).to_contain_text("⟦")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".entry.now").first).to_contain_text("m37 user")
    expect(page.locator(".moves .place")).to_contain_text("call 17")
    page.wait_for_function("new URL(location.href).searchParams.get('call') === '17'")
    assert query(page, "find") == "ORD-2024-001"


def test_a_drifting_budget_reads_at_once(open_page: OpenPage, samples: str) -> None:
    """The state says another value, which nobody had said; the other lane is told apart."""
    page = open_page(f"{samples}/trace?session=sanya-trip&call=14&find=8,000 元", width=1280)

    expect(page.locator(".story")).to_contain_text("At call 14 m1 was rewritten and says “8500元” in its place.")
    expect(page.locator(".story")).to_contain_text(
        "No message of the user and no tool result up to call 14 says “8500元”."
    )
    expect(page.locator(".remark").first).to_have_text("call 14: altered")
    expect(page.locator(".remark").filter(has_text="≠ 8500元, m1")).to_be_visible()
    page.get_by_role("link", name=re.compile("^lane state")).click()
    expect(page.locator(".moves .place")).to_contain_text("call 4")
    expect(label_of(page, "m11")).to_be_visible()


def test_the_field_looks_for_what_is_typed_and_says_why_it_cannot(open_page: OpenPage, samples: str) -> None:
    """A pattern that is none is said under the field; a text that is nowhere has a next step."""
    page = open_page(f"{samples}/trace?session=order-4711&call=3")
    field = page.get_by_label("What is looked for")
    expect(page.locator(".help")).to_contain_text("Pinned or watched in this session")

    field.fill("(a")
    page.get_by_label("As what it is looked for").select_option("regex")
    expect(page.locator(".trouble")).to_contain_text("This pattern cannot be read: missing )")
    page.get_by_label("As what it is looked for").select_option("")
    field.fill("净水机器人")
    field.press("Enter")
    expect(page.locator(".story .first")).to_have_text("Never in any prompt, and in no answer: 21 calls searched.")
    expect(page.get_by_role("link", name="search every session for it")).to_be_visible()
    assert query(page, "find") == "净水机器人"


def test_a_cell_opens_the_call_at_that_message(open_page: OpenPage, samples: str) -> None:
    """The column says the call, the row the message; the end of a row leads to Compare."""
    page = open_page(f"{samples}/trace?session=order-4711&call=13&find={RULE}")
    expect(label_of(page, "m4")).to_be_visible()
    cells = page.locator(".cells")
    box, top = cells.bounding_box(), label_of(page, "m4").bounding_box()
    assert box is not None
    assert top is not None
    step = page.locator(".cells canvas").first.evaluate("node => parseFloat(node.style.width)") / 21

    cells.click(position={"x": step * 4.5, "y": top["y"] - box["y"] + 8})

    expect(page).to_have_url(re.compile("/call"))
    assert (query(page, "call"), query(page, "message")) == ("5", "m4")


def test_t_follows_a_row_and_a_selection_of_call(open_page: OpenPage, samples: str) -> None:
    """Without a selection the whole message; with one, its words, and the kind is guessed."""
    page = open_page(f"{samples}/call?session=order-4711&call=2&message=m6")
    expect(page.locator(".reader .about")).to_contain_text("m6")

    page.keyboard.press("t")
    expect(page.locator(".story .first")).to_contain_text("from call 2 to call 12")
    assert (query(page, "find"), query(page, "as")) == ("m6", "message")
    page.go_back()
    body = page.locator(".reader .body").filter(has_text="ORD-2024-001")
    body.evaluate(
        """node => {
            const text = node.textContent;
            const range = document.createRange();
            const at = text.indexOf("ORD-2024-001");
            range.setStart(node.firstChild, at);
            range.setEnd(node.firstChild, at + 12);
            getSelection().removeAllRanges();
            getSelection().addRange(range);
        }"""
    )
    page.keyboard.press("t")
    expect(page.locator(".story .first")).to_have_text("The id was in the prompt from call 2 to call 12, unchanged.")
    assert query(page, "find") == "ORD-2024-001"


def test_a_search_leads_to_the_trace_of_a_session(open_page: OpenPage, samples: str) -> None:
    """They are one thing: the text and its kind go along."""
    page = open_page(f"{samples}/?q=ORD-2024-001&kind=id")

    page.get_by_role("link", name="Trace in this session").click()

    expect(page.locator(".story .first")).to_contain_text("The id was in the prompt from call 2")
    assert (query(page, "as"), query(page, "session")) == ("id", "order-4711")


def test_the_story_of_a_session_leads_to_the_fact(open_page: OpenPage, samples: str) -> None:
    """A sentence on a pinned rule has the trace of its text beside it; the link of the frame keeps it."""
    page = open_page(f"{samples}/session?session=order-4711&call=13")

    page.locator(".sentence").filter(has_text="The pinned texts").get_by_role("link", name="trace").click()

    expect(page.locator(".story .first")).to_contain_text("The rule was in the prompt")
    page.get_by_role("navigation").get_by_role("link", name="Session", exact=True).click()
    page.locator(".sentence").first.wait_for()
    page.get_by_role("navigation").get_by_role("link", name="Trace").click()
    expect(page.locator(".story .first")).to_contain_text("The rule was in the prompt")


def test_w_watches_what_is_traced(
    open_page: OpenPage, serve: Callable[..., str], recorded: Path, tmp_path: Path, chromium: Browser
) -> None:
    """The watch is written beside the traces, and can be taken back."""
    traces = tmp_path / "traces"
    for folder in recorded.glob("order-4711-*"):
        (traces / folder.name).mkdir(parents=True)
        for file in folder.glob("*.jsonl"):
            (traces / folder.name / file.name).write_bytes(file.read_bytes())
    page = open_page(f"{serve(traces)}/trace?session=order-4711&call=3&find=ORD-2024-001")
    expect(page.locator(".story .first")).to_be_visible()

    page.keyboard.press("w")

    expect(page.locator(".note")).to_contain_text("Watching “ORD-2024-001”")
    assert 'text = "ORD-2024-001"' in (traces / "inspector.toml").read_text("utf-8")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".note")).to_have_text("No longer watched.")


def test_hostile_text_is_shown_literally(open_page: OpenPage, app: str) -> None:
    """No markup, no picture, no link of a prompt's own."""
    page = open_page(
        f"{app}/trace?session=%5Bx%5D(http%3A%2F%2Fy)%20%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E%20**bold**%20%24x%24&call=1&find=**bold**&as=text"
    )

    expect(page.locator(".entry").nth(1)).to_contain_text("<img src=x onerror=alert(1)> ⟦**bold**⟧ $x$")
