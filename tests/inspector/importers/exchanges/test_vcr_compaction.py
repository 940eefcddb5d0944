"""Real cassettes in which Anthropic's server compacted the prompt of the first call."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from inspector.cli.root import cli


@pytest.fixture(params=["round_trip", "usage_with_cache"])
def imported(request: pytest.FixtureRequest, realdata: Path, tmp_path: Path) -> tuple[str, Path]:
    """Session and directory of one cassette."""
    session = f"test_anthropic_compaction_{request.param}"
    cassette = realdata / "vcr" / "anthropic" / f"{session}.yaml"
    done = CliRunner().invoke(cli, ["import", "vcr", str(cassette), "--out", str(tmp_path / "traces")])
    assert done.exit_code == 0, done.output
    return session, tmp_path / "traces"


def ask(*words: object) -> Any:
    """Return what a command prints as JSON."""
    return json.loads(CliRunner().invoke(cli, [*map(str, words), "--json"]).stdout)


@pytest.mark.realdata
def test_the_compaction_of_the_first_call_is_told(imported: tuple[str, Path]) -> None:
    """In the list of compactions, in the count of the session and in its story."""
    session, directory = imported
    (change,) = ask("compactions", directory, session)
    (row,) = ask("sessions", directory)

    assert (change["said_by"], change["strategy"]) == ("server", "summary")
    assert (change["call"], change["before_call"], change["taken"], change["unseen"]) == (1, None, [], 1)
    assert row["compactions_found"] == 1
    assert [sentence["kind"] for sentence in row["story"]] == ["compaction"]
    assert row["story"][0]["page"] == "call"
