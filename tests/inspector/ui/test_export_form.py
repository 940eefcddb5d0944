"""Facts about the fields of the export dialog."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.errors import InspectorError, SettingsError
from inspector.ui.export_form import KINDS, ExportForm, changed_form, first_form


def test_a_project_fills_the_form(tmp_path: Path) -> None:
    """Builder and folder of ``[tool.context-inspector]`` are proposed."""
    text = '[tool.context-inspector]\nbuilder = "agent.memory:build"\nfolder = "tests/bugs"\n'
    (tmp_path / "pyproject.toml").write_text(text, "utf-8")
    form = first_form(tmp_path)
    assert (form.mode, form.builder, form.folder) == ("builder", "agent.memory:build", str(tmp_path / "tests/bugs"))


def test_without_a_project_the_bug_is_shown_as_it_was(tmp_path: Path) -> None:
    """No code of the reader's is known."""
    (tmp_path / "pyproject.toml").write_text("", "utf-8")
    assert first_form(tmp_path) == ExportForm()


def test_a_project_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    """The error names the file and the key."""
    (tmp_path / "pyproject.toml").write_text("[tool.context-inspector]\nbuilder = 3\n", "utf-8")
    with pytest.raises(SettingsError, match=r"pyproject.toml.*builder"):
        first_form(tmp_path)


@pytest.mark.parametrize(
    ("fields", "name", "value"),
    [
        ({"kind": "promptfoo"}, "kind", "promptfoo"),
        ({"mode": "agent"}, "mode", "agent"),
        ({"checks": ["pin_1"]}, "checks", ("pin_1",)),
        ({"masked": ["phone"]}, "masked", ("phone",)),
        ({"words": " Zhang San, ,/P-\\d+/ "}, "words", ("Zhang San", "/P-\\d+/")),
        ({"words": r"/ORD-\d{2,4}-\d{3}/"}, "words", (r"/ORD-\d{2,4}-\d{3}/",)),
        ({"words": r"a, /x{1,2},y/ ,/z/"}, "words", ("a", "/x{1,2},y/", "/z/")),
        ({"words": "王敏，杭州"}, "words", ("王敏", "杭州")),
        ({"words": "/open, end"}, "words", ("/open", "end")),
        ({"words": "a/b, c/d"}, "words", ("a/b", "c/d")),
        ({"words": " ,，, "}, "words", ()),
        ({"folder": " here "}, "folder", "here"),
        ({"images": "whole"}, "images", "whole"),
        ({"long_results": "by reference"}, "long_results", "by reference"),
    ],
)
def test_a_field_is_taken_up(fields: dict[str, object], name: str, value: object) -> None:
    """What the browser sends stands in the form."""
    assert getattr(changed_form(ExportForm(), fields), name) == value


@pytest.mark.parametrize(
    "fields", [{"kind": "exe"}, {"mode": "rm"}, {"checks": "all"}, {"masked": "none"}, {"images": 3}, {"folder": None}]
)
def test_what_a_field_must_not_hold_changes_nothing(fields: dict[str, object]) -> None:
    """A forged wish leaves the form as it was."""
    assert changed_form(ExportForm(), fields) == ExportForm()


def test_every_home_can_be_chosen() -> None:
    """The dialog offers the test, the fixture, and each other home."""
    assert KINDS[:3] == ("test", "fixture", "markdown")


@pytest.mark.parametrize("builder", ["", "no function", "a.b"])
def test_a_builder_that_names_no_function_is_refused(builder: str) -> None:
    """The error says how one is written."""
    with pytest.raises(InspectorError) as caught:
        _ = ExportForm(mode="builder", builder=builder).options
    assert caught.value.hint == "Write it as in agent.memory:build_context."
