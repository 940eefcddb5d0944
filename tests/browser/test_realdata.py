"""The shared real files in one directory: the list of sessions, and pages of each format, open without an error."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, expect

from inspector.importers import import_paths

pytestmark = [pytest.mark.browser, pytest.mark.realdata, pytest.mark.xdist_group("browser-realdata")]

MANY = frozenset({"alpaca_zh_demo.json"})
"""A thousand conversations of one question each, which other tests read: here they would only take time."""

AGENTS = {"marshmallow-code__marshmallow-1867": 13, "llm-logs": 6, "nonfncall-llm-logs": 4}
"""Runs of SWE-agent and OpenHands, and how many calls they have."""

READ_MS = 60_000
"""Longest wait for all files to be read, milliseconds: there are a thousand calls in them."""


@pytest.fixture(scope="module")
def imported(
    realdata: Path, serve: Callable[..., str], read: Callable[[Path], Path], tmp_path_factory: pytest.TempPathFactory
) -> SimpleNamespace:
    """The app on everything that can be imported, with the largest session of each format and its number of calls."""
    out = tmp_path_factory.mktemp("imported")
    paths = [path for path in realdata.rglob("*") if path.is_file() and path.name not in MANY]
    summary = import_paths(paths, out)
    largest = {one.format: one for one in sorted(summary.sessions, key=lambda one: one.calls)}
    sessions = {name: (one.session, one.calls) for name, one in largest.items()}
    return SimpleNamespace(address=serve(read(out)), sessions=sessions, count=len(summary.sessions))


def open_call(page: Page, address: str, session: str, call: int, calls: int) -> None:
    """Open Session and Call at a call, and wait until they are drawn."""
    for path, drawn in (("session", ".pane .facts"), ("call", ".list .row")):
        page.goto(f"{address}/{path}?{urlencode({'session': session, 'call': call})}")
        expect(page.locator(".moves .place")).to_contain_text(f"call {call} of {calls}", timeout=READ_MS)
        expect(page.locator(drawn).first).to_be_visible(timeout=READ_MS)
        expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")
        expect(page.get_by_test_id("stException")).to_have_count(0)
    # That nothing was logged as an error, on any of the pages, ``open_page`` looks at in the end.


def test_every_format_opens(open_page: Callable[..., Page], imported: SimpleNamespace) -> None:
    """Sessions names all of them; of each format a Session page, and a Call page in the middle of it, are drawn."""
    page = open_page(imported.address)
    expect(page.locator("body")).to_contain_text(f"{imported.count:,} sessions", timeout=READ_MS)
    expect(page.get_by_role("row").first).to_be_visible()

    assert len(imported.sessions) >= 13
    for session, calls in imported.sessions.values():
        open_call(page, imported.address, session, (calls + 1) // 2, calls)


@pytest.mark.parametrize("session", AGENTS)
def test_a_run_of_an_agent_opens_at_both_ends(
    open_page: Callable[..., Page], imported: SimpleNamespace, session: str
) -> None:
    """The first call, which has none before it, and the last."""
    page = open_page("about:blank")
    for call in (1, AGENTS[session]):
        open_call(page, imported.address, session, call, AGENTS[session])
