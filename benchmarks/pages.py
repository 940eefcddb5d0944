"""Pages of the app on a long session, against an empty Streamlit page.

    python benchmarks/pages.py [--calls 1000] [--bytes 1000000000] [--repeats 5]

One session is recorded whose prompts together have that many bytes, and indexed. Then two things are measured, always
in turn with an empty page: the time the server needs for one run of a page (in this process, index and caches warm),
and the time from the request of an address until the page is drawn in Chromium (a fresh browser context each time).
Figures are ratios to the empty page, medians over the repeats.
"""

from __future__ import annotations

import argparse
import contextlib
import logging
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final
from urllib.parse import urlencode

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from playwright.sync_api import Browser, sync_playwright
from streamlit.testing.v1 import AppTest

from inspector.index import open_index
from snapshot_sdk import Recorder

ROOT: Final = Path(__file__).resolve().parent.parent
SESSION: Final = "long"
HARNESS_LOGGER: Final = "streamlit.runtime.scriptrunner_utils.script_run_context"
EMPTY: Final = 'import streamlit as st\nst.text("empty")\n'
PAGES: Final = {
    # Page: its address, and what is there once it is drawn.
    "Sessions": ("", ".list .name"),
    "Session": ("session", "canvas[aria-label^='Tokens by layer'], [aria-label^='Tokens by layer'] canvas"),
    "Call": ("call", ".sheet .row"),
}
PAGE_SCRIPT: Final = """
import sys
sys.argv = ["app.py", {directory!r}]
from inspector.ui import {module}
{module}.render()
"""


def record(directory: Path, calls: int, total: int) -> None:
    """Write a session of prompts that grow evenly and have ``total`` bytes together."""
    step = max(2 * total // (calls * calls), 40)
    text = "The delivery was changed to Saturday morning and the installer was told. "
    messages = [{"role": "system", "content": "You are the order desk."}]
    with Recorder(directory, session=SESSION, window=1_000_000, budget=700_000, threshold=0.8) as recorder:
        for n in range(calls):
            messages.append({"role": "user", "content": (f"{n}: " + text * (step // len(text) + 1))[:step]})
            with recorder.turn(n + 1):
                call = recorder.snapshot({"model": "gpt-4.1", "messages": messages}, api="openai.chat")
                recorder.response(call, messages=[{"role": "assistant", "content": f"Done, step {n}."}])


def timed(work: Callable[[], object]) -> float:
    """Return the seconds that ``work`` takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def in_process(script: str, parameters: dict[str, str]) -> AppTest:
    """Return a page as Streamlit's own test harness runs it."""
    test = AppTest.from_string(script, default_timeout=600)
    for name, value in parameters.items():
        test.query_params[name] = value
    return test


def server_times(directory: Path, calls: int, repeats: int) -> dict[str, tuple[float, float]]:
    """Return seconds of the first run of each page, and the median of later ones, which move from call to call."""
    result = {}
    for page in ("", *PAGES):
        module = f"{page.lower()}_page"
        script = PAGE_SCRIPT.format(directory=str(directory), module=module) if page else EMPTY
        test = in_process(script, {"session": SESSION, "call": str(calls)} if page not in ("", "Sessions") else {})
        first = timed(test.run)
        assert not test.exception, test.exception
        later = []
        for n in range(repeats):
            if page not in ("", "Sessions"):
                test.query_params["call"] = str(calls - 1 - n)
            later.append(timed(test.run))
            assert not test.exception, test.exception
        result[page or "empty"] = (first, statistics.median(later))
    return result


@contextlib.contextmanager
def serving(*arguments: str | Path) -> Iterator[str]:
    """Run a Streamlit server; give its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "--server.port", str(port), *map(str, arguments)]
    # From the folder of the app's configuration, so that the empty page has the same.
    process = subprocess.Popen(command, cwd=ROOT / "inspector", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        address = f"http://127.0.0.1:{port}"
        for _ in range(600):
            with contextlib.suppress(OSError), urllib.request.urlopen(f"{address}/_stcore/health", timeout=2):
                break
            time.sleep(0.1)
        yield address
    finally:
        process.terminate()
        process.wait(20)


def drawn(browser: Browser, url: str, selector: str) -> float:
    """Return the seconds from asking for an address until an element of the page is there."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()

    def work() -> None:
        page.goto(url, wait_until="commit")
        page.locator(selector).first.wait_for(timeout=120_000)

    seconds = timed(work)
    context.close()
    return seconds


def paint_times(directory: Path, calls: int, repeats: int) -> dict[str, float]:
    """Return the median seconds until each page is drawn, the empty one among them."""
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        (Path(folder) / "empty.py").write_text(EMPTY, "utf-8")
        empty = stack.enter_context(serving(Path(folder) / "empty.py"))
        app = stack.enter_context(serving(ROOT / "inspector" / "app.py", "--", directory))
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        times: dict[str, list[float]] = {name: [] for name in ("empty", *PAGES)}
        for n in range(repeats + 1):
            query = urlencode({"session": SESSION, "call": calls - n})
            rounds = [("empty", empty, "[data-testid=stText]")]
            rounds += [(name, f"{app}/{path}?{query}", selector) for name, (path, selector) in PAGES.items()]
            for name, url, selector in rounds:
                seconds = drawn(browser, url, selector)
                if n:  # the first round fills caches of server and disk
                    times[name].append(seconds)
        browser.close()
    return {name: statistics.median(values) for name, values in times.items()}


def main() -> None:
    """Measure and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=1_000)
    parser.add_argument("--bytes", type=int, default=1_000_000_000, help="of all prompts together")
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    logging.getLogger(HARNESS_LOGGER).disabled = True  # it warns that the harness is no server
    with tempfile.TemporaryDirectory() as folder:
        directory = Path(folder) / "traces"
        recording = timed(lambda: record(directory, options.calls, options.bytes))
        stored = sum(file.stat().st_size for file in directory.rglob("*.jsonl"))
        index = open_index(directory)
        indexing = timed(index.refresh)
        index.close()
        print(f"{options.calls:,} calls, {options.bytes / 1e6:,.0f} MB of prompts, {stored / 1e6:,.1f} MB on disk;")
        print(f"recorded in {recording:.1f} s, indexed in {indexing:.1f} s\n")
        paints = paint_times(directory, options.calls, options.repeats)
        server = server_times(directory, options.calls, options.repeats)
    print("| page | server, first run | server, next call | drawn in the browser | ÷ empty page |")
    print("|---|---|---|---|---|")
    for page in ("empty", *PAGES):
        first, later = server[page]
        ratio = paints[page] / paints["empty"]
        print(f"| {page} | {first * 1e3:,.0f} ms | {later * 1e3:,.0f} ms | {paints[page]:.2f} s | {ratio:.1f} |")


if __name__ == "__main__":
    main()
