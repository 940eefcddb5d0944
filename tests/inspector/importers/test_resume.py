"""Facts about logs that have grown since they were imported."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inspector.importers.run import import_paths
from snapshot_sdk.reading import iter_records, read_requests


def contents(directory: Path) -> dict[str, bytes]:
    """Give every trace file of a directory."""
    return {str(path.relative_to(directory)): path.read_bytes() for path in directory.rglob("*.jsonl")}


def outline(directory: Path) -> tuple[list[Any], dict[int, Any], int]:
    """Give the requests in order, what was answered to each last, and how many compactions there are."""
    requests: list[Any] = []
    places: dict[str, int] = {}
    answers: dict[int, Any] = {}
    compactions = 0
    for path in sorted(directory.glob("*/*.jsonl")):
        for record, stored in read_requests(path):
            places[record["id"]] = len(requests)
            requests.append((record["lane"], record["turn"], stored.body_bytes()))
        for one in iter_records(path):
            compactions += one["type"] == "compaction"
            if one["type"] == "response":
                answers[places[one["snapshot"]]] = (one["usage"], one["duration_ms"], one["error"])
    return requests, answers, compactions


def prompt(number: int) -> str:
    """A prompt in aider's history."""
    return f"TO LLM 2025-01-01T00:00:{number:02}\n-------\nUSER {'x' * number}\n"


def answer(number: int) -> str:
    """An answer in aider's history."""
    return f"LLM RESPONSE 2025-01-01T00:00:{number:02}\nASSISTANT ok\n"


@pytest.fixture
def grow(tmp_path: Path) -> Callable[[str], Any]:
    """Append to a log, import it, and give what became of its session."""
    log = tmp_path / "run.llm.history"

    def append(text: str) -> Any:
        with log.open("a") as file:
            file.write(text)
        [session] = import_paths([log], tmp_path / "out").sessions
        return session

    return append


def test_what_is_new_is_added(tmp_path: Path, grow: Callable[[str], Any]) -> None:
    """A log that grew gives a further file of its session; what was there is not touched."""
    first = grow(prompt(1) + answer(2))
    before = contents(tmp_path / "out")
    second = grow(prompt(3) + answer(4))

    assert (first.outcome, second.outcome, second.session) == ("imported", "extended", first.session)
    assert (second.calls, second.answers) == (1, 1)
    assert before.items() <= contents(tmp_path / "out").items()
    assert len(outline(tmp_path / "out")[0]) == 2


def test_answer_that_came_later_is_added(tmp_path: Path, grow: Callable[[str], Any]) -> None:
    """A call that was imported while its answer was awaited gets it, and stays one call."""
    grow(prompt(1))
    written = grow(answer(2))
    requests, answers, _ = outline(tmp_path / "out")

    assert (written.outcome, written.calls, len(requests), len(answers)) == ("extended", 0, 1, 1)


def test_log_that_says_nothing_new_writes_nothing(tmp_path: Path, grow: Callable[[str], Any]) -> None:
    """Growth that holds no call leaves the traces as they are."""
    grow(prompt(1) + answer(2))
    before = contents(tmp_path / "out")

    assert grow("\n").outcome == "already imported"
    assert contents(tmp_path / "out") == before


def test_first_new_call_follows_the_last_known(tmp_path: Path, grow: Callable[[str], Any]) -> None:
    """The chain of a lane goes on over the files."""
    grow(prompt(1) + answer(2))
    grow(prompt(3) + answer(4) + prompt(5) + answer(6))
    records = [one for path in sorted((tmp_path / "out").glob("*/*.jsonl")) for one in iter_records(path)]
    snapshots = [record for record in records if record["type"] == "snapshot"]

    assert [one["previous"] for one in snapshots] == [None, snapshots[0]["id"], snapshots[1]["id"]]


def test_log_that_was_rewritten_is_another(tmp_path: Path, grow: Callable[[str], Any]) -> None:
    """A log that no longer begins as it did is imported beside the earlier one."""
    first = grow(prompt(1) + answer(2))
    (tmp_path / "run.llm.history").write_text("")
    second = grow(prompt(2) + answer(3) + prompt(4) + answer(5))

    assert second.outcome == "imported"
    assert second.session != first.session


@pytest.mark.realdata
@pytest.mark.parametrize(
    "name",
    ["claude-code/d5-99f72ee73a-0.jsonl", "pi/compact.jsonl", "codex/small.jsonl", "opencode/ses_basic.jsonl"],
)
def test_real_logs_grow_into_themselves(realdata: Path, tmp_path: Path, name: str) -> None:
    """A real log imported in four pieces gives the requests, answers and compactions of the whole."""
    lines = (realdata / name).read_bytes().splitlines(keepends=True)
    log = tmp_path / Path(name).name
    for end in (len(lines) // 4, len(lines) // 4 + 1, len(lines) // 2, len(lines)):
        log.write_bytes(b"".join(lines[:end]))
        import_paths([log], tmp_path / "pieces")
    import_paths([log], tmp_path / "whole")

    assert outline(tmp_path / "pieces") == outline(tmp_path / "whole")


def test_header_says_how_far_it_was_read(tmp_path: Path, grow: Callable[[str], Any]) -> None:
    """The header of each piece has the bytes of the log that its digest is of."""
    text = prompt(1) + answer(2)
    grow(text)
    [path] = (tmp_path / "out").glob("*/*.jsonl")
    header = json.loads(path.read_bytes().split(b"\n")[0])

    assert header["imported"]["bytes"] == {"run.llm.history": len(text)}
