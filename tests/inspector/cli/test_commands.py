"""The table of commands, each imported when it is asked for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from inspector.cli.commands import Commands


@pytest.mark.parametrize("name", list(Commands()))
def test_each_name_leads_to_its_command(name: str) -> None:
    """The table and the command agree on the name."""
    assert Commands()[name].name == name


def test_an_unknown_name_is_no_command() -> None:
    """It is for click to say so, and what is close to it."""
    assert Commands().get("sessoins") is None


def test_a_command_does_not_wait_for_the_others() -> None:
    """``record`` starts without the index, the importers and the analysis."""
    program = (
        "import sys\n"
        "from inspector.cli.root import cli\n"
        "cli.commands['record']\n"
        "print(*(name for name in ('duckdb', 'numpy', 'inspector.importers') if name in sys.modules))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout.split() == []


HEAVY = (
    "pyarrow", "rich", "watchdog", "tomlkit", "tiktoken", "tokenizers", "scipy", "rapidfuzz", "yaml", "streamlit",
    "inspector.importers", "inspector.index.refresh", "inspector.index.inserting", "inspector.model.tokens",
    "inspector.analysis.story", "inspector.analysis.obedience", "snapshot_sdk._fact_rules",
)  # fmt: skip
"""What reads, counts and writes traces, draws on a terminal, tells stories, or knows about rules."""
LOADED = f"""
import sys
from inspector.cli.root import run
code = run(sys.argv[1:])
print(code, *(name for name in {HEAVY!r} if name in sys.modules), file=sys.stderr)
"""


def loaded_by(*arguments: str | Path) -> list[str]:
    """Run a command in a process of its own; give its exit code, and what of the heavy it loaded."""
    command = [sys.executable, "-c", LOADED, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stderr.splitlines()[-1].split()


def test_trace_loads_only_what_follows_a_fact() -> None:
    """Half of the time of a short command is that of its imports."""
    assert loaded_by("trace", "--help") == ["0"]


def test_a_question_to_an_index_that_is_up_to_date_loads_nothing_that_reads(traces: Path) -> None:
    """Not until a trace file has grown."""
    assert loaded_by("trace", traces, "order", "--text", "hello")[1:] != []

    assert loaded_by("trace", traces, "order", "--text", "hello")[1:] == []
