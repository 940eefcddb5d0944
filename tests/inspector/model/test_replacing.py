"""Facts about replacing a file in one step."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from inspector.errors import CannotWriteError
from inspector.model.replacing import replace_file


def mode_of(file: Path) -> int:
    """Who may do what with a file."""
    return stat.S_IMODE(os.stat(file).st_mode)  # noqa: PTH116 - of the file, not of the link


def test_new_file_is_an_ordinary_one(tmp_path: Path) -> None:
    """Its folders are made, and others may read it."""
    file = tmp_path / "a" / "b.toml"
    replace_file(file, "x = '猫'\r\n")

    assert file.read_bytes() == "x = '猫'\r\n".encode()
    assert mode_of(file) == 0o644


def test_half_a_file_is_never_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the last step fails, the old file stays and nothing is left behind."""
    file = tmp_path / "b.toml"
    replace_file(file, "old")

    def fails(self: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fails)
    with pytest.raises(CannotWriteError, match="No space left"):
        replace_file(file, "new")

    assert file.read_text("utf-8") == "old"
    assert [one.name for one in tmp_path.iterdir()] == ["b.toml"]


def test_text_that_is_no_utf8_is_refused(tmp_path: Path) -> None:
    """A lone surrogate has no bytes: the file stays as it was."""
    file = tmp_path / "b.toml"
    replace_file(file, "old")
    with pytest.raises(CannotWriteError, match="surrogates"):
        replace_file(file, "\ud83d")

    assert [one.read_text("utf-8") for one in tmp_path.iterdir()] == ["old"]


def test_rights_and_links_stay(tmp_path: Path) -> None:
    """A linked file is written where it lies, readable by whom it was."""
    file = tmp_path / "b.toml"
    replace_file(file, "old")
    file.chmod(0o640)
    link = tmp_path / "link.toml"
    link.symlink_to(file.name)
    replace_file(link, "new")

    assert link.is_symlink()
    assert (file.read_text("utf-8"), mode_of(file)) == ("new", 0o640)
