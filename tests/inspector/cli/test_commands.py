"""The table of commands, each imported when it is asked for."""

from __future__ import annotations

import subprocess
import sys

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
