"""Facts about splitting a file into sessions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from inspector.importers.base import Problem
from inspector.importers.reading.documents import Document
from inspector.importers.reading.grouping import Grouping, group


def split(path: Path, problems: list[Problem] | None = None) -> Grouping:
    """Group values by their ``s``; those without ``n`` are not wanted."""
    report = (problems if problems is not None else []).append
    return group(
        Document(path), report, wanted=lambda v: "n" in v, expected="number", name_of=lambda value: value.get("s")
    )


def numbers(grouping: Grouping) -> dict[str | None, list[Any]]:
    """Give the numbers of each session, each opened twice."""
    groups = {name: (list(entries()), list(entries())) for name, entries in grouping.groups()}
    assert all(first == second for first, second in groups.values())
    return {name: [entry.value["n"] for entry in first] for name, (first, _) in groups.items()}


def test_interleaved_sessions_keep_their_order(write_lines: Callable[..., Path]) -> None:
    """Values go to their session in the file's order."""
    path = write_lines("a.jsonl", {"s": "a", "n": 1}, {"s": "b", "n": 2}, {"s": "a", "n": 3}, {"n": 4})

    assert numbers(split(path)) == {"b": [2], "a": [1, 3], None: [4]}


def test_what_is_not_wanted_is_said_and_skipped(write_lines: Callable[..., Path]) -> None:
    """A value that cannot be used is reported with its line; the others are one session."""
    path = write_lines("a.jsonl", {"n": 1}, {"x": 0}, {"n": 2})
    problems: list[Problem] = []
    grouping = split(path, problems)

    assert numbers(grouping) == {None: [1, 2]}
    assert [problem.reason for problem in problems] == ["line 2 is no number but an object with `x`"]


def test_items_of_an_array_are_numbered(write_json: Callable[..., Path]) -> None:
    """An item that cannot be used is said with its place."""
    problems: list[Problem] = []
    split(write_json("a.json", [{"n": 1}, {}]), problems)

    assert [problem.reason for problem in problems] == ["item 1 is no number but an empty object"]


def test_only_value_is_known_as_such(write_json: Callable[..., Path], write_lines: Callable[..., Path]) -> None:
    """A file of one value is told from a list of one and from lines."""
    assert split(write_json("a.json", {"n": 1})).only is not None
    assert split(write_json("b.json", [{"n": 1}])).only is None
    assert split(write_lines("c.jsonl", {"n": 1}, {"n": 2})).only is None
