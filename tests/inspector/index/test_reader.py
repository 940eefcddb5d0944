"""The tolerant line reader: whatever is on a line, every complete record comes out."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from inspector.index.reader import CHUNK, Line, parse_line, read_lines


def record(seq: int, **more: object) -> bytes:
    """A record, as the recorder writes it."""
    return json.dumps({"v": 1, "type": "event", "seq": seq, **more}, separators=(",", ":"), ensure_ascii=False).encode()


def read(data: bytes, offset: int = 0, number: int = 1) -> list[Line]:
    """All lines of some bytes."""
    return list(read_lines(io.BytesIO(data), offset, number))


def seqs(lines: list[Line]) -> list[int]:
    """Numbers of all records, in order."""
    return [one["seq"] for line in lines for one in line.records]


@pytest.mark.parametrize("mark", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c"])
def test_a_line_ends_at_a_newline_byte_only(mark: str) -> None:
    """Other line separators are characters of a string."""
    (line,) = read(record(1, text=f"a{mark}b") + b"\n")

    assert line.reason is None
    assert line.records[0]["text"] == f"a{mark}b"


def test_a_byte_order_mark_is_passed_over() -> None:
    """At the beginning of a file, and where two files were joined."""
    lines = read(b"\xef\xbb\xbf" + record(1) + b"\n\xef\xbb\xbf" + record(2) + b"\n")

    assert seqs(lines) == [1, 2]
    assert [line.reason for line in lines] == [None, None]


def test_carriage_returns_are_no_part_of_a_record() -> None:
    """A file that went through Windows reads the same."""
    lines = read(record(1) + b"\r\n" + record(2) + b"\r\n")

    assert seqs(lines) == [1, 2]
    assert all(line.reason is None for line in lines)


def test_nul_runs_around_a_record_are_said_and_passed_over() -> None:
    """A crashed file system leaves them before what was appended afterwards."""
    lines = read(record(1) + b"\n" + b"\0" * 5000 + record(2) + b"\n")

    assert seqs(lines) == [1, 2]
    assert lines[1].reason == "5,000 NUL bytes around the record"


def test_a_line_of_nuls_alone_is_said() -> None:
    """Nothing is recovered from it, and the next line is read."""
    lines = read(b"\0" * 100 + b"\n" + record(2) + b"\n")

    assert lines[0].reason is not None
    assert seqs(lines) == [2]


def test_blank_lines_are_no_trouble() -> None:
    """They hold nothing and say nothing."""
    lines = read(b"\n \r\n" + record(1) + b"\n")

    assert seqs(lines) == [1]
    assert all(line.reason is None for line in lines)


def test_glued_records_are_all_recovered() -> None:
    """A writer whose newline got lost."""
    (line,) = read(record(1) + record(2) + b" " + record(3) + b"\n")

    assert seqs([line]) == [1, 2, 3]
    assert line.reason == "3 records on one line"
    assert line.byte == len(record(1))


def test_the_record_after_a_truncated_one_is_recovered() -> None:
    """A short write, then another process's record on the same line."""
    (line,) = read(b'{"v":1,"type":"event","seq":1,"text":"half a st' + record(2) + b"\n")

    assert seqs([line]) == [2]
    assert line.reason == "damaged, with whole records beside it"


def test_a_record_before_garbage_is_recovered() -> None:
    """And the garbage is placed."""
    (line,) = read(record(1) + b"#garbage\n")

    assert seqs([line]) == [1]
    assert line.byte == len(record(1))


def test_an_object_inside_a_record_is_no_record() -> None:
    """Text of the user that looks like a record stays text."""
    inner = record(9).decode()
    (line,) = read(record(1, text=inner) + record(2) + b"\n")

    assert seqs([line]) == [1, 2]


def test_a_line_cut_in_the_middle_is_said_with_its_place() -> None:
    """The byte is where the text ends."""
    first = record(1) + b"\n"
    line = read(first + b'{"v":1,"type":"ev\n' + record(3) + b"\n")[1]

    assert line.records == ()
    assert line.reason == "cut in the middle"
    assert line.number == 2
    assert len(first) <= line.byte < line.end


def test_a_torn_last_line_is_left_for_the_next_read() -> None:
    """Its writer may still be at it: no error, and the place to go on is its beginning."""
    whole, half = record(1) + b"\n", record(2)[:20]
    lines = read(whole + half)

    assert seqs(lines) == [1]
    assert lines[-1].end == len(whole)
    assert seqs(read(whole + record(2) + b"\n", lines[-1].end, 2)) == [2]


def test_a_whole_last_record_without_newline_is_read() -> None:
    """Nothing that follows could change it; the newline that comes later is a blank line."""
    data = record(1) + b"\n" + record(2)
    lines = read(data)

    assert seqs(lines) == [1, 2]
    assert lines[-1].end == len(data)
    assert seqs(read(data + b"\n" + record(3) + b"\n", lines[-1].end, 3)) == [3]


@pytest.mark.parametrize("cut", range(1, 4))
def test_a_file_read_in_the_middle_of_a_character_is_read_right_later(cut: int, tmp_path: Path) -> None:
    """A growing file may end anywhere, also inside the bytes of one character."""
    path = tmp_path / "t.jsonl"
    whole = record(1) + b"\n" + record(2, text="\U0001f600") + b"\n"
    character = whole.index("\U0001f600".encode())
    path.write_bytes(whole[: character + cut])
    with path.open("rb") as file:
        lines = list(read_lines(file, 0, 1))
    path.write_bytes(whole)
    with path.open("rb") as file:
        lines += read_lines(file, lines[-1].end, 2)

    assert seqs(lines) == [1, 2]
    assert lines[-1].records[0]["text"] == "\U0001f600"


def test_a_line_of_100_mb_is_read() -> None:
    """Its pieces are joined once, not again with every chunk."""
    text = "x" * (100 << 20)
    lines = read(record(1) + b"\n" + record(2, text=text) + b"\n" + record(3) + b"\n")

    assert seqs(lines) == [1, 2, 3]
    assert len(lines[1].records[0]["text"]) == len(text)


def test_a_line_of_deep_nesting_is_said_and_passed_over() -> None:
    """10,000 levels are more than a record ever has; the recorder writes deep values as text."""
    deep = b'{"v":1,"type":"event","seq":1,"data":' + b"[" * 10_000 + b"]" * 10_000 + b"}"
    lines = read(deep + b"\n" + record(2) + b"\n")

    assert lines[0].reason == "nested too deeply to be a record"
    assert seqs(lines) == [2]


def test_bytes_that_are_no_utf8_are_placed_and_never_guessed() -> None:
    """The record that holds them is refused, the one beside it recovered."""
    bad = record(1, text="?").replace(b"?", b"\xff\xfe")
    (line,) = read(bad + record(2) + b"\n")

    assert seqs([line]) == [2]
    assert line.reason == "not UTF-8"
    assert line.byte == bad.index(b"\xff")


@pytest.mark.parametrize("text", ["[1, 2]", '"text"', "17", "null", "{}", '{"v": 1}', '{"v": true, "type": "event"}'])
def test_what_is_no_record_is_said(text: str) -> None:
    """JSON of another kind is data about a strange line, never an exception."""
    line = parse_line(text.encode(), 7, 100, 200)

    assert line.records == ()
    assert line.reason is not None
    assert line.reason.startswith("not a record")
    assert (line.number, line.byte) == (7, 100)


def test_an_integer_beyond_python_s_limit_is_said() -> None:
    """`json` refuses more than 4,300 digits."""
    line = parse_line(b'{"v":1,"type":"event","seq":' + b"9" * 5000 + b"}", 1, 0, 5040)

    assert line.records == ()
    assert line.reason is not None


def test_lines_that_span_chunks_keep_their_places() -> None:
    """Numbers and offsets are those of the file."""
    data = b"".join(record(n, text="y" * (CHUNK // 3)) + b"\n" for n in range(10))
    lines = read(data)

    assert [line.number for line in lines] == list(range(1, 11))
    assert [line.start for line in lines[1:]] == [line.end for line in lines[:-1]]
    assert lines[-1].end == len(data)


def test_a_hostile_line_of_starts_alone_ends() -> None:
    """A line made of record beginnings is given up, not tried for ever."""
    line = parse_line(b'{"v":' * 200_000, 1, 0, 1_000_001)

    assert line.records == ()
    assert line.reason is not None
