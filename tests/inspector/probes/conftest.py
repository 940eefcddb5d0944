"""Sessions as an agent records them, and the samples."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from inspector.index import Index, open_index
from inspector.probes.look import SessionFacts, read_facts
from snapshot_sdk import Recorder

ROOT = Path(__file__).parents[3]

SYSTEM = "You are the clerk of a shop."
ORDER = "My order number is ORD-2024-001. Please move the delivery."
RULE = "Answer in Chinese only, never in English."
TALK = "The courier came late last week and the box was wet. Nobody rang the bell at all."


@pytest.fixture
def recorded(tmp_path: Path, opened: Callable[[Path], Index]) -> Callable[..., Index]:
    """Records a session ``shop`` whose calls have these bodies, and opens its index."""

    def make(bodies: Sequence[dict[str, Any]], api: str = "openai.chat", endpoint: str | None = None) -> Index:
        directory = tmp_path / "traces"
        with Recorder(directory, session="shop") as recorder:
            for turn, body in enumerate(bodies, start=1):
                with recorder.turn(turn):
                    recorder.snapshot(body, api=api, endpoint=endpoint, lane="main")
                    recorder.response(body={"choices": [{"message": {"role": "assistant", "content": "ok"}}]})
        return opened(directory)

    return make


def chat(*texts: str, **more: Any) -> dict[str, Any]:
    """A chat request: the instructions, then user and assistant in turn."""
    spoken = [{"role": ("user", "assistant")[n % 2], "content": text} for n, text in enumerate(texts)]
    return {"model": "gpt-4.1", "messages": [{"role": "system", "content": SYSTEM}, *spoken], **more}


@pytest.fixture
def forgetful(recorded: Callable[..., Index]) -> Index:
    """Four calls: from the third on a window has dropped the order number and the rule."""
    return recorded(
        [
            chat(f"{ORDER} {RULE}"),
            chat(f"{ORDER} {RULE}", "好。", TALK),
            chat(TALK, "好。", "Which shelf is the kettle on?"),
            chat("Which shelf is the kettle on?", "二号。", "Thank you so much."),
        ]
    )


@pytest.fixture
def facts_of() -> Callable[..., SessionFacts]:
    """Reads what looking needs of a session."""

    def make(index: Index, session: str = "shop") -> SessionFacts:
        return read_facts(index, session)

    return make


@pytest.fixture(scope="session")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    """The sample sessions, in an index of their own."""
    directory = tmp_path_factory.mktemp("samples") / "traces"
    shutil.copytree(ROOT / "sample_data" / "traces", directory)
    index = open_index(directory)
    index.refresh()
    yield index
    index.close()
