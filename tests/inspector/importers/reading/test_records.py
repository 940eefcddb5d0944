"""Facts about damaged lines of JSONL logs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inspector.importers.base import Problem
from inspector.importers.reading.records import Line, read_lines, read_values, survey

FIRST = b'{"type":"user","n":1}'
SECOND = b'{"type":"user","n":2}'


def is_record(value: Any) -> bool:
    """An object of these types is a record."""
    return isinstance(value, dict) and value.get("type") in ("user", "pr-link")


def lines_of(tmp_path: Path, data: bytes) -> list[Line]:
    """Read bytes as a log."""
    path = tmp_path / "log.jsonl"
    path.write_bytes(data)
    return list(read_lines(path, is_record))


def numbers(lines: list[Line]) -> list[int]:
    """Give the numbers of the records that were read."""
    return [value["n"] for line in lines for value in line.values]


def test_glued_records_are_both_read(tmp_path: Path) -> None:
    """Two records on one line lose nothing and are said as a repair."""
    [line] = lines_of(tmp_path, FIRST + SECOND + b"\n")

    assert numbers([line]) == [1, 2]
    assert (line.repair, line.error) == ("2 records on one line", None)


def test_record_after_one_that_breaks_off_is_read(tmp_path: Path) -> None:
    """A record that breaks off costs itself only, and the loss is said."""
    [line] = lines_of(tmp_path, b'{"type":"pr-link","prNu' + FIRST + b"\n")

    assert numbers([line]) == [1]
    assert line.error == "a record breaks off; 1 whole record(s) of the line were read"


def test_part_of_a_broken_record_is_no_record(tmp_path: Path) -> None:
    """A whole object inside a record that breaks off is not taken for one."""
    [line] = lines_of(tmp_path, b'{"type":"user","content":[{"type":"text","text":"a"},{"te' + SECOND + b"\n")

    assert numbers([line]) == [2]


@pytest.mark.parametrize("data", [b"\0\0\0" + FIRST + b"\n", FIRST + b"\0\0\n"])
def test_runs_of_nul_lose_nothing(tmp_path: Path, data: bytes) -> None:
    """NUL characters beside a record, as a crash leaves them, are passed over and said."""
    [line] = lines_of(tmp_path, data)

    assert numbers([line]) == [1]
    assert (line.repair, line.error) == ("NUL characters beside the record", None)


def test_byte_order_mark_costs_no_record(tmp_path: Path) -> None:
    """The first record is read after a byte order mark."""
    assert numbers(lines_of(tmp_path, b"\xef\xbb\xbf" + FIRST + b"\n" + SECOND + b"\n")) == [1, 2]


def test_only_newlines_end_lines(tmp_path: Path) -> None:
    """U+2028, U+2029 and U+0085 stand inside strings."""
    text = "a\u2028b\u2029c\u0085d"
    [line] = lines_of(tmp_path, f'{{"type":"user","n":1,"text":"{text}"}}\n'.encode())

    assert line.values[0]["text"] == text


def test_last_line_that_breaks_off_is_no_loss(tmp_path: Path) -> None:
    """A log that is still being written ends in the middle of a record."""
    *_, last = lines_of(tmp_path, FIRST + b'\n{"type":"us')

    assert last.error is None
    assert last.repair is not None
    assert "still being written" in last.repair


def test_broken_line_in_the_middle_is_a_loss(tmp_path: Path) -> None:
    """The same piece followed by a newline is damage."""
    broken, sound = lines_of(tmp_path, b'{"type":"us\n' + FIRST + b"\n")

    assert broken.error is not None
    assert broken.error.startswith("not JSON")
    assert numbers([sound]) == [1]


def test_bytes_that_are_no_utf8_are_replaced_and_said(tmp_path: Path) -> None:
    """A stray byte costs one character."""
    [line] = lines_of(tmp_path, b'{"type":"user","n":1,"text":"a\xffb"}\n')

    assert line.values[0]["text"] == "a\ufffdb"
    assert line.repair is not None
    assert "no UTF-8" in line.repair


def test_lone_surrogates_are_kept(tmp_path: Path) -> None:
    """Half a surrogate pair, from cut binary output, comes through."""
    [line] = lines_of(tmp_path, b'{"type":"user","n":1,"text":"a\\ud83d"}\n')

    assert line.values[0]["text"] == "a\ud83d"


def test_survey_accounts_for_every_line(tmp_path: Path) -> None:
    """Losses and objects that are no record are reported with their lines, repairs are collected."""
    path = tmp_path / "log.jsonl"
    path.write_bytes(FIRST + SECOND + b'\nnonsense\n{"other":1}\n\n' + FIRST + b"\n")
    problems: list[Problem] = []
    repairs: list[str] = []
    found = list(survey(path, is_record, "record", problems.append, repairs))

    assert [line for line, _ in found] == [1, 1, 5]
    assert [problem.line for problem in problems] == [2, 3]
    assert repairs == ["line 1: 2 records on one line"]
    assert [value for _, value in read_values(path, is_record)] == [value for _, value in found]
