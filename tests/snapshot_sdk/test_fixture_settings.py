"""``[tool.context-inspector]`` of a project's ``pyproject.toml``, and the functions it names."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from snapshot_sdk._fixture_settings import ProjectSettings, find_callable, read_project_settings
from snapshot_sdk.errors import SettingsError

WHOLE = """
[project]
name = "desk"

[tool.context-inspector]
builder = "desk.memory:build"
agent = "desk.agent:Agent.run"
folder = "tests/context"
"""


@pytest.fixture(autouse=True)
def _nothing_stays_imported() -> Iterator[None]:
    before, path = set(sys.modules), list(sys.path)
    yield
    for name in set(sys.modules) - before:
        del sys.modules[name]
    sys.path[:] = path


def test_all_settings(tmp_path: Path) -> None:
    """The folder is taken from the file on."""
    file = tmp_path / "pyproject.toml"
    file.write_text(WHOLE)
    expected = ProjectSettings("desk.memory:build", "desk.agent:Agent.run", tmp_path / "tests/context", file)
    assert read_project_settings(tmp_path) == expected


def test_from_a_folder_or_a_file_below(tmp_path: Path) -> None:
    """The nearest file upward counts, from a folder as from a file in it."""
    (tmp_path / "pyproject.toml").write_text(WHOLE)
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    assert read_project_settings(inner).builder == "desk.memory:build"
    assert read_project_settings(inner / "test_it.py").file == tmp_path / "pyproject.toml"


def test_the_nearest_file_counts_alone(tmp_path: Path) -> None:
    """A project inside another has its own settings, or none."""
    (tmp_path / "pyproject.toml").write_text(WHOLE)
    own = tmp_path / "own" / "pyproject.toml"
    own.parent.mkdir()
    own.write_text("[project]\n")
    assert read_project_settings(own.parent) == ProjectSettings(file=own)


def test_no_project_at_all() -> None:
    """Nothing is said."""
    assert read_project_settings("/nowhere/at/all") == ProjectSettings()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[tool.context-inspector]\nbilder = 'a:b'", ", tool.context-inspector.bilder: there is no such setting;"),
        ("[tool.context-inspector]\nbuilder = 7", ", tool.context-inspector.builder: must be a text, not int (7)"),
        ("[tool.context-inspector]\nfolder = ''", ", tool.context-inspector.folder: must be a text, not an empty one"),
        (
            "[tool.context-inspector]\nagent = 'desk.run'",
            ", tool.context-inspector.agent: must be of the form module:function, not 'desk.run'",
        ),
        ("[tool]\ncontext-inspector = 1", ", tool.context-inspector: must be a table, not int (1)"),
        ("[tool.context-inspector\n", ": is no TOML: Expected ']'"),
    ],
    ids=["unknown", "type", "empty", "form", "no table", "no TOML"],
)
def test_a_fault_names_file_and_key(tmp_path: Path, text: str, message: str) -> None:
    """Whatever is wrong, the message says where."""
    file = tmp_path / "pyproject.toml"
    file.write_text(text)
    with pytest.raises(SettingsError) as caught:
        read_project_settings(tmp_path)
    assert str(caught.value).startswith(f"{file}{message}")


def test_a_fault_of_others_is_theirs(tmp_path: Path) -> None:
    """A file that says nothing of us is not read, damaged or not."""
    (tmp_path / "pyproject.toml").write_text("[tool.other\n")
    assert read_project_settings(tmp_path).builder is None


def test_a_function_of_the_project(tmp_path: Path) -> None:
    """A project that is not installed is found, in its folder or in ``src``, and so are attributes of objects."""
    (tmp_path / "src" / "desk_in_src").mkdir(parents=True)
    (tmp_path / "src" / "desk_in_src" / "memory.py").write_text("class Memory:\n    build = staticmethod(len)\n")
    (tmp_path / "desk_beside.py").write_text("from math import floor as build\n")
    assert find_callable("desk_in_src.memory:Memory.build", tmp_path, "x")([1, 2]) == 2
    assert find_callable("desk_beside:build", tmp_path, "x")(2.5) == 2


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("desk_missing:build", "pyproject.toml: desk_missing:build: there is no module desk_missing"),
        ("desk_there:other", "pyproject.toml: desk_there:other: the module desk_there has no other"),
        ("desk_there.inner:f", "pyproject.toml: desk_there.inner:f: there is no module desk_there.inner"),
        ("desk_there:NUMBER", "pyproject.toml: desk_there:NUMBER cannot be called: it is a int"),
        ("desk_there", "pyproject.toml: must be of the form module:function, not 'desk_there'"),
    ],
)
def test_a_function_that_is_not_there(tmp_path: Path, name: str, message: str) -> None:
    """The message names who wants it, and what is missing."""
    (tmp_path / "desk_there.py").write_text("NUMBER = 1\n")
    with pytest.raises(SettingsError) as caught:
        find_callable(name, tmp_path, "pyproject.toml")
    assert str(caught.value) == message


def test_what_a_module_lacks_is_its_own_fault(tmp_path: Path) -> None:
    """A missing dependency of the project is not told as a wrong setting."""
    (tmp_path / "desk_broken.py").write_text("import nowhere_to_be_found\n")
    with pytest.raises(ModuleNotFoundError, match="nowhere_to_be_found"):
        find_callable("desk_broken:build", tmp_path, "x")
