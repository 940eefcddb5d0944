"""Facts about the archives of inspect_ai."""

from __future__ import annotations

import json
import struct
import zipfile
from pathlib import Path

import inspect_ai_logs as logs
import pytest

from inspector.importers.evaluations.inspect_ai_zip import entry_names, first_entry, open_entry
from inspector.importers.reading import limits
from inspector.importers.reading.unreadable import UnreadableError


def patched(path: Path, local: int, central: int, value: int) -> Path:
    """Write a number into the headers of the only entry: at a place of the local one, and of the central one."""
    logs.archive(path, {"header.json": {"a": 1}})
    data = bytearray(path.read_bytes())
    struct.pack_into("<H", data, local, value)
    struct.pack_into("<H", data, data.index(b"PK\x01\x02") + central, value)
    path.write_bytes(bytes(data))
    return path


def test_first_entry(tmp_path: Path) -> None:
    """The head names the first entry; other bytes, and a head that is cut, name none."""
    head = logs.archive(tmp_path / "a", {"_journal/start.json": {}, "header.json": {}}).read_bytes()[:4096]

    assert first_entry(head) == "_journal/start.json"
    assert first_entry(head[:20]) is None
    assert first_entry(b"{}") is None


@pytest.mark.parametrize("zstd", [False, True])
def test_large_entry(tmp_path: Path, zstd: bool) -> None:
    """An entry is read to its end and no further, in however many frames it lies."""
    value = ["x" * 100] * 50_000
    path = logs.archive(tmp_path / "a", {"header.json": value, "other.json": {"b": 2}}, zstd=zstd)
    with open_entry(path, "header.json") as opened:
        data = opened.read()

    assert json.loads(data) == value


def test_of_two_entries_the_later_counts(tmp_path: Path) -> None:
    """A sample that was written again has one name, and its later content."""
    path = logs.archive(tmp_path / "a", {"samples/a.json": {"n": 1}})
    with pytest.warns(UserWarning, match="Duplicate"), zipfile.ZipFile(path, "a") as file:
        file.writestr("samples/a.json", '{"n": 2}')

    assert entry_names(path) == ("samples/a.json",)
    with open_entry(path, "samples/a.json") as opened:
        assert json.loads(opened.read()) == {"n": 2}


def test_encrypted_entry(tmp_path: Path) -> None:
    """Nobody here has the key."""
    path = patched(tmp_path / "a", local=6, central=8, value=1)

    with pytest.raises(UnreadableError, match="is encrypted"), open_entry(path, "header.json"):
        pass


def test_unknown_compression(tmp_path: Path) -> None:
    """A method nobody here knows is said."""
    path = patched(tmp_path / "a", local=8, central=10, value=97)

    with pytest.raises(UnreadableError, match="not supported"), open_entry(path, "header.json"):
        pass


def test_entry_that_unpacks_to_too_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An entry is read up to a limit, and refused with its name beyond."""
    monkeypatch.setattr(limits, "MOST_UNPACKED", 1_000)
    path = logs.archive(tmp_path / "a", {"header.json": ["x" * 100] * 50})
    with open_entry(path, "header.json") as opened:
        assert len(opened.read(900)) == 900
        with pytest.raises(UnreadableError, match=r"header\.json unpacks to more"):
            opened.read(200)
