"""What importing costs: memory of each shared real file, and the rate of a gigabyte of transcripts.

Run: ``python benchmarks/imports.py [gigabytes]``; 0 leaves the second table out. Prints Markdown rows.

Memory is the peak of a process of its own that imports the file, less its peak after importing an empty log: what is
left is the file's. Files below 100 kB drown in what an interpreter allocates in passing and have no ratio.

The rate is given against ``json.loads`` of the same lines: folder by folder both are timed, one after the other.
"""

from __future__ import annotations

import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from transcripts import write_folder

from inspector.importers import import_paths

ROOT = Path(__file__).parent.parent
SMALLEST_RATIO = 100_000
"""Bytes of the smallest file of which the ratio says something."""
FOLDER_BYTES = 50_000_000
"""Transcripts of a folder, which are timed together."""
EMPTY = '{"model": "m", "messages": [{"role": "user", "content": "x"}]}'
"""A log of one call: what importing it takes, the importers themselves take."""


def main(gigabytes: float) -> None:
    shared = Path(os.environ.get("CONTEXT_INSPECTOR_REALDATA") or ROOT.parent / "shared" / "realdata")
    if shared.is_dir():
        memory_of_files(shared)
    else:
        print(f"The shared real files are not at {shared} (set CONTEXT_INSPECTOR_REALDATA).")
    if gigabytes:
        rate_of_transcripts(gigabytes)


def memory_of_files(shared: Path) -> None:
    """Print a row for each file, the largest first."""
    files = sorted((path for path in shared.rglob("*") if path.is_file()), key=lambda path: -path.stat().st_size)
    print("| file | kB | read as | calls | seconds | peak above an empty import, kB | ÷ file |")
    print("|---|---:|---|---:|---:|---:|---:|")
    for path in files:
        found = import_apart(path)
        size = path.stat().st_size
        ratio = f"{found['peak'] / size:.1f}" if size >= SMALLEST_RATIO else ""
        cells: Sequence[Any] = (
            path.relative_to(shared), f"{size / 1e3:,.0f}", found["format"], f"{found['calls']:,}",
            f"{found['seconds']:.2f}", f"{found['peak'] / 1e3:,.0f}", ratio,
        )  # fmt: skip
        print(f"| {' | '.join(map(str, cells))} |")
    print()


def import_apart(path: Path) -> dict[str, Any]:
    """Import a file in a process of its own."""
    command = [sys.executable, __file__, "--apart", str(path)]
    found: dict[str, Any] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return found


def apart(path: Path) -> None:
    """Import a file, and print what it took beyond an empty log."""
    with tempfile.TemporaryDirectory() as folder:
        empty = Path(folder) / "empty.json"
        empty.write_text(EMPTY)
        import_paths([empty], Path(folder) / "empty")
        before, begun = peak_memory(), time.perf_counter()
        summary = import_paths([path], Path(folder) / "out")
        seconds = time.perf_counter() - begun
        formats = ", ".join(summary.recognised) if summary.sessions else "refused"
        taken = {"peak": peak_memory() - before, "seconds": seconds, "calls": summary.calls, "format": formats}
        print(json.dumps(taken))


def rate_of_transcripts(gigabytes: float) -> None:
    """Print how fast transcripts are imported, folder after folder, in this process."""
    total, calls, parsing, importing, traces = 0, 0, 0.0, 0.0, 0
    before = peak_memory()
    number = 0
    while total < gigabytes * 1e9:
        number += 1
        with tempfile.TemporaryDirectory() as folder:
            files = write_folder(Path(folder) / "logs", number, FOLDER_BYTES)
            total += sum(path.stat().st_size for path in files)
            begun = time.process_time()
            for path in files:
                with path.open("rb") as file:
                    for line in file:
                        json.loads(line)
            parsing += time.process_time() - begun
            begun = time.process_time()
            summary = import_paths([Path(folder) / "logs"], Path(folder) / "out")
            importing += time.process_time() - begun
            assert summary.lost == 0
            calls += summary.calls
            traces += sum(path.stat().st_size for path in (Path(folder) / "out").rglob("*.jsonl"))
    print("| transcripts | calls | traces | `json.loads` | import | MB/s | calls/s | × `json.loads` | memory |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    cells = (
        f"{total / 1e9:.2f} GB", f"{calls:,}", f"{traces / 1e9:.2f} GB", f"{parsing:.1f} s", f"{importing:.1f} s",
        f"{total / 1e6 / importing:.1f}", f"{calls / importing:,.0f}", f"{importing / parsing:.1f}",
        f"{(peak_memory() - before) / 1e6:.0f} MB",
    )  # fmt: skip
    print(f"| {' | '.join(cells)} |")


def peak_memory() -> int:
    """Give the most memory that this process has had so far, bytes."""
    status = Path("/proc/self/status")
    if status.exists():  # what a process inherits from the one that started it is not in this figure
        found = re.search(r"VmHWM:\s+(\d+) kB", status.read_text())
        if found:
            return int(found[1]) * 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


if __name__ == "__main__":
    if sys.argv[1:2] == ["--apart"]:
        apart(Path(sys.argv[2]))
    else:
        main(float(sys.argv[1]) if len(sys.argv) > 1 else 1.0)
