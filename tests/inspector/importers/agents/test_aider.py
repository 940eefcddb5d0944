"""Facts about aider's history of prompts."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.importers.agents.aider import Aider
from inspector.importers.base import ImportedCall, ImportedSession, Problem
from inspector.importers.reading.documents import Document
from inspector.importers.run import import_paths

HISTORY = f"""\
TO LLM 2025-01-31T11:21:36
-------
SYSTEM Be brief.
SYSTEM{" "}
SYSTEM -------
-------
USER TO LLM 2025-01-31T11:21:36
LLM RESPONSE 2025-01-31T11:21:41
ASSISTANT yes
TO LLM 2025-01-31T11:22:00
-------
USER again
"""


def read(path: Path) -> tuple[ImportedSession, list[ImportedCall], list[Problem]]:
    """Read a file as the format does."""
    problems: list[Problem] = []
    [session] = Aider().read([Document(path)], problems.append)
    return session, [record for record in session.calls() if isinstance(record, ImportedCall)], problems


def history(tmp_path: Path, text: str = HISTORY) -> Path:
    """Write a history."""
    path = tmp_path / "project" / ".aider.llm.history"
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8")
    return path


def test_prompts_come_back_line_by_line(tmp_path: Path) -> None:
    """Blank lines, separators and titles inside messages are text; a prompt without an answer has none."""
    session, (first, second), problems = read(history(tmp_path))

    assert first.request == {
        "messages": [
            {"role": "system", "content": "Be brief.\n\n-------"},
            {"role": "user", "content": "TO LLM 2025-01-31T11:21:36"},
        ]
    }
    assert first.answer is not None
    assert first.answer.messages == ({"role": "assistant", "content": "yes"},)
    assert (second.answer, problems, session.session) == (None, [], "project")
    assert (first.exact, first.missing) == ("rebuilt", ("model", "parameters"))


def test_lines_that_nobody_says_are_reported(tmp_path: Path) -> None:
    """A line without a role is left out, and said."""
    _, calls, [problem] = read(history(tmp_path, HISTORY + "stray\n"))

    assert (problem.line, problem.lost, len(calls)) == (13, True, 2)


def test_history_is_recognised_though_it_is_no_json(tmp_path: Path) -> None:
    """A walked folder gives the history, whose name is not looked at."""
    path = history(tmp_path).rename(tmp_path / "project" / "anything.txt")
    summary = import_paths([path.parent], tmp_path / "out")

    assert (summary.recognised, summary.calls, summary.problems) == ({"aider": 1}, 2, ())


@pytest.mark.realdata
def test_real_history_is_exact(realdata: Path) -> None:
    """33 prompts and answers, from which the very bytes of the history can be written again."""
    path = realdata / "aider" / "aider.llm.history"
    _, calls, problems = read(path)
    written = ""
    for call in calls:
        assert isinstance(call.request, dict)
        assert call.time is not None
        assert call.answer is not None
        assert call.answer.time is not None
        written += f"TO LLM {call.time:%Y-%m-%dT%H:%M:%S}\n"
        for message in call.request["messages"]:
            lines = message["content"].split("\n")
            written += "-------\n" + "".join(f"{message['role'].upper()} {line}\n" for line in lines)
        written += f"LLM RESPONSE {call.answer.time:%Y-%m-%dT%H:%M:%S}\n"
        written += "".join(f"ASSISTANT {line}\n" for line in call.answer.messages[0]["content"].split("\n"))

    assert (len(calls), problems) == (33, [])
    assert written == path.read_text(encoding="utf-8")


def test_history_without_its_beginning(tmp_path: Path) -> None:
    """Where the head of a file is lost it is still known for a history; the rest of the first prompt is said."""
    path = history(tmp_path, HISTORY[30:] + "USER more\n" * 5)
    summary = import_paths([path], tmp_path / "out")

    assert summary.recognised == {"aider": 1}
    assert summary.calls == 1
    assert "beginning is lost" in summary.problems[0].reason
