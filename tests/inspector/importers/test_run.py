"""Facts about importing files and folders."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inspector.errors import InspectorError
from inspector.importers import IMPORTERS, ImportProgress, format_names, import_paths

BODY = {"model": "m", "messages": [{"role": "user", "content": "x"}]}
LOG = {"messages": [{"role": "user", "content": "x"}], "response": {"choices": []}, "kwargs": {}, "timestamp": 1.0}
TRAJECTORY = {"trajectory": [{"response": "y", "query": [{"role": "user", "content": "x"}]}]}
BATCH = {"custom_id": "q1", "method": "POST", "url": "/v1/chat/completions", "body": BODY}


def test_every_file_is_recognised_by_its_content(write_json: Callable[..., Path], tmp_path: Path) -> None:
    """Names mean nothing: one file of each format, under the same extension, is told apart."""
    write_json("a.txt", TRAJECTORY)
    write_json("b.txt", LOG)
    write_json("c.txt", BATCH)
    write_json("d.txt", BODY)
    summary = import_paths([tmp_path / "logs"], tmp_path / "out")

    assert summary.recognised == {"swe-agent": 1, "openhands": 1, "openai-batch": 1, "bodies": 1}
    assert {session.session for session in summary.sessions} == {"a", "logs", "q1", "d"}
    assert summary.problems == ()


def test_unknown_file_says_what_it_looks_like(write_json: Callable[..., Path], tmp_path: Path) -> None:
    """A file nobody reads is said with what it is and who was asked."""
    path = write_json("x.json", {"conversations": [], "tools": ""})
    summary = import_paths([path], tmp_path / "out")

    [problem] = summary.problems
    assert problem.source == str(path)
    tried = ", ".join(format_names())
    looks = "JSON, 34 bytes: an object with `conversations`, `tools`"
    assert problem.reason == f"not recognised: {looks} (tried: {tried})"
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"v": 1, "type": "header", "session": "s"}, "needs no import"),
        ({"trajectory": [{"action": "ls"}], "history": []}, "carry no prompt"),
        ({"custom_id": "q", "response": {"body": {}}}, "no requests"),
    ],
)
def test_known_files_without_prompts_say_why(
    write_json: Callable[..., Path], tmp_path: Path, value: Any, words: str
) -> None:
    """Files that look right and hold no prompt say why they cannot be imported."""
    [problem] = import_paths([write_json("x.json", value)], tmp_path / "out").problems

    assert words in problem.reason


def test_bad_file_never_stops_the_rest(write_json: Callable[..., Path], tmp_path: Path) -> None:
    """A torn file, one of another shape and one that is not there cost themselves only."""
    good = write_json("good.json", BODY)
    torn = good.with_name("torn.json")
    torn.write_text('{"messages": [')
    odd = write_json("odd.json", {**LOG, "messages": [1], "timestamp": "x"})
    summary = import_paths([torn, good.with_name("absent.json"), odd, good], tmp_path / "out")

    assert "good" in {session.session for session in summary.sessions}
    assert {Path(problem.source).name for problem in summary.problems} >= {"torn.json", "absent.json"}
    assert summary.lost == len(summary.problems)


def test_other_files_of_a_folder_are_counted(write_json: Callable[..., Path], tmp_path: Path) -> None:
    """A walked folder's pictures and notes are passed over and counted; hidden ones are not looked at."""
    logs = write_json("a.json", BODY).parent
    (logs / "picture.png").write_bytes(b"\x89PNG")
    (logs / ".hidden.json").write_text("{}")
    (logs / ".git").mkdir()
    (logs / ".git" / "x.json").write_text("{}")
    summary = import_paths([logs], tmp_path / "out")

    assert (summary.files, summary.passed_over, len(summary.sessions)) == (2, 1, 1)


def test_named_file_is_never_passed_over(tmp_path: Path) -> None:
    """A file that was asked for by name and is no JSON is a problem."""
    picture = tmp_path / "picture.png"
    picture.write_bytes(b"\x89PNG")

    assert [problem.source for problem in import_paths([picture], tmp_path / "out").problems] == [str(picture)]


def test_file_is_read_once(write_json: Callable[..., Path], tmp_path: Path) -> None:
    """A file that is named and walked is one file."""
    path = write_json("a.json", BODY)

    assert import_paths([path, path.parent, path], tmp_path / "out").files == 1


def test_output_inside_a_walked_folder_is_not_walked(write_json: Callable[..., Path]) -> None:
    """Importing a folder into itself twice finds the logs only."""
    logs = write_json("a.json", BODY).parent
    import_paths([logs], logs / "traces")
    again = import_paths([logs], logs / "traces")

    assert again.files == 1
    assert [session.outcome for session in again.sessions] == ["already imported"]


def test_a_folder_may_mix_formats(
    write_json: Callable[..., Path], write_lines: Callable[..., Path], tmp_path: Path
) -> None:
    """Logs of several tools side by side, one of them no JSON and one packed, are each read as what they are."""
    logs = write_lines("a.jsonl", {"type": "session", "id": "pi-1", "cwd": "/"}).parent
    write_json("b.traj", TRAJECTORY)
    (logs / "c.history").write_text("TO LLM 2025-01-01T00:00:01\n-------\nUSER a\n")
    (logs / "d").write_bytes(gzip.compress(json.dumps(BODY).encode()))
    (logs / "notes.md").write_text("# Notes")
    summary = import_paths([logs], tmp_path / "out")

    assert summary.recognised == {"pi": 1, "swe-agent": 1, "aider": 1, "bodies": 1}
    assert (summary.passed_over, summary.problems) == (1, ())


def test_named_format_refuses_other_files(write_json: Callable[..., Path], tmp_path: Path) -> None:
    """With a format named, a file of another is said and not read as something else."""
    summary = import_paths([write_json("a.json", BODY)], tmp_path / "out", format_name="openhands")

    assert summary.sessions == ()
    assert "(tried: openhands)" in summary.problems[0].reason


def test_unknown_format_is_an_error(tmp_path: Path) -> None:
    """A format nobody knows is refused with those that are known."""
    with pytest.raises(InspectorError) as caught:
        import_paths([tmp_path], tmp_path / "out", format_name="papyrus")
    assert caught.value.hint == f"Known: auto, {', '.join(format_names())}."


def test_same_stem_in_two_folders_stays_two(write_json: Callable[..., Path], tmp_path: Path) -> None:
    """Two logs of one name are two sessions, whatever their order."""
    write_json("one/run.json", [BODY, BODY])
    write_json("two/run.json", [BODY])
    summary = import_paths([tmp_path / "logs"], tmp_path / "out")

    names = [session.session for session in summary.sessions]
    assert names[0] == "run"
    assert names[1].startswith("run@")


def test_repairs_are_said_and_lose_nothing(write_lines: Callable[..., Path], tmp_path: Path) -> None:
    """A mended line is in the problems, and not among what was lost."""
    path = write_lines("a.jsonl", BODY, r'{"messages": [{"role": "user", "content": "\d"}]}')
    summary = import_paths([path], tmp_path / "out")

    assert [problem.lost for problem in summary.problems] == [False]
    assert (summary.lost, summary.calls) == (0, 2)


def test_progress_is_told(write_json: Callable[..., Path], tmp_path: Path) -> None:
    """Progress names what is done, file by file and call by call."""
    told: list[ImportProgress] = []
    path = write_json("a.json", [BODY, BODY])
    import_paths([path], tmp_path / "out", progress=told.append)

    assert [(p.stage, p.name, p.calls) for p in told] == [
        ("recognising", "a.json", 0),
        ("importing", "a", 1),
        ("importing", "a", 2),
    ]


def test_every_importer_says_what_it_is() -> None:
    """Names are unique, and each format says what it is recognised by."""
    assert len(set(format_names())) == len(IMPORTERS)
    assert all("`" in importer.title or '"' in importer.title for importer in IMPORTERS)


@pytest.mark.parametrize("value", [None, 1, "x", [], {}, [[]], {"messages": None}, {"trajectory": 1}, {"body": {}}])
def test_no_importer_stumbles_over_odd_values(value: Any) -> None:
    """Recognising never raises, and takes nothing for granted."""
    assert not any(importer.recognises(value) for importer in IMPORTERS)


@pytest.mark.realdata
def test_real_files_are_all_accounted_for(realdata: Path, tmp_path: Path) -> None:
    """Importing every shared file reads what it can and says the rest, and again nothing is new."""
    first = import_paths([realdata], tmp_path / "out")
    again = import_paths([realdata], tmp_path / "out")

    assert first.recognised["swe-agent"] == 1
    assert first.recognised["openhands"] == 10
    assert {session.outcome for session in again.sessions} == {"already imported"}
    assert len(again.sessions) == len(first.sessions)


@pytest.mark.parametrize(
    "log",
    [
        {**LOG, "timestamp": 1e300},
        {**LOG, "context_window": -1, "latency_sec": "slow"},
        {**LOG, "messages": [None, 1, []]},
        {**LOG, "kwargs": [], "response": {"choices": [None, {"message": None}], "usage": 7}},
        {**LOG, "raw_response": {"choices": [{"message": {"tool_calls": 1}}]}},
    ],
)
def test_odd_log_costs_at_most_itself(write_json: Callable[..., Path], tmp_path: Path, log: Any) -> None:
    """A log whose members have other types than its format is imported or said, and another one is imported."""
    write_json("odd/m-1.json", log)
    write_json("good/m-1.json", LOG)
    summary = import_paths([tmp_path / "logs"], tmp_path / "out")

    assert "good" in {session.session for session in summary.sessions}
    assert len(summary.sessions) + summary.lost == 2
