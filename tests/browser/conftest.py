"""Drives the app in the Chromium of the system: one server a directory, one page a test."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urljoin

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Error, Page, Request, expect, sync_playwright

import inspector.ui
from inspector.index import open_index
from inspector.ui.options import sample_directory
from snapshot_sdk import Recorder

CANDIDATES = ("chromium", "chromium-browser", "google-chrome")
expect.set_options(timeout=30_000)  # the first page of a server waits for its imports

SLOWEST_FIRST = (
    "test_samples.py", "test_realdata.py", "test_compare.py", "test_session.py", "test_call.py", "test_lifelines.py",
    "test_frame.py",
)  # fmt: skip
"""Files to begin with, so that no worker waits in the end while the other has a long one left."""

START_SECONDS = 60
"""A cold start on a busy machine; a started server answers at once."""
PROBES = re.compile(r"/(session|call|compare|trace|probes)/_stcore/(health|host-config)$")
"""Streamlit asks a page's own path for these before it asks the root: two 404s for each deep link."""

FOREIGN = "evil.example"
"""A name that leads to this machine, as after DNS rebinding."""

Serve = Callable[..., str]
Read = Callable[[Path], Path]


@pytest.hookimpl(trylast=True)  # after the order was drawn
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the slowest of these files first."""
    here = Path(__file__).parent
    place = {here / name: number for number, name in enumerate(SLOWEST_FIRST)}
    items.sort(key=lambda item: place.get(item.path, len(place)))


def find_chromium() -> str | None:
    """Return the browser of the system, or the one $CHROMIUM names."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, CANDIDATES)), None)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """One browser for the run; without one the tests skip, or fail where CI_REQUIRE_BROWSER=1 says so."""
    path = find_chromium()
    if path is None:
        reason = f"no browser: install Debian's chromium or set CHROMIUM (looked for {', '.join(CANDIDATES)})"
        if os.environ.get("CI_REQUIRE_BROWSER") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    with sync_playwright() as playwright:
        rules = f"--host-resolver-rules=MAP {FOREIGN} 127.0.0.1"
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", rules])
        yield browser
        browser.close()


class Servers:
    """The app on directories of traces, each started as a user starts it."""

    def __init__(self) -> None:
        self._running: list[subprocess.Popen[bytes]] = []

    def start(self, *arguments: str | Path, cwd: Path | None = None, options: tuple[str, ...] = ()) -> str:
        """Start the app on a directory of traces; return its address."""
        port = free_port()
        entry = Path(inspector.ui.__file__).parents[1] / "app.py"
        command = [sys.executable, "-m", "streamlit", "run", str(entry), "--server.port", str(port), *options, "--"]
        process = subprocess.Popen(
            [*command, *map(str, arguments)], cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self._running.append(process)
        wait_for(f"http://127.0.0.1:{port}/_stcore/health", process)
        return f"http://127.0.0.1:{port}"

    @contextlib.contextmanager
    def stopped_after(self) -> Iterator[None]:
        """Stop what is started meanwhile: a server holds 300 MB."""
        before = len(self._running)
        yield
        started, self._running = self._running[before:], self._running[:before]
        for process in started:
            process.terminate()
        for process in started:
            stop(process)


@pytest.fixture(scope="session")
def servers() -> Iterator[Servers]:
    """All servers of the run."""
    servers = Servers()
    with servers.stopped_after():
        yield servers


@pytest.fixture(scope="session")
def serve(servers: Servers) -> Serve:
    """Start the app on a directory of traces; returns its address. It stops with the run, or with the test."""
    return servers.start


@pytest.fixture(scope="session")
def read() -> Read:
    """Read a directory of traces into its index, as the app does, and return it: then its first page need not wait."""

    def read(directory: Path) -> Path:
        with open_index(directory) as index:
            index.refresh()
        return directory

    return read


@pytest.fixture(autouse=True)
def _servers_of_the_test(servers: Servers) -> Iterator[None]:
    """Stop what the test itself has started; what wider fixtures start is up before."""
    with servers.stopped_after():
        yield


def free_port() -> int:
    """Return a port nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def stop(process: subprocess.Popen[bytes]) -> None:
    """End a server and wait for it."""
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def wait_for(url: str, process: subprocess.Popen[bytes]) -> None:
    """Wait until a server answers."""
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        if process.poll() is not None:
            pytest.fail(f"the app ended with exit code {process.returncode} before it answered")
        with contextlib.suppress(OSError), urllib.request.urlopen(url, timeout=2):
            return
        time.sleep(0.1)
    pytest.fail(f"the app did not answer at {url} within {START_SECONDS} s")


@dataclass
class Watcher:
    """What a page must not do: log an error, throw, or ask another machine for anything."""

    troubles: list[str] = field(default_factory=list)
    """Each as one line."""

    def follow(self, page: Page) -> None:
        """Listen to a page from its start."""
        page.on("console", self._console)
        page.on("pageerror", self._error)
        page.on("request", self._request)

    def leave(self, page: Page) -> None:
        """Hear what the page still has to say, and listen no more."""
        if not page.is_closed():
            page.evaluate("0")
        page.remove_listener("console", self._console)
        page.remove_listener("pageerror", self._error)
        page.remove_listener("request", self._request)

    def _error(self, error: Error) -> None:
        self.troubles.append(f"exception: {error}")

    def _console(self, message: ConsoleMessage) -> None:
        if message.type != "error":
            return
        url = message.location.get("url", "")
        if "404" in message.text and PROBES.search(url):
            return
        self.troubles.append(f"console: {message.text} ({url})")

    def _request(self, request: Request) -> None:
        if not request.url.startswith(("http://127.0.0.1:", "ws://127.0.0.1:", "data:", "blob:")):
            self.troubles.append(f"asked the network: {request.url}")


OpenPage = Callable[..., Page]


class Window:
    """A window of the browser, whose first tab the tests use one after the other.

    A tab that has shown the app holds Streamlit's scripts, megabytes of them, compiled: to load an address in it costs
    half as much as in a fresh one. Nothing else of a test stays: see :meth:`give_back`.
    """

    def __init__(self, browser: Browser) -> None:
        self.context = browser.new_context(timezone_id="Asia/Shanghai")
        self._kept: Page | None = None

    def take(self) -> Page:
        """Return the tab, or another one where a page has it already."""
        kept, self._kept = self._kept, None
        return kept or self.context.new_page()

    def give_back(self, page: Page) -> None:
        """Keep a tab for the next test: on a page without scripts, with an empty storage and no way back."""
        if self._kept is not None or page.is_closed() or not page.url.startswith("http://127.0.0.1:"):
            page.close()
            return
        page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
        page.goto(urljoin(page.url, "/_stcore/health"))
        page.mouse.move(0, 0)
        # The history holds fifty entries at most: were it full, no test could see that it grew.
        session = self.context.new_cdp_session(page)
        session.send("Page.resetNavigationHistory")
        session.detach()
        self.context.clear_cookies()
        self.context.clear_permissions()
        self._kept = page


@pytest.fixture(scope="session")
def window(chromium: Browser) -> Iterator[Window]:
    """One window for the run."""
    window = Window(chromium)
    yield window
    window.context.close()


@pytest.fixture
def open_page(window: Window, request: pytest.FixtureRequest) -> Iterator[OpenPage]:
    """Open an address in a page as good as new: ``open_page(url, width=1440, height=900, dark=False)``.

    At the end of the test no page may have logged an error or left this machine.
    """
    watcher = Watcher()
    pages: list[Page] = []
    failed = request.session.testsfailed

    def start(url: str, *, width: int = 1440, height: int = 900, dark: bool = False) -> Page:
        page = window.take()
        pages.append(page)
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme="dark" if dark else "light", reduced_motion="null")
        watcher.follow(page)
        page.goto(url)
        return page

    yield start
    for page in pages:
        watcher.leave(page)
        if watcher.troubles or request.session.testsfailed > failed:
            page.close()  # who knows in what state it is
        else:
            window.give_back(page)
    assert watcher.troubles == []


@pytest.fixture(scope="session")
def change_look() -> Callable[[Page, int, bool], None]:
    """Make an open page as wide, and of that mode: ``change_look(page, width, dark)``; its components follow at once.

    Nothing of the page may then be wider than the window.
    """

    def change(page: Page, width: int, dark: bool) -> None:
        mode, other = ("dark", "light") if dark else ("light", "dark")
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=mode)
        expect(page.locator(f".root[data-mode={mode}]").first).to_be_visible()
        expect(page.locator(f".root[data-mode={other}]")).to_have_count(0)
        page.wait_for_function("document.documentElement.scrollWidth <= innerWidth")

    return change


@pytest.fixture
def page_text() -> Callable[[Page], str]:
    """Return all text a page shows, that of the components' shadow roots included."""
    script = """() => {
        const seen = [];
        const walk = (node) => {
            if (node.nodeType === 3) seen.push(node.nodeValue);
            if (node.shadowRoot) walk(node.shadowRoot);
            if (!["STYLE", "SCRIPT"].includes(node.tagName)) for (const child of node.childNodes) walk(child);
        };
        walk(document.body);
        return seen.join("\\n");
    }"""
    return lambda page: str(page.evaluate(script))


SYSTEM = {"role": "system", "content": "你是「订单助理」。只处理订单、配送、发票和退货。"}
RULE = "以后请只用中文回答，不要用英文。"
ORDER = "ORD-2024-001"
HOSTILE = "[x](http://y) <img src=x onerror=alert(1)> **bold** $x$"


def record_order(recorder: Recorder) -> None:
    """Twelve calls: a pinned rule is lost in the summary before call 7, and call 9 is refused."""
    first = {"role": "user", "content": f"你好，我想改一下订单的配送时间。{RULE}"}
    messages = [SYSTEM, first, {"role": "assistant", "content": "好的，请问订单号？"}]
    recorder.pin(RULE, reason="user constraint")
    for number in range(1, 13):
        with recorder.turn((number + 1) // 2):
            if number == 2:
                messages.append({"role": "user", "content": f"订单号是 {ORDER}，下单人王敏。"})
            elif number == 7:
                before = messages
                messages = [SYSTEM, {"role": "user", "content": "[对话摘要] 用户王敏想把订单的配送改到周六上午。"}]
                recorder.compaction(
                    before=before, after=messages, strategy="summary", reason="history > 70 % of the window"
                )
            else:
                messages.append({"role": "user", "content": f"第 {number} 句。" + "请确认配送时段和加急费。" * number})
            snapshot = recorder.snapshot({"model": "gpt-4.1", "messages": messages}, api="openai.chat")
            if number == 9:
                recorder.response(snapshot, status=400, error="context_length_exceeded", complete=False)
                continue
            answer = f"请再提供订单号，是 {ORDER} 吗？" if number == 8 else f"已处理第 {number} 步。"
            reply = {"role": "assistant", "content": answer}
            usage = {"prompt_tokens": 100 + 40 * len(messages), "completion_tokens": 12, "total_tokens": 0}
            recorder.response(snapshot, messages=[reply], usage=usage, stop_reason="stop", duration_ms=820.0)
            messages = [*messages, reply]


def record_long(recorder: Recorder, calls: int) -> None:
    """Many calls of a window that slides."""
    messages = [SYSTEM]
    for number in range(1, calls + 1):
        messages = [SYSTEM, *messages[-8:], {"role": "user", "content": f"step {number}: what is next?"}]
        with recorder.turn(number):
            recorder.snapshot({"model": "gpt-4.1", "messages": messages}, api="openai.chat")


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory of traces: a bad session, one with a hostile name, one of 1,000 calls, a damaged line."""
    directory = tmp_path_factory.mktemp("traces")
    with Recorder(
        directory, session="order-4711", agent="order-desk", window=1_000, budget=800, threshold=0.7
    ) as order:
        record_order(order)
    with Recorder(directory, session=HOSTILE, agent="帮手", window=1_000) as hostile:
        hostile.snapshot({"model": "gpt-4o", "messages": [{"role": "user", "content": HOSTILE}]}, api="openai.chat")
        hostile.response(messages=[{"role": "assistant", "content": HOSTILE}])
    with Recorder(directory, session="long-1000", window=1_000) as long:
        record_long(long, 1_000)
    damaged = next(directory.glob("long-1000-*/*.jsonl"))
    with damaged.open("ab") as file:
        file.write(b'{"v":1,"type":"event","kind":"torn\n')
    return directory


@pytest.fixture(scope="session")
def app(serve: Serve, read: Read, recorded: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The app on the recorded directory, started from an unrelated folder; the traces are read."""
    return serve(read(recorded), cwd=tmp_path_factory.mktemp("elsewhere"))


@pytest.fixture(scope="session")
def samples(serve: Serve, read: Read, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The app without a directory: it opens the samples, which are read."""
    read(sample_directory())
    return serve(cwd=tmp_path_factory.mktemp("elsewhere"))
