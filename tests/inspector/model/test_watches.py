"""Watches as ``inspector.toml`` holds them."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.errors import SettingsError
from inspector.model.settings import Settings
from inspector.model.watches import EXCERPT, make_watch


def load(folder: Path, text: str) -> Settings:
    """Read settings from a text."""
    file = folder / "inspector.toml"
    file.write_text(text, "utf-8")
    return Settings.load(file)


def test_the_same_watch_is_one() -> None:
    """Its id is made of what it says; a reason does not make it another."""
    first = make_watch({"text": "用中文"}, session="a", reason="rule")
    assert first.id == make_watch({"text": "用中文"}, session="a").id
    assert first.id != make_watch({"text": "用中文"}, session="b").id
    assert first.id != make_watch({"regex": "用中文"}, session="a").id


def test_a_long_text_has_a_short_name() -> None:
    """On one line."""
    watch = make_watch({"text": "line\n" * 100})
    assert len(watch.excerpt) == EXCERPT
    assert watch.excerpt.startswith("line line")


def test_watches_are_read(tmp_path: Path) -> None:
    """Every key, and the least there can be."""
    settings = load(
        tmp_path,
        '[[watches]]\ntext = "用中文"\nsession = "order"\nlane = "main"\nsince_call = 3\nreason = "rule"\n'
        '[[watches]]\nregex = "ORD-\\\\d+"\n',
    )
    first, second = settings.watches
    assert (first.target, first.session, first.lane, first.since_call) == ({"text": "用中文"}, "order", "main", 3)
    assert first.reason == "rule"
    assert (second.target, second.session, second.since_call) == ({"regex": "ORD-\\d+"}, None, None)


def test_a_watch_makes_no_other_index(tmp_path: Path) -> None:
    """Its setting reads no trace again."""
    assert load(tmp_path, '[[watches]]\ntext = "a"\n').fingerprint == Settings().fingerprint


@pytest.mark.parametrize(
    ("text", "key", "reason"),
    [
        ("watches = 3", "watches", "array of tables"),
        ("[[watches]]\n", "watches[1]", "needs one of text, regex, message"),
        ('[[watches]]\ntext = "a"\nregex = "b"\n', "watches[1]", "needs one of"),
        ('[[watches]]\ntext = " "\n', "watches[1]", "text is empty"),
        ('[[watches]]\nregex = "("\n', "watches[1]", "no valid regular expression"),
        ("[[watches]]\ntext = 3\n", "watches[1].text", "must be a string"),
        ('[[watches]]\ntext = "a"\nsince_call = 0\n', "watches[1].since_call", "no number of a call"),
        ('[[watches]]\ntext = "a"\nwhy = "b"\n', "watches[1].why", "is not known"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, key: str, reason: str) -> None:
    """File, key and reason."""
    with pytest.raises(SettingsError, match=reason) as caught:
        load(tmp_path, text)
    assert caught.value.key == key
