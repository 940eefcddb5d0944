"""Seconds to index a session of 1,000 calls and 1 GB of prompts, against tiktoken alone on the same unique text.

Run: ``python benchmarks/index.py [calls]``. Prints Markdown rows; everything happens in a temporary directory.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from inspector.index import Index, open_index
from inspector.model.settings import Settings
from inspector.model.tokens import tokenizer_for
from snapshot_sdk import Recorder

MODEL = "gpt-4.1"
SEED = 7
WORDS_FILE = Path(__file__).parent.parent / "inspector" / "model" / "views.py"
TEXT_CHARACTERS = 1000
START_MESSAGES = 2
"""Messages of the first call; each call adds one user message and one answer."""


def main(calls: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        directory = Path(folder)
        with stopwatch() as recording:
            prompt_bytes, texts = record_session(directory, calls)
        trace_bytes = sum(path.stat().st_size for path in directory.rglob("*.jsonl"))
        tokenizer = tokenizer_for(MODEL, Settings())
        tokenizer.count("loads the vocabulary")
        with stopwatch() as counting:
            tokens = sum(map(tokenizer.count, texts))
        index = open_index(directory)
        with stopwatch() as indexing:
            index.refresh()
        rows = [
            ("prompts", f"{prompt_bytes / 1e9:.2f} GB in {calls:,} calls", ""),
            ("trace files", f"{trace_bytes / 1e6:.1f} MB", f"{trace_bytes / prompt_bytes:.2%} of the prompts"),
            ("record", f"{recording():.2f} s", f"{recording() / calls * 1e3:.2f} ms a call"),
            ("tiktoken alone, unique text", f"{counting():.2f} s", f"{tokens:,} tokens"),
            ("index", f"{indexing():.2f} s", f"{indexing() / counting():.2f} × tiktoken"),
            ("index, nothing new", *timed(index.refresh)),
            *pages(index, calls),
        ]
        append_call(directory, calls, texts)
        with stopwatch() as growing:
            index.refresh()
        rows.append(("index, one new call", f"{growing() * 1e3:.0f} ms", ""))
        index.close()
        print("| step | time or size | ratio or detail |\n|---|---|---|")
        for row in rows:
            print(f"| {' | '.join(row)} |")


def pages(index: Index, calls: int) -> Iterator[tuple[str, str, str]]:
    """Time what the server does for each page."""
    session = index.sessions()[0].session
    size = index.call(session, calls).call
    yield "sessions()", *timed(index.sessions)
    yield "calls()", *timed(lambda: index.calls(session))
    name = f"call({calls:,}): {size.messages:,} messages, {size.counted.count or 0:,} tokens"
    yield name, *timed(lambda: index.call(session, calls))
    yield "request_bytes()", *timed(lambda: index.request_bytes(session, calls))
    yield "search(text)", *timed(lambda: index.search("tokens"))
    yield "search(rare text)", *timed(lambda: index.search("订单 ORD-777"))
    yield "search(id)", *timed(lambda: index.search("ORD-777", "id"))
    yield "search(regex)", *timed(lambda: index.search(r"ORD-77\d", "regex"))


def record_session(directory: Path, calls: int) -> tuple[int, list[str]]:
    """Record a growing session; returns the bytes of all prompts, and the distinct texts."""
    messages: list[dict[str, Any]] = [{"role": "system", "content": "You are a careful agent. " * 40}]
    messages += [message(number) for number in range(1, START_MESSAGES)]
    written = 0
    with Recorder(directory, session="large", window=2_000_000, budget=1_500_000) as recorder:
        size = sum(len(one["content"].encode()) + 30 for one in messages)
        for call in range(calls):
            request = {"model": MODEL, "messages": messages, "temperature": 0.2}
            snapshot = recorder.snapshot(request, api="openai.chat")
            written += size
            answer = message(2 * call + 1 + START_MESSAGES, role="assistant")
            usage = {"prompt_tokens": size // 4, "completion_tokens": 250}
            recorder.response(snapshot, {"choices": [{"message": answer, "finish_reason": "stop"}], "usage": usage})
            new = [answer, message(2 * call + 2 + START_MESSAGES)]
            messages = [*messages, *new]
            size += sum(len(one["content"].encode()) + 30 for one in new)
    return written, [one["content"] for one in messages]


def append_call(directory: Path, calls: int, texts: list[str]) -> None:
    """Record one more call of the same session, as another run of the agent would."""
    messages = [{"role": "user", "content": text} for text in texts[:START_MESSAGES]]
    with Recorder(directory, session="large") as recorder:
        recorder.snapshot({"model": MODEL, "messages": messages}, api="openai.chat")


def message(number: int, role: str | None = None) -> dict[str, Any]:
    """Make a message of mixed prose, code and Chinese, the same for the same number."""
    source = random.Random(SEED * 1_000_003 + number)
    words = _words()
    text = f"订单 ORD-{number} "
    while len(text) < TEXT_CHARACTERS:
        # Ids, figures and Chinese beside words: what tool results are made of, and what costs a tokenizer its time.
        rare = (
            f"{source.getrandbits(64):016x}",
            f"{source.randrange(10**7) / 100:,.2f}",
            "会话已压缩，请核对订单金额。",
        )
        text += source.choice(words) if source.random() < 0.7 else source.choice(rare)
        text += source.choice((" ", " ", " ", ", ", ". ", "\n"))
    return {"role": role or ("user" if number % 2 == 0 else "assistant"), "content": text}


def _words(cache: list[str] = []) -> list[str]:  # noqa: B006  # read once
    if not cache:
        cache += WORDS_FILE.read_text("utf-8").split()
    return cache


@contextmanager
def stopwatch() -> Iterator[Callable[[], float]]:
    """Measure the seconds of a block."""
    start = time.perf_counter()
    end: list[float] = []
    yield lambda: (end[0] if end else time.perf_counter()) - start
    end.append(time.perf_counter())


def timed(ask: Callable[[], object], times: int = 5) -> tuple[str, str]:
    """Time a question: the median of a few, and the first."""
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        ask()
        seconds.append(time.perf_counter() - start)
    return f"{sorted(seconds)[times // 2] * 1e3:.0f} ms", f"first {seconds[0] * 1e3:.0f} ms"


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
