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

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, expect, sync_playwright

import inspector.ui
from snapshot_sdk import Recorder

CANDIDATES = ("chromium", "chromium-browser", "google-chrome")
expect.set_options(timeout=30_000)  # the first page of a server waits for its imports

START_SECONDS = 60
"""A cold start on a busy machine; a started server answers at once."""
PROBES = re.compile(r"/(session|call|compare|trace|probes)/_stcore/(health|host-config)$")
"""Streamlit asks a page's own path for these before it asks the root: two 404s for each deep link."""

FOREIGN = "evil.example"
"""A name that leads to this machine, as after DNS rebinding."""

Serve = Callable[..., str]


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


@pytest.fixture(scope="session")
def serve() -> Iterator[Serve]:
    """Start the app on a directory of traces; returns its address. Servers stop at the end of the run."""
    with contextlib.ExitStack() as stack:

        def start(*arguments: str | Path, cwd: Path | None = None, options: tuple[str, ...] = ()) -> str:
            port = free_port()
            entry = Path(inspector.ui.__file__).parents[1] / "app.py"
            command = [sys.executable, "-m", "streamlit", "run", str(entry), "--server.port", str(port), *options, "--"]
            process = subprocess.Popen(
                [*command, *map(str, arguments)], cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            stack.callback(stop, process)
            wait_for(f"http://127.0.0.1:{port}/_stcore/health", process)
            return f"http://127.0.0.1:{port}"

        yield start


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
        page.on("pageerror", lambda error: self.troubles.append(f"exception: {error}"))
        page.on("request", self._request)

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


@pytest.fixture
def open_page(chromium: Browser) -> Iterator[OpenPage]:
    """Open an address in a fresh page: ``open_page(url, width=1440, height=900, dark=False)``.

    At the end of the test no page may have logged an error or left this machine.
    """
    watcher = Watcher()
    with contextlib.ExitStack() as stack:

        def start(url: str, *, width: int = 1440, height: int = 900, dark: bool = False) -> Page:
            context = chromium.new_context(
                viewport={"width": width, "height": height},
                color_scheme="dark" if dark else "light",
                timezone_id="Asia/Shanghai",
            )
            stack.callback(context.close)
            page = context.new_page()
            watcher.follow(page)
            page.goto(url)
            return page

        yield start
    assert watcher.troubles == []


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
def app(serve: Serve, chromium: Browser, recorded: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The app on the recorded directory, started from an unrelated folder; the traces are read."""
    address = serve(recorded, cwd=tmp_path_factory.mktemp("elsewhere"))
    page = chromium.new_page()
    page.goto(address)
    expect(page.get_by_role("row")).to_have_count(3, timeout=START_SECONDS * 1_000)
    page.close()
    return address
