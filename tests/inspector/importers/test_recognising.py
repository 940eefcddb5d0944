"""Facts about finding out what a file is."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.importers import IMPORTERS
from inspector.importers.reading.documents import Document
from inspector.importers.recognising import recognise

SECRET = "what the user said"


def words(tmp_path: Path, content: bytes, *, named: bool = True) -> str | None:
    """Say what becomes of a file with this content."""
    path = tmp_path / "log"
    path.write_bytes(content)
    found = recognise(Document(path), IMPORTERS, named=named)
    return found if isinstance(found, str) or found is None else found.name


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "an empty file, 0 bytes"),
        (b"\x89PNG\r\n\x1a\n" + b"\x00" * 1993, "a picture (PNG), 2.0 kB"),
        (b"%PDF-1.7\n" + b" " * 1_499_991, "a PDF document, 1.5 MB"),
        (b"\x00\x01\x02\x03", "binary data, 4 bytes"),
        (b"\xff\xfe\xfa\xfb bytes", "binary data, or text that is no UTF-8, 10 bytes"),
        ("一些文字".encode(), "text that is no JSON, 12 bytes"),
        (b'{"question": "' + SECRET.encode() + b'"}', "JSON, 34 bytes: an object with `question`"),
        (b'{"a": 1}\n{"b": 2}\n', "JSON, one value a line, 18 bytes: an object with `a`"),
        (b"[[1]]", "JSON, 5 bytes: an array of 1, beginning with an array of 1, beginning with a number"),
    ],
)
def test_unknown_file_says_what_it_looks_like(tmp_path: Path, content: bytes, expected: str) -> None:
    """The kind of content, its size, the names of its members and who was asked; never a text in it."""
    tried = ", ".join(importer.name for importer in IMPORTERS)
    said = words(tmp_path, content)

    assert said == f"not recognised: {expected} (tried: {tried})"
    assert SECRET not in said


def test_names_of_members_are_cut(tmp_path: Path) -> None:
    """A member's name may be a text of the user: it is not said at length."""
    said = words(tmp_path, b'{"' + b"x" * 500 + b'": 1}')

    assert said is not None
    assert len(said.partition("(tried")[0]) < 120


@pytest.mark.parametrize("content", [b"", b"\x89PNG", b"notes", b"a: 1\nb: 2\n"])
def test_files_of_a_folder_that_are_no_logs_are_passed_over(tmp_path: Path, content: bytes) -> None:
    """Whoever imports a folder did not ask for its pictures."""
    assert words(tmp_path, content, named=False) is None


def test_torn_json_says_where(tmp_path: Path) -> None:
    """A file that begins like JSON and is none says where it breaks, also in a folder."""
    said = words(tmp_path, b'{"messages": [', named=False)

    assert said is not None
    assert said.startswith("not JSON: ")


def test_file_that_cannot_be_read_says_why(tmp_path: Path) -> None:
    """A file that is not there is no fault of anybody's format."""
    assert recognise(Document(tmp_path / "absent"), IMPORTERS, named=True) == "No such file or directory"


BODY = b'{"model":"m","messages":[{"role":"user","content":"a"}]}'
PI = b'{"type":"message","timestamp":"2026-01-01T00:00:00Z","message":{"role":"user","content":"a"}}'
CODEX = b'{"timestamp":"2026-01-01T00:00:00Z","type":"response_item","payload":{"type":"message"}}'
CLAUDE = b'{"type":"user","uuid":"u","parentUuid":null,"sessionId":"s","message":{"role":"user","content":"a"}}'
OPENCODE = b'["event",{"event":{"type":"x","properties":{}}}]'


@pytest.mark.parametrize("first", [b"42", b'tent":"a"}}', b'{"type":"session","id":3}', b'["a", 1', b'{"a": {'])
@pytest.mark.parametrize(
    ("line", "name"),
    [(BODY, "bodies"), (PI, "pi"), (CODEX, "codex"), (CLAUDE, "claude-code"), (OPENCODE, "opencode")],
)
def test_odd_first_line_does_not_hide_the_format(tmp_path: Path, first: bytes, line: bytes, name: str) -> None:
    """A first line that is cut, or none of the format, is passed over; found in a folder, too."""
    content = first + b"\n" + line + b"\n" + line + b"\n"

    assert words(tmp_path, content) == name
    assert words(tmp_path, content, named=False) == name


def test_text_of_a_folder_is_no_log(tmp_path: Path) -> None:
    """Text with JSON in it is passed over where it was not asked for."""
    assert words(tmp_path, b'INFO\n{"a":1}\n{"b":2}\n', named=False) is None


@pytest.mark.parametrize(
    ("content", "said"), [(b"   \n", "nothing but blank space"), (b"\x1f\x8b\x08\x00", "packed with gzip twice")]
)
def test_files_that_hold_nothing_to_read_are_named(tmp_path: Path, content: bytes, said: str) -> None:
    """Blank space is not an empty file, and what is packed twice is no unknown binary."""
    assert said in str(words(tmp_path, content))
