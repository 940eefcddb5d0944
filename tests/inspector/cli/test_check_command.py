"""Facts about ``check``: the gate, its reports, its exit codes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import Result

from inspector.cli.exits import Exit
from snapshot_sdk import Recorder

Run = Callable[..., Result]
SUITE = '[[probes]]\nid = "tea"\nquestion = "Tea?"\nkind = "recall"\nexpected = { text = "likes tea" }\n'
HELLO = {"model": "gpt-4.1", "messages": [{"role": "user", "content": "hi"}]}


@pytest.fixture
def healthy(tmp_path: Path) -> Path:
    """A directory in which everything holds."""
    with Recorder(tmp_path / "healthy", session="s", window=1000) as recorder:
        recorder.snapshot(HELLO, api="openai.chat")
    return tmp_path / "healthy"


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """A directory with a pin that the second prompt lacks."""
    with Recorder(tmp_path / "broken", session="s") as recorder:
        recorder.pin("hi")
        recorder.snapshot(HELLO, api="openai.chat")
        recorder.snapshot({**HELLO, "messages": [{"role": "user", "content": "bye"}]}, api="openai.chat")
    return tmp_path / "broken"


def test_a_directory_in_which_all_holds_ends_with_0(run: Run, healthy: Path) -> None:
    """The gate is open."""
    result = run("check", healthy)
    assert (result.exit_code, result.stdout) == (Exit.DONE, "")


def test_a_broken_pin_ends_with_1_and_is_a_line(run: Run, broken: Path) -> None:
    """What fails is a line with its kind, session, call and reason."""
    result = run("check", broken)
    assert result.exit_code == Exit.BROKEN
    assert result.stdout.splitlines()[1].split("\t")[:4] == ["fails", "pins: hi", "s", "2"]


def test_what_is_not_named_does_not_close_the_gate(run: Run, broken: Path) -> None:
    """With --fail-on budgets a broken pin is told, and the exit code is 0."""
    result = run("check", broken, "--fail-on", "budgets")
    assert result.exit_code == Exit.DONE
    assert "fails, is only told\tpins: hi" in result.stdout


def test_a_suite_is_looked_for(run: Run, healthy: Path, tmp_path: Path) -> None:
    """A probe that is due nowhere closes the gate."""
    suite = tmp_path / "suite.toml"
    suite.write_text(SUITE, "utf-8")
    result = run("check", healthy, "--suite", suite)
    assert result.exit_code == Exit.BROKEN
    assert "It checks nothing" in result.stdout


def test_a_directory_without_calls_does_not_pass(run: Run, tmp_path: Path) -> None:
    """A gate that checked nothing is not open."""
    (tmp_path / "empty").mkdir()
    result = run("check", tmp_path / "empty")
    assert result.exit_code == Exit.BROKEN
    assert "nothing was checked" in result.stderr


def test_both_reports_are_written(run: Run, broken: Path, tmp_path: Path) -> None:
    """--junit and --markdown write the same verdict beside the table."""
    run("check", broken, "--junit", tmp_path / "out" / "j.xml", "--markdown", tmp_path / "m.md")
    assert ElementTree.parse(tmp_path / "out" / "j.xml").getroot().get("failures") == "1"
    assert (tmp_path / "m.md").read_text("utf-8").startswith("## Context check of `broken`: 1 failure")


def test_an_earlier_report_is_replaced(run: Run, broken: Path, tmp_path: Path) -> None:
    """A job that runs again writes its reports again."""
    for _ in range(2):
        result = run("check", broken, "--junit", tmp_path / "j.xml", "--markdown", tmp_path / "m.md")
    assert result.exit_code == Exit.BROKEN


@pytest.mark.parametrize("option", ["--junit", "--markdown"])
def test_a_file_that_is_no_report_is_never_replaced(run: Run, broken: Path, tmp_path: Path, option: str) -> None:
    """The user's own file stays, the error names it, and --force is the way."""
    own = tmp_path / "own"
    own.write_text("mine", "utf-8")
    result = run("check", broken, option, own)
    assert result.exit_code == Exit.CANNOT_WRITE
    assert str(own) in result.stderr
    assert own.read_text("utf-8") == "mine"


@pytest.mark.parametrize("words", ["pins,vibes", ",", "probes"])
def test_a_kind_that_cannot_close_is_wrong_usage(run: Run, healthy: Path, words: str) -> None:
    """An unknown kind, none at all, and probes without a suite are refused."""
    assert run("check", healthy, "--fail-on", words).exit_code == Exit.USAGE


@pytest.mark.parametrize(
    "arguments",
    [["--fail-on", "pins", "--fail-on", "budgets"], ["--fail-on", "budgets,pins"], ["--fail-on", "pins,budgets"]],
)
def test_kinds_add_up(run: Run, broken: Path, arguments: list[str]) -> None:
    """Whether they are repeated or separated by commas, none takes the place of another."""
    assert set(json.loads(run("check", broken, *arguments, "--json").stdout)["fail_on"]) == {"budgets", "pins"}
    assert run("check", broken, *arguments).exit_code == Exit.BROKEN


def test_each_of_several_kinds_is_looked_at(run: Run, healthy: Path) -> None:
    """One that says nothing is wrong usage beside one that does."""
    assert run("check", healthy, "--fail-on", "pins", "--fail-on", ",").exit_code == Exit.USAGE
    assert run("check", healthy, "--fail-on", "pins", "--fail-on", "vibes").exit_code == Exit.USAGE


def test_a_last_line_that_is_not_complete_is_said(run: Run, healthy: Path) -> None:
    """It closes nothing, for a call may be under way, and a reader is told."""
    file = next(healthy.glob("*/*.jsonl"))
    file.write_bytes(file.read_bytes() + b'{"v":1,"type":"snap')
    result = run("check", healthy, "--fail-on", "files")
    assert result.exit_code == Exit.DONE
    assert "1 could not be judged" in result.stderr
    assert f"{file.parent.name}/{file.name}:" in result.stderr
    assert "the last line is not complete: a call may be under way" in result.stderr


def test_json_has_every_case(run: Run, broken: Path) -> None:
    """A program reads the same cases."""
    cases = json.loads(run("check", broken, "--json").stdout)["cases"]
    assert {(case["kind"], case["state"]) for case in cases} == {("pins", "fails"), ("pairing", "holds")}
