"""Facts about which files an import looks at."""

from __future__ import annotations

import os
from pathlib import Path

from inspector.importers.finding import candidates


def test_folders_are_walked_in_the_order_of_names(tmp_path: Path) -> None:
    """Files come before those of folders below, each in the order of names; hidden ones do not come."""
    for name in ("b/2", "b/1", "a/3", ".git/4", "z", ".hidden"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.touch()

    assert [str(path.relative_to(tmp_path)) for path, _ in candidates([tmp_path])] == ["z", "a/3", "b/1", "b/2"]


def test_named_files_are_marked(tmp_path: Path) -> None:
    """A file asked for by name is told from one that was found, and comes once; it need not be there."""
    (tmp_path / "a").touch()
    named, absent = tmp_path / "a", tmp_path / "absent"

    assert [tuple(found) for found in candidates([named, tmp_path, absent])] == [(named, True), (absent, True)]


def test_output_is_not_walked(tmp_path: Path) -> None:
    """Traces below the logs are none of them."""
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "trace").touch()
    (tmp_path / "log").touch()

    assert [path.name for path, _ in candidates([tmp_path], tmp_path / "out")] == ["log"]


def test_pipes_of_a_folder_are_passed_over(tmp_path: Path) -> None:
    """Opening one waits for a writer that never comes; a link to nowhere is looked at, and said."""
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "nowhere.json").symlink_to("gone")

    assert [path.name for path, _ in candidates([tmp_path])] == ["nowhere.json"]
