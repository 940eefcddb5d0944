"""Rows of data sets as sessions."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inspector.importers import import_paths
from inspector.importers.base import ImportedSession, Problem
from inspector.importers.reading.documents import Document
from inspector.importers.training.training_rows import Row, read_rows

Write = Callable[..., Path]

ASK = {"role": "user", "content": "q"}
SAID = {"role": "assistant", "content": "a"}


def sessions(*paths: Path) -> list[ImportedSession]:
    """The sessions of files whose rows are lists of messages."""
    problems: list[Problem] = []

    def row(value: Any) -> Row | None:
        return Row(value["messages"]) if "messages" in value else None

    found = list(read_rows("rows", "row", row, [Document(path) for path in paths], problems.append))
    assert problems == []
    return found


def test_names(write_lines: Write, write_json: Write) -> None:
    """A row is named by its file and its place; the only value of a file by the file."""
    several = write_lines("train.jsonl", {"messages": [ASK, SAID]}, {"messages": [SAID]})
    alone = write_json("one.json", {"messages": [ASK, SAID]})

    assert [session.session for session in sessions(several, alone)] == ["train 1", "train 2", "one"]


@pytest.mark.parametrize(
    ("text", "names", "lost"),
    [
        ('{"messages": []}{"messages": []}\n{"messages": []}\n', ["t 1", "t 1.2", "t 2"], []),
        ('{"messages": []}\n{"messa{"messages": []}\n', ["t 1", "t 2"], [2]),
        ('{"messages": []}\n\x00\x00{"messages": []}\n', ["t 1", "t 2"], []),
        ('{"messages": []}\n{"messages": []}\n{"mess', ["t 1", "t 2"], []),
        ('\ufeff{"messages": []}\n{"messages": []}\n', ["t 1", "t 2"], []),
        ('{"messages": [], "id": "a\u2028b"}\n{"messages": []}\n', ["t 1", "t 2"], []),
        ('[{"messages": []}, {"messages": [\\d]}, {"messages": []}]', ["t 1", "t 2"], [None]),
    ],
)  # fmt: skip
def test_damage(tmp_path: Path, text: str, names: list[str], lost: list[int | None]) -> None:
    """Glued, torn and cut lines, NULs, a byte order mark and odd separators cost what is broken and no row more."""
    path = tmp_path / "t.jsonl"
    path.write_text(text, encoding="utf-8")
    problems: list[Problem] = []

    found = read_rows("rows", "row", lambda value: Row(value["messages"]), [Document(path)], problems.append)

    assert [session.session for session in found] == names
    assert [problem.line for problem in problems] == lost


def test_lone_surrogates(tmp_path: Path) -> None:
    """Half a character in a row keeps no other row, nor itself, from being imported."""
    path = tmp_path / "t.jsonl"
    row = '{"messages": [{"role": "user", "content": "\\ud83d"}, {"role": "assistant", "content": "\\u0000"}]}\n'
    path.write_text(row * 2, encoding="utf-8")

    assert import_paths([path], tmp_path / "traces").calls == 2


@pytest.mark.realdata
def test_benchmarks(realdata: Path, tmp_path: Path) -> None:
    """BFCL's files hold questions, answers and tools, and no requests: each is refused with that reason."""
    summary = import_paths([realdata / "bfcl-memory"], tmp_path / "traces")

    assert summary.sessions == ()
    assert len(summary.problems) == 10
    for problem in summary.problems:
        assert re.search("no request", problem.reason)


def test_digests(write_lines: Write) -> None:
    """The same row has the same digest wherever it stands; a repetition has another."""
    first = sessions(write_lines("a.jsonl", {"messages": [ASK]}, {"messages": [SAID]}, {"messages": [ASK]}))
    second = sessions(write_lines("b.jsonl", {"messages": [SAID]}, {"messages": [ASK]}))

    assert len({session.digest for session in first}) == 3
    assert [session.digest for session in second] == [first[1].digest, first[0].digest]


def test_a_session_opens_again(write_lines: Write) -> None:
    """The calls of a session may be read more than once, and after those of others."""
    one, two = sessions(write_lines("a.jsonl", {"messages": [ASK, SAID]}, {"messages": [ASK, SAID, ASK, SAID]}))

    assert [len(list(session.calls())) for session in (two, one, two)] == [2, 1, 2]


def test_an_id(write_lines: Write) -> None:
    """The row's own id is kept."""
    [session, _] = sessions(write_lines("a.jsonl", {"id": "r-7", "messages": [ASK]}, {"messages": [ASK]}))

    assert session.meta == {"id": "r-7"}
