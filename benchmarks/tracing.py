"""Following a fact through a session of 1,000 calls and a gigabyte of prompts, against reading its texts once.

    python benchmarks/tracing.py [--calls 1000]

Prints Markdown. *Cold* is all that a fresh process does but load its libraries: open the index, load the contexts,
follow every message (lifelines, compactions, pins), follow the fact, tell it. *Warm* is the same with the session at
hand, as the page has it. Each in a process of its own, medians of ``--repeats``, in seconds of processor time, so that
other work on the machine does not count; the base is ``json.loads`` of all distinct texts of the session, each once.
The last column is the command, start of Python and libraries included.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from long_session import BUDGET, ORDER, SESSION, record_session

from inspector.index import Index, open_index

ROOT: Final = Path(__file__).resolve().parent.parent
FACTS: Final = {
    f"--text {ORDER}": ("text", ORDER),
    f"--value id:{ORDER}": ("id", ORDER),
    f"--value money:{BUDGET}": ("money", BUDGET),
    r"--regex 8,\d00元": ("regex", r"8,\d00元"),
}
ONE: Final = "--one"
"""Argument of the process that measures one fact."""


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=1_000)
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        directory = Path(folder)
        size = record_session(directory, given.calls)
        with open_index(directory) as index:
            index.refresh()
            rows = index.calls(SESSION)
            print(f"{len(rows):,} calls, {size / 1e9:.2f} GB, up to {max(row.messages for row in rows):,} messages\n")
        print("| fact | `json.loads` | cold | ÷ | warm | ÷ | the command |\n|---|---:|---:|---:|---:|---:|---:|")
        for option, (kind, text) in FACTS.items():
            print(row_of(option, [measure(directory, kind, text, option) for _ in range(given.repeats)]))


def row_of(option: str, runs: list[dict[str, float]]) -> str:
    """Write the medians of some runs as a row."""
    base, cold, warm, command = (statistics.median(run[name] for run in runs) for name in runs[0])
    cells = (f"{base:.3f}", f"{cold:.2f}", f"{cold / base:.0f}", f"{warm:.2f}", f"{warm / base:.1f}", f"{command:.2f}")
    return f"| `{option}` | {' | '.join(cells)} |"


def measure(directory: Path, kind: str, text: str, option: str) -> dict[str, float]:
    """Measure a fact in a process of its own, and the command."""
    arguments = [sys.executable, __file__, ONE, str(directory), kind, text]
    found: dict[str, float] = json.loads(subprocess.run(arguments, capture_output=True, check=True).stdout)
    name, value = option.split(" ", 1)
    command = [sys.executable, "-m", "inspector", "trace", str(directory), SESSION, name, value]
    found["command"] = children(lambda: subprocess.run(command, capture_output=True, check=False, cwd=ROOT))
    return found


def children(run: Callable[[], object]) -> float:
    """Seconds of processor time of the processes that something starts."""
    import resource

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure_one(directory: Path, kind: str, text: str) -> dict[str, float]:
    """Measure a fact in this process, whose libraries are loaded."""
    from inspector.analysis.change_asking import trace_changes
    from inspector.analysis.fact_asking import make_fact, trace_in
    from inspector.analysis.fact_rows import fact_rows
    from inspector.analysis.fact_story import tell_fact
    from snapshot_sdk.facts import KINDS

    known = next(one for one in KINDS if one == kind)

    def follow(index: Index) -> None:
        fact = make_fact(text, known, contexts=changes.contexts)
        found = trace_in(index, SESSION, fact, changes)
        tell_fact(found, changes, "main")
        fact_rows(found, changes, "main")

    start = time.process_time()
    with open_index(directory) as index:
        changes = trace_changes(index, SESSION)
        follow(index)
        cold = time.process_time() - start
        start = time.process_time()
        follow(index)
        warm = time.process_time() - start
        texts = json.dumps(list({block.text for context in changes.contexts for block in context.blocks}))
        start = time.process_time()
        json.loads(texts)
        base = time.process_time() - start
    return {"base": base, "cold": cold, "warm": warm}


if __name__ == "__main__":
    if sys.argv[1:2] == [ONE]:
        print(json.dumps(measure_one(Path(sys.argv[2]), sys.argv[3], sys.argv[4])))
    else:
        main()
