"""Sessions that are not there: asked for by a name that never was, or removed while they are open."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from snapshot_sdk import Recorder

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

OpenPage = Callable[..., Page]


@pytest.fixture
def traces(tmp_path: Path) -> Path:
    """Two sessions of one call."""
    for session in ("order-4711", "returns"):
        with Recorder(tmp_path / "traces", session=session) as recorder:
            recorder.snapshot({"model": "gpt-4.1", "messages": [{"role": "user", "content": "hello"}]})
    return tmp_path / "traces"


@pytest.mark.parametrize("page", ["session", "call", "compare"])
def test_a_session_nobody_has_is_said_whatever_its_name(open_page: OpenPage, app: str, page: str) -> None:
    """A name with two underscores, as every one of SWE-bench has, gets the box and no error of Streamlit."""
    shown = open_page(f"{app}/{page}?session=marshmallow-code__marshmallow-9999")

    expect(shown.get_by_text("here is no session")).to_be_visible()
    expect(shown.get_by_test_id("stException")).to_have_count(0)


@pytest.mark.parametrize("page", ["session", "call"])
def test_a_page_whose_traces_are_removed_says_so(
    open_page: OpenPage, serve: Callable[..., str], traces: Path, page: str
) -> None:
    """The open page does not go on showing what is no more; the list of sessions says what went, too."""
    address = serve(traces)
    shown = open_page(f"{address}/{page}?session=order-4711&call=1")
    expect(shown.locator(".session .name")).to_have_text("order-4711")

    for folder in traces.glob("order-4711-*"):
        shutil.rmtree(folder)

    expect(shown.get_by_text("Session order-4711 is gone")).to_be_visible()
    shown.get_by_role("link", name="All sessions").click()
    expect(shown.get_by_role("row")).to_have_count(1)
    expect(shown.get_by_text("order-4711 is gone: its trace files were removed")).to_be_visible()


def test_a_directory_that_is_removed_is_no_first_start(
    open_page: OpenPage, serve: Callable[..., str], traces: Path
) -> None:
    """Where everything went the list of sessions says so, and not how to begin."""
    shown = open_page(serve(traces))
    expect(shown.get_by_role("row")).to_have_count(2)

    shutil.rmtree(traces)

    expect(shown.get_by_text("The traces are gone")).to_be_visible()
    expect(shown.get_by_text("No traces in")).to_have_count(0)
