"""Recorder against plain ``json.dumps`` and one ``write`` per call, on the same growing sessions.

    python benchmarks/recorder.py [--calls 200] [--bytes 1000000] [--repeats 5]

Both sides run alternately in one process; the table shows medians over the repeats. Building the bodies
is not measured. Figures are ratios, so that they hold on other machines.
"""

from __future__ import annotations

import argparse
import gc
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.growing import CALLS, FINAL_BYTES, SESSIONS
from snapshot_sdk import Recorder


class Row(NamedTuple):
    """One line of the table: medians over the repeats."""

    session: str
    given: str
    """In which form the recorder got the bodies."""
    plain_ms: float
    """By hand, milliseconds per call."""
    time_ratio: float
    bytes_ratio: float
    last_ratio: float
    """Time ratio of the largest tenth of the calls."""


Times = list[float]


def by_hand(bodies: list[dict[str, Any]], path: Path) -> tuple[Times, int]:
    """What one would write without a recorder: each body as a line of compact JSON."""
    times = []
    with path.open("ab", buffering=0) as file:
        for body in bodies:
            start = time.perf_counter()
            file.write(json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")
            times.append(time.perf_counter() - start)
    return times, path.stat().st_size


def recorded(bodies: list[Any], directory: Path) -> tuple[Times, int]:
    """The recorder with all its defaults."""
    times = []
    with Recorder(directory, session="benchmark") as recorder:
        for body in bodies:
            start = time.perf_counter()
            recorder.snapshot(body)
            times.append(time.perf_counter() - start)
        if recorder.losses:
            raise RuntimeError(f"{recorder.losses} records were lost")
    return times, sum(path.stat().st_size for path in directory.rglob("*.jsonl"))


def measure(session: str, calls: int, final: int, repeats: int) -> list[Row]:
    """Measures a session, its bodies given as values and as the bytes a client sends."""
    bodies = list(SESSIONS[session](calls, final))
    wire = [json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode() for body in bodies]
    forms: dict[str, list[Any]] = {"values": bodies, "bytes": wire}
    plain: list[Times] = []
    ours: dict[str, list[Times]] = {form: [] for form in forms}
    sizes: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        for repeat in range(repeats):
            times, whole = by_hand(bodies, Path(folder) / f"plain-{repeat}.jsonl")
            plain.append(times)
            (Path(folder) / f"plain-{repeat}.jsonl").unlink()
            for form, given in forms.items():
                times, size = recorded(given, Path(folder) / f"{form}-{repeat}")
                ours[form].append(times)
                sizes[form] = size / whole
            gc.collect()
    tenth = max(1, calls // 10)
    rows = []
    for form in forms:
        total = statistics.median(sum(a) / sum(b) for a, b in zip(ours[form], plain, strict=True))
        last = statistics.median(sum(a[-tenth:]) / sum(b[-tenth:]) for a, b in zip(ours[form], plain, strict=True))
        milliseconds = statistics.median(sum(times) for times in plain) / calls * 1000
        rows.append(Row(session, form, milliseconds, total, sizes[form], last))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--calls", type=int, default=CALLS)
    parser.add_argument("--bytes", type=int, default=FINAL_BYTES, help="size of the last body")
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    print(f"{arguments.calls} calls growing to {arguments.bytes:,} bytes, median of {arguments.repeats} runs,", end=" ")
    print(f"Python {sys.version.split()[0]}\n")
    print("| session | handed over as | by hand, ms/call | time ratio | time ratio, last tenth | bytes ratio |")
    print("|---|---|---:|---:|---:|---:|")
    for session in SESSIONS:
        for row in measure(session, arguments.calls, arguments.bytes, arguments.repeats):
            print(
                f"| {row.session} | {row.given} | {row.plain_ms:.2f} | {row.time_ratio:.2f} | {row.last_ratio:.2f} "
                f"| {row.bytes_ratio:.4f} |"
            )


if __name__ == "__main__":
    main()
