"""Answers are taken apart, whoever gave them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from snapshot_sdk import Recorder
from snapshot_sdk._responses import read_answer

SAID = {"role": "assistant", "content": "yes"}
PART = {"role": "model", "parts": [{"text": "yes"}]}
ITEM = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "yes"}]}


@pytest.mark.parametrize(
    ("body", "messages", "stop", "identity"),
    [
        ({"id": "c", "choices": [{"message": SAID, "finish_reason": "stop"}]}, [SAID], "stop", "c"),
        ({"id": "m", "content": "yes", "role": "assistant", "stop_reason": "end_turn"}, [SAID], "end_turn", "m"),
        ({"id": "r", "output": [ITEM], "status": "completed"}, [ITEM], "completed", "r"),
        ({"responseId": "g", "candidates": [{"content": PART, "finishReason": "STOP"}]}, [PART], "STOP", "g"),
        ({"output": {"message": SAID}, "stopReason": "end_turn"}, [SAID], "end_turn", None),
        ({"message": SAID, "done": True, "done_reason": "stop"}, [SAID], "stop", None),
        ({"response": "yes", "done": True, "done_reason": "stop"}, [SAID], "stop", None),
        ({"name": "cachedContents/1", "usageMetadata": {"totalTokenCount": 3}}, [], None, "cachedContents/1"),
        ({"name": "models/x"}, [], None, None),
    ],
    ids=["chat", "anthropic", "responses", "gemini", "bedrock", "ollama", "generate", "cache", "other"],
)
def test_answers(body: Any, messages: list[Any], stop: str | None, identity: str | None) -> None:
    """Messages, stop reason and id are found where each API has them."""
    answer = read_answer(body)
    assert (answer.messages, answer.stop_reason, answer.response_id) == (messages, stop, identity)


def test_usage_of_ollama() -> None:
    """Ollama's counts stand at the top level of its answer."""
    answer = read_answer({"message": SAID, "done": True, "prompt_eval_count": 26, "eval_count": 4, "model": "x"})
    assert answer.usage == {"prompt_eval_count": 26, "eval_count": 4}


def test_what_the_provider_did_to_the_prompt_is_kept(
    tmp_path: Path, records: Callable[..., list[dict[str, Any]]]
) -> None:
    """Anthropic's applied edits are in the response record; where nothing is said the record has no such member."""
    edits = {"applied_edits": [{"type": "clear_tool_uses_20250919", "cleared_tool_uses": 2}]}
    with Recorder(tmp_path, session="s") as recorder:
        for answer in ({"content": "a", "context_management": edits}, {"content": "b"}):
            recorder.response(recorder.snapshot({"messages": []}), answer)
    one, two = records("response")
    assert one["context"] == edits
    assert "context" not in two
