"""Facts about ``import``."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

BODY = {"model": "m", "messages": [{"role": "user", "content": "x"}]}


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A JSONL file of two bodies."""
    path = tmp_path / "run.jsonl"
    path.write_text(f"{json.dumps(BODY)}\n{json.dumps(BODY)}\n")
    return path


def test_import_says_what_it_wrote(log: Path, tmp_path: Path, run: Callable[..., Result]) -> None:
    """A line a session, and a line of totals."""
    result = run("import", "auto", log, "--out", tmp_path / "out")

    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "run: imported, 2 calls, 0 answers (bodies, imported)",
        f"1 of 1 file recognised · 2 calls written to {tmp_path / 'out'}",
    ]
    assert result.stderr == ""


def test_second_import_is_said(log: Path, tmp_path: Path, run: Callable[..., Result]) -> None:
    """What is there already is said and is no failure."""
    run("import", "auto", log, "--out", tmp_path / "out")
    result = run("import", "auto", log, "--out", tmp_path / "out")

    assert result.exit_code == 0
    assert result.stdout.splitlines()[0] == "run: already imported (bodies, run.jsonl)"


def test_what_could_not_be_read_is_counted_and_said(log: Path, tmp_path: Path, run: Callable[..., Result]) -> None:
    """A bad line is said with its place on stderr, counted, and the code is 1."""
    log.write_text(log.read_text() + '{"mess\x1b[2J\n')
    result = run("import", "auto", log, "--out", tmp_path / "out")

    assert result.exit_code == 1
    assert "1 line(s), item(s) or file(s) could not be read" in result.stdout
    assert result.stderr.startswith(f"context-inspector: {log}:3: not JSON")
    assert "\x1b" not in result.output


def test_nothing_to_import(tmp_path: Path, run: Callable[..., Result]) -> None:
    """Where nothing can be imported the code says so, and no directory is made."""
    path = tmp_path / "x.json"
    path.write_text("{}")
    result = run("import", "auto", path, "--out", tmp_path / "out")

    assert result.exit_code == 4
    assert "an empty object" in result.stderr
    assert not (tmp_path / "out").exists()


def test_absent_path_is_not_found(tmp_path: Path, run: Callable[..., Result]) -> None:
    """A path that is not there has the code of what is not there."""
    assert run("import", "auto", tmp_path / "nowhere", "--out", tmp_path / "out").exit_code == 3


def test_unknown_format_is_wrong_usage(log: Path, tmp_path: Path, run: Callable[..., Result]) -> None:
    """A format nobody knows is refused with those that are known."""
    result = run("import", "papyrus", log, "--out", tmp_path / "out")

    assert result.exit_code == 2
    assert "openai-batch" in result.stderr


def test_out_is_required(log: Path, run: Callable[..., Result]) -> None:
    """Without a place to write there is nothing to do."""
    assert run("import", "auto", log).exit_code == 2


def test_output_that_cannot_be_written(log: Path, run: Callable[..., Result]) -> None:
    """A file in the way of the output has a code of its own."""
    result = run("import", "auto", log, "--out", log / "out")

    assert result.exit_code == 6
    assert result.stderr.count("\n") == 1


def test_json_summary(log: Path, tmp_path: Path, run: Callable[..., Result]) -> None:
    """``--json`` prints the whole account."""
    log.write_text(log.read_text() + "{\n")
    result = run("import", "auto", log, "--out", tmp_path / "out", "--json")
    summary: dict[str, Any] = json.loads(result.stdout)

    assert result.exit_code == 1
    assert (summary["files"], summary["recognised"], summary["calls"], summary["lost"]) == (1, {"bodies": 1}, 2, 1)
    assert summary["problems"][0]["line"] == 3
    [session] = summary["sessions"]
    assert (session["session"], session["outcome"], session["exact"]) == ("run", "imported", ["imported"])
    assert all(Path(file).is_file() for file in session["files"])


def test_many_problems_are_cut_short(tmp_path: Path, run: Callable[..., Result]) -> None:
    """Of many problems some are said, and all are counted."""
    path = tmp_path / "run.jsonl"
    path.write_text(f"{json.dumps(BODY)}\n" + "{\n" * 50)
    result = run("import", "auto", path, "--out", tmp_path / "out")

    assert len(result.stderr.splitlines()) == 7
    assert f"{path}: and 45 more" in result.stderr
    assert "50 line(s), item(s) or file(s) could not be read" in result.stdout


def test_one_bad_file_hides_no_other(tmp_path: Path, run: Callable[..., Result]) -> None:
    """The problems of a file are capped for themselves: those of the next are said, too."""
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "a.jsonl").write_text(f"{json.dumps(BODY)}\n" + "{\n" * 50)
    (tmp_path / "logs" / "b.jsonl").write_text(f"{json.dumps(BODY)}\n{{\n")
    result = run("import", "auto", tmp_path / "logs", "--out", tmp_path / "out")

    assert "b.jsonl:2: not JSON" in result.stderr


def test_verbose_says_every_problem(tmp_path: Path, run: Callable[..., Result]) -> None:
    """With ``--verbose`` nothing is cut short."""
    path = tmp_path / "run.jsonl"
    path.write_text(f"{json.dumps(BODY)}\n" + "{\n" * 50)
    result = run("import", "auto", path, "--out", tmp_path / "out", "--verbose")

    assert len(result.stderr.splitlines()) == 50


def test_data_set_names_its_first_sessions(tmp_path: Path, run: Callable[..., Result]) -> None:
    """Of many sessions the first are named and the rest is counted."""
    rows = [
        {"messages": [{"role": "user", "content": f"q{n}"}, {"role": "assistant", "content": "a"}]} for n in range(60)
    ]
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    result = run("import", "fine-tuning", path, "--out", tmp_path / "out")

    assert len(result.stdout.splitlines()) == 52
    assert "and 10 more sessions" in result.stdout
    assert "1 call, 1 answer (" in result.stdout


def test_pipe_is_refused_at_once(tmp_path: Path, run: Callable[..., Result]) -> None:
    """A pipe that is named would be waited for, for ever."""
    os.mkfifo(tmp_path / "pipe")
    result = run("import", "auto", tmp_path / "pipe", "--out", tmp_path / "out")

    assert "no file" in result.stderr


def test_imported_session_is_shown(log: Path, tmp_path: Path, run: Callable[..., Result]) -> None:
    """What was imported is shown byte for byte."""
    run("import", "auto", log, "--out", tmp_path / "out")
    result = run("show", tmp_path / "out", "run", "2", "--request")

    assert result.stdout_bytes == json.dumps(BODY).encode()


@pytest.mark.realdata
def test_real_logs_end_to_end(tmp_path: Path, run: Callable[..., Result], realdata: Path) -> None:
    """The OpenHands logs become six calls, counted against the provider's figure with both origins."""
    run("import", "auto", realdata / "openhands" / "llm-logs", "--out", tmp_path / "out")
    calls = [json.loads(run("show", tmp_path / "out", "llm-logs", str(n), "--json").stdout) for n in range(1, 7)]

    assert [call["tokens"]["provider"]["count"] for call in calls] == [4812, 5002, 6123, 6277, 6485, 6729]
    assert all(call["tokens"]["counted"]["origin"].startswith("estimate:") for call in calls)
    assert [sum(m["member"] == "messages" for m in call["messages"]) for call in calls] == [2, 4, 6, 8, 10, 12]
    assert all(call["tokens"]["layers"]["tools"]["count"] > 1000 for call in calls)


@pytest.mark.realdata
def test_real_trajectory_end_to_end(tmp_path: Path, run: Callable[..., Result], realdata: Path) -> None:
    """The SWE-agent trajectory becomes 13 calls of 4, 6, … 28 messages."""
    run("import", "swe-agent", realdata / "swe-agent", "--out", tmp_path / "out")
    [session] = json.loads(run("sessions", tmp_path / "out", "--json").stdout)
    calls = [
        json.loads(run("show", tmp_path / "out", session["session"], str(n), "--json").stdout) for n in range(1, 14)
    ]

    assert (session["calls"], session["origin"]) == (13, "imported")
    assert [len(call["messages"]) for call in calls] == [*range(4, 29, 2)]
    assert all(call["call"]["missing"] == ["tools", "parameters", "model"] for call in calls)


def test_follow_says_what_is_new_until_it_is_stopped(
    tmp_path: Path, run: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A log that grows between two looks is extended; nothing else is said, and stopping is no failure."""
    log = tmp_path / "a.llm.history"
    log.write_text("TO LLM 2025-01-01T00:00:01\n-------\nUSER a\n")
    looks = 0

    def wait() -> bool:
        nonlocal looks
        looks += 1
        if looks == 3:
            raise KeyboardInterrupt
        if looks == 1:
            log.write_text(f"{log.read_text()}TO LLM 2025-01-01T00:00:02\n-------\nUSER b\n")
        return True

    monkeypatch.setattr("inspector.cli.import_command._wait", wait)
    result = run("import", "auto", log, "--out", tmp_path / "out", "--follow")

    assert result.exit_code == 0
    assert [line.split(",")[0] for line in result.stdout.splitlines() if line.startswith("a:")] == [
        "a: imported",
        "a: extended",
    ]
