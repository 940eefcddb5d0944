"""Traces made by the real recorder, and their index."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from inspector.index import Index, open_index
from snapshot_sdk import Recorder


@pytest.fixture
def traces(tmp_path: Path) -> Path:
    """An empty directory of traces."""
    directory = tmp_path / "traces"
    directory.mkdir()
    return directory


@pytest.fixture
def opened(traces: Path) -> Iterator[Callable[..., Index]]:
    """Opens the index of the traces and reads them; closed at the end."""
    indexes: list[Index] = []

    def open_and_read(**options: Any) -> Index:
        index = open_index(traces, **options)
        indexes.append(index)
        index.refresh()
        return index

    yield open_and_read
    for index in indexes:
        index.close()


class Chat:
    """A scripted agent: its prompt grows by a question and an answer a turn."""

    def __init__(self, recorder: Recorder, model: str = "gpt-4.1") -> None:
        self.recorder = recorder
        self.model = model
        self.messages: list[dict[str, Any]] = [{"role": "system", "content": "You sell bicycles."}]

    def request(self, **more: Any) -> dict[str, Any]:
        """The next request."""
        return {"model": self.model, "messages": list(self.messages), **more}

    def ask(self, text: str, answer: str = "Certainly.", *, tokens: int | None = None, **more: Any) -> str:
        """One turn: a question sent and answered; returns the snapshot's id."""
        self.messages.append({"role": "user", "content": text})
        snapshot = self.recorder.snapshot(self.request(**more), api="openai.chat")
        message = {"role": "assistant", "content": answer}
        usage = {"prompt_tokens": tokens, "completion_tokens": 3} if tokens is not None else None
        body: dict[str, Any] = {"id": "r", "choices": [{"message": message, "finish_reason": "stop"}]}
        if usage:
            body["usage"] = usage
        self.recorder.response(snapshot, body)
        self.messages.append(message)
        return snapshot


@pytest.fixture
def agent() -> type[Chat]:
    """Makes scripted agents."""
    return Chat
