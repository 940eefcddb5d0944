"""Facts about plain request bodies."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from inspector.importers.base import ImportedSession, Problem
from inspector.importers.exchanges.bodies import Bodies, natural
from inspector.importers.reading.documents import Document
from inspector.importers.run import import_paths
from snapshot_sdk.reading import read_requests


def body(text: str) -> dict[str, object]:
    """A request body."""
    return {"model": "gpt-4.1", "messages": [{"role": "user", "content": text}]}


def read(paths: Sequence[Path]) -> tuple[list[ImportedSession], list[Problem]]:
    """Read files as the format does."""
    problems: list[Problem] = []
    return list(Bodies().read([Document(path) for path in paths], problems.append)), problems


def test_file_of_lines_is_a_session(write_lines: Callable[..., Path]) -> None:
    """A JSONL file is one session, its lines the calls, each with its very text."""
    line = '{"messages": [{"role": "user", "content": "1.0"}], "temperature": 1.0}'
    [session], _ = read([write_lines("run.jsonl", body("a"), line)])

    assert session.session == "run"
    assert [call.request for call in session.calls()][1] == line


def test_array_is_a_session(write_json: Callable[..., Path]) -> None:
    """An array of bodies is one session."""
    [session], _ = read([write_json("run.json", [body("a"), body("b")])])

    assert [call.request for call in session.calls()] == [body("a"), body("b")]


def test_lines_that_name_sessions_are_split(write_lines: Callable[..., Path]) -> None:
    """Lines beside which sessions are named go to these, in order."""
    path = write_lines(
        "all.jsonl",
        {"request": body("a1"), "session": "a"},
        {"request": body("b1"), "session": "b"},
        {"request": body("a2"), "session": "a"},
    )
    sessions, _ = read([path])

    assert {session.session: len(list(session.calls())) for session in sessions} == {"a": 2, "b": 1}
    assert len({session.digest for session in sessions}) == 2


def test_bad_lines_cost_themselves(write_lines: Callable[..., Path]) -> None:
    """A torn line, and a line that is no body, are reported with their numbers."""
    [session], problems = read([write_lines("run.jsonl", body("a"), '{"mess', {"choices": []}, body("b"))])

    assert len(list(session.calls())) == 2
    assert [problem.line for problem in problems] == [2, 3]
    assert problems[1].reason == "line 3 is no request body but an object with `choices`"


def test_mended_line_is_a_value(write_lines: Callable[..., Path]) -> None:
    """A line that had to be mended is imported as its value, and the session says so."""
    [session], _ = read([write_lines("run.jsonl", body("a"), r'{"messages": [{"role": "user", "content": "\d"}]}')])

    assert [*session.calls()][1].request == {"messages": [{"role": "user", "content": r"\d"}]}
    assert session.repairs[0].startswith("line 2: 1 stray")


def test_files_of_one_body_are_one_session_by_name(write_json: Callable[..., Path]) -> None:
    """A folder dump of one body a file is one session, in natural order."""
    paths = [write_json(f"dump/call-{n}.json", body(str(n))) for n in (10, 9, 1)]
    [session], _ = read(paths)

    assert session.session == "dump"
    assert session.meta["files"] == ["call-1.json", "call-9.json", "call-10.json"]
    assert len(list(session.calls())) == 3


def test_one_body_is_a_session_with_the_name_of_its_file(write_json: Callable[..., Path]) -> None:
    """A single body is a session of one call, kept as its very text."""
    path = write_json("bad-turn.json", body("a"))
    [session], _ = read([path])

    assert session.session == "bad-turn"
    assert [call.request for call in session.calls()] == [path.read_text()]


def test_array_is_recognised_by_its_first_items() -> None:
    """One damaged item does not hide what an array is."""
    assert Bodies().recognises([None, body("a")])
    assert not Bodies().recognises([None, {"conversations": []}])


def test_names_sort_naturally() -> None:
    """Numbers in names are compared as numbers."""
    assert sorted(["b2", "a10", "a9"], key=natural) == ["a9", "a10", "b2"]


def test_glued_bodies_are_both_read(write_lines: Callable[..., Path]) -> None:
    """Two bodies on one line are two calls, and that is said once."""
    glued = json.dumps(body("a")) + json.dumps(body("b"))
    [session], problems = read([write_lines("run.jsonl", glued, body("c"))])

    assert [json.loads(str(call.request)) for call in session.calls()] == [body("a"), body("b"), body("c")]
    assert (session.repairs, problems) == (("line 1: 2 values on one line",), [])


def test_body_with_a_replaced_character_is_not_as_it_was_sent(
    tmp_path: Path, records_in: Callable[..., list[dict[str, Any]]]
) -> None:
    """A call that holds U+FFFD for a lost byte says so; the call beside it is still whole."""
    path = tmp_path / "run.jsonl"
    path.write_bytes(json.dumps(body("a?")).encode().replace(b"?", b"\xff") + b"\n" + json.dumps(body("b")).encode())
    import_paths([path], tmp_path / "out")

    found = [(record["exact"], record.get("missing")) for record in records_in(tmp_path / "out", "snapshot")]
    assert found == [("rebuilt", ["undecodable bytes"]), ("imported", None)]


def test_over_long_integer_keeps_its_digits(tmp_path: Path) -> None:
    """A body with an integer of 6,000 digits comes back byte for byte, and no advice of Python's is printed."""
    text = json.dumps(body("a"))[:-1] + f', "seed": {"9" * 6_000}}}'
    path = tmp_path / "run.jsonl"
    path.write_text(text + "\n")
    summary = import_paths([path], tmp_path / "out")
    [request] = [request for file in (tmp_path / "out").glob("*/*.jsonl") for _, request in read_requests(file)]

    assert (summary.calls, summary.problems) == (1, ())
    assert request.body_bytes() == text.encode()
