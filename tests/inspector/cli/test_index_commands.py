"""Facts about ``index``, ``sessions`` and ``sql``."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from inspector.model.views import SessionRow


def break_a_line(traces: Path) -> Path:
    """Append a line that is no JSON to a trace file."""
    [file] = sorted(traces.glob("wire-*/*.jsonl"))
    with file.open("ab") as stream:
        stream.write(b'{"v": 1, "type"\x1b[2J\n')
    return file


def test_index_counts(traces: Path, run_json: Callable[..., Any]) -> None:
    """The index says what is there."""
    found = run_json("index", traces)

    assert (found["files"], found["sessions"], found["calls"]) == (2, 2, 4)
    assert found["line_errors"] == []
    assert found["bytes"] == sum(file.stat().st_size for file in traces.glob("*/*.jsonl"))


def test_index_without_json_is_a_line(traces: Path, run: Callable[..., Result]) -> None:
    """For people it is one line."""
    result = run("index", traces)

    assert (result.exit_code, result.stdout) == (0, "2 files · 2 sessions · 4 calls\n")


def test_index_lists_bad_lines_and_says_so_by_its_code(traces: Path, run: Callable[..., Result]) -> None:
    """A line that could not be read is listed with its place, and the code is 1."""
    file = break_a_line(traces)
    result = run("index", traces)

    assert result.exit_code == 1
    assert result.stdout.splitlines()[1].startswith(f"{file.relative_to(traces)}:4: ")
    assert "\x1b" not in result.output


def test_index_rebuild_finds_the_same(traces: Path, run_json: Callable[..., Any]) -> None:
    """Reading everything anew gives what reading what is new gave."""
    before = run_json("index", traces)

    assert run_json("index", traces, "--rebuild") == before


def test_sessions_are_rows(traces: Path, run_json: Callable[..., Any]) -> None:
    """Each session has every documented field, the one in trouble first."""
    rows = run_json("sessions", traces)

    assert [row["session"] for row in rows] == ["wire", "order"]
    assert all(set(row) == {field.name for field in fields(SessionRow)} for row in rows)
    assert rows[1]["agent"] == "clerk"
    assert (rows[1]["calls"], rows[1]["turns"], rows[1]["window"], rows[1]["pins"]) == (3, 2, 1000, 1)
    assert rows[1]["peak"] == {"count": 60, "origin": "provider"}


def test_failed_call_is_in_the_story(traces: Path, run_json: Callable[..., Any]) -> None:
    """The sentence of a failed call names it and the call."""
    [story, *_] = run_json("sessions", traces)[0]["story"]

    assert (story["kind"], story["severity"], story["call"]) == ("failed_call", "error", 1)


def test_sessions_in_a_pipe_are_tab_separated(traces: Path, run: Callable[..., Result]) -> None:
    """Without a terminal there is one line a session, names first."""
    result = run("sessions", traces)
    rows = [line.split("\t") for line in result.stdout.splitlines()]

    assert rows[0][:4] == ["session", "calls", "turns", "peak"]
    assert [row[0] for row in rows[1:]] == ["wire", "order"]
    assert {len(row) for row in rows} == {10}


def test_sessions_say_bad_lines_and_answer(traces: Path, run: Callable[..., Result]) -> None:
    """Bad lines are said on stderr and do not change the answer."""
    break_a_line(traces)
    result = run("sessions", traces)

    assert result.exit_code == 0
    assert "1 line(s) could not be read" in result.stderr
    assert "order" in result.stdout


def test_empty_directory_has_no_sessions(tmp_path: Path, run_json: Callable[..., Any]) -> None:
    """A directory without traces is no error."""
    assert run_json("sessions", tmp_path) == []


@pytest.mark.parametrize("command", [("index",), ("sessions",), ("sql", "select 1"), ("show", "s", "1")])
def test_absent_directory_is_not_found(tmp_path: Path, run: Callable[..., Result], command: tuple[str, ...]) -> None:
    """A directory that is not there has a code of its own and one line on stderr, and is not made."""
    name, *rest = command
    result = run(name, tmp_path / "nowhere", *rest)

    assert result.exit_code == 3
    assert result.stderr.count("\n") == 1
    assert not (tmp_path / "nowhere").exists()


def test_sql_answers(traces: Path, run_json: Callable[..., Any]) -> None:
    """SQL is answered with names and rows."""
    assert run_json("sql", traces, "select 1 as one, 'x' as two") == {"columns": ["one", "two"], "rows": [[1, "x"]]}


def test_sql_sees_the_calls(traces: Path, run_json: Callable[..., Any]) -> None:
    """The documented view of calls holds them."""
    answer = run_json("sql", traces, "select session, count(*) from calls group by all order by 1")

    assert answer["rows"] == [["order", 3], ["wire", 1]]


def test_sql_in_a_pipe_is_tab_separated(traces: Path, run: Callable[..., Result]) -> None:
    """Without a terminal rows are lines."""
    assert run("sql", traces, "select 1 as a, null as b").stdout == "a\tb\n1\t\n"


@pytest.mark.parametrize(
    "query",
    [
        "selekt 1",
        "select * from nowhere",
        "select * from read_text('/etc/passwd')",
        "copy (select 1) to 'x.csv'",
        "create table mine (a int)",
        "attach 'other.db'",
        "set enable_external_access = true",
    ],
)
def test_sql_that_cannot_run_is_wrong_usage(traces: Path, run: Callable[..., Result], query: str) -> None:
    """A query that is wrong, or reaches beyond the views, is refused in one line."""
    result = run("sql", traces, query)

    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("context-inspector: the query cannot be run: ")
    assert result.stderr.count("\n") == 1


def test_newer_format_is_refused_in_words(traces: Path, run: Callable[..., Result]) -> None:
    """A file of a newer format names both versions."""
    [file] = sorted(traces.glob("wire-*/*.jsonl"))
    header = json.loads(file.read_text().splitlines()[0])
    file.write_text(json.dumps({**header, "v": 99}) + "\n")
    result = run("index", traces)

    assert result.exit_code in (1, 4)
    assert "99" in result.output


def test_sql_gives_up_after_its_timeout(traces: Path, run: Callable[..., Result]) -> None:
    """A query without end is stopped after the seconds that are allowed, and that is said."""
    result = run("sql", traces, "select count(*) from range(1000000000000) a, range(1000000000000) b", "--timeout", "1")

    assert result.exit_code == 2
    assert "it took longer than 1 s" in result.stderr
