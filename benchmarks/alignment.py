"""Alignment and lifelines against ``json.loads`` of the same input.

    python benchmarks/alignment.py [--calls 1000] [--messages 1000] [--bytes 4000000]

Prints Markdown. Medians of three runs, in seconds of processor time, so that other work on the machine does not
count. The texts are made of generated words and digits, each message different. *Rewritten* messages had every
fifteenth word replaced, and share no id with what they were: the worst case.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from inspector.analysis.alignment import align
from inspector.analysis.changes import trace_session
from inspector.model.context import Block, CallContext
from inspector.model.layers import Layer
from inspector.model.views import PinRow

REPEATS: Final = 3
PINS: Final = 10


def make_words(rng: random.Random) -> list[str]:
    """A vocabulary of 20,000 words, some of them numbers."""
    letters = "etaoinshrdlucmfwypvbgkjqxz"
    return ["".join(rng.choices(letters, k=rng.randint(2, 10))) for _ in range(18_000)] + [
        str(rng.randrange(10**6)) for _ in range(2_000)
    ]


def make_blocks(count: int, size: int, rng: random.Random) -> list[Block]:
    """Messages of equal size; words are as unequally frequent as in speech."""
    words = make_words(rng)
    weights = [1 / rank for rank in range(1, len(words) + 1)]
    blocks = []
    for n in range(count):
        text = ""
        while len(text) < size:
            text += " ".join(rng.choices(words, weights, k=80)) + " "
        blocks.append(Block(f"m{n}", "user" if n % 2 else "assistant", Layer.HISTORY, text[:size], tokens=size // 4))
    return blocks


def rewrite(block: Block, rng: random.Random) -> Block:
    """Replace every fifteenth word."""
    words = block.text.split(" ")
    for place in rng.sample(range(len(words)), len(words) // 15):
        words[place] = "changed"
    return Block(block.content + "'", block.role, block.layer, " ".join(words), tokens=block.tokens)


def make_session(blocks: Sequence[Block], calls: int, messages: int) -> list[CallContext]:
    """A session that grows to its full size, then slides, with a summary at every hundredth call."""
    contexts: list[CallContext] = []
    current: list[Block] = list(blocks[: messages // 2])
    for n in range(calls):
        current = [*current, blocks[(messages // 2 + n) % len(blocks)]]
        if len(current) > messages:
            current = [current[0], *current[2:]]
        if n % 100 == 99:
            summary = Block(f"s{n}", "system", Layer.SUMMARY, blocks[n % len(blocks)].text[:1_500], is_summary=True)
            current = [current[0], summary, *current[40:]]
        contexts.append(CallContext(n + 1, f"c{n}", f"c{n - 1}" if n else None, "main", tuple(current)))
    return contexts


def median(run: Callable[[], object]) -> float:
    """Seconds."""
    times = []
    for _ in range(REPEATS):
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return statistics.median(times)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=1_000)
    parser.add_argument("--messages", type=int, default=1_000)
    parser.add_argument("--bytes", type=int, default=4_000_000)
    given = parser.parse_args()
    rng = random.Random(3)
    blocks = make_blocks(given.messages, given.bytes // given.messages, rng)
    source = json.dumps([{"role": block.role, "content": block.text} for block in blocks])
    parse = 2 * median(lambda: json.loads(source))
    print("| what | seconds | × `json.loads` of the input |")
    print("|---|---|---|")
    for share in (0.0, 0.1, 0.5, 1.0):
        later = [rewrite(block, rng) if rng.random() < share else block for block in blocks]
        seconds = median(lambda later=later: align(blocks, later))  # type: ignore[misc]
        name = f"two contexts of {len(blocks):,} messages, {given.bytes / 1e6:.0f} MB, {share:.0%} rewritten"
        print(f"| {name} | {seconds:.2f} | {seconds / parse:.1f} |")
    more = make_blocks(given.calls + given.messages, 400, random.Random(4))
    contexts = make_session(more, given.calls, given.messages)
    pins = [PinRow(f"p{n}", "", None, None, 1, None, (), {"text": more[n].text[40:90]}, "main") for n in range(PINS)]
    size = sum(len(block.text) for context in contexts for block in context.blocks)
    sample = json.dumps([block.text for block in more])
    parse = median(lambda: json.loads(sample)) * size / len(sample)
    seconds = median(lambda: trace_session(contexts, pin_rows=pins))
    largest = max(len(context.blocks) for context in contexts)
    name = f"{len(contexts):,} calls of up to {largest:,} messages with {PINS} pins, prompts of {size / 1e6:,.0f} MB"
    print(f"| lifelines, compactions and pins of {name} | {seconds:.2f} | {seconds / parse:.1f} |")


if __name__ == "__main__":
    main()
