"""Faults of files that public issues of other tools describe, in small: lines, characters, numbers, shapes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from inspector.cli.root import cli

Bring = Callable[..., Any]
"""Writes values (or raw bytes) as the lines of a log, imports and indexes it."""
TASK = {"role": "user", "content": "Refund order 4711, then tell the customer."}


def chat(*messages: dict[str, Any], **members: Any) -> dict[str, Any]:
    """A body of OpenAI's chat."""
    return {"model": "gpt-4.1", "messages": list(messages), **members}


def test_line_that_is_still_being_written_is_no_damage(bring: Bring) -> None:
    """A cut last line of a transcript is an append that was interrupted; a cut line in the middle is lost, and said."""
    meta = {"type": "session", "id": "s", "cwd": "/", "timestamp": "2026-01-01T00:00:00Z"}
    user = {
        "type": "message",
        "id": "a",
        "timestamp": "2026-01-01T00:00:01Z",
        "message": {"role": "user", "content": "x"},
    }
    cut = json.dumps({**user, "id": "b"}).encode()[:40]
    found = bring(meta, cut, user, cut, end=b"")

    lost = [(problem.line, problem.lost) for problem in found.summary.problems]
    assert lost[0] == (2, True)
    assert lost[1:] == [(None, False)]


def test_byte_order_mark_costs_no_record(bring: Bring) -> None:
    """The first line of few is a record like the others."""
    assert bring(b"\xef\xbb\xbf" + json.dumps(chat(TASK)).encode(), chat(TASK), chat(TASK)).numbers() == [1, 2, 3]


def test_other_line_separators_end_no_line(bring: Bring) -> None:
    """Inside a string they are characters, also when written as they are."""
    text = "one\u2028two\u2029three\u0085four"
    found = bring(json.dumps(chat({"role": "user", "content": text}), ensure_ascii=False).encode(), chat(TASK))

    assert found.numbers() == [1, 2]
    assert found.text() == text


def test_lone_surrogate_breaks_nothing(bring: Bring) -> None:
    """Half a pair, from binary output, is taken in, opened and searched; the request has it as it stood."""
    line = rb'{"model": "gpt-4.1", "messages": [{"role": "user", "content": "before \ud83d after"}]}'
    found = bring(line, chat(TASK))

    assert found.index.request_bytes(found.session, 1) == line
    assert "before" in found.text()
    assert "after" in found.text()
    assert found.index.search("after").places


def test_null_character_and_its_escape_are_two_things(bring: Bring) -> None:
    """The character is kept, and the six characters that look like its escape are not turned into it."""
    text = "character \u0000, text \\u0000"
    found = bring(chat({"role": "user", "content": text}))

    assert json.loads(found.index.request_bytes(found.session, 1))["messages"][0]["content"] == text
    assert "text \\u0000" in found.text()


def test_not_a_number_is_read_and_never_written(bring: Bring, tmp_path: Path) -> None:
    """What Python's json writes for it is read; what the command line prints is JSON for everybody."""
    line = (
        b'{"model": "gpt-4.1", "messages": [{"role": "user", "content": "x"}], "temperature": NaN, "top_p": Infinity}'
    )
    found = bring(line)
    found.index.close()
    result = CliRunner().invoke(cli, ["show", str(tmp_path / "traces"), found.session, "1", "--json"])

    def refuse(word: str) -> None:
        raise AssertionError(word)

    assert json.loads(result.stdout, parse_constant=refuse)["parameters"]["temperature"] in (None, "nan", "NaN")


def test_very_long_line_costs_neither_itself_nor_others(bring: Bring) -> None:
    """A line beyond what a database takes as one object is read like the lines around it."""
    found = bring(chat(TASK), chat(TASK, {"role": "user", "content": "long " * 3_600_000}), chat(TASK))

    assert found.numbers() == [1, 2, 3]
    assert found.call(2).body_size > 17_000_000


def test_shape_that_changes_after_many_rows_is_not_forced(bring: Bring) -> None:
    """Content that is text in hundreds of rows and a list in one, and a member nobody had before, stay as they are."""
    odd = chat({"role": "user", "content": [{"type": "text", "text": "listed"}], "first_seen_here": {"a": [1]}})
    found = bring(*(chat({"role": "user", "content": f"{n}"}) for n in range(250)), odd)

    assert json.loads(found.index.request_bytes(found.session, 251)) == odd
    assert found.text(251) == "listed"
