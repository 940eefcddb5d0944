"""Facts about reading cassettes entry by entry."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.importers.exchanges.vcr_cassette import read_entries
from inspector.importers.reading.unreadable import UnreadableError


def entries(tmp_path: Path, text: str, *, is_json: bool = False) -> list[Any]:
    """Write a cassette and read it."""
    path = tmp_path / "cassette"
    path.write_text(text, encoding="utf-8")
    return list(read_entries(path, is_json=is_json))


def test_entries_of_yaml(tmp_path: Path) -> None:
    """Members before and after the entries are passed over; a document's mark and comments are none."""
    text = "# recorded\n---\nversion: 1\ninteractions:\n- a: 1\n- b: [x, y]\nrecorded_with: VCR 6\n"

    assert entries(tmp_path, text) == [{"a": 1}, {"b": ["x", "y"]}]


def test_entries_of_json(tmp_path: Path) -> None:
    """The same cassette may be JSON."""
    text = json.dumps({"version": 1, "interactions": [{"a": 1}, {"b": 2}]})

    assert entries(tmp_path, text, is_json=True) == [{"a": 1}, {"b": 2}]


@pytest.mark.parametrize("tag", ["!!binary", "!binary"])
def test_binary(tmp_path: Path, tag: str) -> None:
    """``!!binary`` is bytes, also as Ruby writes it."""
    assert entries(tmp_path, f"interactions:\n- body: {tag} |\n    aGk=\n") == [{"body": b"hi"}]


def test_aliases_reach_over_entries(tmp_path: Path) -> None:
    """What PyYAML writes once and refers to later, in another entry, is the same value."""
    text = "interactions:\n- h: &id001 [x]\n- h: *id001\n"

    assert entries(tmp_path, text) == [{"h": ["x"]}, {"h": ["x"]}]


def test_times_stay_texts(tmp_path: Path) -> None:
    """A body is JSON, which has no dates: one that was written without quotes is the text it is."""
    assert entries(tmp_path, "interactions:\n- at: 2026-01-02\n") == [{"at": "2026-01-02"}]


@pytest.mark.parametrize(
    "tagged",
    [
        "!!python/unicode 'x'",
        "!!python/object/apply:os.system ['touch hacked']",
        "!ruby/object:Thing {a: 1}",
    ],
)
def test_tags_call_nothing(tmp_path: Path, tagged: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tag of an object is taken for what stands behind it."""
    monkeypatch.chdir(tmp_path)
    [entry] = entries(tmp_path, f"interactions:\n- a: {tagged}\n")

    assert entry["a"] in ("x", ["touch hacked"], {"a": 1})
    assert not (tmp_path / "hacked").exists()


def test_damage_costs_what_follows(tmp_path: Path) -> None:
    """Entries before a damaged place are read, and its line is said."""
    path = tmp_path / "cassette"
    path.write_text("interactions:\n- a: 1\n- b: 'cut\n", encoding="utf-8")
    reader = read_entries(path, is_json=False)

    assert next(reader) == {"a": 1}
    with pytest.raises(UnreadableError, match="line"):
        next(reader)


@pytest.mark.parametrize("text", ["", "a: 1\n", "interactions: 3\n", "interactions: []\n"])
def test_no_entries(tmp_path: Path, text: str) -> None:
    """A file without a list of entries has none."""
    assert entries(tmp_path, text) == []


def test_no_cassette(tmp_path: Path) -> None:
    """A list is none."""
    with pytest.raises(UnreadableError, match="no mapping"):
        entries(tmp_path, "- a\n")
