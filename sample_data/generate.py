"""Generate the sample traces: ``python -m sample_data.generate OUT``. The same bytes at every run."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from sample_data.scenarios import offsite, order_number, word_cap

SCENARIOS: Final = (order_number, word_cap, offsite)
"""One module a session."""


def generate(directory: Path) -> None:
    """Record every sample session below ``directory``, which must hold no traces yet.

    Raises:
        FileExistsError: There are trace files already; nothing was written.
        OSError: Records could not be written.
    """
    if any(directory.glob("*/*.jsonl")):
        raise FileExistsError(f"{directory} holds traces already; nothing was written")
    for scenario in SCENARIOS:
        lost = scenario.record(directory)
        if lost:
            raise OSError(f"{lost} records of {scenario.SESSION} could not be written")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    parser = argparse.ArgumentParser(prog="python -m sample_data.generate", description=__doc__)
    parser.add_argument("out", type=Path, help="directory to write to; made if it is not there")
    out = parser.parse_args(arguments).out
    try:
        generate(out)
    except OSError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"Wrote {len(SCENARIOS)} sessions to {out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
