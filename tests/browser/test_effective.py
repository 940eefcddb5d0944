"""What was sent and what the model saw, in a browser: the switch, its marks, the tag of the strip, other pages."""

from __future__ import annotations

import json
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

CLEAR = "clear_tool_uses_20250919"
RULE = "Never refund more than 500 yuan."
CALLS = 7
REMOVED = "the server removed"


def clear(directory: Path) -> None:
    """An agent reads tickets; from the sixth call on the server clears all results but the last three."""
    with Recorder(directory, session="tickets", window=20_000) as recorder:
        messages: list[Any] = [{"role": "user", "content": "Work through the tickets."}]
        for n in range(CALLS):
            edits = {"edits": [{"type": CLEAR}]}
            body = {"model": "claude-sonnet-4-5", "max_tokens": 99, "messages": list(messages)}
            snapshot = recorder.snapshot({**body, "context_management": edits}, api="anthropic.messages")
            use = {"type": "tool_use", "id": f"t{n}", "name": "read", "input": {"n": n}}
            usage = {"input_tokens": 300, "output_tokens": 9}
            reply: dict[str, Any] = {"id": f"a{n}", "role": "assistant", "content": [use], "usage": usage}
            if n >= 5:
                reply["context_management"] = {"applied_edits": [{"type": CLEAR, "cleared_tool_uses": n - 3}]}
            recorder.response(snapshot, reply)
            if n == 0:
                recorder.pin(RULE, reason="policy")
            text = f"Ticket {n}. {RULE if n == 0 else 'The bell is broken.'} " + "A bicycle squeaks. " * 9
            result = {"type": "tool_result", "tool_use_id": f"t{n}", "content": text}
            messages += [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]


def keep(directory: Path) -> None:
    """OpenAI keeps the conversation; it begins with a compaction nobody else can read."""
    with Recorder(directory, session="kept", window=20_000) as recorder:
        for n in range(1, 4):
            opaque = {"type": "compaction", "id": "cmp_1", "encrypted_content": "gAAAAAB" * 9}
            said = {"role": "user", "content": f"Where is order {n}?"}
            body: dict[str, Any] = {"model": "gpt-5", "input": [opaque, said] if n == 1 else [said]}
            if n > 1:
                body["previous_response_id"] = f"r{n - 1}"
            snapshot = recorder.snapshot(body, endpoint="https://api.openai.com/v1/responses")
            text = {"type": "output_text", "text": f"Order {n} is at the depot."}
            item = {"type": "message", "id": f"msg_{n}", "role": "assistant", "content": [text]}
            recorder.response(snapshot, {"id": f"r{n}", "output": [item], "status": "completed"})


@pytest.fixture(scope="module")
def url(serve: Serve, read: Read, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The app on the traces of both sessions."""
    directory = tmp_path_factory.mktemp("traces")
    clear(directory)
    keep(directory)
    return serve(read(directory))


def row(page: Page, text: str) -> Locator:
    """The first row of the list with a text."""
    return page.locator(".list .row", has_text=text).first


def pressed(page: Page, name: str) -> Locator:
    """A button of the switch that is pressed."""
    return page.locator(f'button[aria-pressed="true"]:text-is("{name}")')


@pytest.mark.parametrize("dark", [False, True])
def test_what_was_sent_is_shown_first(url: str, open_page: OpenPage, dark: bool) -> None:
    """Without a word in the address the body is shown, with what the model did not see struck."""
    page = open_page(f"{url}/call?session=tickets&call=7", dark=dark)

    expect(pressed(page, "Sent")).to_be_visible()
    expect(row(page, RULE)).to_contain_text("not seen")
    expect(row(page, "Ticket 5")).not_to_contain_text("not seen")
    assert row(page, RULE).evaluate("(node) => node.classList.contains('unseen')")
    expect(page.get_by_text("sent ≠ effective")).to_be_visible()


def test_the_tag_of_the_strip_switches(url: str, open_page: OpenPage) -> None:
    """A click shows what the model saw, the address says so, and the second click goes back."""
    page = open_page(f"{url}/call?session=tickets&call=7")
    page.get_by_text(REMOVED).click()

    expect(pressed(page, "Effective")).to_be_visible()
    expect(page.locator(".effect")).to_contain_text("The server cleared 3 tool results")
    expect(row(page, RULE)).to_contain_text("pinned, gone")
    assert "prompt=effective" in page.url
    page.get_by_text(REMOVED).first.click()
    expect(pressed(page, "Sent")).to_be_visible()
    assert "prompt" not in page.url


def test_the_reading_stays_from_call_to_call(url: str, open_page: OpenPage) -> None:
    """Stepping keeps it; a call that the server left alone says plainly that both are the same."""
    page = open_page(f"{url}/call?session=tickets&call=6&prompt=effective")
    expect(page.locator(".effect")).to_contain_text("11 sent, 9 seen by the model")
    page.keyboard.press("ArrowLeft")

    expect(page.locator(".effect")).to_contain_text("sent = effective")
    expect(pressed(page, "Effective")).to_be_visible()
    expect(page.get_by_text(REMOVED)).to_have_count(0)


def test_a_key_switches_in_every_view(url: str, open_page: OpenPage) -> None:
    """``e``: text and JSON obey it as the list does."""
    page = open_page(f"{url}/call?session=tickets&call=7&view=text")
    expect(page.locator(".stream .line.unseen").first).to_be_visible()
    page.keyboard.press("e")

    expect(page.locator(".stream")).to_contain_text("taken out by the server before the model read the prompt")
    page.get_by_role("button", name="JSON", exact=True).click()
    expect(page.locator(".stream")).to_contain_text("no body that was sent")
    page.keyboard.press("e")
    expect(page.locator(".stream")).to_contain_text('"max_tokens": 99')


def test_a_copy_is_of_the_reading(url: str, open_page: OpenPage) -> None:
    """The effective prompt is copied as what it is; what cannot be sent again has no command and no file."""
    page = open_page(f"{url}/call?session=tickets&call=7&prompt=effective")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    expect(page.get_by_role("button", name="cURL")).to_be_hidden()
    page.get_by_role("button", name="Copy", exact=True).click()
    page.get_by_role("button", name="Copied").wait_for()
    copied = json.loads(page.evaluate("navigator.clipboard.readText()"))

    assert len(copied["messages"]) == 10
    assert len(copied["not seen"]) == 3


def test_the_reader_tells_why(url: str, open_page: OpenPage) -> None:
    """The reason and how sure it is stand over the text of the message."""
    page = open_page(f"{url}/call?session=tickets&call=7")
    row(page, RULE).click()

    about = page.locator(".about")
    expect(about).to_contain_text("the model did not see it: cleared by the server")
    expect(about).to_contain_text("(certain)")


def test_a_kept_conversation_is_shown_whole(url: str, open_page: OpenPage) -> None:
    """What the server put in comes with the call it is from; what is encrypted says that it cannot be read."""
    page = open_page(f"{url}/call?session=kept&call=3&prompt=effective")

    expect(row(page, "Where is order 1?")).to_contain_text("kept, call 1")
    expect(row(page, "[compaction: cannot be read]")).to_contain_text("–")
    row(page, "[compaction: cannot be read]").click()
    expect(page.locator(".reader")).to_contain_text("encrypted: cannot be read")
    expect(page.get_by_text("the server added 5 messages, tokens unknown")).to_be_visible()


def test_other_pages_are_of_what_the_model_saw(url: str, open_page: OpenPage) -> None:
    """The pin is gone on Session, the server's edit is a compaction there and on Compare."""
    page = open_page(f"{url}/session?session=tickets&call=6")
    expect(page.get_by_text("gone since call 6").first).to_be_visible()
    expect(page.locator(".pane")).to_contain_text("the window is what the model saw")
    page.goto(f"{url}/compare?session=tickets&a=5&b=6&compaction=1")

    expect(page.get_by_text("by the server: certain")).to_be_visible()
