"""The pytest plugin, in projects of its own and processes of their own."""

from __future__ import annotations

import importlib.metadata
import os
import re
import subprocess
import sys
import textwrap
import tomllib
from pathlib import Path
from typing import Any, Final

import pytest

from snapshot_sdk._fixture_file import dump_fixture
from snapshot_sdk._fixture_values import Check, Fixture, HistoryMessage, Origin, PlayedCall
from snapshot_sdk.canonical import content_hash

ROOT: Final = Path(__file__).parents[2]
SYSTEM: Final = {"role": "system", "content": "You are the travel desk."}
RULE: Final = {"role": "user", "content": "Only hotels with a lift, please."}
ANSWER: Final = {"role": "assistant", "content": "Noted: only hotels with a lift."}
LAST: Final = {"role": "user", "content": "Book one for me."}
URL: Final = "https://api.openai.com/v1/chat/completions"

KEEPS: Final = "def build(history, window):\n    return history\n"
FORGETS: Final = "def build(history, window):\n    return [history[0], history[-1]]\n"

AGENT: Final = """
import httpx2
from collections import deque
KEEP = {keep}
runs = []
def run(inputs):
    runs.append(1)
    assert len(runs) == 1, "run again"
    messages = [{system!r}]
    with httpx2.Client() as client:
        for text in inputs:
            messages.append({{"role": "user", "content": text}})
            sent = [messages[0], *messages[1:][-KEEP:]]
            answer = client.post({url!r}, json={{"model": "m", "messages": sent}})
            messages.append(answer.json()["choices"][0]["message"])
"""


def agent(keep: int) -> str:
    """An agent that sends its last messages."""
    return AGENT.format(keep=keep, system=SYSTEM, url=URL)


def fixture(**given: Any) -> Fixture:
    """A call whose prompt lost the user's rule."""
    history = [
        HistoryMessage(message, "messages", content_hash(message), layer, call, None, None, layer == "history", False)
        for message, layer, call in (
            (SYSTEM, "system", 1),
            (RULE, "history", 1),
            (ANSWER, "history", 1),
            (LAST, "input", 2),
        )
    ]
    fields: dict[str, Any] = {
        "name": "trip_call2",
        "title": "It books without a lift.",
        "origin": Origin("trip", 2, 2, "main", "id", "trip.jsonl", 7),
        "api": "openai.chat",
        "model": "m",
        "window": 1000,
        "budget": None,
        "request": {"model": "m", "messages": [SYSTEM, LAST]},
        "history": tuple(history),
        "checks": (
            Check("pin_1", "pin", "The rule is there.", text="Only hotels with a lift", failed=True),
            Check("system", "system", "The system prompt comes first.", text=SYSTEM["content"], failed=False),
        ),
        "played": (PlayedCall(1, "main", "openai.chat", URL, 200, (ANSWER,), "stop", None, "m"),),
        "inputs": (RULE["content"], LAST["content"]),
    }
    return Fixture(**(fields | given))


class Project:
    """A project with tests."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.write("pyproject.toml", "[tool.pytest.ini_options]\n")

    def write(self, name: str, text: str) -> Path:
        """Writes a file."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), "utf-8")
        return path

    def settings(self, **settings: str) -> None:
        """Writes the settings of the project."""
        lines = [f"{name} = {value!r}" for name, value in settings.items()]
        self.write("pyproject.toml", "\n".join(["[tool.pytest.ini_options]", "[tool.context-inspector]", *lines]))

    def pytest(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Runs pytest with the plugin, and no other than pytest's own."""
        environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": str(ROOT)}
        environment.pop("PYTEST_ADDOPTS", None)
        command = [sys.executable, "-m", "pytest", "-p", "snapshot_sdk.pytest_plugin", "-p", "no:cacheprovider"]
        return subprocess.run(
            [*command, *arguments], cwd=self.root, env=environment, capture_output=True, text=True, check=False
        )

    def outcomes(self, *arguments: str) -> dict[str, str]:
        """Runs pytest and returns the outcome of each item."""
        run = self.pytest("-v", *arguments)
        return dict(re.findall(r"^(\S+::\S+) (PASSED|FAILED|SKIPPED|ERROR)", run.stdout, re.MULTILINE))


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project with one fixture in ``tests/context``."""
    made = Project(tmp_path)
    made.write("tests/context/trip.json", dump_fixture(fixture()))
    return made


PIN: Final = "tests/context/trip.json::pin_1"
FIRST: Final = "tests/context/trip.json::system"


def test_nothing_is_done_where_no_folder_is_named(project: Project) -> None:
    """Fixtures are no tests until a project says so."""
    run = project.pytest()
    assert (run.returncode, "context-inspector" in run.stdout) == (5, False)
    assert "no tests ran" in run.stdout


def test_nothing_is_imported_where_no_folder_is_named(project: Project) -> None:
    """The checks, the playback and what it needs stay where they are."""
    project.write(
        "test_it.py",
        """
        import sys

        def test_it():
            ours = {name for name in sys.modules if name.startswith("snapshot_sdk.")}
            assert "snapshot_sdk.pytest_plugin" in ours
            assert not [name for name in ours if "check" in name or "playback" in name or "items" in name]
        """,
    )
    assert project.outcomes() == {"test_it.py::test_it": "PASSED"}


def test_one_item_a_check(project: Project) -> None:
    """Each has the name of its file and its own; a mended builder passes, a faulty one fails one of them."""
    project.settings(folder="tests/context", builder="memory:build")
    project.write("memory.py", KEEPS)
    assert project.outcomes() == {PIN: "PASSED", FIRST: "PASSED"}
    project.write("memory.py", FORGETS)
    assert project.outcomes() == {PIN: "FAILED", FIRST: "PASSED"}


def test_a_failure_is_a_message(project: Project) -> None:
    """It says what is lost, and shows no line of code."""
    project.settings(folder="tests/context", builder="memory:build")
    project.write("memory.py", FORGETS)
    run = project.pytest()
    assert "pin_1 fails: " in run.stdout
    assert "Only hotels with a lift" in run.stdout
    assert "Traceback" not in run.stdout
    assert "def " not in run.stdout


def test_the_header_names_folder_and_builder(project: Project) -> None:
    """One line says what is tested, and who said so."""
    project.settings(folder="tests/context", builder="memory:build")
    project.write("memory.py", KEEPS)
    line = "context-inspector: fixtures in tests/context; prompts made by the builder memory:build (pyproject.toml)"
    assert line in project.pytest().stdout.splitlines()


def test_without_a_builder_the_recorded_prompt_is_checked(project: Project) -> None:
    """The bug is shown as it was, and both the header and the message say what was checked."""
    project.settings(folder="tests/context")
    run = project.pytest("-v")
    assert f"{PIN} FAILED" in run.stdout
    assert f"{FIRST} PASSED" in run.stdout
    assert "no builder is named: checks run on the recorded prompts" in run.stdout
    assert "checked against the recorded prompt" in run.stdout


def test_an_agent_is_played_to(project: Project) -> None:
    """It is run once for all checks of a file, and its own prompts are checked."""
    pytest.importorskip("httpx2", reason="httpx2 is not installed")
    project.settings(folder="tests/context", agent="desk:run")
    project.write("desk.py", agent(keep=9))
    assert project.outcomes() == {PIN: "PASSED", FIRST: "PASSED"}
    project.write("desk.py", agent(keep=1))
    assert project.outcomes() == {PIN: "FAILED", FIRST: "PASSED"}
    assert "played back to the agent desk:run (pyproject.toml)" in project.pytest().stdout


def test_an_agent_that_fails_is_shown(project: Project) -> None:
    """The message says how far it came; its own lines are shown, ours and pytest's are not."""
    project.settings(folder="tests/context", agent="desk:run")
    project.write("desk.py", "def run(inputs):\n    return inputs['hotel']\n")
    run = project.pytest()
    assert "call 2 of lane main was not reached: the agent failed with TypeError" in run.stdout
    assert "return inputs['hotel']" in run.stdout
    assert "_playback.py" not in run.stdout
    assert "site-packages" not in run.stdout


def test_a_builder_that_fails_is_shown(project: Project) -> None:
    """Its own lines are shown, ours and pytest's are not."""
    project.settings(folder="tests/context", builder="memory:build")
    project.write("memory.py", "def build(history, window):\n    return history['hotel']\n")
    run = project.pytest()
    assert "return history['hotel']" in run.stdout
    assert "TypeError" in run.stdout
    assert "_pytest_items.py" not in run.stdout
    assert "site-packages" not in run.stdout


def test_options_come_before_the_project(project: Project) -> None:
    """Folder and builder of the command line are taken; of the folder, only what is asked for."""
    project.settings(folder="tests/context", builder="memory:missing")
    project.write("memory.py", KEEPS)
    project.write("other/second.json", dump_fixture(fixture()))
    found = project.outcomes("--context-fixtures", "other", "--context-builder", "memory:build", "other")
    assert found == {"other/second.json::pin_1": "PASSED", "other/second.json::system": "PASSED"}


def test_a_folder_of_pytests_own_settings(project: Project) -> None:
    """``context_fixtures`` names folders, too."""
    project.write("pytest.ini", "[pytest]\ncontext_fixtures = tests/context\n")
    assert project.outcomes() == {PIN: "FAILED", FIRST: "PASSED"}


def test_a_folder_outside_testpaths(project: Project) -> None:
    """What a project names is collected with everything, and left out when something else is asked for."""
    project.write("pytest.ini", "[pytest]\ncontext_fixtures = more\ntestpaths = tests\n")
    project.write("more/second.json", dump_fixture(fixture()))
    project.write("tests/test_it.py", "def test_it():\n    pass\n")
    both = {"more/second.json::pin_1": "FAILED", "more/second.json::system": "PASSED"}
    assert project.outcomes() == {"tests/test_it.py::test_it": "PASSED", **both}
    assert project.outcomes("tests") == {"tests/test_it.py::test_it": "PASSED"}
    assert project.outcomes("tests", "--context-fixtures", "more") == {"tests/test_it.py::test_it": "PASSED", **both}


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        (("tests/context",), {PIN, FIRST}),
        (("tests/context/trip.json",), {PIN, FIRST}),
        ((PIN,), {PIN}),
        (("-k", "pin_1"), {PIN}),
        (("-k", "trip_call2 and system"), {FIRST}),
        (("tests/other",), set()),
    ],
)
def test_selection(project: Project, arguments: tuple[str, ...], found: set[str]) -> None:
    """Items are chosen as any others: by folder, file, name and keyword."""
    project.settings(folder="tests/context")
    project.write("tests/other/readme.txt", "")
    assert set(project.outcomes(*arguments)) == found


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (dump_fixture(fixture())[:-40], "is no JSON"),
        (dump_fixture(fixture()).replace('"version": 1', '"version": 9'), "version 9 is newer than version 1"),
        (dump_fixture(fixture()).replace('"kind": "pin"', '"kind": "pen"'), "checks[0].kind: must be one of pin"),
        (dump_fixture(fixture(checks=())), "holds no check"),
    ],
    ids=["torn", "newer", "wrong", "empty"],
)
def test_a_damaged_fixture_fails_alone(project: Project, text: str, reason: str) -> None:
    """It is one failing item with file and reason; the others go on."""
    project.settings(folder="tests/context")
    project.write("tests/context/bad.json", text)
    run = project.pytest("-v")
    assert "tests/context/bad.json::fixture FAILED" in run.stdout
    assert f"{FIRST} PASSED" in run.stdout
    assert reason in run.stdout
    assert "bad.json" in run.stdout
    assert "Traceback" not in run.stdout


def test_other_files_are_left_alone(project: Project) -> None:
    """JSON that is no fixture, and fixtures outside the folder, are no tests."""
    project.settings(folder="tests/context")
    project.write("tests/context/notes.json", '{"format": "else"}')
    project.write("tests/context/broken.json", "{")
    project.write("tests/second.json", dump_fixture(fixture()))
    assert set(project.outcomes()) == {PIN, FIRST}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"folder": "tests/context", "bilder": "m:f"}, "tool.context-inspector.bilder: there is no such setting"),
        ({"folder": "tests/context", "builder": "m.f"}, "must be of the form module:function, not 'm.f'"),
    ],
    ids=["unknown", "form"],
)
def test_a_wrong_setting_is_told_before_anything_runs(project: Project, settings: dict[str, str], message: str) -> None:
    """One line with file and key; no traceback."""
    project.settings(**settings)
    run = project.pytest()
    assert run.returncode == pytest.ExitCode.USAGE_ERROR
    assert f"{project.root}/pyproject.toml" in run.stderr
    assert message in run.stderr
    assert "Traceback" not in run.stderr + run.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--context-builder", "a:b", "--context-agent", "a:c"), "name a builder or an agent, not both"),
        (("--context-agent", "run.py"), "--context-agent: must be of the form module:function, not 'run.py'"),
        (("--context-fixtures", "nowhere"), "--context-fixtures: there is no folder "),
    ],
    ids=["both", "form", "folder"],
)
def test_a_wrong_option_is_told_before_anything_runs(
    project: Project, arguments: tuple[str, ...], message: str
) -> None:
    """One line with the option."""
    run = project.pytest("--context-fixtures", "tests", *arguments)
    assert run.returncode == pytest.ExitCode.USAGE_ERROR
    assert message in run.stderr


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nowhere:build", "nowhere:build: there is no module nowhere"),
        ("memory:missing", "memory:missing: the module memory has no missing"),
        ("memory:NUMBER", "memory:NUMBER cannot be called: it is a int"),
    ],
)
def test_a_builder_that_is_not_there(project: Project, name: str, message: str) -> None:
    """Every check fails, and says so in a line."""
    project.settings(folder="tests/context", builder=name)
    project.write("memory.py", "NUMBER = 1\n")
    run = project.pytest("-v")
    assert f"pyproject.toml: {message}" in run.stdout
    assert f"{PIN} FAILED" in run.stdout
    assert f"{FIRST} FAILED" in run.stdout
    assert "Traceback" not in run.stdout


def test_a_folder_that_is_not_there(project: Project) -> None:
    """A misspelt folder is an error: else nothing would be tested, and all be green."""
    project.settings(folder="tests/nowhere")
    run = project.pytest("-v")
    assert run.returncode == pytest.ExitCode.USAGE_ERROR
    assert "tool.context-inspector.folder: there is no folder" in run.stderr


def test_what_cannot_be_told_is_skipped(project: Project) -> None:
    """A check without the figures it needs neither holds nor fails."""
    check = Check("budget", "budget", "At most 100 tokens.", limit=100)
    project.write("tests/context/trip.json", dump_fixture(fixture(checks=(check,))))
    project.settings(folder="tests/context", builder="memory:build")
    project.write("memory.py", KEEPS)
    assert project.outcomes() == {"tests/context/trip.json::budget": "SKIPPED"}


def test_in_parallel(project: Project) -> None:
    """Workers of pytest-xdist collect the same items and run each once."""
    pytest.importorskip("xdist", reason="pytest-xdist is not installed")
    project.write("pytest.ini", "[pytest]\ncontext_fixtures = more\ntestpaths = tests\n")
    project.write("tests/test_it.py", "def test_it():\n    pass\n")
    for number in range(4):
        project.write(f"more/{number}.json", dump_fixture(fixture()))
    run = project.pytest("-p", "xdist.plugin", "-n", "2")
    assert re.search(r"\b4 failed, 5 passed\b", run.stdout), run.stdout
    assert "context-inspector: fixtures in more; no builder is named" in run.stdout


def test_a_message_that_cannot_be_encoded_does_not_end_a_parallel_run(project: Project) -> None:
    """Workers send what failed to the one that prints it: a lone surrogate is written out."""
    pytest.importorskip("xdist")
    checks = (Check("pin", "pin", "It stands there.", text="half a \ud83d sign"),)
    project.write("more/it.json", dump_fixture(fixture(checks=checks)))
    run = project.pytest("-p", "xdist.plugin", "-n", "1", "--context-fixtures", "more")
    assert "half a \\ud83d sign" in run.stdout


def test_the_entry_point() -> None:
    """An installation has the plugin found by pytest."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    points = project["entry-points"]["pytest11"]
    assert points == {"context_inspector": "snapshot_sdk.pytest_plugin"}
    point = importlib.metadata.EntryPoint("context_inspector", points["context_inspector"], "pytest11")
    assert callable(point.load().pytest_collect_file)
