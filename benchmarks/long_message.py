"""What recording one long message costs, and what of that is looking for keys.

    python benchmarks/long_message.py [--megabytes 5] [--repeats 3]

Each text is recorded with the default rules (``keys``), without rules, and with the pattern run over every
character, as a plain ``re.sub`` would; the sides alternate in one process. Processor time, medians.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from snapshot_sdk import Recorder
from snapshot_sdk._patterns import PATTERNS

WORDS: Final = 5_000
SEED: Final = 19


def texts(size: int) -> Iterator[tuple[str, str]]:
    """Yields names and texts of ``size`` characters."""
    yield "one letter", "x" * size
    chance = random.Random(SEED)
    letters = "etaoinshrdlucmfwypvbgkjqxz"
    words = ["".join(chance.choices(letters, range(26, 0, -1), k=chance.randint(2, 10))) for _ in range(WORDS)]
    prose = " ".join(chance.choices(words, k=size // 5))[:size]
    yield "words", prose
    yield "words, hyphens, underscores", prose.replace("e ", "e-").replace("t ", "t_")
    yield (
        "the same and a key each 100 kB",
        "".join(prose[at : at + 100_000] + " sk-proj-0123456789abcdefABCDEF " for at in range(0, size, 100_000)),
    )


def seconds(work: Callable[[], object]) -> float:
    """Measures processor time, seconds."""
    start = time.process_time()
    work()
    return time.process_time() - start


def recorded(text: str, rules: tuple[str, ...]) -> float:
    """Records one request that holds the text; returns seconds."""
    body = {"model": "m", "messages": [{"role": "user", "content": text}]}
    with tempfile.TemporaryDirectory() as directory, Recorder(directory, session="s", redact=rules) as recorder:
        recorder.event("start")  # the file is open
        took = seconds(lambda: recorder.snapshot(body))
        if recorder.losses:
            raise RuntimeError("a record was lost")
    return took


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=float, default=5)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    print("| text | with rules, ms/MB | without | ratio | the pattern alone, over every character |")
    print("|---|---:|---:|---:|---:|")
    for name, text in texts(int(options.megabytes * 1e6)):
        rows = [
            (
                recorded(text, ("keys",)),
                recorded(text, ()),
                seconds(lambda text=text: PATTERNS["keys"].expression.sub("", text)),  # type: ignore[misc]
            )
            for _ in range(options.repeats)
        ]
        ours, bare, pattern = (
            statistics.median(column) * 1000 / options.megabytes for column in zip(*rows, strict=True)
        )
        print(f"| {name} | {ours:.1f} | {bare:.1f} | {ours / bare:.2f} | {pattern:.1f} |", flush=True)


if __name__ == "__main__":
    main()
