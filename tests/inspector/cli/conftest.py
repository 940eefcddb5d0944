"""Traces as an agent records them, and the command line on them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner, Result

from snapshot_sdk import Recorder

HOSTILE = "\x1b[2J\x1b]0;owned\x07 订单 4711 \x9b31m \u202e"
"""What an attacker would put into a prompt."""

FIRST = {
    "model": "gpt-4.1",
    "messages": [
        {"role": "system", "content": "You are a clerk. Answer in Chinese only."},
        {"role": "user", "content": HOSTILE},
    ],
    "temperature": 1.0,
}
SECOND = {
    "model": "gpt-4.1",
    "messages": [
        *FIRST["messages"],  # type: ignore[misc]
        {"role": "assistant", "content": "好"},
        {"role": "user", "content": "<memory>likes tea</memory> And now?"},
    ],
}
USAGE = {"prompt_tokens": 60, "completion_tokens": 3, "total_tokens": 63}
ANSWER = {
    "id": "chatcmpl-1",
    "choices": [{"finish_reason": "stop", "message": {"role": "assistant", "content": "好 \x1b[31m"}}],
    "usage": USAGE,
}
WIRE = '{"model": "gpt-4.1", "messages":[{"role":"user","content":"1.0 \\u8ba2 é"}],  "n":1.50}'.encode()
"""A body as it left a client: uneven spaces, escapes, a number that changes when it is parsed and written."""

ORDER = {"role": "user", "content": "My order number is ORD-2024-001. Never answer in English."}
TALK = {"role": "assistant", "content": "The courier comes on Monday."}
LATER = {"role": "user", "content": "Which shelf is the kettle on?"}
SUITE = """
name = "desk"

[[probes]]
id = "order"
question = "What is the order number?"
kind = "artifact"
expected = { id = "ORD-2024-001" }
"""


@pytest.fixture
def recorded() -> SimpleNamespace:
    """What the traces hold."""
    return SimpleNamespace(first=FIRST, second=SECOND, usage=USAGE, answer=ANSWER, wire=WIRE, hostile=HOSTILE)


@pytest.fixture
def realdata() -> Path:
    """The shared real files, which are not part of the repository."""
    beside = Path(__file__).parents[4] / "shared" / "realdata"
    folder = Path(os.environ.get("CONTEXT_INSPECTOR_REALDATA") or beside)
    if not folder.is_dir():
        pytest.skip(f"the shared real files are not at {folder} (set CONTEXT_INSPECTOR_REALDATA)")
    return folder


@pytest.fixture
def traces(tmp_path: Path) -> Path:
    """Session ``order`` of two turns and a side call, and ``wire`` with one call that failed."""
    directory = tmp_path / "traces"
    with Recorder(directory, session="order", agent="clerk", window=1000) as recorder:
        recorder.pin("Answer in Chinese only", reason="user constraint")
        with recorder.turn(1):
            recorder.snapshot(FIRST, api="openai.chat")
            recorder.response(body=ANSWER)
        with recorder.turn(2):
            recorder.snapshot(SECOND, api="openai.chat")
            recorder.response(body=ANSWER)
            with recorder.lane("judge"):
                recorder.snapshot({"model": "gpt-4.1", "messages": [{"role": "user", "content": "ok?"}]})
    with Recorder(directory, session="wire") as recorder:
        recorder.snapshot(WIRE, api="openai.chat")
        recorder.response(status=429, error="rate_limit: slow down")
    return directory


@pytest.fixture
def run() -> Callable[..., Result]:
    """Run the command line in this process."""
    from inspector.cli.root import cli

    def invoke(*arguments: str | Path) -> Result:
        return CliRunner().invoke(cli, [str(argument) for argument in arguments], prog_name="context-inspector")

    return invoke


@pytest.fixture
def run_json(run: Callable[..., Result]) -> Callable[..., Any]:
    """Run a command with ``--json`` and give what it prints."""

    def invoke(*arguments: str | Path) -> Any:
        result = run(*arguments, "--json")
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)

    return invoke


@pytest.fixture
def record_shop(tmp_path: Path) -> Callable[..., Path]:
    """Record a session of calls that say the order number or do not; gives the directory of traces."""
    texts = {"order": ORDER, "talk": TALK, "later": LATER}

    def record(*calls: str, session: str = "shop", **header: Any) -> Path:
        directory = tmp_path / "traces"
        with Recorder(directory, session=session, **header) as recorder:
            for turn, words in enumerate(calls, start=1):
                messages = [texts[word] for word in words.split()]
                with recorder.turn(turn):
                    recorder.snapshot({"model": "gpt-4.1", "messages": messages}, api="openai.chat", lane="main")
                    recorder.response(body={"choices": [{"message": {"role": "assistant", "content": "ok"}}]})
        return directory

    return record


@pytest.fixture
def shop(record_shop: Callable[..., Path]) -> Path:
    """A session of three calls; the last one has lost the order number."""
    return record_shop("order", "order talk later", "talk later")


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """A suite of one probe, which asks for the order number."""
    file = tmp_path / "desk.toml"
    file.write_text(SUITE, "utf-8")
    return file
