"""Small cassettes, as recorders write them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import yaml

from inspector.importers.base import ImportedCall, ImportedSession, Problem
from inspector.importers.exchanges.vcr import Vcr
from inspector.importers.reading.documents import Document

CHAT = "https://api.openai.com/v1/chat/completions"
TEXT = '{"model": "m", "messages": [{"role": "user", "content": "你好 \\u4f60"}]}'
BODY: dict[str, Any] = json.loads(TEXT)
ANSWER: dict[str, Any] = {
    "id": "c1", "choices": [{"index": 0, "message": {"role": "assistant", "content": "hi"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 5, "completion_tokens": 1},
}  # fmt: skip


def entry(
    request: dict[str, Any] | None = None, response: dict[str, Any] | None = None, status: int = 200, url: str = CHAT
) -> dict[str, Any]:
    """Make an entry as VCR.py writes one."""
    return {
        "request": {"method": "POST", "uri": url, "headers": {}, **(request or {"body": TEXT})},
        "response": {
            "status": {"code": status, "message": ""},
            "headers": {"Content-Type": ["application/json"]},
            **(response if response is not None else {"body": {"string": json.dumps(ANSWER)}}),
        },
    }


def cassette(tmp_path: Path, *entries: Any, name: str = "c.yaml") -> Path:
    """Write a cassette."""
    path = tmp_path / "logs" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(yaml.safe_dump({"interactions": list(entries), "version": 1}, allow_unicode=True), encoding="utf-8")
    return path


def read(*paths: Path) -> tuple[list[ImportedSession], list[Problem]]:
    """Read files as the format does."""
    problems: list[Problem] = []
    return list(Vcr().read([Document(path) for path in paths], problems.append)), problems


def calls(*paths: Path) -> list[ImportedCall]:
    """Read the calls of cassettes, which are sound."""
    sessions, problems = read(*paths)
    assert problems == []
    return [call for session in sessions for call in session.calls() if isinstance(call, ImportedCall)]
