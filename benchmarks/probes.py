"""Looking for 1,000 probe runs (20 probes × 50 calls) against ``json.loads`` of the same prompts.

    python benchmarks/probes.py [--calls 50] [--probes 20] [--messages 200] [--bytes 2000]

Prints Markdown. Medians of three runs, in seconds of processor time, so that other work on the machine does not
count. Every call's prompt is the one before with two messages more at its end; half-way a window drops all but the
last quarter. Half of what the probes ask for stands in the dropped part. Messages are generated words and digits.
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

from inspector.analysis.changes import trace_session
from inspector.model.context import Block, CallContext
from inspector.model.layers import Layer
from inspector.probes.look import SessionFacts, look
from inspector.probes.probe import Expected, Probe
from snapshot_sdk.facts import Fact, FactKind

REPEATS: Final = 3
KINDS: Final[tuple[tuple[FactKind, str], ...]] = (
    ("id", "ORD-2031-{n:04}"),
    ("money", "{n}8 euros"),
    ("rule", "Never send parcel {n} before it is paid"),
    ("text", "the harbour of pier {n}"),
)


def make_contexts(calls: int, messages: int, size: int, probes: Sequence[Probe]) -> list[CallContext]:
    """A growing talk that says what each probe asks for, and loses its beginning half-way."""
    rng = random.Random(1)
    words = ["".join(rng.choices("etaoinshrdlu", k=rng.randint(2, 9))) for _ in range(5_000)]
    total = messages + 2 * calls
    blocks = []
    for n in range(total):
        said = [probes[n % len(probes)].expected.facts[0].text] if n % 3 == 0 and n // 3 < len(probes) else []
        text = ""
        while len(text) < size:
            text += " ".join(rng.choices(words, k=40)) + ". "
        blocks.append(
            Block(
                f"m{n}", ("user", "assistant")[n % 2], Layer.HISTORY, ". ".join([text[:size], *said]), tokens=size // 4
            )
        )
    found = []
    for call in range(1, calls + 1):
        end = messages + 2 * call
        begin = 0 if call <= calls // 2 else end * 3 // 4
        before = None if call == 1 else f"call{call - 1}"
        found.append(CallContext(call, f"call{call}", before, "main", tuple(blocks[begin:end])))
    return found


def make_probes(count: int) -> list[Probe]:
    """Probes of four kinds of facts, each its own."""
    found = []
    for n in range(count):
        kind, pattern = KINDS[n % len(KINDS)]
        found.append(Probe(f"p{n}", "?", Expected((Fact(kind, pattern.format(n=n + 10)),)), "recall", due_from=None))
    return found


def median_of(run: Callable[[], object]) -> float:
    times = []
    for _ in range(REPEATS):
        started = time.process_time()
        run()
        times.append(time.process_time() - started)
    return statistics.median(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=50)
    parser.add_argument("--probes", type=int, default=20)
    parser.add_argument("--messages", type=int, default=200)
    parser.add_argument("--bytes", type=int, default=2_000)
    options = parser.parse_args()
    probes = make_probes(options.probes)
    contexts = make_contexts(options.calls, options.messages, options.bytes, probes)
    bodies = [json.dumps([{"role": b.role, "content": b.text} for b in context.blocks]) for context in contexts]
    changes = trace_session(contexts)
    facts = SessionFacts("bench", (), changes)
    looking = median_of(lambda: look(probes, facts))
    reading = median_of(lambda: [json.loads(body) for body in bodies])
    looks = look(probes, facts)
    runs = sum(len(found.presences) for found in looks)
    lost = sum(found.flips_at is not None for found in looks)
    print("| probe runs | prompts, MB | probes lost | looking, s | `json.loads` of all prompts, s | ratio |")
    print("|---:|---:|---:|---:|---:|---:|")
    size = sum(map(len, bodies)) / 1e6
    print(f"| {runs:,} | {size:.1f} | {lost} | {looking:.2f} | {reading:.3f} | {looking / reading:.1f} |")


if __name__ == "__main__":
    main()
