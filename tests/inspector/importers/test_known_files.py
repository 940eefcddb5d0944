"""Facts about files that are known to hold no prompt."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inspector.importers import import_paths
from inspector.importers.known_files import known_for

VIEW = {"success": True, "data": [{"role": "user", "content": "Hi"}]}

KNOWN: dict[str, Any] = {
    "a trace file of snapshot_sdk": {"type": "header", "v": 1},
    "what Langfuse shows": {"e44e": {"input": VIEW, "output": VIEW}, "3318": {"output": VIEW}},
    "a SWE-agent trajectory whose steps carry no prompt": {"trajectory": [{}], "history": []},
    "the output of an OpenAI batch": {"custom_id": "1", "response": None, "error": {}},
    "questions of the Berkeley": {"id": "1", "question": [], "involved_classes": []},
    "expected answers of a benchmark": {"id": "1", "ground_truth": []},
    "definitions of tools": {"name": "f", "description": "", "parameters": {}},
    "conversations exported from ChatGPT": [{"title": "x", "mapping": {}, "current_node": "1"}],
    "conversations exported from Claude": [{"uuid": "1", "name": "x", "chat_messages": []}],
    "what was typed into Claude Code": {"display": "x", "pastedContents": {}, "timestamp": 1, "project": "/x"},
    "what was typed into Codex": {"session_id": "1", "ts": 1, "text": "x"},
    "what was typed into Gemini CLI": [{"sessionId": "1", "messageId": 0, "type": "user", "message": "x"}],
}


@pytest.mark.parametrize("words", KNOWN)
def test_each_is_named(write_json: Any, tmp_path: Path, words: str) -> None:
    """No format takes such a file for its own, and the reason says what it is."""
    file = write_json("x.json", KNOWN[words])
    summary = import_paths([file], tmp_path / "out")

    assert [problem.source for problem in summary.problems] == [str(file)]
    assert words in summary.problems[0].reason


@pytest.mark.parametrize(
    "sample", [None, [], {}, [1], {"a": {}}, {"a": {"input": {}}}, {"e44e": {"input": VIEW, "x": 1}}]
)
def test_others_are_not(sample: Any) -> None:
    """Nothing is said of a value that is none of these."""
    assert known_for(sample) is None
