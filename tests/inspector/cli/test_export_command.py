"""Facts about ``export``: what it shows, what it writes, and when it refuses."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from inspector.cli.exits import Exit
from snapshot_sdk import Recorder
from snapshot_sdk.testing import load_fixture

Run = Callable[..., Result]
ORDER = {"role": "user", "content": "My order is ORD-2024-001, I am wang.min@example.com. Never answer in English."}
NOTED = {"role": "assistant", "content": "Noted."}
LATER = {"role": "user", "content": "Which shelf is the kettle on?"}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A session of two calls; the second prompt lost the first message and with it a pinned rule."""
    directory = tmp_path / "traces"
    with Recorder(directory, session="shop", window=128_000, budget=2_000) as recorder:
        recorder.pin("Never answer in English", reason="rule of the user")
        for turn, messages in enumerate(([ORDER], [NOTED, LATER]), start=1):
            with recorder.turn(turn):
                recorder.snapshot({"model": "gpt-4.1", "messages": messages}, api="openai.chat", lane="main")
                recorder.response(body={"choices": [{"message": NOTED}]})
    return directory


def names_in(folder: Path) -> list[str]:
    """The names of the files in a folder."""
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Run in an empty folder: no settings of the project that holds the tests."""
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    (folder / "pyproject.toml").write_text("", "utf-8")
    return folder


def test_a_test_and_a_fixture_are_written(run: Run, shop: Path, elsewhere: Path) -> None:
    """Both files, the checks, what is masked and the size are said."""
    result = run("export", shop, "shop:2", "--to", "out")

    assert result.exit_code == Exit.DONE, result.output
    assert names_in(elsewhere / "out") == ["shop_call2.json", "test_shop_call2.py"]
    assert "fails\tpin\tyes\t“Never answer in English” is in the prompt, word for word" in result.stdout
    assert "masked: 1 email (wan…)" in result.stdout
    assert "2 messages" not in result.stdout
    assert load_fixture(elsewhere / "out" / "shop_call2.json").origin.call == 2


def test_a_turn_names_a_call(run: Run, shop: Path) -> None:
    """The last call of a turn may be named by it."""
    assert "writes: test_shop_call2.py" in run("export", shop, "shop:t2", "--list").stdout


def test_list_writes_nothing(run: Run, shop: Path, elsewhere: Path) -> None:
    """The checks are shown, no folder is needed."""
    result = run("export", shop, "shop:2", "--list", "--to", "out")

    assert result.exit_code == Exit.DONE
    assert not (elsewhere / "out").exists()


def test_what_would_pass_today_is_refused(run: Run, shop: Path, elsewhere: Path) -> None:
    """A call at which nothing failed makes no test, unless the user says so."""
    refused = run("export", shop, "shop:1", "--to", "out")
    written = run("export", shop, "shop:1", "--to", "out", "--passing")

    assert refused.exit_code == Exit.BROKEN
    assert "every chosen check holds today" in refused.stderr
    assert written.exit_code == Exit.DONE
    assert len(names_in(elsewhere / "out")) == 2


def test_a_list_of_a_call_at_which_nothing_failed_says_so(run: Run, shop: Path) -> None:
    """It promises neither a red test nor files that would not be written."""
    result = run("export", shop, "shop:1", "--list")

    assert result.exit_code == Exit.DONE
    assert "stays red" not in result.stdout
    assert "every chosen check holds, and stays green" in result.stdout
    assert "without --passing an export writes nothing" in result.stderr


def test_a_shrink_without_a_failure_is_said(run: Run, shop: Path, elsewhere: Path) -> None:
    """What cannot be shrunk is written whole, and the user learns of it."""
    result = run("export", shop, "shop:1", "--to", "out", "--passing", "--shrink")

    assert result.exit_code == Exit.DONE, result.output
    assert "nothing was shrunk" in result.stderr
    assert load_fixture(elsewhere / "out" / "shop_call1.json").shrunk is None


def test_a_chosen_check_that_holds_is_refused(run: Run, shop: Path) -> None:
    """What counts is what is chosen."""
    assert run("export", shop, "shop:2", "--to", "out", "--check", "budget").exit_code == Exit.BROKEN


def test_nothing_is_overwritten(run: Run, shop: Path) -> None:
    """A second export into the same folder ends with 6 and names the file."""
    run("export", shop, "shop:2", "--to", "out")
    again = run("export", shop, "shop:2", "--to", "out")

    assert again.exit_code == Exit.CANNOT_WRITE
    assert "test_shop_call2.py: it is there already" in again.stderr


def test_only_the_fixture(run: Run, shop: Path, elsewhere: Path) -> None:
    """``--as fixture`` writes no test."""
    run("export", shop, "shop:2", "--as", "fixture", "--to", "out")

    assert names_in(elsewhere / "out") == ["shop_call2.json"]


def test_words_that_are_nowhere_are_said(run: Run, shop: Path, elsewhere: Path) -> None:
    """A word that was misspelt masks nothing."""
    result = run("export", shop, "shop:2", "--list", "--mask", "ORD-2024-001", "--mask", "ORD-2042-001")

    assert "no place has “ORD-2042-001”" in result.stdout
    assert "no place has “ORD-2024-001”" not in result.stdout


def test_words_are_masked(run: Run, shop: Path, elsewhere: Path) -> None:
    """What the user names is in no file; what is not to be masked is."""
    run("export", shop, "shop:2", "--to", "out", "--mask", "ORD-2024-001", "--unmasked", "email")
    written = (elsewhere / "out" / "shop_call2.json").read_text("utf-8")

    assert "ORD-2024-001" not in written
    assert "[word 1]" in written
    assert "wang.min@example.com" in written


def test_the_project_says_builder_and_folder(run: Run, shop: Path, elsewhere: Path) -> None:
    """What is not given is read from pyproject.toml."""
    settings = '[tool.context-inspector]\nbuilder = "agent.memory:build"\nfolder = "tests/context"\n'
    (elsewhere / "pyproject.toml").write_text(settings, "utf-8")

    result = run("export", shop, "shop:2")

    assert result.exit_code == Exit.DONE, result.output
    assert "from agent.memory import build" in (elsewhere / "tests/context/test_shop_call2.py").read_text("utf-8")


def test_an_option_goes_before_the_project(run: Run, shop: Path, elsewhere: Path) -> None:
    """An agent that is named takes the place of the project's builder."""
    (elsewhere / "pyproject.toml").write_text('[tool.context-inspector]\nbuilder = "agent:build"\n', "utf-8")

    run("export", shop, "shop:2", "--to", "out", "--agent", "agent:run")

    assert "agent=run" in (elsewhere / "out" / "test_shop_call2.py").read_text("utf-8")


def test_bad_settings_of_the_project_are_said(run: Run, shop: Path, elsewhere: Path) -> None:
    """File and key are named."""
    (elsewhere / "pyproject.toml").write_text('[tool.context-inspector]\nbuilder = "no colon"\n', "utf-8")

    result = run("export", shop, "shop:2", "--to", "out")

    assert result.exit_code == Exit.UNREADABLE
    assert "pyproject.toml: tool.context-inspector.builder" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["shop:9", "--list"], Exit.NOT_FOUND, "has no call 9"),
        (["shap:1", "--list"], Exit.NOT_FOUND, "there is no session 'shap'"),
        (["shop", "--list"], Exit.USAGE, "write SESSION:CALL"),
        (["shop:2"], Exit.USAGE, "where to?"),
        (["shop:2", "--list", "--check", "pin_7"], Exit.USAGE, "it has no check 'pin_7'"),
        (["shop:2", "--list", "--mask", "/(/"], Exit.USAGE, "no valid regular expression"),
        (["shop:2", "--list", "--builder", "agent"], Exit.USAGE, "names no function"),
        (["shop:2", "--list", "--builder", "a:b", "--agent", "a:c"], Exit.USAGE, "exclude one another"),
    ],
)
def test_what_cannot_be_done_is_said(run: Run, shop: Path, arguments: list[str], code: Exit, said: str) -> None:
    """Each with its exit code, on one line of stderr."""
    result = run("export", shop, *arguments)

    assert result.exit_code == code, result.output
    assert said in result.stderr


@pytest.mark.parametrize("home", ["markdown", "promptfoo", "openai_evals", "python"])
def test_other_homes_are_written(run: Run, shop: Path, elsewhere: Path, home: str) -> None:
    """What another tool reads is written in place of the test."""
    result = run("export", shop, "shop:2", "--as", home, "--to", "out")

    assert result.exit_code == Exit.DONE, result.output
    assert names_in(elsewhere / "out")
    assert not list((elsewhere / "out").glob("test_*"))


def test_the_fixture_is_json(run: Run, shop: Path, elsewhere: Path) -> None:
    """Any program can read it, and it says what it is."""
    run("export", shop, "shop:2", "--to", "out")
    value = json.loads((elsewhere / "out" / "shop_call2.json").read_text("utf-8"))

    assert (value["format"], value["version"]) == ("context-inspector/fixture", 1)


def test_a_shrunk_fixture_fails_still(run: Run, shop: Path, elsewhere: Path) -> None:
    """What the failing check does not need is dropped, and how much that was is said."""
    result = run("export", shop, "shop:2", "--to", "out", "--shrink", "--check", "pin")
    fixture = load_fixture(elsewhere / "out" / "shop_call2.json")

    size = (elsewhere / "out" / "shop_call2.json").stat().st_size
    assert f"bytes became {size:,}, " in result.stdout
    assert f"messages, {size:,} bytes" in result.stdout
    assert fixture.shrunk is not None
    assert [check.id for check in fixture.checks if check.failed] == ["pin"]
