"""Small transcripts, as Claude Code writes them, and what is read out of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from inspector.importers.agents.claude_code import ClaudeCode
from inspector.importers.base import ImportedCall, ImportedCompaction, ImportedSession, Problem
from inspector.importers.reading.documents import Document


class Log:
    """Writes records as Claude Code does: each with an id, its parent the one before."""

    def __init__(self, session: str = "s1") -> None:
        self.session = session
        self.lines: list[dict[str, Any]] = []
        self.last: str | None = None

    def add(self, record: dict[str, Any], **fields: Any) -> str:
        """Append a record."""
        uuid = f"{self.session}-{len(self.lines)}"
        common = {
            "uuid": uuid, "parentUuid": self.last, "sessionId": self.session, "isSidechain": False,
            "timestamp": f"2026-01-01T00:00:{len(self.lines):02}.000Z",
        }  # fmt: skip
        self.lines.append({**common, **record, **fields})
        self.last = str(self.lines[-1]["uuid"])
        return self.last

    def user(self, content: Any, **fields: Any) -> str:
        """Append a message of the user."""
        return self.add({"type": "user", "message": {"role": "user", "content": content}}, **fields)

    def answer(self, key: str, *blocks: dict[str, Any], output: int = 1, **fields: Any) -> str:
        """Append one record for each block of an answer, the count of its output growing."""
        for number, block in enumerate(blocks or ({"type": "text", "text": key},)):
            usage = {"input_tokens": 10, "cache_read_input_tokens": 90, "output_tokens": output + number}
            message = {"id": key, "role": "assistant", "model": "claude", "content": [block], "usage": usage}
            self.add({"type": "assistant", "message": message}, **fields)
        return str(self.last)


def use(key: str, **given: Any) -> dict[str, Any]:
    """A call of a tool."""
    return {"type": "tool_use", "id": key, "name": "Task", "input": given}


def result(key: str, text: str = "out") -> list[dict[str, Any]]:
    """The result of a call."""
    return [{"type": "tool_result", "tool_use_id": key, "content": text}]


def read(paths: Sequence[Path]) -> tuple[list[ImportedSession], list[Problem]]:
    """Read files as the format does."""
    problems: list[Problem] = []
    return list(ClaudeCode().read([Document(path) for path in paths], problems.append)), problems


def compactions_of(session: ImportedSession) -> list[ImportedCompaction]:
    """Give the compactions of a session."""
    return [record for record in session.calls() if isinstance(record, ImportedCompaction)]


def request(call: ImportedCall) -> list[dict[str, Any]]:
    """Give the messages of a call."""
    assert isinstance(call.request, dict)
    return list(call.request["messages"])


def usage(call: ImportedCall) -> dict[str, Any]:
    """Give the usage of a call's answer."""
    assert call.answer is not None
    assert call.answer.body is not None
    return dict(call.answer.body["usage"])
