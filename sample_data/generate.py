"""Generate the sample traces: ``python -m sample_data.generate OUT``. The same bytes at every run."""

from __future__ import annotations

import argparse
import pkgutil
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Final, Protocol, cast

from sample_data import scenarios


class Scenario(Protocol):
    """A module that has one conversation and records it."""

    SESSION: str
    """Name of the session, which tells where it happened and not what went wrong."""
    ABOUT: str
    """What went wrong and why, in two sentences; goes into the header."""
    INCIDENT: str
    """The same on one line, for the table of sessions; goes into the header."""

    def record(self, directory: Path) -> int:
        """Have the conversation and record it; return how many records were lost."""


def find_scenarios() -> tuple[Scenario, ...]:
    """Load every scenario there is, in the order of their names; what scenarios share has a leading underscore."""
    modules = sorted(module.name for module in pkgutil.iter_modules(scenarios.__path__))
    names = [name for name in modules if not name.startswith("_")]
    return tuple(cast(Scenario, import_module(f"{scenarios.__name__}.{name}")) for name in names)


SCENARIOS: Final = find_scenarios()
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
