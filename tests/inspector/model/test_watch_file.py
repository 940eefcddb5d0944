"""Writing watches leaves what the user wrote."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.errors import SettingsError
from inspector.model.settings import Settings
from inspector.model.watch_file import add_watch, remove_watch
from inspector.model.watches import make_watch

OWN = """\
# my settings
[windows]
"gpt-4*" = 128_000   # as the contract says

[[watches]]
# the one that hurt
text = "只用中文"

[budgets]
total = 16_000
"""
RULE = make_watch({"text": "never before 9:00"}, session="offsite", reason="said twice", since_call=2)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The user's own file."""
    made = tmp_path / "inspector.toml"
    made.write_text(OWN, "utf-8")
    return made


def test_a_file_is_made_where_there_is_none(tmp_path: Path) -> None:
    """Folders, too; it reads back as it was set."""
    file = tmp_path / "deep" / "inspector.toml"
    assert add_watch(file, RULE)
    assert Settings.load(file).watches == (RULE,)


def test_comments_and_order_stay(file: Path) -> None:
    """Only the new lines are new."""
    add_watch(file, RULE)
    text = file.read_text("utf-8")
    assert [line for line in OWN.splitlines() if line not in text.splitlines()] == []
    assert text.index("[windows]") < text.index("[[watches]]") < text.index("[budgets]")
    assert Settings.load(file).watches[1] == RULE


def test_a_watch_that_is_there_is_not_written_again(file: Path) -> None:
    """The file stays as it is."""
    assert add_watch(file, RULE)
    before = file.read_bytes()
    assert not add_watch(file, RULE)
    assert file.read_bytes() == before


def test_removing_gives_the_file_of_before(file: Path) -> None:
    """What the user wrote is all that is left."""
    add_watch(file, RULE)
    assert remove_watch(file, RULE.id)
    assert Settings.load(file).watches == Settings.load(file).watches[:1]
    assert "# the one that hurt" in file.read_text("utf-8")
    assert not remove_watch(file, RULE.id)


def test_the_last_one_takes_the_table_along(tmp_path: Path) -> None:
    """An empty list of watches is no list."""
    file = tmp_path / "inspector.toml"
    add_watch(file, RULE)
    remove_watch(file, RULE.id)
    assert "watches]]" not in file.read_text("utf-8")
    assert Settings.load(file) == Settings()


@pytest.mark.parametrize("text", ['a "quoted" text', "two\nlines", "tab\t and \\ back", "'''", '"""', "\x00\x1b", "😀"])
def test_any_text_comes_back(tmp_path: Path, text: str) -> None:
    """Quotes, line breaks, controls, emoji."""
    file = tmp_path / "inspector.toml"
    add_watch(file, make_watch({"text": text}))
    assert Settings.load(file).watches[0].target == {"text": text}


def test_a_message_keeps_its_name(tmp_path: Path) -> None:
    """A hash alone could not be read by anyone."""
    file = tmp_path / "inspector.toml"
    watch = make_watch({"message": "sha256:ab"}, excerpt="You are a clerk …")
    add_watch(file, watch)
    assert Settings.load(file).watches == (watch,)


def test_a_broken_file_is_not_touched(file: Path) -> None:
    """What cannot be read is not written over."""
    file.write_text("[windows\n", "utf-8")
    with pytest.raises(SettingsError):
        add_watch(file, RULE)
    assert file.read_text("utf-8") == "[windows\n"


def test_inline_tables_are_left_to_the_user(file: Path) -> None:
    """They cannot be added to without writing them anew."""
    file.write_text('watches = [{text = "a"}]\n', "utf-8")
    with pytest.raises(SettingsError, match="inline"):
        add_watch(file, RULE)
