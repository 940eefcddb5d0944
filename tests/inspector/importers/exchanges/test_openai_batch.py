"""Facts about OpenAI batch input."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from inspector.importers.base import Problem
from inspector.importers.exchanges.openai_batch import OpenAIBatch
from inspector.importers.reading.documents import Document


def line(custom_id: str, text: str) -> dict[str, Any]:
    """A line of a batch."""
    body = {"model": "gpt-4.1", "messages": [{"role": "user", "content": text}]}
    return {"custom_id": custom_id, "method": "POST", "url": "/v1/chat/completions", "body": body}


def read(path: Path) -> tuple[dict[str, list[Any]], list[Problem]]:
    """Give the requests by session, and the problems."""
    problems: list[Problem] = []
    sessions = OpenAIBatch().read([Document(path)], problems.append)
    return {session.session: list(session.calls()) for session in sessions}, problems


def test_every_custom_id_is_a_session(write_lines: Callable[..., Path]) -> None:
    """Requests of a batch are independent: each is a session of its own."""
    sessions, problems = read(write_lines("batch.jsonl", line("q1", "a"), line("q2", "b")))

    assert list(sessions) == ["q1", "q2"]
    assert sessions["q1"][0].request == line("", "a")["body"]
    assert sessions["q1"][0].endpoint == "/v1/chat/completions"
    assert not problems


def test_repeated_ids_stay_together(write_lines: Callable[..., Path]) -> None:
    """Lines with one id are the calls of one session, in order."""
    sessions, _ = read(write_lines("batch.jsonl", line("q1", "a"), line("q2", "b"), line("q1", "c")))

    assert [call.request["messages"][0]["content"] for call in sessions["q1"]] == ["a", "c"]


def test_other_lines_are_reported(write_lines: Callable[..., Path]) -> None:
    """A line that is no batch request, or no JSON, costs itself."""
    sessions, problems = read(write_lines("batch.jsonl", line("q1", "a"), {"custom_id": "q2"}, "{"))

    assert list(sessions) == ["q1"]
    assert [problem.line for problem in problems] == [2, 3]


def test_sessions_of_a_batch_have_digests_of_their_own(write_lines: Callable[..., Path]) -> None:
    """No session of a batch passes for another."""
    document = Document(write_lines("batch.jsonl", line("q1", "a"), line("q2", "a")))
    digests = [session.digest for session in OpenAIBatch().read([document], lambda _: None)]

    assert len(set(digests)) == 2


def test_batch_output_is_not_recognised() -> None:
    """The output of a batch has no requests."""
    assert not OpenAIBatch().recognises({"custom_id": "q1", "response": {"body": {}}})
    assert OpenAIBatch().recognises([line("q1", "a")])
