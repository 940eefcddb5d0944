"""Facts about output: hostile text, tables in pipes, JSON whatever the data holds."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from inspector.cli.terminal import Mark, complain, one_line, plain, visible, write_json, write_table

ESC = "\x1b"
HOSTILE = (
    f"{ESC}[2J", f"{ESC}]0;title\x07", f"{ESC}]52;c;aGk=\x07", "\x9b31m", "\x90payload\x9c", "a\rb", "a\x08b", "\x00",
    "\x7f", "\u202eevil", "\u2066x\u2069", "\u2028", "\ufeff", "\ud800",
)  # fmt: skip
"""What drives a terminal: CSI and OSC in 7 and 8 bits, controls, direction marks; and a lone surrogate."""


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_neutralised(text: str) -> None:
    """Nothing that a terminal obeys is left, and what stood there is shown."""
    shown = visible(text)

    assert all(character in "\t\n" or character.isprintable() for character in shown)
    assert "\\x" in shown or "\\u" in shown
    shown.encode()


def test_harmless_text_is_untouched() -> None:
    """Chinese, emoji, tabs and newlines stay as they are."""
    text = "订单 4711\t好\n👍 é"

    assert visible(text) == text
    assert visible("a\r\nb") == "a\nb"


def test_one_line_is_one_line() -> None:
    """Newlines become spaces, and a long text is cut with a mark."""
    assert one_line("a\n\n b\tc") == "a b c"
    assert one_line("x" * 50, 10) == "x" * 9 + "…"


def test_table_in_a_pipe_is_tab_separated(capsys: pytest.CaptureFixture[str]) -> None:
    """Where stdout is no terminal a table is plain lines; no cell breaks them."""
    write_table(("a", "b"), [("x\ty\nz", 1), (None, f"{ESC}[31m")])

    assert capsys.readouterr().out == "a\tb\nx y z\t1\n\t\\x1b[31m\n"


def test_table_on_a_terminal_takes_text_literally(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A drawn table does not read markup in the cells."""
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "80")
    write_table(("name",), [("[bold red]x[/] :smile:",)])

    assert "[bold red]x[/] :smile:" in capsys.readouterr().out


def test_a_mark_has_its_symbol_on_a_terminal_only(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a pipe it is words, which a script can read."""
    rows = [(Mark("✕", "red", "evicted \x1b[2J"),)]
    write_table(("fate",), rows)
    piped = capsys.readouterr().out
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "80")
    write_table(("fate",), rows)

    assert piped == "fate\nevicted \\x1b[2J\n"
    drawn = capsys.readouterr().out
    assert "✕" in drawn
    assert "evicted \\x1b[2J" in drawn


def test_wide_table_on_a_narrow_terminal_is_one_cell_a_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where columns would be too narrow to be read, each cell has a line."""
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "20")
    write_table(("a", "b", "c"), [(1, 2, 3), (4, 5, 6)])

    assert capsys.readouterr().out == "a: 1\nb: 2\nc: 3\n\na: 4\nb: 5\nc: 6\n\n"


def test_cut_column_gives_way_and_the_others_do_not(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A long text is cut at the edge; what stands beside it stays whole, on one line."""
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "40")
    write_table(("layer", "text"), [("tool_results", "word " * 30)], cut=("text",))
    row = capsys.readouterr().out.splitlines()[1:]

    assert len(row) == 1
    assert row[0].startswith("tool_results  word word")
    assert row[0].rstrip().endswith("…")


@pytest.mark.parametrize("text", HOSTILE)
def test_json_is_valid_and_harmless(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    """JSON of hostile text loads back to the text, and its bytes are harmless."""
    write_json({"text": text})
    written = capsys.readouterr().out

    assert json.loads(written) == {"text": text}
    assert all(character == "\n" or character.isprintable() for character in written)


def test_json_keeps_chinese_readable(capsys: pytest.CaptureFixture[str]) -> None:
    """Text that is harmless is not escaped."""
    write_json("订单")

    assert capsys.readouterr().out == '"订单"\n'


@dataclass(frozen=True)
class Row:
    """A row with a nested value."""

    a: int
    b: tuple[Any, ...]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Row(1, (Decimal("0.5"),)), {"a": 1, "b": ["0.5"]}),
        (float("inf"), "inf"),
        (float("nan"), "nan"),
        (2**70, 2**70),
        (10**5000, "1" + "0" * 5000),
        (-(10**5000), "-1" + "0" * 5000),
        (datetime(2025, 1, 2, tzinfo=UTC), "2025-01-02T00:00:00+00:00"),
        (b"\x00\xff", "00ff"),
        ({1: {None: True}}, {"1": {"None": True}}),
    ],
    ids=lambda value: type(value).__name__,
)
def test_every_value_becomes_json(value: Any, expected: Any) -> None:
    """Values beyond JSON become their text; the rest stays itself."""
    assert plain(value) == expected


def test_complaint_is_one_harmless_line_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    """An error that quotes a prompt cannot drive the terminal."""
    complain(f"no session 'a\n{ESC}[2J'", "Look again.")

    assert capsys.readouterr() == ("", "context-inspector: no session 'a \\x1b[2J'. Look again.\n")


@pytest.mark.parametrize(
    ("message", "written"),
    [
        ("no session ''", "no session ''. Look again."),
        ("Which one?", "Which one? Look again."),
        ("Done.", "Done. Look again."),
    ],
)
def test_the_hint_is_a_sentence_of_its_own(message: str, written: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Message and hint are parted by a full stop, unless the message ends a sentence itself."""
    complain(message, "Look again.")

    assert capsys.readouterr().err == f"context-inspector: {written}\n"
