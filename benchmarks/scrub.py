"""A step of the scrubber on the Session page, in Chromium, on a session of 1,000 calls and 2,000 messages.

    python benchmarks/scrub.py [--calls 1000] [--steps 40]

One session is recorded in which every call adds two messages and three summaries take what came before. Then the
right arrow is pressed on the page, call by call, at several places of the session and under both filters that a reader
uses. Two figures a step: the script (from the key until all handlers have returned: strip, chart, lifelines, windows,
ribbons, notes), and the frame (until the browser has painted and is free again). Beside them: the payload, and the time
until the lifelines stand after the address was asked for.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from playwright.sync_api import Page, sync_playwright

from inspector.analysis.change_asking import trace_changes
from inspector.index import open_index
from inspector.ui.session_lives import lives_payload
from snapshot_sdk import Recorder

ROOT: Final = Path(__file__).resolve().parent.parent
SESSION: Final = "long"
SUMMARIES: Final = (0.35, 0.6, 0.9)
"""Where in the session a summary takes all but the last messages."""
LEFT: Final = 200
"""Messages that a summary leaves."""
STEP: Final = """async (steps) => {
  const times = [];
  for (let n = 0; n < steps; n += 1) {
    await new Promise((done) => setTimeout(done, 30));
    const start = performance.now();
    document.body.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight", bubbles: true, composed: true}));
    const script = performance.now() - start;
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
    times.push([script, performance.now() - start]);
  }
  return times;
}"""


def record(directory: Path, calls: int) -> None:
    """Write a session of which every call adds a question and keeps the answer."""
    text = "The delivery of order ORD-2024-{:05d} was moved to Saturday; the installer {} was told and agreed."
    messages = [{"role": "system", "content": "You are the order desk. " * 20}]
    summaries = {int(calls * share) for share in SUMMARIES}
    with Recorder(directory, session=SESSION, window=200_000, budget=120_000, threshold=0.8) as recorder:
        for n in range(1, calls + 1):
            if n in summaries:
                said = f"Orders 1 to {n} were moved to Saturday; the installers were told and agreed."
                summary = {"role": "user", "content": f"<summary>\n{said}\n</summary>"}
                shorter = [messages[0], summary, *messages[-LEFT:]]
                recorder.compaction(messages, shorter, strategy="summary", reason="messages > 600")
                messages = shorter
            messages = [*messages, {"role": "user", "content": f"Question {n}: " + text.format(n, n % 97)}]
            with recorder.turn(n):
                snapshot = recorder.snapshot({"model": "gpt-4.1", "messages": messages}, api="openai.chat")
                answer = {"role": "assistant", "content": f"Answer {n}: " + text.format(n * 7, n % 89)}
                recorder.response(snapshot, messages=[answer])
            messages = [*messages, answer]


@contextlib.contextmanager
def serving(directory: Path) -> Iterator[str]:
    """Run the app on a directory; give its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", str(ROOT / "inspector" / "app.py")]
    command += ["--server.port", str(port), "--", str(directory)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
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


def open_at(page: Page, address: str, call: int, seconds: float = 300) -> float:
    """Open the session at a call; return the seconds until its lifelines stand."""
    start = time.perf_counter()
    page.goto(f"{address}/session?session={SESSION}&call={call}", wait_until="commit")
    page.locator(".bar .filter", has_text=re.compile("^In this call \\d")).wait_for(timeout=seconds * 1_000)
    return time.perf_counter() - start


def summarise(times: list[list[float]]) -> str:
    """Return median and 95th percentile of script and frame, in milliseconds."""
    cells = []
    for column in zip(*times, strict=True):
        ordered = sorted(column)
        cells += [f"{statistics.median(ordered):.1f}", f"{ordered[int(len(ordered) * 0.95)]:.1f}"]
    return " | ".join(cells)


def measure_payload(directory: Path) -> tuple[dict[str, Any], float]:
    """Return the payload of the lifelines, and the seconds to compare all prompts and write it."""
    index = open_index(directory)
    index.refresh()
    start = time.perf_counter()
    payload = lives_payload(index.session(SESSION), index.calls(SESSION), trace_changes(index, SESSION))
    seconds = time.perf_counter() - start
    index.close()
    return payload, seconds


def main() -> None:
    """Measure and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=1_000)
    parser.add_argument("--steps", type=int, default=40)
    options = parser.parse_args()
    calls: int = options.calls
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        directory = Path(folder) / "traces"
        record(directory, calls)
        payload, seconds = measure_payload(directory)
        size = len(json.dumps(payload, ensure_ascii=True))
        rows = len(payload["messages"]["text"])
        cells = sum(sum(pieces[1::2]) for _, _, pieces in payload["orders"])
        print(f"{calls:,} calls, {rows:,} messages, {cells:,} messages in all prompts; payload {size / 1e6:.2f} MB,")
        print(f"compared and written in {seconds:.1f} s\n", flush=True)
        address = stack.enter_context(serving(directory))
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        first = open_at(page, address, calls)
        again = open_at(page, address, calls)
        print("| at | filter | script, median ms | p95 | frame, median ms | p95 |")
        print("|---|---|---|---|---|---|", flush=True)
        places = {f"call {int(calls * share) - options.steps // 2}, over a summary": share for share in SUMMARIES}
        for name, share in places.items():
            for label in ("All", "In this call"):
                open_at(page, address, int(calls * share) - options.steps // 2)
                page.get_by_role("button", name=f"{label} ").first.click()
                print(f"| {name} | {label} | {summarise(page.evaluate(STEP, options.steps))} |", flush=True)
        browser.close()
        print(f"\nLifelines stand {first:.1f} s after a fresh server was asked for them, {again:.1f} s later on.")


if __name__ == "__main__":
    main()
