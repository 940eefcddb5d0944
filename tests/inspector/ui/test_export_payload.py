"""Facts about what the export dialog shows, and the command that makes the same."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from inspector.fixtures.building import build_fixture
from inspector.fixtures.homes.registry import HOMES
from inspector.index import Index
from inspector.ui.export_form import ExportForm
from inspector.ui.export_job import ExportJob
from inspector.ui.export_payload import job_payload

Show = Callable[..., dict[str, Any]]


@pytest.fixture
def show(samples: Index) -> Show:
    """Give what the dialog shows of order-4711's call 13, for a form; ``call`` takes another one."""

    def make(form: ExportForm | None = None, call: int = 13) -> dict[str, Any]:
        form = ExportForm() if form is None else form
        job = ExportJob(lambda: build_fixture(samples, "order-4711", call, checks=form.checks, options=form.options))
        job.wait(60)
        return job_payload(samples.directory, "order-4711", call, job, form)

    return make


def test_failing_checks_come_first_and_are_chosen(show: Show) -> None:
    """What fails today is what the test is for."""
    checks = show()["checks"]
    assert checks[0]["failed"]
    assert checks[0]["chosen"]
    assert checks[0]["title"] == "“以后请只用中文回答我” is in the prompt, word for word"


def test_words_that_are_nowhere_are_shown(show: Show) -> None:
    """The reader sees that a word of theirs masked nothing."""
    assert show(ExportForm(words=("ORD-2024-001", "nobody")))["unfound"] == ["nobody"]


def test_two_files_are_shown_with_their_text(show: Show) -> None:
    """The test and its fixture; nothing of that name is there yet."""
    files = show()["files"]
    assert [file["name"] for file in files] == ["test_order_4711_call13.py", "order_4711_call13.json"]
    assert files[0]["text"].startswith('"""')
    assert [file["there"] for file in files] == [False, False]


def test_a_file_that_is_there_is_marked(show: Show, tmp_path: Path) -> None:
    """Nothing is overwritten: the reader sees it before."""
    (tmp_path / "order_4711_call13.json").touch()
    files = show(ExportForm(folder=str(tmp_path)))["files"]
    assert [file["there"] for file in files] == [False, True]


def test_a_call_at_which_nothing_fails_says_so(show: Show) -> None:
    """A test of it would pass today."""
    assert show(call=2)["fails"] == 0


@pytest.mark.parametrize("home", HOMES)
def test_every_home_shows_its_files(show: Show, home: str) -> None:
    """What is written is seen before it is."""
    found = show(ExportForm(kind=home))
    assert found["files"]
    assert found["trouble"] is None


def test_an_error_is_shown_with_what_to_do(show: Show) -> None:
    """A builder that is none is named, with the form a name has."""
    found = show(ExportForm(mode="builder", builder="x"))
    assert found["state"] == "failed"
    assert found["error"] == ["'x' names no builder", "Write it as in agent.memory:build_context."]


@pytest.mark.parametrize(
    "form",
    [
        ExportForm(),
        ExportForm(checks=("pin_1",), words=("王敏",), masked=("keys",), images="whole", long_results="by reference"),
        ExportForm(kind="markdown"),
        ExportForm(mode="builder", builder="agent.memory:build"),
    ],
)
def test_the_command_writes_the_same_files(show: Show, form: ExportForm, tmp_path: Path) -> None:
    """Pasted into a terminal, it makes what the dialog shows, byte for byte."""
    from inspector.cli.root import cli

    form = replace(form, folder=str(tmp_path / "out"))
    found = show(form)
    result = CliRunner().invoke(cli, shlex.split(found["command"])[1:])
    assert result.exit_code == 0, result.output
    written = {file.name: file.stat().st_size for file in (tmp_path / "out").iterdir()}
    assert written == {file["name"]: file["bytes"] for file in found["files"]}
